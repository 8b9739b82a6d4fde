#include "lib/inputs/archive_bytes.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <archive.h>
#include <sys/stat.h>

#include "lib/core/job_hooks.hpp"
#include "lib/core/text.hpp"
#include "lib/files/disk.hpp"
#include "lib/files/open_file.hpp"
#include "lib/files/shortage.hpp"
#include "lib/image/formats/decode.hpp"
#include "lib/inputs/archive_names.hpp"
#include "lib/process/command_output.hpp"

namespace fovea {
namespace {

[[noreturn]] void fail_to_open(const std::filesystem::path& file, int error) {
    throw_if_short("the archive '" + file.string() + "' cannot be opened", error);
    throw ImageError(std::generic_category().message(error));
}

class FileSource final : public ArchiveBytes {
    /// Room for the headers of a member, as a rule.
    static constexpr std::size_t header_bytes = 4096;

  public:
    FileSource(const std::filesystem::path& file, std::size_t block_bytes)
        : file_(file), descriptor_(open_archive_file(file)), block_(block_bytes) {
        struct stat status {};
        if (::fstat(descriptor_.get(), &status) != 0) fail_to_open(file, errno);
        size_ = static_cast<std::uint64_t>(status.st_size);
    }

    void connect(::archive* archive) override {
        ::archive_read_set_callback_data(archive, this);
        ::archive_read_set_read_callback(archive, &FileSource::next_block);
        ::archive_read_set_skip_callback(archive, &FileSource::skip);
        ::archive_read_set_seek_callback(archive, &FileSource::seek);
    }

    bool read_at(std::uint64_t offset, std::span<char> bytes) override {
        return read(offset, bytes.data(), bytes.size()) == static_cast<std::ptrdiff_t>(bytes.size());
    }

    std::uint64_t size() const override { return size_; }
    bool has_failed() const override { return error_ != 0; }

    [[noreturn]] void throw_failure() const override {
        throw_if_short("the archive '" + file_.string() + "' cannot be read", error_);
        throw ImageError(std::generic_category().message(error_));
    }

  private:
    std::ptrdiff_t read(std::uint64_t offset, char* to, std::size_t count) {
        const std::ptrdiff_t got = fovea::read_at(descriptor_.get(), to, count, offset);
        if (got < 0 && error_ == 0) error_ = errno;
        return got;
    }

    static la_ssize_t next_block(::archive* archive, void* self, const void** block) {
        auto& source = *static_cast<FileSource*>(self);
        *block = source.block_.data();
        // Behind what was passed over stands a header, and then perhaps more that is passed over.
        const std::size_t wanted = std::exchange(source.has_skipped_, false)
                                       ? std::min(header_bytes, source.block_.size())
                                       : source.block_.size();
        const std::ptrdiff_t got = source.read(source.position_, source.block_.data(), wanted);
        if (got < 0) {
            ::archive_set_error(archive, source.error_, "%s", "the file cannot be read");
            return ARCHIVE_FATAL;
        }
        source.position_ += static_cast<std::uint64_t>(got);
        return got;
    }

    static la_int64_t skip(::archive* /*archive*/, void* self, la_int64_t request) {
        auto& source = *static_cast<FileSource*>(self);
        source.position_ += static_cast<std::uint64_t>(request);
        source.has_skipped_ = true;
        return request;
    }

    static la_int64_t seek(::archive* /*archive*/, void* self, la_int64_t offset, int whence) {
        auto& source = *static_cast<FileSource*>(self);
        const std::uint64_t origin = whence == SEEK_SET   ? 0
                                     : whence == SEEK_CUR ? source.position_
                                                          : source.size_;
        const la_int64_t position = static_cast<la_int64_t>(origin) + offset;
        if (position < 0) return ARCHIVE_FATAL;
        source.position_ = static_cast<std::uint64_t>(position);
        return position;
    }

    const std::filesystem::path file_;
    FileDescriptor descriptor_;
    std::vector<char> block_;
    std::uint64_t size_ = 0;
    std::uint64_t position_ = 0;
    bool has_skipped_ = false;
    int error_ = 0;
};

/// It passes by once. The command's failure is no fault of the archive, which may be whole the next time.
class CommandSource final : public ArchiveBytes {
  public:
    CommandSource(std::string_view command, std::size_t block_bytes, const std::atomic<bool>* stop)
        : command_(command), output_(command_), block_(block_bytes), stop_(stop) {
        fill();
    }

    void connect(::archive* archive) override {
        ::archive_read_set_callback_data(archive, this);
        ::archive_read_set_read_callback(archive, &CommandSource::next_block);
    }

    /// The first block alone stays.
    bool read_at(std::uint64_t offset, std::span<char> bytes) override {
        if (is_given_ || offset > held_ || bytes.size() > held_ - offset) return false;
        std::memcpy(bytes.data(), block_.data() + offset, bytes.size());
        return true;
    }

    std::uint64_t size() const override { return 0; }
    bool has_failed() const override { return !failure_.empty(); }

    [[noreturn]] void throw_failure() const override {
        if (is_cancelled(stop_)) throw ImageError("reading was stopped");
        throw ShortageError("the command '" + excerpt(command_) + "', which gives an archive, " + failure_ +
                            "; try it in a shell, then run this again");
    }

  private:
    void fill() {
        for (held_ = 0; held_ < block_.size();) {
            const std::size_t count = output_.read(block_.data() + held_, block_.size() - held_, stop_);
            if (count == 0) break;
            held_ += count;
        }
        // An archive that was cut off must not be taken for a damaged one.
        if (held_ < block_.size()) failure_ = output_.failure(stop_);
    }

    static la_ssize_t next_block(::archive* archive, void* self, const void** block) {
        auto& source = *static_cast<CommandSource*>(self);
        const bool is_last = source.held_ < source.block_.size();
        if (!std::exchange(source.is_given_, true)) {
            // The first block is there already.
        } else if (is_last) {
            source.held_ = 0;
        } else {
            source.fill();
        }
        if (source.has_failed()) {
            ::archive_set_error(archive, EIO, "%s", "the command failed");
            return ARCHIVE_FATAL;
        }
        *block = source.block_.data();
        return static_cast<la_ssize_t>(source.held_);
    }

    const std::string command_;
    CommandOutput output_;
    std::vector<char> block_;
    const std::atomic<bool>* stop_;
    std::size_t held_ = 0;  // bytes in the block; fewer than it has room for at the end
    bool is_given_ = false;
    std::string failure_;
};

}  // namespace

FileDescriptor open_archive_file(const std::filesystem::path& file) {
    std::optional<OpenFile> opened = open_to_read(file);
    if (!opened) fail_to_open(file, errno);
    if (!opened->is_regular()) throw ImageError("is not a regular file");
    return std::move(opened->descriptor);
}

std::unique_ptr<ArchiveBytes> open_archive_bytes(const std::filesystem::path& archive,
                                                 std::size_t block_bytes, const std::atomic<bool>* stop) {
    if (is_archive_command(archive))
        return std::make_unique<CommandSource>(command_of_archive(archive), block_bytes, stop);
    return std::make_unique<FileSource>(archive, block_bytes);
}

}  // namespace fovea
