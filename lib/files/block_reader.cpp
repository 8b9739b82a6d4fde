#include "lib/files/block_reader.hpp"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>

#include "lib/files/descriptor.hpp"
#include "lib/files/disk.hpp"
#include "lib/files/shortage.hpp"

namespace fovea {
namespace {

[[noreturn]] void fail(const std::filesystem::path& file, const char* what) {
    const int error = errno;
    const std::string message = "'" + file.string() + "' cannot be " + what;
    throw_if_short(message, error, ".");
    throw Error(message + ": " + std::strerror(error) + ".");
}

}  // namespace

void throw_line_too_long(const std::filesystem::path& file) {
    throw Error("'" + file.string() + "' has a line of more than " + std::to_string(max_line_bytes >> 20) +
                " MiB, which is no result of an image; check that it is the right file.");
}

std::optional<std::string_view> BlockReader::next_line() {
    for (std::size_t searched = 0;;) {
        const std::size_t newline = buffer_.find('\n', at_ + searched);
        if (newline != std::string::npos) return take(newline + 1 - at_);
        searched = buffer_.size() - at_;
        if (searched > max_line_bytes) throw_line_too_long(file_);
        if (fill()) continue;
        if (at_ == buffer_.size()) return std::nullopt;
        throw Error("The last line of '" + file_.string() + "' is cut off; make the file again.");
    }
}

std::string_view BlockReader::next_bytes(std::size_t count) {
    while (buffer_.size() - at_ < count) {
        if (!fill()) throw Error("The file '" + file_.string() + "' is cut off; make it again.");
    }
    return take(count);
}

std::string_view BlockReader::take(std::size_t count) {
    const std::string_view bytes = std::string_view(buffer_).substr(at_, count);
    at_ += count;
    return bytes;
}

// False at the end of the file.
bool BlockReader::fill() {
    const FileDescriptor descriptor(::open(file_.c_str(), O_RDONLY | O_CLOEXEC));
    if (!descriptor) fail(file_, "opened");
    buffer_.erase(0, at_);
    at_ = 0;
    const std::size_t before = buffer_.size();
    buffer_.resize(before + block_bytes_);
    const std::ptrdiff_t got = read_at(descriptor.get(), buffer_.data() + before, block_bytes_, offset_);
    if (got < 0) fail(file_, "read");
    buffer_.resize(before + static_cast<std::size_t>(got));
    offset_ += static_cast<std::uint64_t>(got);
    return got > 0;
}

void for_each_block(const std::filesystem::path& file, std::uint64_t offset,
                    const std::function<void(std::string_view)>& visit) {
    const FileDescriptor descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    if (!descriptor) fail(file, "opened");
    struct stat status {};
    if (::fstat(descriptor.get(), &status) != 0) fail(file, "read");
    std::string block(std::size_t{1} << 20, '\0');
    for (;;) {
        const std::ptrdiff_t got = read_at(descriptor.get(), block.data(), block.size(), offset);
        if (got < 0) fail(file, "read");
        if (got == 0) break;
        visit(std::string_view(block).substr(0, static_cast<std::size_t>(got)));
        offset += static_cast<std::uint64_t>(got);
    }
    if (S_ISREG(status.st_mode) && offset < static_cast<std::uint64_t>(status.st_size))
        throw Error("'" + file.string() + "' became shorter while it was read; run the command again.");
}

}  // namespace fovea
