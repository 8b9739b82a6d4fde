#include "lib/inputs/image_list_code.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "lib/core/error.hpp"
#include "lib/inputs/archive_videos.hpp"

namespace fovea {
namespace {

enum PlaceKind : std::uint64_t {
    in_root = 0,
    at_path = 1,
    packed_member = 2,
    plain_member = 3,
    video_frame = 4
};

/// How long all texts together may become by what they share: a few bytes must not unfold to gigabytes.
constexpr std::uint64_t allowance(std::size_t encoded) {
    return (std::uint64_t{1} << 20) + 1024 * std::uint64_t{encoded};
}

// Rates are kept in millionths of a frame.
constexpr double rate_unit = 1e6;
constexpr double most_frames_per_second = 1e9;

enum MemberKind : std::uint64_t { no_member = 0, in_sequence = 1, in_place = 2 };

void write_member(ListWriter& writer, const ArchiveMember& member) {
    writer.number(member.size);
    writer.number(member.archive);
    writer.number(member.ordinal);
    if (member.offset == ArchiveMember::in_sequence) return;
    writer.number(member.offset);
    writer.number(member.header_crc);
}

ArchiveMember read_member(ListReader& reader, const ImageListData& data, bool has_offset) {
    constexpr std::uint64_t most32 = std::numeric_limits<std::uint32_t>::max();
    if (data.archives.empty()) reader.fail("it names no archive that an image could be in");
    ArchiveMember member;
    member.size = reader.number(ArchiveMember::largest);
    member.archive = static_cast<std::uint32_t>(reader.number(data.archives.size() - 1));
    member.ordinal = static_cast<std::uint32_t>(reader.number(most32));
    if (has_offset) {
        member.offset = reader.number(ArchiveMember::largest);
        member.header_crc = static_cast<std::uint32_t>(reader.number(most32));
    }
    return member;
}

void write_video(ListWriter& writer, const VideoInList& video) {
    const VideoSource& source = *video.source;
    const VideoFacts& facts = source.facts;
    for (const std::string& text : {video.name, source.file.native(), facts.container, facts.codec,
                                    facts.profile, facts.pixel_format}) {
        writer.text(text);
    }
    for (const std::int64_t number :
         {std::int64_t{source.stream}, source.time_base_num, source.time_base_den,
          std::int64_t{source.counted_by_decoding}, std::int64_t{facts.bits}, std::int64_t{facts.width},
          std::int64_t{facts.height}, std::int64_t{facts.orientation}, std::int64_t{facts.streams},
          facts.header_frames, facts.packets, facts.hidden_packets,
          static_cast<std::int64_t>(source.max_part_bytes),
          std::int64_t{
              std::llround(std::clamp(facts.frames_per_second, 0.0, most_frames_per_second) * rate_unit)}}) {
        writer.number(static_cast<std::uint64_t>(number));
    }
    writer.number(source.cuts.size());
    VideoCut before;
    for (const VideoCut& cut : source.cuts) {
        writer.number(static_cast<std::uint64_t>(cut.frame - before.frame));
        writer.signed_number(difference_of_stamps(cut.time_stamp, before.time_stamp));
        before = cut;
    }
    writer.number(static_cast<std::uint64_t>(facts.pixel.width));
    writer.number(static_cast<std::uint64_t>(facts.pixel.height));
    writer.number(source.clock_breaks.size());
    ClockBreak earlier;
    for (const ClockBreak& place : source.clock_breaks) {
        writer.number(static_cast<std::uint64_t>(place.frame - earlier.frame));
        writer.signed_number(difference_of_stamps(place.offset, earlier.offset));
        earlier = place;
    }
    const bool is_in_place = video.member && video.member->offset != ArchiveMember::in_sequence;
    writer.number(!video.member ? no_member : is_in_place ? in_place : in_sequence);
    if (video.member) write_member(writer, *video.member);
}

void read_pixels_and_clock(ListReader& reader, VideoSource& source) {
    constexpr std::uint64_t most_int = std::numeric_limits<std::int32_t>::max();
    PixelShape& pixel = source.facts.pixel;
    pixel.width = static_cast<int>(reader.number(most_int));
    pixel.height = static_cast<int>(reader.number(most_int));
    if (pixel.width < 1 || pixel.height < 1) reader.fail("the pixels of a video have no shape");
    ClockBreak place;
    for (std::size_t left = reader.count(); left > 0; --left) {
        place.frame += static_cast<std::int64_t>(reader.number(most_int));
        place.offset = sum_of_stamps(place.offset, reader.signed_number());
        source.clock_breaks.push_back(place);
    }
}

/// The archives that videos are members of.
using VideoArchives = std::map<std::uint32_t, std::shared_ptr<ArchiveVideos>>;

VideoInList read_video(ListReader& reader, const ImageListData& data, VideoArchives& archives) {
    constexpr std::uint64_t most_int = std::numeric_limits<std::int32_t>::max();
    constexpr std::uint64_t most = std::uint64_t{1} << 62;
    const auto number = [&](std::uint64_t largest) {
        return static_cast<std::int64_t>(reader.number(largest));
    };
    const auto small = [&] { return static_cast<int>(reader.number(most_int)); };
    VideoSource source;
    VideoFacts& facts = source.facts;
    std::string name(reader.text());
    source.file = reader.text();
    facts.container = reader.text();
    facts.codec = reader.text();
    facts.profile = reader.text();
    facts.pixel_format = reader.text();
    source.stream = small();
    source.time_base_num = number(most_int);
    source.time_base_den = number(most_int);
    source.counted_by_decoding = reader.number(1) != 0;
    facts.bits = small();
    facts.width = small();
    facts.height = small();
    facts.orientation = static_cast<int>(reader.number(8));
    facts.streams = small();
    facts.header_frames = number(most);
    facts.packets = number(most);
    facts.hidden_packets = number(most);
    source.max_part_bytes = reader.number(most);
    facts.frames_per_second = static_cast<double>(number(most)) / rate_unit;
    if (source.time_base_num < 1 || source.time_base_den < 1 || facts.orientation < 1)
        reader.fail("a video has no clock, or lies in no orientation");
    VideoCut cut;
    for (std::size_t left = reader.count(); left > 0; --left) {
        cut.frame += number(most_int);
        cut.time_stamp = sum_of_stamps(cut.time_stamp, reader.signed_number());
        source.cuts.push_back(cut);
    }
    if (source.cuts.empty() || source.cuts.front().frame != 0) reader.fail("a video does not begin");
    if (reader.has_pixels_and_clocks()) read_pixels_and_clock(reader, source);
    std::optional<ArchiveMember> member;
    if (const std::uint64_t kind = reader.has_videos_in_archives() ? reader.number(in_place) : no_member;
        kind != no_member) {
        member = read_member(reader, data, kind == in_place);
        std::shared_ptr<ArchiveVideos>& videos = archives[member->archive];
        if (!videos) videos = std::make_shared<ArchiveVideos>(data.archives[member->archive], 0);
        source.bytes = videos->bytes_of(*member);
    }
    return {std::move(name), std::make_shared<const VideoSource>(std::move(source)), member};
}

void write_frame(ListWriter& writer, const FrameInList& frame, FrameInList& before) {
    writer.number(frame.video);
    if (frame.video != before.video) before = {frame.video, 0, 0};
    writer.signed_number(frame.number - before.number);
    writer.signed_number(difference_of_stamps(frame.time_stamp, before.time_stamp));
    before = frame;
}

FrameInList read_frame(ListReader& reader, const ImageListData& data, FrameInList& before) {
    if (data.videos.empty()) reader.fail("it names no video that an image could be a frame of");
    FrameInList frame;
    frame.video = static_cast<std::uint32_t>(reader.number(data.videos.size() - 1));
    if (frame.video != before.video) before = {frame.video, 0, 0};
    frame.number = sum_of_stamps(before.number, reader.signed_number());
    frame.time_stamp = sum_of_stamps(before.time_stamp, reader.signed_number());
    if (frame.number < 0) reader.fail("the number of a frame is negative");
    before = frame;
    return frame;
}

void write_place(ListWriter& writer, const ImageListData& data, std::size_t i, ImageBefore& shared) {
    if (const ArchiveMember* const member = data.member(i)) {
        const bool is_plain = member->offset != ArchiveMember::in_sequence;
        writer.number(is_plain ? plain_member : packed_member);
        write_member(writer, *member);
    } else if (const FrameInList* const frame = data.frame(i)) {
        writer.number(video_frame);
        write_frame(writer, *frame, shared.frame);
    } else if (const auto place = data.place(i); place != ImageListData::at_root) {
        writer.number(at_path);
        writer.shared_text(data.arena.get(place & ~ImageListData::path_bit), shared.paths);
    } else {
        writer.number(in_root);
    }
}

ImageListData::Place read_place(ListReader& reader, ImageListData& data, ImageBefore& shared) {
    const std::uint64_t kind = reader.number(video_frame);
    if (kind == in_root) return ImageListData::at_root;
    if (kind == at_path) return data.arena.add(reader.shared_text(shared.paths)) | ImageListData::path_bit;
    if (kind == video_frame) {
        data.frames.push_back(read_frame(reader, data, shared.frame));
        return (data.frames.size() - 1) | ImageListData::frame_bits;
    }
    data.members.push_back(read_member(reader, data, kind == plain_member));
    return (data.members.size() - 1) | ImageListData::member_bit;
}

}  // namespace

void ListWriter::number(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
}

void ListWriter::signed_number(std::int64_t value) {
    number(static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> 63));
}

void ListWriter::text(std::string_view text) {
    number(text.size());
    bytes_ += text;
}

void ListWriter::shared_text(std::string_view text, SharedText& shared) {
    shared.total += text.size();
    std::size_t common = 0;
    if (shared.total <= allowance(bytes_.size())) {
        const std::size_t most = std::min(text.size(), shared.before.size());
        while (common < most && text[common] == shared.before[common]) ++common;
    }
    number(common);
    this->text(text.substr(common));
    shared.before = text;
}

ListReader::ListReader(std::string_view bytes, std::string_view magic) : all_(bytes.size()), bytes_(bytes) {
    if (!bytes_.starts_with(magic)) fail("it does not begin as one");
    bytes_.remove_prefix(magic.size());
    version_ = number();
    if (version_ < 1 || version_ > image_list_version)
        fail("it is of version " + std::to_string(version_) + ", which this program does not know");
}

void ListReader::fail(const std::string& why) const {
    throw Error("the list of images cannot be read at byte " + std::to_string(all_ - bytes_.size()) + ": " +
                why);
}

std::uint64_t ListReader::number(std::uint64_t most) {
    std::uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
        if (bytes_.empty()) fail("it ends early");
        const auto byte = static_cast<unsigned char>(bytes_.front());
        if (shift > 63 || (shift == 63 && byte > 1)) fail("a number is too large");
        bytes_.remove_prefix(1);
        value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
        if (byte < 0x80) break;
    }
    if (value > most) fail("a number is " + std::to_string(value) + ", more than " + std::to_string(most));
    return value;
}

std::int64_t ListReader::signed_number() {
    const std::uint64_t value = number();
    return static_cast<std::int64_t>(value >> 1 ^ (~(value & 1) + 1));
}

std::size_t ListReader::count() {
    // Held against what is left behind the number itself.
    const std::uint64_t value = number();
    if (value > bytes_.size()) fail("it ends early");
    return value;
}

std::string_view ListReader::text() {
    const std::size_t length = count();
    const std::string_view text = bytes_.substr(0, length);
    bytes_.remove_prefix(length);
    return text;
}

std::string_view ListReader::shared_text(SharedText& shared) {
    const std::uint64_t allowed = allowance(all_ - bytes_.size());
    const std::size_t common = number(shared.before.size());
    const std::string_view rest = text();
    shared.total += common + rest.size();
    if (common > 0 && shared.total > allowed) fail("its names are too long");
    if (common + rest.size() > NameArena::longest) fail("a name is too long");
    shared.before.resize(common);
    shared.before += rest;
    return shared.before;
}

void write_head(ListWriter& writer, const ImageListData& data) {
    for (const std::string& text :
         {data.format, data.specification, data.root.native(), data.names_sha256, data.list_sha256}) {
        writer.text(text);
    }
    writer.number(data.sources.size());
    for (const auto& source : data.sources) writer.text(source.native());
    writer.number(data.skipped.size());
    for (const SkippedInput& input : data.skipped) {
        writer.text(input.name);
        writer.text(input.reason);
        writer.number(input.files);
    }
    writer.number(data.warnings.size());
    for (const std::string& warning : data.warnings) writer.text(warning);
    writer.number(data.passed_over.others().size());
    for (const auto& [extension, files] : data.passed_over.others()) {
        writer.text(extension);
        writer.number(files);
    }
    writer.number(data.archives.size());
    for (std::size_t i = 0; i < data.archives.size(); ++i) {
        writer.text(data.archives[i].native());
        writer.text(data.prefixes[i]);
    }
    writer.number(data.videos.size());
    for (const VideoInList& video : data.videos) write_video(writer, video);
}

void read_head(ListReader& reader, ImageListData& data) {
    data.format = reader.text();
    data.specification = reader.text();
    data.root = reader.text();
    data.names_sha256 = reader.text();
    if (reader.has_marks()) data.list_sha256 = reader.text();
    for (std::size_t left = reader.count(); left > 0; --left) data.sources.emplace_back(reader.text());
    for (std::size_t left = reader.count(); left > 0; --left) {
        std::string name(reader.text());
        data.skipped.push_back({std::move(name), std::string(reader.text())});
        if (reader.has_file_counts()) data.skipped.back().files = reader.number();
    }
    for (std::size_t left = reader.count(); left > 0; --left) data.warnings.emplace_back(reader.text());
    for (std::size_t left = reader.has_file_counts() ? reader.count() : 0; left > 0; --left) {
        const std::string extension(reader.text());
        data.passed_over.add(extension, reader.number());
    }
    for (std::size_t left = reader.count(); left > 0; --left) {
        data.archives.emplace_back(reader.text());
        data.prefixes.emplace_back(reader.text());
    }
    if (reader.has_videos()) {
        VideoArchives archives;
        for (std::size_t left = reader.count(); left > 0; --left)
            data.videos.push_back(read_video(reader, data, archives));
    }
}

void write_image(ListWriter& writer, const ImageListData& data, std::size_t i, ImageFields fields,
                 ImageBefore& before) {
    writer.shared_text(data.name(i), before.names);
    if (fields.places) write_place(writer, data, i, before);
    if (!fields.marks) return;
    const FileMark mark = data.marks[i];
    writer.signed_number(difference_of_stamps(static_cast<std::int64_t>(mark.size),
                                              static_cast<std::int64_t>(before.mark.size)));
    writer.signed_number(difference_of_stamps(mark.seconds, before.mark.seconds));
    writer.number(mark.content);
    before.mark = mark;
}

void read_image(ListReader& reader, ImageListData& data, ImageFields fields, ImageBefore& before) {
    const std::string_view name = reader.shared_text(before.names);
    data.add(name, ImageListData::at_root);
    if (fields.places) data.set_place(data.names.size() - 1, read_place(reader, data, before));
    const ArchiveMember* const member = data.member(data.names.size() - 1);
    if (member != nullptr && !name.starts_with(data.prefixes[member->archive]))
        reader.fail("an image of an archive is not named by it");
    if (!fields.marks) return;
    FileMark& mark = before.mark;
    mark.size = static_cast<std::uint64_t>(
        sum_of_stamps(static_cast<std::int64_t>(mark.size), reader.signed_number()));
    mark.seconds = sum_of_stamps(mark.seconds, reader.signed_number());
    mark.content = reader.number();
    if (mark.size > ArchiveMember::largest) reader.fail("an image is longer than any file");
    data.marks.push_back(mark);
}

}  // namespace fovea
