#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "lib/core/name_arena.hpp"
#include "lib/dataset/readers/read_dataset.hpp"
#include "lib/inputs/image_list.hpp"

namespace fovea {

/// Where a member of an archive is, and by what it is known again.
struct ArchiveMember {
    static constexpr std::uint64_t in_sequence = ~std::uint64_t{0};
    /// No file is larger: larger numbers are not those of a place in one.
    static constexpr std::uint64_t largest = std::uint64_t{1} << 62;

    std::uint64_t size = 0;              ///< unpacked
    std::uint64_t offset = in_sequence;  ///< of its bytes in the archive file, if they lie there as they are
    std::uint32_t header_crc = 0;        ///< with an offset: of the 512 bytes before it
    std::uint32_t archive = 0;           ///< number of the archive
    std::uint32_t ordinal = 0;           ///< from 0, of all members of the archive

    friend bool operator==(const ArchiveMember&, const ArchiveMember&) = default;
};

/// The content of an ImageList. As a rule, an image is the file root/name; `places` says what is not so.
struct ImageListData {
    using Place = std::uint64_t;
    static constexpr Place at_root = 0;
    static constexpr Place path_bit = Place{1} << NameArena::span_bits;  ///< below it: the span of a path
    static constexpr Place member_bit = path_bit << 1;                   ///< below it: index in members

    std::string format;
    std::string specification;
    std::filesystem::path root;
    std::vector<std::filesystem::path> sources;
    std::vector<SkippedInput> skipped;
    std::vector<std::string> warnings;
    std::string names_sha256;

    NameArena arena;
    std::vector<NameArena::Span> names;
    std::vector<Place> places;  ///< empty: all are at_root
    std::vector<ArchiveMember> members;
    std::vector<std::filesystem::path> archives;
    std::vector<std::string> prefixes;  ///< of the names of each archive's images

    bool is_part = false;
    std::uint64_t whole_size = 0;          ///< of a part
    std::vector<std::uint64_t> positions;  ///< of a part

    std::string_view name(std::size_t i) const { return arena.get(names[i]); }
    Place place(std::size_t i) const { return places.empty() ? at_root : places[i]; }
    /// Nothing if the image is a file.
    const ArchiveMember* member(std::size_t i) const {
        return (place(i) & member_bit) != 0 ? &members[place(i) & ~member_bit] : nullptr;
    }
    /// For a file, or for the archive.
    std::filesystem::path path(std::size_t i) const;

    void add(std::string_view name, Place place);
    void add_path(std::string_view name, const std::filesystem::path& path);
    void set_place(std::size_t i, Place place);
};

/// Makes lists, and shows what is in them.
class ImageListBuilder {
  public:
    /// \param data names, places and all the rest of a whole list; the SHA-256 is computed here.
    static ImageList whole(ImageListData&& data);
    static ImageList part(ImageListData&& data);
    static const ImageListData& data(const ImageList& list);
};

/// The SHA-256 of every name followed by a zero byte.
std::string sha256_of_names(const ImageListData& data);

// --- the steps of reading a list -------------------------------------------------------------------

/// Puts the images of archives in the places of their entries.
void expand_archives(ImageListData& data);

/// The list of the images of one archive. \throws UsageError, Error if it is not there or is no archive.
ImageListData list_one_archive(const std::filesystem::path& archive);

/// The steps of read_dataset for every dataset: names become UTF-8 and must be different, then pattern and
/// limit.
void complete_list(ImageListData& data, const DatasetOptions& options);

}  // namespace fovea
