#pragma once

#include <chrono>
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

/// A file cannot be written any further, e.g. because the disk is full. Whoever catches it says how to go on.
class AppendError : public Error {
  public:
    explicit AppendError(const std::string& message) : Error(message) {}
};

/// A file that grows by whole records. However the program ends, the file holds all records that were
/// appended, then perhaps a part of one that was being written; after a loss of power, at least the records
/// before the last sync(). The file is locked while this is open, where the file system has locks.
class AppendedFile {
  public:
    /// Opens and locks a file, and leaves it as it is until begin(). Standard output ("-"), devices and pipes
    /// can only be appended to.
    /// \param kept          the records to keep, checked by the caller; {} keeps none
    /// \param header_bytes  the size of a header before the records, which set_header() writes (zeros before)
    /// \throws Error if the file cannot be opened, another program writes to it, or it has fewer bytes than
    /// are to be kept; UsageError for a header or kept bytes in what is no regular file.
    explicit AppendedFile(const std::filesystem::path& file, const FileExtent& kept = {},
                          std::size_t header_bytes = 0);
    ~AppendedFile();
    AppendedFile(const AppendedFile&) = delete;
    AppendedFile& operator=(const AppendedFile&) = delete;

    /// Cuts the file behind the kept records. Every function that writes calls it first. \throws AppendError
    void begin();
    /// Appends whole records. \throws AppendError if the disk is full or the file fails: what was written of
    /// these records is cut off again.
    void append(std::string_view records);
    /// Writes the header. \param header of header_bytes. \throws AppendError
    void set_header(std::string_view header);
    /// Makes sure that the records are on the disk; does nothing for what is no regular file.
    /// \throws AppendError
    void sync();
    /// Closes the file; nothing can be written any more. More calls do nothing. \throws AppendError
    void close();
    /// Length and checksum of the records, without the header.
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

/// Waits while another program holds an AppendedFile of this name open, where the file system has locks.
/// \return false if it still does after so long. A file that is not there is held by nobody.
bool wait_for_writer(const std::filesystem::path& file, std::chrono::duration<double> longest);

}  // namespace fovea
