#include "lib/inputs/archive_videos.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>

#include "lib/files/disk.hpp"
#include "lib/files/folder.hpp"
#include "lib/files/shortage.hpp"
#include "lib/image/formats/decode.hpp"
#include "lib/video/video_error.hpp"

namespace fovea {
namespace {

constexpr std::size_t unpacking_block = std::size_t{1} << 20;
/// Videos are packed already: one that grows by more than this is none, or was made to fill the disk.
constexpr std::uint64_t most_growth = 100;
constexpr std::uint64_t never_too_large = std::uint64_t{64} << 20;

std::string mebibytes(std::uint64_t bytes) {
    return std::to_string((bytes + (std::uint64_t{1} << 20) - 1) >> 20) + " MiB";
}

/// /tmp often lies in memory.
std::filesystem::path folder_for_large_files() {
    const char* const wanted = std::getenv("TMPDIR");
    if (wanted != nullptr && *wanted != '\0') return wanted;
    return is_folder("/var/tmp") ? "/var/tmp" : "/tmp";
}

[[noreturn]] void fail_in(const std::filesystem::path& folder, int error) {
    throw_if_short("no temporary file can be written in '" + folder.string() + "'", error);
    throw VideoError("cannot be unpacked in '" + folder.string() +
                     "': " + std::generic_category().message(error) +
                     "; set TMPDIR to another folder, or unpack the archive");
}

FileDescriptor nameless_file(const std::filesystem::path& folder) {
    FileDescriptor file(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR));
    if (file) return file;
    // Some file systems have no files without a name.
    std::string name = (folder / "fovea-XXXXXX").string();
    file = FileDescriptor(::mkostemp(name.data(), O_CLOEXEC));
    if (!file) fail_in(folder, errno);
    ::unlink(name.c_str());
    return file;
}

void refuse_what_does_not_fit(std::uint64_t size, std::uint64_t archive_size,
                              const std::filesystem::path& folder) {
    if (size > never_too_large && size / most_growth > archive_size) {
        throw VideoError("would take " + mebibytes(size) + " unpacked, more than " +
                         std::to_string(most_growth) +
                         " times as much as its whole archive; if that is right, unpack the archive");
    }
    std::error_code error;
    const std::filesystem::space_info space = std::filesystem::space(folder, error);
    if (!error && size > space.available) {
        throw VideoError("takes " + mebibytes(size) + " while it is read, and '" + folder.string() +
                         "' has room for " + mebibytes(space.available) +
                         "; set TMPDIR to a folder with more room, or unpack the archive");
    }
}

std::uint64_t size_of(const FileDescriptor& file) {
    struct stat status {};
    return ::fstat(file.get(), &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
}

constexpr const char* videos_changed = "the archive has changed since its videos were listed";

}  // namespace

class ArchiveVideos::Stored final : public VideoBytes {
  public:
    Stored(std::shared_ptr<ArchiveVideos> archive, const ArchiveMember& member)
        : archive_(std::move(archive)), member_(member) {}

    Range open() const override {
        try {
            auto file = std::make_shared<const FileDescriptor>(open_archive_file(archive_->archive_));
            const std::uint64_t size = size_of(*file);
            if (member_.offset > size || member_.size > size - member_.offset)
                throw VideoError(videos_changed);
            return {std::move(file), member_.offset, member_.size};
        } catch (const ImageError& error) {
            throw VideoError(std::string("the archive cannot be opened: ") + error.what());
        }
    }

  private:
    const std::shared_ptr<ArchiveVideos> archive_;
    const ArchiveMember member_;
};

class ArchiveVideos::Packed final : public VideoBytes {
  public:
    Packed(std::shared_ptr<ArchiveVideos> archive, const ArchiveMember& member)
        : archive_(std::move(archive)), member_(member) {}

    Range open() const override {
        const std::lock_guard lock(mutex_);
        std::shared_ptr<const FileDescriptor> file = file_.lock();
        if (!file) {
            file = archive_->unpack(member_);
            file_ = file;
        }
        return {std::move(file), 0, member_.size};
    }

  private:
    const std::shared_ptr<ArchiveVideos> archive_;
    const ArchiveMember member_;
    mutable std::mutex mutex_;
    mutable std::weak_ptr<const FileDescriptor> file_;
};

std::shared_ptr<const VideoBytes> ArchiveVideos::bytes_of(const ArchiveMember& member) {
    if (member.offset != ArchiveMember::in_sequence)
        return std::make_shared<Stored>(shared_from_this(), member);
    return std::make_shared<Packed>(shared_from_this(), member);
}

std::shared_ptr<const FileDescriptor> ArchiveVideos::unpack(const ArchiveMember& member) {
    const std::lock_guard lock(mutex_);
    try {
        go_to(member);
        const std::filesystem::path folder = folder_for_large_files();
        refuse_what_does_not_fit(member.size, size_of(open_archive_file(archive_)), folder);
        FileDescriptor file = nameless_file(folder);
        std::vector<char> block(unpacking_block);
        for (std::uint64_t at = 0; at < member.size;) {
            const std::size_t wanted = std::min<std::uint64_t>(block.size(), member.size - at);
            const std::size_t count = reader_->read(reinterpret_cast<std::uint8_t*>(block.data()), wanted);
            if (count < wanted) throw VideoError("the archive ends within it");
            if (const int error = write_at(file.get(), {block.data(), count}, at); error != 0)
                fail_in(folder, error);
            at += count;
        }
        return std::make_shared<const FileDescriptor>(std::move(file));
    } catch (const ImageError& error) {
        reader_.reset();
        throw VideoError(std::string("cannot be unpacked: ") + error.what());
    }
}

void ArchiveVideos::go_to(const ArchiveMember& member) {
    if (!reader_ || !header_ || header_->ordinal >= member.ordinal) {
        header_.reset();
        reader_.reset();
        reader_.emplace(archive_, unpacking_block, max_unpacker_bytes_);
    }
    do {
        header_ = reader_->next();
    } while (header_ && header_->ordinal < member.ordinal);
    if (!header_ || header_->size != member.size || header_->kind != MemberHeader::Kind::file)
        throw VideoError(videos_changed);
    if (header_->encrypted) throw VideoError("is encrypted; unpack the archive with its password");
}

}  // namespace fovea
