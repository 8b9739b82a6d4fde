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
bool PacketKind::has_unit(const AVPacket& packet, const IsWanted& is_wanted) const {
    const std::uint8_t* const data = packet.data;
    const auto size = static_cast<std::size_t>(packet.size);
    if (length_bytes_ > 0) {
        for (std::size_t at = 0; at + static_cast<std::size_t>(length_bytes_) < size;) {
            std::size_t length = 0;
            for (int i = 0; i < length_bytes_; ++i) length = length << 8 | data[at++];
            if (is_wanted(data[at])) return true;
            if (length > size - at) return false;
            at += length;
        }
        return false;
    }
    for (std::size_t at = 0; at + 3 < size; ++at) {
        if (data[at] != 0 || data[at + 1] != 0 || data[at + 2] != 1) continue;
        if (is_wanted(data[at + 3])) return true;
        at += 2;
    }
    return false;
}

bool PacketKind::can_begin_at(const AVPacket& packet) const {
    if (!is_frame_by_frame_ || packet.size <= 0) return false;
    if (codec_ == AV_CODEC_ID_MJPEG) return true;
    if ((packet.flags & AV_PKT_FLAG_KEY) == 0) return false;
    if (codec_ == AV_CODEC_ID_H264) return has_unit(packet, is_h264_idr);
    if (codec_ == AV_CODEC_ID_HEVC) return has_unit(packet, is_hevc_irap);
    return true;
}

bool PacketKind::is_hidden(const AVPacket& packet) const {
    if ((packet.flags & AV_PKT_FLAG_DISCARD) != 0) return true;
    // Bit 4 of a VP8 frame's tag is show_frame (RFC 6386, 9.1).
    return codec_ == AV_CODEC_ID_VP8 && packet.size > 0 && (packet.data[0] & 0x10) == 0;
}

}  // namespace fovea
