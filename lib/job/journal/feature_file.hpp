#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "lib/files/appended_file.hpp"

namespace fovea {

/// The features of all faces of a job in NumPy's format (NPY 1.0): an array of uint16 or int16,
/// little-endian, shape (faces, bins), row-major. numpy.load(file, mmap_mode='r') reads it. Rows are in the
/// order of the detections in the results.
class FeatureFile {
  public:
    /// The header has this many bytes whatever the number of rows.
    static constexpr std::size_t header_bytes = 128;

    /// A file that can only be appended to (standard output, a pipe) cannot hold features. \param kept rows
    /// of an interrupted job that stay. \param type of the words: "<u2" or "<i2". \throws Error if `kept` is
    /// no whole number of rows; what AppendedFile throws.
    FeatureFile(const std::filesystem::path& file, std::size_t bins, const FileExtent& kept = {},
                std::string type = "<u2");

    /// \param rows a whole number of rows of `bins` counts.
    void append(std::span<const std::uint16_t> rows);
    std::size_t rows() const;
    /// Writes the header with the number of rows and syncs the file; to be called once. Before that the file
    /// is no array. \throws Error
    void close();
    AppendedFile& file() { return file_; }

  private:
    std::size_t bins_;
    std::string type_;
    AppendedFile file_;
};

struct FeatureFileShape {
    std::size_t rows = 0;
    std::size_t bins = 0;
    std::string type = "<u2";  ///< of the words
};

/// Shape of a closed file of features. \throws Error if it cannot be read, is no such file, or has another
/// size than its shape says.
FeatureFileShape read_feature_file_shape(const std::filesystem::path& file);

}  // namespace fovea
