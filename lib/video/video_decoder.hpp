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
    /// At least 1. Fewer threads are used if the limit on memory requires it, and one for codecs whose
    /// damaged frames would depend on the number: all but H.264, VP8, VP9, AV1 and codecs without
    /// predicted frames.
    int threads = 1;
    int orientation = 1;  ///< EXIF's, 1 to 8; frames are turned by it
    VideoLimits limits;
    PixelShape pixel{};  ///< before frames are turned, they are stretched to square pixels
};

/// Decodes one stream on the CPU (FFmpeg's libavcodec), with threads of its own. One thread at a time may
/// use it.
///
/// Grey is the luma plane, see luma_to_grey(); RGB frames become grey by grey_of_rgb().
class VideoDecoder {
  public:
    /// \throws VideoError if there is no decoder; std::bad_alloc
    VideoDecoder(const AVCodecParameters& parameters, const DecoderOptions& options);
    ~VideoDecoder();
    VideoDecoder(VideoDecoder&&) noexcept;
    VideoDecoder& operator=(VideoDecoder&&) noexcept;

    /// Gives it the next packet; null ends the stream, so that the last frames come. Receive all frames
    /// before. A packet that cannot be decoded is left out. \throws std::bad_alloc
    void send(const AVPacket* packet);
    /// Receives the next frame, which stays until the next call; a frame that the limits forbid has
    /// no pixels.
    /// \return false if there is none before the next send(). \throws std::bad_alloc
    bool receive();
    /// The received frame as a grey image. \throws VideoError if pixels of its kind are not read, or the
    /// limits forbid it.
    GreyFrame grey() const;
    /// The received frame in colour, for people to look at. \throws VideoError if its pixels cannot be
    /// converted, or the limits forbid it.
    ColourFrame colours() const;
    /// The time stamp of the received frame; nothing if the stream does not tell it.
    std::optional<std::int64_t> time_stamp() const;
    /// Forgets all packets and frames, as if it were made anew.
    void restart();

    /// True if an error was met, so that later frames may depend on the number of threads or on what was
    /// decoded before restart(). A new decoder of one thread always gives the same frames, and is never
    /// in doubt.
    bool is_in_doubt() const;

  private:
    class Implementation;
    std::unique_ptr<Implementation> implementation_;
};

}  // namespace fovea
