#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "lib/files/appended_file.hpp"
#include "lib/files/open_file.hpp"
#include "lib/files/sha256.hpp"
#include "lib/files/staged_files.hpp"
#include "lib/inputs/image_list_code.hpp"
#include "lib/inputs/shard.hpp"

namespace fovea {

// A list file, as `fovea list` makes it, has the images of a list in blocks, so that a shard reads its own:
//
//     "FVLIST\n" version
//     blocks: images with places and marks (image_list_code.hpp), each block packed by zlib
//     index, packed by zlib: head; for each block its length, unpacked length, images, bytes and SHA-256
//     end: place, length and unpacked length of the index, 8 bytes each; its SHA-256; "FVLEND\n"
//
// The SHA-256 of the index stands for the whole list.

/// The beginning of a list file.
inline constexpr std::string_view list_file_magic = "FVLIST\n";
/// The name of the format in specifications.
inline constexpr std::string_view list_file_format = "list-file";

/// The bytes that image i counts for where images are divided: those of its file, or its share of its video;
/// at least 1. \param data with marks
std::uint64_t counted_bytes(const ImageListData& data, std::size_t i);

/// Writes a list file, some images at a time. Without finish() nothing is left of it.
class ListFileWriter {
  public:
    /// \throws as StagedFile and AppendedFile.
    explicit ListFileWriter(const std::filesystem::path& file);

    /// Adds the images of a list, with their marks. \throws AppendError; UsageError if two images of the
    /// lists that were added have names that are equal once they are UTF-8.
    void add(const ImageListData& data);
    std::size_t images() const { return images_; }
    /// The sum of counted_bytes().
    std::uint64_t bytes() const { return bytes_; }

    /// Writes what is no image: archives and videos, of all lists that were added, specification, root,
    /// inputs left out, warnings. The file has its name then. \return the list's SHA-256. \throws AppendError
    std::string finish(ImageListData& head);

  private:
    void end_block();

    StagedFile staged_;
    AppendedFile file_;
    ListWriter block_;
    ImageBefore before_;
    ListWriter index_;
    std::uint64_t written_ = 0;
    std::size_t images_ = 0;
    std::uint64_t bytes_ = 0;
    std::size_t blocks_ = 0;
    std::size_t block_images_ = 0;
    std::uint64_t block_bytes_ = 0;
    Sha256 names_;
    // Only names that were written as %XX can meet others.
    NameArena escaped_;
    std::vector<NameArena::Span> escaped_names_;
    NameIndex escaped_table_{escaped_, escaped_names_};
};

/// The images of a part, and the sum of their counted_bytes().
struct PartSize {
    std::size_t images = 0;
    std::uint64_t bytes = 0;
};

/// A list file that is open for reading.
class ListFile {
  public:
    /// Reads the index. \throws UsageError if the file is not there; Error if it is no list file, or damaged.
    explicit ListFile(const std::filesystem::path& file);

    /// The list without its images.
    const ImageListData& head() const { return head_; }
    const std::string& sha256() const { return head_.list_sha256; }
    std::size_t images() const { return images_; }
    /// The sum of counted_bytes().
    std::uint64_t bytes() const { return bytes_; }

    std::size_t blocks() const { return blocks_.size(); }
    /// Adds the images of a block. \param data head(), and perhaps images of other blocks. \throws Error
    void read_block(std::size_t block, ImageListData& data) const;

    /// All images. \throws Error
    ImageListData whole() const;
    /// The images of a part: every part has about the same number of bytes, and images that follow one
    /// another. No two parts share what is decoded together of a video. \throws Error
    ImageList part(const Shard& shard) const;
    /// The sizes of all parts of a division. \throws Error
    std::vector<PartSize> part_sizes(int count) const;

  private:
    struct Block {
        std::uint64_t offset = 0;
        std::uint64_t length = 0;
        std::uint64_t unpacked = 0;
        std::size_t images = 0;
        std::size_t first_image = 0;
        std::uint64_t first_byte = 0;
        std::string sha256;
    };

    [[noreturn]] void fail(const std::string& why) const;
    /// Calls read(), whose errors then name the file.
    template <class Read>
    auto reading(const Read& read) const;
    void read_index(std::string_view index, std::uint64_t offset);
    /// Fewer than `length` where the file ends.
    std::string bytes_at(std::uint64_t offset, std::size_t length) const;
    std::string unpacked(std::uint64_t offset, std::uint64_t length, std::uint64_t unpacked_length,
                         std::string_view sha256) const;
    bool continues_before(std::size_t block) const;

    std::filesystem::path path_;
    OpenFile file_;
    std::uint64_t version_ = 0;
    ImageListData head_;
    std::vector<Block> blocks_;
    std::size_t images_ = 0;
    std::uint64_t bytes_ = 0;
};

}  // namespace fovea
