#include "lib/files/appended_file.hpp"

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/core/error.hpp"
#include "lib/files/disk.hpp"
#include "lib/files/packed.hpp"

namespace fovea {
namespace {

// One after the other, for what has no offsets. \return 0, or errno of what failed.
int write_next(int descriptor, std::string_view bytes) {
    for (std::size_t done = 0; done < bytes.size();) {
        const ssize_t count = ::write(descriptor, bytes.data() + done, bytes.size() - done);
        if (count > 0) {
            done += static_cast<std::size_t>(count);
        } else if (count == 0 || errno != EINTR) {
            return count == 0 ? ENOSPC : errno;
        }
    }
    return 0;
}

}  // namespace

AppendedFile::AppendedFile(const std::filesystem::path& file, const FileExtent& kept,
                           std::size_t header_bytes)
    : file_(file), header_bytes_(header_bytes) {
    if (file == "-") {
        descriptor_ = STDOUT_FILENO;
        is_regular_ = false;
    } else {
        open(kept);
    }
    if (!is_regular_ && (kept.bytes > 0 || header_bytes > 0)) {
        throw UsageError(display_name() +
                         " is no regular file: what was written to it before cannot be changed " +
                         "or added to; name a file.");
    }
}

AppendedFile::~AppendedFile() = default;

// The file stays as it is: another program may be writing to it.
void AppendedFile::open(const FileExtent& kept) {
    own_ = FileDescriptor(::open(file_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
    if (!own_) throw Error(display_name() + " cannot be opened for writing: " + std::strerror(errno) + ".");
    descriptor_ = own_.get();
    const auto status = [&] {
        struct stat now {};
        if (::fstat(descriptor_, &now) != 0)
            throw Error(display_name() + " cannot be looked at: " + std::strerror(errno) + ".");
        return now;
    };
    is_regular_ = S_ISREG(status().st_mode);
    if (!is_regular_) return;
    // Some network file systems have no locks; there the user is trusted.
    if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        throw Error(display_name() +
                    " is being written by another program; wait until that has ended, or name " +
                    "another file.");
    }
    extent_ = kept;
    const auto size = static_cast<std::uint64_t>(status().st_size);  // it may have changed before the lock
    if (kept.bytes > 0 && size < header_bytes_ + kept.bytes) {
        throw Error(display_name() + " has " + std::to_string(size) + " bytes, where " +
                    std::to_string(header_bytes_ + kept.bytes) +
                    " were to be kept: it has become shorter since it was checked; run the command again.");
    }
}

void AppendedFile::begin() {
    require_open();
    if (is_begun_ || !is_regular_) return;
    if (extent_.bytes == 0 && ::ftruncate(descriptor_, 0) != 0) fail(errno);
    // Makes a new file's header of zeros, too.
    cut();
    if (is_torn_) fail(errno);
    is_begun_ = true;
}

void AppendedFile::cut() {
    is_torn_ = ::ftruncate(descriptor_, static_cast<off_t>(header_bytes_ + extent_.bytes)) != 0;
}

void AppendedFile::append(std::string_view records) {
    begin();
    if (is_torn_) cut();
    if (is_torn_) fail(errno);
    const int error = is_regular_ ? write_at(descriptor_, records, header_bytes_ + extent_.bytes)
                                  : write_next(descriptor_, records);
    if (error != 0) {
        if (is_regular_) cut();
        fail(error);
    }
    extent_.bytes += records.size();
    extent_.crc32 = crc32_of(records, extent_.crc32);
}

void AppendedFile::set_header(std::string_view header) {
    if (header.size() != header_bytes_) {
        throw std::invalid_argument("a header of " + std::to_string(header.size()) + " bytes, not " +
                                    std::to_string(header_bytes_));
    }
    begin();
    if (const int error = write_at(descriptor_, header, 0); error != 0) fail(error);
}

void AppendedFile::sync() {
    begin();
    if (!is_regular_) return;
    while (::fdatasync(descriptor_) != 0) {
        if (errno != EINTR) fail(errno);
    }
    if (!std::exchange(is_named_, true)) sync_folder(file_);
}

void AppendedFile::close() {
    if (descriptor_ >= 0) begin();
    if (std::exchange(descriptor_, -1) < 0 || !own_) return;
    // Network file systems report a full disk only here.
    if (::close(own_.release()) != 0 && errno != EINTR) fail(errno);
}

void AppendedFile::require_open() const {
    if (descriptor_ < 0) throw Error(display_name() + " was written to after it had been closed.");
}

std::string AppendedFile::display_name() const {
    return file_ == "-" ? "Standard output" : "The file '" + file_.string() + "'";
}

void AppendedFile::fail(int error) const {
    const std::string what = display_name() + " cannot be written: " + std::strerror(error) + ".";
    throw AppendError(is_regular_ ? what + " The records before it are whole." : what);
}

bool wait_for_writer(const std::filesystem::path& file, std::chrono::duration<double> longest) {
    constexpr std::chrono::milliseconds between(200);
    const auto end = std::chrono::steady_clock::now() + longest;
    while (true) {
        // Opened anew each time: the writer may put another file in its place.
        const FileDescriptor descriptor(::open(file.c_str(), O_RDWR | O_CLOEXEC));
        if (!descriptor || ::flock(descriptor.get(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
            return true;
        if (std::chrono::steady_clock::now() >= end) return false;
        std::this_thread::sleep_for(between);
    }
}

}  // namespace fovea
