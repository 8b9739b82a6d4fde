#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace fovea {

/// The most bytes that a packed model may hold; landmark models that people use have up to 100 MB.
inline constexpr std::size_t max_model_bytes = std::size_t{512} << 20;

/// The bytes of a model's file, unpacked if gzip or bzip2 packed it.
/// \param what names the file in messages: "cascade", "landmark model".
/// \param max_bytes the most that a packed file may hold.
/// \throws UsageError and Error as read_file(); Error if the packed stream is broken or holds more, or if the
/// file is no model but a pointer of Git LFS or git-annex, an HTML page, an archive or packed by xz or zstd.
std::string read_model_file(const std::filesystem::path& file, std::string_view what,
                            std::size_t max_bytes = max_model_bytes);

/// The first 512 bytes of a model, unpacked; fewer if it is shorter, none if it cannot be read or unpacked.
std::string beginning_of_model(const std::filesystem::path& file);

/// The file's path without .gz or .bz2.
std::filesystem::path without_packing(const std::filesystem::path& file);

/// The model's name: its file's name without extension, and without .gz or .bz2.
std::string model_name(const std::filesystem::path& file);

/// A model's file for a library that opens files itself: the file, or a temporary copy of it, unpacked.
class PlainModelFile {
  public:
    /// \throws as read_model_file(); Error if the copy cannot be written.
    PlainModelFile(const std::filesystem::path& file, std::string_view what);
    ~PlainModelFile();
    PlainModelFile(const PlainModelFile&) = delete;
    PlainModelFile& operator=(const PlainModelFile&) = delete;

    const std::filesystem::path& path() const { return path_; }

  private:
    std::filesystem::path folder_;  // of the copy; empty without one
    std::filesystem::path path_;
};

}  // namespace fovea
