#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "lib/core/error.hpp"
#include "lib/files/descriptor.hpp"

namespace fovea {

/// The beginning of a file, without a header: its length and checksum.
struct FileExtent {
    std::uint64_t bytes = 0;
    std::uint32_t crc32 = 0;  ///< zlib's, of these bytes

    friend bool operator==(const FileExtent&, const FileExtent&) = default;
};

/// A file cannot be written any further, e.g. as the disk is full. Whoever keeps a journal can say how to go
/// on.
class AppendError : public Error {
  public:
    explicit AppendError(const std::string& message) : Error(message) {}
};

/// A file that grows by whole records: whenever the program ends, in whatever way but a loss of power, it
/// holds only whole ones, or the one that was being written in part; after a loss of power, at least those
/// before the last sync(). No other AppendedFile can be made of a file while this one is open.
class AppendedFile {
  public:
    /// Opens a file, and locks it, that begin() cuts behind `kept`, whose bytes the caller has checked; {}
    /// empties it. "-" is standard output, which is only added to, as are devices and pipes.
    /// \param header_bytes  that stand before the records, may be rewritten (a count) and are in no checksum;
    /// in a new file they are zero. \throws Error if it cannot be opened, another program writes to it, or it
    /// has fewer bytes than are kept; UsageError for a header or kept bytes of what is no regular file.
    explicit AppendedFile(const std::filesystem::path& file, const FileExtent& kept = {},
                          std::size_t header_bytes = 0);
    ~AppendedFile();
    AppendedFile(const AppendedFile&) = delete;
    AppendedFile& operator=(const AppendedFile&) = delete;

    /// Cuts the file: what else it held is lost. Whatever writes calls it, if nobody has. \throws AppendError
    void begin();
    /// Writes whole records at once. \throws AppendError if the disk is full or the file fails: what was
    /// written of these records is cut off again.
    void append(std::string_view records);
    /// \param header of header_bytes. \throws AppendError
    void set_header(std::string_view header);
    /// Writes to the disk itself; does nothing for standard output and other files that cannot.
    /// \throws AppendError
    void sync();
    /// Nothing can be written any more; more calls do nothing. \throws AppendError
    void close();
    /// Counts the records, without the header.
    const FileExtent& extent() const { return extent_; }

  private:
    void open(const FileExtent& kept);
    void cut();
    void require_open() const;
    std::string display_name() const;
    [[noreturn]] void fail(int error) const;

    std::filesystem::path file_;
    FileDescriptor own_;
    int descriptor_ = -1;     // -1 once closed
    bool is_regular_ = true;  // can be cut and written at any place
    bool is_begun_ = false;
    bool is_torn_ = false;   // bytes of a failed write are still behind the records
    bool is_named_ = false;  // the folder is known to be on the disk
    std::size_t header_bytes_;
    FileExtent extent_;
};

}  // namespace fovea
