#include "lib/dataset/unnamed_format.hpp"

#include <array>
#include <cerrno>
#include <cstdint>

#include "lib/files/disk.hpp"
#include "lib/files/open_file.hpp"
#include "lib/files/shortage.hpp"
#include "lib/image/formats/format.hpp"

namespace fovea {
namespace {

/// After "P5": blanks, then the width or a comment.
bool goes_on_as_pnm(codec::Bytes head) {
    constexpr std::string_view blanks_of_pnm = " \t\n\v\f\r";
    std::size_t at = 2;
    while (at < head.size() && blanks_of_pnm.find(static_cast<char>(head[at])) != std::string_view::npos)
        ++at;
    return at < head.size() && (head[at] == '#' || (head[at] >= '0' && head[at] <= '9'));
}

/// The header of a BMP file has four reserved bytes, which are 0, and then the size of the next one.
bool goes_on_as_bmp(codec::Bytes head) {
    constexpr std::size_t reserved_at = 6, next_size_at = 14, max_next_size = 124;
    if (head.size() < next_size_at + 4) return false;
    for (std::size_t i = reserved_at; i < reserved_at + 4; ++i) {
        if (head[i] != 0) return false;
    }
    return head[next_size_at] >= 12 && head[next_size_at] <= max_next_size && head[next_size_at + 1] == 0 &&
           head[next_size_at + 2] == 0 && head[next_size_at + 3] == 0;
}

}  // namespace

bool has_no_extension(std::string_view name) {
    return name.substr(name.rfind('/') + 1).find('.') == std::string_view::npos;
}

namespace {

bool begins_as_image(codec::Bytes head) {
    switch (codec::sniff(head)) {
        case codec::ImageFormat::unknown:
        case codec::ImageFormat::gzip:
        case codec::ImageFormat::bzip2:
            return false;
        case codec::ImageFormat::pnm:
            return goes_on_as_pnm(head);
        case codec::ImageFormat::bmp:
            return goes_on_as_bmp(head);
        default:
            return true;
    }
}

using namespace std::string_view_literals;

bool has(codec::Bytes head, std::size_t at, std::string_view bytes) {
    if (head.size() < at + bytes.size()) return false;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        if (head[at + i] != static_cast<unsigned char>(bytes[i])) return false;
    }
    return true;
}

/// MP4 and QuickTime: the type of the first box. Some brands have sound alone.
bool begins_as_mp4(codec::Bytes head) {
    if (has(head, 4, "ftyp")) return !has(head, 8, "M4A") && !has(head, 8, "M4B") && !has(head, 8, "M4P");
    return has(head, 0, "\0"sv) && (has(head, 4, "moov") || has(head, 4, "mdat") || has(head, 4, "wide") ||
                                    has(head, 4, "free") || has(head, 4, "skip"));
}

/// MPEG transport streams: packets of 188 bytes, in some files behind 4 more, each with its mark.
bool begins_as_transport_stream(codec::Bytes head) {
    const auto has_marks = [&](std::size_t first, std::size_t step) {
        return has(head, first, "G") && has(head, first + step, "G") && has(head, first + 2 * step, "G");
    };
    return has_marks(0, 188) || has_marks(4, 192);
}

/// Start codes: MPEG-1 and MPEG-2 (a pack or a sequence), H.264 (a delimiter or its parameters), HEVC (the
/// same).
bool begins_with_start_code(codec::Bytes head) {
    if (has(head, 0, "\0\0\1\xBA"sv) || has(head, 0, "\0\0\1\xB3"sv)) return true;
    for (const std::string_view unit : {"\x09"sv, "\x67"sv, "\x27"sv, "\x47"sv, "\x40\1"sv, "\x46\1"sv}) {
        if (has(head, 0, "\0\0\0\1"sv) && has(head, 4, unit)) return true;
    }
    return false;
}

bool begins_as_video(codec::Bytes head) {
    struct Mark {
        std::size_t at;
        std::string_view bytes;
    };
    static constexpr Mark marks[] = {
        {8, "AVI "sv},                              // RIFF
        {0, "\x1A\x45\xDF\xA3"sv},                  // Matroska, WebM
        {0, "FLV\1"sv},                             // Flash
        {0, "\x30\x26\xB2\x75\x8E\x66\xCF\x11"sv},  // ASF
        {28, "\x80theora"sv},                       // Ogg
        {29, "video\0"sv},                          // Ogg, of other codecs
        {28, "fishead\0"sv},                        // Ogg, with a skeleton
        {0, ".RMF"sv},                              // RealMedia
        {0, "\x06\x0E\x2B\x34\x02\x05\x01\x01"sv},  // MXF
        {0, "\xB7\xD8\x00\x20\x37\x49\xDA\x11"sv},  // WTV
        {0, "\0\0\0\0\1\xBC"sv},                    // GXF
        {0, "\x1F\x07\x00"sv},                      // DV
        {0, "DKIF"sv},                              // IVF
        {0, "nut/multimedia container"sv},          // NUT
        {0, "YUV4MPEG2"sv},                         // YUV4MPEG
    };
    for (const Mark& mark : marks) {
        if (has(head, mark.at, mark.bytes)) return true;
    }
    return begins_as_mp4(head) || begins_as_transport_stream(head) || begins_with_start_code(head);
}

}  // namespace

FileContent content_of(codec::Bytes head) {
    if (begins_as_image(head)) return FileContent::image;
    return begins_as_video(head) ? FileContent::video : FileContent::other;
}

FileContent content_of(const std::filesystem::path& file) {
    const auto refused = [&] {
        throw_if_short("'" + file.string() + "' cannot be read", errno);
        return FileContent::other;
    };
    const std::optional<OpenFile> opened = open_to_read(file);
    if (!opened) return refused();
    if (!opened->is_regular()) return FileContent::other;
    std::array<std::uint8_t, media_head_bytes> head{};
    const std::ptrdiff_t count =
        read_at(opened->descriptor.get(), reinterpret_cast<char*>(head.data()), head.size(), 0);
    if (count < 0) return refused();
    return content_of(codec::Bytes(head).first(static_cast<std::size_t>(count)));
}

}  // namespace fovea
