#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/dataset/formats/read_dataset.hpp"
#include "lib/inputs/image_list.hpp"
#include "lib/inputs/name_arena.hpp"
#include "lib/video/video_source.hpp"

namespace fovea {

/// The place of an archive's member, and the marks by which it is recognised.
struct ArchiveMember {
    static constexpr std::uint64_t in_sequence = ~std::uint64_t{0};
    /// No file is larger, so larger numbers are no offsets.
    static constexpr std::uint64_t largest = std::uint64_t{1} << 62;

    std::uint64_t size = 0;              ///< unpacked
    std::uint64_t offset = in_sequence;  ///< of its bytes in the archive file, if they are not packed
    std::uint32_t header_crc = 0;        ///< with an offset: CRC-32 of the 512 bytes before it
    std::uint32_t archive = 0;           ///< index in ImageListData::archives
    std::uint32_t ordinal = 0;           ///< number among all members of the archive, from 0

    friend bool operator==(const ArchiveMember&, const ArchiveMember&) = default;
};

/// The state of an image's file, or of its video, when it was listed.
struct FileMark {
    std::uint64_t size = 0;    ///< in bytes
    std::int64_t seconds = 0;  ///< of the last change, since 1970
    /// The first 64 bits of the SHA-256 of an image's bytes; 0: not known.
    std::uint64_t content = 0;

    friend bool operator==(const FileMark&, const FileMark&) = default;
};

/// A video whose frames are in a list.
struct VideoInList {
    std::string name;  ///< the beginning of its frames' names: "name#000012"
    std::shared_ptr<const VideoSource> source;
    std::optional<ArchiveMember> member{};  ///< that the video is; nothing: it is a file
};

struct FrameInList {
    std::uint32_t video = 0;  ///< index in ImageListData::videos
    std::int64_t number = 0;
    std::int64_t time_stamp = 0;
};

/// The content of an ImageList. An image is the file root/name unless `places` says otherwise.
struct ImageListData {
    using Place = std::uint64_t;
    static constexpr Place at_root = 0;
    static constexpr Place path_bit = Place{1} << NameArena::span_bits;  ///< below it: the span of a path
    static constexpr Place member_bit = path_bit << 1;                   ///< below it: index in members
    static constexpr Place frame_bits = path_bit | member_bit;           ///< below them: index in frames

    std::string format;
    std::string specification;
    std::filesystem::path root;
    std::vector<std::filesystem::path> sources;
    std::vector<SkippedInput> skipped;
    std::vector<std::string> warnings;
    PassedOver passed_over;  ///< tell_left_out() tells it in `skipped` and `warnings`, too
    std::string names_sha256;
    std::string list_sha256;  ///< of the list file that the images were read from; empty without

    NameArena arena;
    std::vector<NameArena::Span> names;
    std::vector<Place> places;    ///< empty: all are at_root
    std::vector<FileMark> marks;  ///< empty: none are known, as of lists that were not read from a list file
    std::vector<ArchiveMember> members;
    std::vector<std::filesystem::path> archives;
    std::vector<std::string> prefixes;  ///< for each archive, the beginning of its images' names
    std::vector<VideoInList> videos;
    std::vector<FrameInList> frames;

    bool is_part = false;
    std::uint64_t whole_size = 0;          ///< only of a part
    std::vector<std::uint64_t> positions;  ///< only of a part: indices in the whole list

    std::string_view name(std::size_t i) const { return arena.get(names[i]); }
    Place place(std::size_t i) const { return places.empty() ? at_root : places[i]; }
    bool has_path(std::size_t i) const { return (place(i) & frame_bits) == path_bit; }
    /// Null if image i is no member of an archive.
    const ArchiveMember* member(std::size_t i) const { return member_at(place(i)); }
    /// Null if a place is not in an archive.
    const ArchiveMember* member_at(Place place) const {
        return (place & frame_bits) == member_bit ? &members[place & ~frame_bits] : nullptr;
    }
    /// Null if image i is no frame.
    const FrameInList* frame(std::size_t i) const {
        return (place(i) & frame_bits) == frame_bits ? &frames[place(i) & ~frame_bits] : nullptr;
    }
    VideoFrame video_frame(const FrameInList& frame) const {
        return {videos[frame.video].source, frame.number, frame.time_stamp};
    }
    /// The path of image i's file, or of the archive or video that holds it.
    std::filesystem::path path(std::size_t i) const;

    void add(std::string_view name, Place place);
    void add_path(std::string_view name, const std::filesystem::path& path);
    void add_frame(std::string_view name, const FrameInList& frame);
    /// The index of a video; adds the video if it is new.
    /// \param member  that it is; null: it is a file
    std::uint32_t video_number(std::string_view name, const std::shared_ptr<const VideoSource>& source,
                               const ArchiveMember* member = nullptr);
    void set_place(std::size_t i, Place place);
};

/// Makes lists of data, and gives access to the data of lists.
class ImageListBuilder {
  public:
    /// \param data all members of a whole list but names_sha256, which is computed here.
    static ImageList whole(ImageListData&& data);
    static ImageList part(ImageListData&& data);
    static const ImageListData& data(const ImageList& list);
    /// The data of a list that nothing else holds.
    static ImageListData take(ImageList&& list);
};

/// A list without its images, which may be added.
ImageListData head_of(const ImageListData& list);

/// The SHA-256 of every name followed by a zero byte.
std::string sha256_of_names(const ImageListData& data);

// --- the steps of reading a list -------------------------------------------------------------------

/// Replaces the entries of archives by the archives' images. \param max_unpacker_bytes as of ArchiveReader.
void expand_archives(ImageListData& data, std::size_t max_unpacker_bytes);

/// Replaces the entries of videos by the videos' selected frames. \param max_unpacker_bytes as of
/// ArchiveReader.
void expand_listed_videos(ImageListData& data, const DatasetOptions& options, std::size_t max_unpacker_bytes);

/// Lists the images of one archive. \throws UsageError, Error if it is not there or is no archive.
ImageListData list_one_archive(const std::filesystem::path& archive, std::size_t max_unpacker_bytes);

/// Counts of the names that select_images() was given.
struct SelectedNames {
    std::size_t seen = 0;
    std::size_t made_utf8 = 0;
    std::string first_made_utf8;
};

/// Lists the images of the archives that commands of the shell give, one for each meaning of the braces in
/// `command` (expand_braces()). The names of several archives' images begin with name_of_command().
/// \throws as list_one_archive(); ShortageError if a command fails.
ImageListData list_archive_commands(const std::string& command, std::size_t max_unpacker_bytes);

/// Takes the steps that read_dataset() takes for every dataset: names become UTF-8 and must differ; then
/// pattern and limit select images.
void select_images(ImageListData& data, const DatasetOptions& options, SelectedNames& names);

/// Tells in `skipped` and `warnings` what was passed over, and which names became UTF-8.
void tell_left_out(ImageListData& data, const SelectedNames& names);

}  // namespace fovea
