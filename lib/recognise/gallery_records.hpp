#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "lib/files/descriptor.hpp"

// The file of a gallery as a row of records, whatever they hold. All numbers are little-endian.
//
// - header: "FOVEAGAL", version (32 bits), length of the JSON text that follows (32 bits), the text, checksum
// - each record: kind (four letters), length of its metadata (32 bits), length of its data (32 bits),
//   checksum of these 12 bytes; metadata (JSON text), data; checksum of the whole record up to here
//
// Checksums are CRC-32 as zlib computes it: they are there against accidents, not against forgery, and find
// every burst of up to 32 bits in a record; eight bytes a record and a pass at the speed of memory are all
// they cost.
//
// The file only ever grows. A record of kind "SYNC" is appended once all bytes before it are on the disk, and
// holds its own offset. So what a crash can spoil lies behind the last of them, and what is broken before it
// is damage.
namespace fovea {

/// The version of the files that are written, and the only one that is read.
inline constexpr std::uint32_t gallery_version = 1;

enum class GalleryRecordKind {
    face,     ///< "FACE"
    removal,  ///< "GONE"
    synced,   ///< "SYNC"; its data are its own offset, 64 bits
};

struct GalleryRecord {
    GalleryRecordKind kind = GalleryRecordKind::face;
    std::uint64_t offset = 0;  ///< in the file
    std::string metadata;      ///< JSON text
    std::string data;
};

/// The bytes of a header. \param json the header's text, at most 2^24 bytes. \throws std::length_error
std::string gallery_header_bytes(std::string_view json);

/// The bytes of a record. \throws std::length_error for parts of 2^32 bytes or more.
std::string gallery_record_bytes(GalleryRecordKind kind, std::string_view metadata, std::string_view data);

/// The record that says that all before `offset`, where it stands itself, is on the disk.
std::string gallery_sync_bytes(std::uint64_t offset);

/// Reads a gallery's records one after the other, in memory for one of them.
class GalleryRecordReader {
  public:
    /// Reads the header. \throws UsageError if there is no such file; Error if it cannot be read, is no
    /// gallery, its header is damaged or of another version.
    explicit GalleryRecordReader(const std::filesystem::path& file);
    /// Reads the header of a file that is open already and must stay open longer than this reader.
    GalleryRecordReader(int descriptor, const std::filesystem::path& file);

    const std::string& header() const { return header_; }  ///< the JSON text

    /// Reads the next whole record. \return false at the end of the file, or if only an unfinished
    /// write follows.
    /// \throws Error naming file, offset and number of a record that is damaged.
    bool next(GalleryRecord& record);

    /// Goes back to the first record. The file's length remains what it was when it was opened.
    void rewind();

    std::uint64_t end() const { return at_; }  ///< of the records that next() gave: where the next one begins
    std::uint64_t file_bytes() const { return size_; }
    /// True if the last record says that all is on the disk, and nothing follows.
    bool is_finished() const { return last_is_sync_ && at_ == size_; }

    /// \throws Error "The gallery 'FILE' is damaged: record N, at byte M, WHAT; ..." of the record last read.
    [[noreturn]] void fail_at_record(const std::string& what) const;

  private:
    void read_header();
    void read_at(std::uint64_t offset, std::size_t count, char* bytes) const;
    bool read_record(GalleryRecord& record, std::string& why_not);
    bool is_synced_behind(std::uint64_t offset) const;
    [[noreturn]] void fail_header(const std::string& what) const;
    [[noreturn]] void fail_damaged(std::size_t number, std::uint64_t offset, const std::string& what) const;

    FileDescriptor own_;
    int descriptor_ = -1;
    std::string name_;
    std::string header_;
    std::uint64_t size_ = 0;
    std::uint64_t first_ = 0;  ///< offset of the first record
    std::uint64_t at_ = 0;
    std::uint64_t last_offset_ = 0;
    std::size_t records_ = 0;
    bool last_is_sync_ = false;
};

}  // namespace fovea
