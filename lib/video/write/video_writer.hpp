#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lib/video/colour_frame.hpp"
#include "lib/video/video_file.hpp"

namespace fovea {

/// The sound that is copied, as it is stored, beside the pictures of a video.
struct CopiedSound {
    std::shared_ptr<const VideoSource> video;  ///< null: no sound
    /// The first frame that is written is the video's first: sound before it is copied, too.
    bool is_from_beginning = true;
    VideoLimits limits;
};

struct VideoWriterOptions {
    bool is_matroska = false;  ///< a Matroska file, which holds any sound; else MP4
    int width = 0;             ///< of the frames; an odd side loses its last column or row
    int height = 0;
    std::int64_t time_base_num = 1;  ///< a time stamp counts num / den seconds
    std::int64_t time_base_den = 25;
    double frames_per_second = 0;  ///< on average; 0 if unknown
    bool is_full_range = false;
    ColourCodes colours;
    /// How a player is to stretch and turn the frames: as VideoFacts.
    PixelShape pixel{};
    int orientation = 1;
    int quality = 20;     ///< libx264's CRF, or NVENC's CQ: smaller is better
    bool on_gpu = false;  ///< NVENC encodes, if it is there; else libx264
    CopiedSound sound{};
};

/// Writes a file of H.264 (FFmpeg) that begins at time 0: with its first frame, or with sound before it. One
/// thread at a time may use it.
class VideoWriter {
  public:
    /// \param file is replaced if it is there. \throws UsageError if there is no encoder; Error if the file
    /// cannot be written or the encoder refuses; VideoError if the sound cannot be read.
    VideoWriter(const std::filesystem::path& file, const VideoWriterOptions& options);
    ~VideoWriter();
    VideoWriter(const VideoWriter&) = delete;
    VideoWriter& operator=(const VideoWriter&) = delete;

    /// \throws UsageError if FFmpeg has no encoder that VideoWriter uses.
    static void require_encoder(bool on_gpu);

    /// FFmpeg's name of the encoder: "libx264" or "h264_nvenc".
    const std::string& encoder() const;
    /// Writes the next frame, of the options' size. \param time_stamp must rise. \throws Error
    void write(const ColourFrame& frame, std::int64_t time_stamp);
    /// Completes the file. \param end time stamp from which on sound is left out; nothing: all of it is
    /// copied. \throws Error
    void close(std::optional<std::int64_t> end = std::nullopt);
    /// For each kind of sound that was left out, how a sentence about it ends: "(pcm_s16le) is left out,
    /// because …".
    const std::vector<std::string>& sound_left_out() const;

  private:
    class Implementation;
    std::unique_ptr<Implementation> implementation_;
};

}  // namespace fovea
