#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "lib/image/formats/bytes.hpp"

namespace fovea::codec {

/// JPEG's markers (ISO/IEC 10918-1, table B.1): the byte behind 0xff.
enum JpegMarker : std::uint8_t {
    jpeg_sof0 = 0xc0,
    jpeg_sof1 = 0xc1,
    jpeg_sof2 = 0xc2,
    jpeg_dht = 0xc4,
    jpeg_jpg = 0xc8,
    jpeg_sof10 = 0xca,
    jpeg_dac = 0xcc,
    jpeg_sof15 = 0xcf,
    jpeg_rst0 = 0xd0,
    jpeg_soi = 0xd8,
    jpeg_eoi = 0xd9,
    jpeg_sos = 0xda,
    jpeg_dri = 0xdd,
    jpeg_app0 = 0xe0,
    jpeg_app1 = 0xe1,
    jpeg_app14 = 0xee,
};

/// True for the markers of frame headers, which carry the size and the list of components.
constexpr bool is_jpeg_frame_header(std::uint8_t marker) {
    return marker >= jpeg_sof0 && marker <= jpeg_sof15 && marker != jpeg_dht && marker != jpeg_jpg &&
           marker != jpeg_dac;
}

/// Calls visit(marker, payload) for the segments of a JPEG from byte `at` on, until it returns false.
/// Entropy-coded data and stray bytes between segments are skipped. \return true at the end-of-image marker.
template <class Visit>
bool walk_jpeg_segments(Bytes bytes, std::size_t at, Visit visit) {
    while (at < bytes.size()) {
        const void* found = std::memchr(bytes.data() + at, 0xff, bytes.size() - at);
        if (found == nullptr) return false;
        at = static_cast<std::size_t>(static_cast<const std::uint8_t*>(found) - bytes.data());
        while (at < bytes.size() && bytes[at] == 0xff) ++at;
        if (at >= bytes.size()) return false;
        const std::uint8_t marker = bytes[at++];
        if (marker == jpeg_eoi) return true;
        // Stuffed zero, TEM, restart markers and SOI have no length.
        if (marker <= 0x01 || (marker >= jpeg_rst0 && marker <= jpeg_soi)) continue;
        if (at + 2 > bytes.size()) return false;
        const std::size_t length = std::size_t{bytes[at]} << 8 | bytes[at + 1];
        if (length < 2 || at + length > bytes.size()) return false;
        if (!visit(marker, bytes.subspan(at + 2, length - 2))) return false;
        at += length;
    }
    return false;
}

/// Calls visit(marker, payload) for all segments behind the start-of-image marker, as the function above.
template <class Visit>
bool walk_jpeg_segments(Bytes bytes, Visit visit) {
    return walk_jpeg_segments(bytes, 2, visit);
}

}  // namespace fovea::codec
