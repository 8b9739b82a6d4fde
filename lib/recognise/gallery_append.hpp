#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "lib/files/descriptor.hpp"
#include "lib/recognise/gallery_records.hpp"

namespace fovea {

/// When appended records are made sure to be on the disk: whichever comes first. A power cut can take what
/// came since; a program's end, however sudden, can take at most the record that was being written.
struct GallerySyncInterval {
    std::uint64_t bytes = std::uint64_t{16} << 20;
    std::chrono::milliseconds time{5000};
};

/// Makes a gallery file without records, whole or not at all: under a name of its own first, synced,
/// then renamed.
/// \return false if there is a file of that name already, which is left as it is. \throws Error if it cannot
/// be written.
bool create_gallery_file(const std::filesystem::path& file, std::string_view header);

/// Removes a file in which a program that ended suddenly was making `gallery`, if there is one.
/// \throws Error if a program is still writing to it.
void remove_unfinished_gallery(const std::filesystem::path& file, const std::filesystem::path& gallery);

/// Renames a gallery file, over another if there is one of that name, and makes sure that this is on
/// the disk.
/// \throws Error
void rename_gallery_file(const std::filesystem::path& from, const std::filesystem::path& to);

/// Appends records to a gallery file. While it lives no other program can.
class GalleryAppender {
  public:
    /// Locks the file and reads it to its end. \param read gets the reader at the first record, and may read
    /// as far as it likes. \throws UsageError if there is no such file; Error if another program is writing
    /// to it, or it cannot be written; what GalleryRecordReader and `read` throw.
    GalleryAppender(const std::filesystem::path& file, const std::function<void(GalleryRecordReader&)>& read,
                    GallerySyncInterval interval = {});
    /// Appended records stay, but are not made sure to be on the disk: that is finish().
    ~GalleryAppender() = default;
    GalleryAppender(GalleryAppender&&) = default;
    GalleryAppender& operator=(GalleryAppender&&) = default;

    /// Appends a record, which overwrites what an unfinished write left at the end.
    /// \throws Error if the disk is full or the file fails; the records before are whole then.
    void append(GalleryRecordKind kind, std::string_view metadata, std::string_view data);

    /// Makes sure that everything is on the disk, and says so in the file. Does nothing if the file says
    /// so already.
    /// \throws Error as append.
    void finish();

  private:
    void drop_torn_bytes();
    void write(std::string_view bytes);
    void sync();
    [[noreturn]] void fail(const std::string& what) const;

    std::string name_;
    GallerySyncInterval interval_;
    FileDescriptor descriptor_;
    std::uint64_t end_ = 0;  ///< of the last whole record
    bool is_torn_ = false;   ///< bytes follow
    std::uint64_t unsynced_bytes_ = 0;
    std::chrono::steady_clock::time_point last_sync_ = std::chrono::steady_clock::now();
};

}  // namespace fovea
