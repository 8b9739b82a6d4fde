#include "lib/image/formats/byte_source.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/files/open_file.hpp"
#include "lib/files/shortage.hpp"
#include "lib/image/formats/decode.hpp"

namespace fovea::codec {
namespace {

constexpr const char* not_regular = "is not a regular file";

std::string reason(int error) {
    switch (error) {
        case ENOENT:
            return "no such file";
        case EACCES:
            return "permission denied";
        case ENOTDIR:
            return "a part of the path is not a directory";
        case ENXIO:  // a socket
            return not_regular;
        default:
            return std::generic_category().message(error);
    }
}

[[noreturn]] void throw_failed(const std::filesystem::path& path, const std::string& what, int error) {
    throw_if_short("'" + path.string() + "' cannot be " + what, error);
    throw ImageError(what == "read" ? "cannot read: " + reason(error) : reason(error));
}

/// Calls `read_on(bytes so far)` until there are `length` bytes or no more come, and returns how many there
/// are.
template <class Read>
std::size_t read_all(const std::filesystem::path& path, std::size_t length, const Read& read_on) {
    std::size_t used = 0;
    while (used < length) {
        const ssize_t count = read_on(used);
        if (count == 0) break;
        if (count > 0)
            used += static_cast<std::size_t>(count);
        else if (errno != EINTR)
            throw_failed(path, "read", errno);
    }
    return used;
}

}  // namespace

std::vector<std::uint8_t> read_whole(EncodedFile& file) {
    constexpr std::size_t block = std::size_t{1} << 20;
    std::vector<std::uint8_t> bytes;
    for (;;) {
        const std::size_t at = bytes.size();
        bytes.resize(at + block);
        const std::size_t count = file.read(bytes.data() + at, block);
        bytes.resize(at + count);
        if (count < block) break;
    }
    file.release();
    return bytes;
}

FileSource::FileSource(const std::filesystem::path& path, Extent extent) : path_(path) {
    std::optional<OpenFile> opened = open_to_read(path);
    if (!opened) throw_failed(path, "opened", errno);
    const struct stat& status = opened->status;
    if (S_ISDIR(status.st_mode)) throw ImageError("is a directory");
    if (!opened->is_regular()) throw ImageError(not_regular);
    file_ = std::move(opened->descriptor);
    size_ = static_cast<std::size_t>(status.st_size);
    modified_ = status.st_mtim;
    // The disk can meanwhile begin to fetch what one read does not fetch. Advice only: failing is no error.
    constexpr off_t one_read = off_t{256} << 10, ahead = off_t{8} << 20;
    if (extent == Extent::whole && status.st_size > one_read) {
        ::posix_fadvise(file_.get(), 0, 0, POSIX_FADV_SEQUENTIAL);
        ::posix_fadvise(file_.get(), 0, std::min(status.st_size, ahead), POSIX_FADV_WILLNEED);
    }
}

void FileSource::release() {
    struct stat status {};
    if (::fstat(file_.get(), &status) != 0) throw_failed(path_, "read", errno);
    const bool same = static_cast<std::size_t>(status.st_size) == size_ &&
                      status.st_mtim.tv_sec == modified_.tv_sec &&
                      status.st_mtim.tv_nsec == modified_.tv_nsec;
    if (!same) throw ImageError("changed while it was read");
}

std::size_t FileSource::read(std::uint8_t* to, std::size_t length) {
    return read_all(path_, length,
                    [&](std::size_t used) { return ::read(file_.get(), to + used, length - used); });
}

std::size_t FileSource::read_at(std::uint64_t at, std::uint8_t* to, std::size_t length) const {
    return read_all(path_, length, [&](std::size_t used) {
        return ::pread(file_.get(), to + used, length - used, static_cast<off_t>(at + used));
    });
}

std::size_t MemorySource::read(std::uint8_t* to, std::size_t length) {
    const std::size_t count = std::min(length, bytes_.size());
    if (count > 0) std::memcpy(to, bytes_.data(), count);
    bytes_ = bytes_.subspan(count);
    return count;
}

UnpackedSource::UnpackedSource(ImageFormat format, std::vector<std::uint8_t> begin, ByteSource& rest)
    : unpacker_(format == ImageFormat::gzip ? Packing::gzip : Packing::bzip2, std::move(begin),
                [&rest](std::uint8_t* to, std::size_t length) { return rest.read(to, length); }) {}

std::size_t UnpackedSource::read(std::uint8_t* to, std::size_t length) {
    try {
        return unpacker_.read(to, length);
    } catch (const UnpackError& error) {
        throw ImageError(error.what());
    }
}

}  // namespace fovea::codec
