#pragma once

#include "lib/video/ffmpeg.hpp"

namespace fovea {

/// Tells from packets alone where decoding can begin, and which of them show no frame.
class PacketKind {
  public:
    explicit PacketKind(const AVCodecParameters& parameters);

    /// True for a codec of which every packet with a time stamp of its own is one frame: H.264, HEVC, VP8,
    /// VP9, AV1, Motion JPEG.
    bool is_frame_by_frame() const { return is_frame_by_frame_; }
    /// True if a decoder can begin at this packet, and frames displayed later need none before: IDR pictures
    /// of H.264; IDR, CRA and BLA pictures of HEVC (pictures displayed before a CRA may need earlier ones);
    /// key frames of VP8, VP9 and AV1; every frame of Motion JPEG.
    bool can_begin_at(const AVPacket& packet) const;
    /// True if it shows no frame: one that an edit list leaves out, an alternate reference frame of VP8 or
    /// VP9, or none at all, as where parameters alone are sent.
    bool is_hidden(const AVPacket& packet) const;

  private:
    enum class Found { yes, no, broken };

    template <class IsWanted>
    Found find_unit(const AVPacket& packet, const IsWanted& is_wanted) const;
    bool has_no_picture(const AVPacket& packet) const;

    AVCodecID codec_;
    bool is_frame_by_frame_ = false;
    int length_bytes_ = 0;  // before each NAL unit; 0 = start codes
};

}  // namespace fovea
