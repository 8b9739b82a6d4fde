#include "lib/video/packet_kind.hpp"

#include <cstddef>
#include <cstdint>

namespace fovea {
namespace {

// Types of NAL units: H.264, table 7-1; HEVC, table 7-1.
bool is_h264_idr(std::uint8_t header) {
    return (header & 31) == 5;
}
bool is_hevc_irap(std::uint8_t header) {
    const int type = (header >> 1) & 63;
    return type >= 16 && type <= 21;
}
bool is_h264_slice(std::uint8_t header) {
    const int type = header & 31;
    return type >= 1 && type <= 5;
}
bool is_hevc_slice(std::uint8_t header) {
    return ((header >> 1) & 63) <= 31;
}

// RFC 6386, 9.1: bit 0 is 0 in a key frame, bit 4 is show_frame.
bool is_vp8_key(std::uint8_t first) {
    return (first & 1) == 0;
}
bool is_vp8_shown(std::uint8_t first) {
    return (first & 0x10) != 0;
}

// The first bits of a VP9 frame (6.2 of its specification): frame_marker (2 bits), profile (2, and 1 reserved
// for profile 3), show_existing_frame, frame_type, show_frame.
struct Vp9Frame {
    explicit Vp9Frame(std::uint8_t first) {
        const int last = (first & 0x30) == 0x30 ? 0 : 1;
        shows_existing = (first >> (last + 2) & 1) != 0;
        is_key = !shows_existing && (first >> (last + 1) & 1) == 0;
        is_shown = shows_existing || (first >> last & 1) != 0;
    }
    bool shows_existing = false;
    bool is_key = false;
    bool is_shown = false;
};

// Annex B: frames that are not shown and one that is, with an index of them behind, which ends with its first
// byte.
bool is_vp9_superframe(const AVPacket& packet) {
    const std::uint8_t last = packet.data[packet.size - 1];
    if ((last & 0xE0) != 0xC0) return false;
    const int bytes = 2 + ((last >> 3 & 3) + 1) * ((last & 7) + 1);
    return packet.size >= bytes && packet.data[packet.size - bytes] == last;
}

}  // namespace

PacketKind::PacketKind(const AVCodecParameters& parameters) : codec_(parameters.codec_id) {
    switch (codec_) {
        case AV_CODEC_ID_H264:
            // avcC, ISO/IEC 14496-15; streams with start codes begin with 0.
            if (parameters.extradata_size >= 5 && parameters.extradata[0] == 1)
                length_bytes_ = (parameters.extradata[4] & 3) + 1;
            is_frame_by_frame_ = true;
            break;
        case AV_CODEC_ID_HEVC:
            if (parameters.extradata_size >= 22 && parameters.extradata[0] == 1)
                length_bytes_ = (parameters.extradata[21] & 3) + 1;
            is_frame_by_frame_ = true;
            break;
        case AV_CODEC_ID_VP8:
        case AV_CODEC_ID_VP9:
        case AV_CODEC_ID_AV1:
        case AV_CODEC_ID_MJPEG:
            is_frame_by_frame_ = true;
            break;
        default:
            break;
    }
}

template <class IsWanted>
PacketKind::Found PacketKind::find_unit(const AVPacket& packet, const IsWanted& is_wanted) const {
    const std::uint8_t* const data = packet.data;
    const auto size = static_cast<std::size_t>(packet.size);
    if (length_bytes_ > 0) {
        std::size_t at = 0;
        while (at + static_cast<std::size_t>(length_bytes_) < size) {
            std::size_t length = 0;
            for (int i = 0; i < length_bytes_; ++i) length = length << 8 | data[at++];
            if (is_wanted(data[at])) return Found::yes;
            if (length > size - at) return Found::broken;
            at += length;
        }
        return at == size ? Found::no : Found::broken;
    }
    for (std::size_t at = 0; at + 3 < size; ++at) {
        if (data[at] != 0 || data[at + 1] != 0 || data[at + 2] != 1) continue;
        if (is_wanted(data[at + 3])) return Found::yes;
        at += 2;
    }
    return Found::no;
}

bool PacketKind::can_begin_at(const AVPacket& packet) const {
    if (!is_frame_by_frame_ || packet.size <= 0) return false;
    if (codec_ == AV_CODEC_ID_MJPEG) return true;
    if ((packet.flags & AV_PKT_FLAG_KEY) == 0) return false;
    if (codec_ == AV_CODEC_ID_H264) return find_unit(packet, is_h264_idr) == Found::yes;
    if (codec_ == AV_CODEC_ID_HEVC) return find_unit(packet, is_hevc_irap) == Found::yes;
    if (codec_ == AV_CODEC_ID_VP8) return is_vp8_key(packet.data[0]);
    if (codec_ == AV_CODEC_ID_VP9) return Vp9Frame(packet.data[0]).is_key;
    return true;
}

bool PacketKind::has_no_picture(const AVPacket& packet) const {
    if (packet.size <= 0) return true;
    switch (codec_) {
        case AV_CODEC_ID_H264:
            return find_unit(packet, is_h264_slice) == Found::no;
        case AV_CODEC_ID_HEVC:
            return find_unit(packet, is_hevc_slice) == Found::no;
        case AV_CODEC_ID_VP8:
            return !is_vp8_shown(packet.data[0]);
        case AV_CODEC_ID_VP9:
            return !Vp9Frame(packet.data[0]).is_shown && !is_vp9_superframe(packet);
        default:
            return false;
    }
}

bool PacketKind::is_hidden(const AVPacket& packet) const {
    return (packet.flags & AV_PKT_FLAG_DISCARD) != 0 || has_no_picture(packet);
}

}  // namespace fovea
