#include "lib/recognise/gallery_append.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "lib/core/error.hpp"
#include "lib/files/disk.hpp"
#include "lib/files/staged_files.hpp"

namespace fovea {
namespace fs = std::filesystem;
namespace {

[[noreturn]] void fail_to(const std::string& what, const std::string& file, int error) {
    throw Error("The gallery '" + file + "' cannot be " + what + ": " + std::strerror(error) + ".");
}

// \return 0, EEXIST if there is a file of that name, or errno of what else failed.
int rename_to_new(const fs::path& from, const fs::path& to) {
    if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
    if (errno != EINVAL && errno != ENOSYS) return errno;
    // A link is for file systems that know no such renaming: it is refused, too, if the name is taken.
    if (::link(from.c_str(), to.c_str()) != 0) return errno;
    ::unlink(from.c_str());
    return 0;
}

bool is_same_file(int descriptor, const fs::path& file) {
    struct stat opened {
    }, named{};
    return ::fstat(descriptor, &opened) == 0 && ::stat(file.c_str(), &named) == 0 &&
           opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

// Locks a file that was opened by its name against other programs.
// \return false if the file of that name is another one by now.
bool lock_gallery(const FileDescriptor& descriptor, const fs::path& file, const std::string& gallery) {
    if (::flock(descriptor.get(), LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK) fail_to("locked against other writers", gallery, errno);
        throw Error(
            "The gallery '" + gallery +
            "' is being written by another program; wait until that has ended, or enrol into a gallery "
            "of its own and join the two with 'fovea gallery merge'.");
    }
    return is_same_file(descriptor.get(), file);
}

FileDescriptor open_for_appending(const fs::path& file) {
    const std::string name = file.string();
    for (;;) {
        FileDescriptor descriptor(::open(file.c_str(), O_RDWR | O_CLOEXEC));
        if (!descriptor && (errno == ENOENT || errno == ENOTDIR)) {
            throw UsageError("There is no gallery '" + name +
                             "'; check the path, or make one with 'fovea enroll'.");
        }
        if (!descriptor) fail_to("opened for writing", name, errno);
        if (lock_gallery(descriptor, file, name)) return descriptor;
    }
}

// An empty file, locked. Remains of a program that ended suddenly under that name are gone.
FileDescriptor open_temporary(const fs::path& file, const std::string& gallery) {
    for (;;) {
        FileDescriptor descriptor(::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
        if (!descriptor) fail_to("made", gallery, errno);
        if (!lock_gallery(descriptor, file, gallery)) continue;
        if (::ftruncate(descriptor.get(), 0) != 0) fail_to("made", gallery, errno);
        return descriptor;
    }
}

}  // namespace

bool create_gallery_file(const fs::path& file, std::string_view header) {
    const std::string name = file.string();
    const fs::path temporary = part_of(file);
    const FileDescriptor descriptor = open_temporary(temporary, name);
    int error = write_at(descriptor.get(), gallery_header_bytes(header), 0);
    if (error == 0 && ::fsync(descriptor.get()) != 0) error = errno;
    if (error == 0) error = rename_to_new(temporary, file);
    if (error != 0) ::unlink(temporary.c_str());
    if (error == EEXIST) return false;
    if (error != 0) fail_to("made", name, error);
    sync_folder(file);
    return true;
}

void remove_unfinished_gallery(const fs::path& file, const fs::path& gallery) {
    const FileDescriptor descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    if (descriptor && lock_gallery(descriptor, file, gallery.string())) ::unlink(file.c_str());
}

void rename_gallery_file(const fs::path& from, const fs::path& to) {
    if (::rename(from.c_str(), to.c_str()) != 0) fail_to("made", to.string(), errno);
    sync_folder(to);
}

GalleryAppender::GalleryAppender(const fs::path& file, const std::function<void(GalleryRecordReader&)>& read,
                                 GallerySyncInterval interval)
    : name_(file.string()), interval_(interval), descriptor_(open_for_appending(file)) {
    GalleryRecordReader reader(descriptor_.get(), file);
    read(reader);
    GalleryRecord rest;
    while (reader.next(rest)) {
    }
    end_ = reader.end();
    is_torn_ = end_ < reader.file_bytes();
    // Records of a program that ended suddenly may not be on the disk yet.
    if (!reader.is_finished()) unsynced_bytes_ = 1;
}

void GalleryAppender::append(GalleryRecordKind kind, std::string_view metadata, std::string_view data) {
    drop_torn_bytes();
    write(gallery_record_bytes(kind, metadata, data));
    const bool is_due = std::chrono::steady_clock::now() - last_sync_ >= interval_.time;
    if (is_due || unsynced_bytes_ >= interval_.bytes) sync();
}

void GalleryAppender::finish() {
    if (unsynced_bytes_ == 0) return;
    drop_torn_bytes();
    sync();
    // The record that says that all is on the disk.
    if (::fdatasync(descriptor_.get()) != 0) fail(std::strerror(errno));
}

void GalleryAppender::drop_torn_bytes() {
    if (!is_torn_) return;
    if (::ftruncate(descriptor_.get(), static_cast<off_t>(end_)) != 0) fail(std::strerror(errno));
    is_torn_ = false;
}

void GalleryAppender::write(std::string_view bytes) {
    if (const int error = write_at(descriptor_.get(), bytes, end_); error != 0) {
        // Its written part would be found torn; without it the file is whole.
        is_torn_ = ::ftruncate(descriptor_.get(), static_cast<off_t>(end_)) != 0;
        fail(std::strerror(error));
    }
    end_ += bytes.size();
    unsynced_bytes_ += bytes.size();
}

void GalleryAppender::sync() {
    if (::fdatasync(descriptor_.get()) != 0) fail(std::strerror(errno));
    write(gallery_sync_bytes(end_));
    unsynced_bytes_ = 0;
    last_sync_ = std::chrono::steady_clock::now();
}

void GalleryAppender::fail(const std::string& what) const {
    throw Error(
        "The gallery '" + name_ + "' cannot be written: " + what +
        ". Everything written before is whole; free space or choose another place, and repeat the command.");
}

}  // namespace fovea
