#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string_view>

namespace fovea {

/// The beginning of a file, without a header: its length and checksum.
struct FileExtent {
    std::uint64_t bytes = 0;
    std::uint32_t crc32 = 0;  ///< zlib's, of these bytes

    friend bool operator==(const FileExtent&, const FileExtent&) = default;
};

/// A file that grows by whole records: whenever the program ends, in whatever way but a loss of power, it holds only whole
/// ones; after a loss of power, at least those before the last sync().
class AppendedFile {
  public:
    /// Opens a file and cuts it behind `kept`, whose bytes the caller has checked; {} empties it. "-" is standard output.
    /// \param header_bytes  that stand before the records, may be rewritten (a count) and are in no checksum; in a new file
    ///        they are zero. \throws Error if it cannot be opened.
    explicit AppendedFile(const std::filesystem::path& file, const FileExtent& kept = {},
                          std::size_t header_bytes = 0);
    ~AppendedFile();
    AppendedFile(const AppendedFile&) = delete;
    AppendedFile& operator=(const AppendedFile&) = delete;

    /// Writes whole records at once. \throws Error if the disk is full or the file fails: what was written of these records
    /// is cut off again.
    void append(std::string_view records);
    /// \param header of header_bytes. \throws Error
    void set_header(std::string_view header);
    void
    sync();  ///< to the disk itself; nothing for standard output and other files that cannot. \throws Error
    void close();  ///< \throws Error as append
    /// Of the records, without the header.
    const FileExtent& extent() const { return extent_; }

  private:
    std::filesystem::path file_;
    int descriptor_ = -1;
    std::size_t header_bytes_;
    FileExtent extent_;
};

}  // namespace fovea
