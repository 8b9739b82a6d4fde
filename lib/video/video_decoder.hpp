#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "lib/video/colour_frame.hpp"
#include "lib/video/packet.hpp"
#include "lib/video/video_file.hpp"

struct AVCodecParameters;

namespace fovea {

/// A decoded frame as a grey image, stretched and turned for display.
struct GreyFrame {
    int width = 0;
    int height = 0;
    std::vector<std::uint8_t> pixels;  ///< height × width, row-major
    std::int64_t time_stamp = 0;
    bool has_time_stamp = false;
    bool is_damaged = false;  ///< the decoder met errors in it

    friend bool operator==(const GreyFrame&, const GreyFrame&) = default;
};

struct DecoderOptions {
    /// At least 1. Fewer are used if the limit on memory allows no more, and one where damaged frames would
    /// depend on the number: for all but H.264, VP8, VP9, AV1 and codecs without predicted frames.
    int threads = 1;
    int orientation = 1;  ///< EXIF's, 1 to 8; frames are turned by it
    VideoLimits limits;
    PixelShape pixel{};  ///< before frames are turned, they are stretched to square pixels
};

/// Decodes one stream on the CPU (FFmpeg's libavcodec), with threads of its own. For one thread at a time.
///
/// Grey is the luma plane, see luma_to_grey; frames of RGB become grey by grey_of_rgb. Colours are not
/// converted.
class VideoDecoder {
  public:
    /// \throws VideoError if there is no decoder; std::bad_alloc
    VideoDecoder(const AVCodecParameters& parameters, const DecoderOptions& options);
    ~VideoDecoder();
    VideoDecoder(VideoDecoder&&) noexcept;
    VideoDecoder& operator=(VideoDecoder&&) noexcept;

    /// Gives it the next packet, or null: no more come, and the last frames are wanted. All frames must have
    /// been received before. A packet that it cannot decode is left out. \throws std::bad_alloc
    void send(const AVPacket* packet);
    /// True if a frame is there; it stays until the next call. A frame that the limits forbid is there, too,
    /// without its pixels. \throws std::bad_alloc
    bool receive();
    /// The frame received, as a grey image. \throws VideoError if its pixels are of a kind that is not read,
    /// or the limits forbid it.
    GreyFrame grey() const;
    /// The frame received, for people to look at. \throws VideoError if its pixels cannot be converted, or
    /// the limits forbid it.
    ColourFrame colours() const;
    /// The time stamp of the frame received; nothing if the stream does not tell it.
    std::optional<std::int64_t> time_stamp() const;
    /// Forgets all packets and frames, as if it were made anew.
    void restart();

    /// True if an error was met since the beginning, and what becomes of it, from the next frame on, may
    /// depend on the number of threads or on what was decoded before restart(). A new decoder of one thread
    /// gives the same everywhere, and is never in doubt.
    bool is_in_doubt() const;

  private:
    class Implementation;
    std::unique_ptr<Implementation> implementation_;
};

}  // namespace fovea
