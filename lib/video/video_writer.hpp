#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "lib/video/colour_frame.hpp"

namespace fovea {

struct VideoWriterOptions {
    int width = 0;  ///< of the frames; sides that are odd lose their last column or row
    int height = 0;
    std::int64_t time_base_num = 1;  ///< a time stamp counts num / den seconds
    std::int64_t time_base_den = 25;
    bool is_full_range = false;
    int quality = 20;     ///< libx264's CRF, or NVENC's CQ: smaller is better
    bool on_gpu = false;  ///< NVENC encodes, if it is there; else libx264
};

/// Writes an MP4 file of H.264 (FFmpeg). For one thread at a time.
class VideoWriter {
  public:
    /// \param file replaced if it is there. \throws UsageError if no encoder is there; Error if the file
    /// cannot be written or the encoder refuses.
    VideoWriter(const std::filesystem::path& file, const VideoWriterOptions& options);
    ~VideoWriter();
    VideoWriter(const VideoWriter&) = delete;
    VideoWriter& operator=(const VideoWriter&) = delete;

    /// FFmpeg's name of the encoder: "libx264" or "h264_nvenc".
    const std::string& encoder() const;
    /// The next frame, of the size given. \param time_stamp above that of the frame before \throws Error
    void write(const ColourFrame& frame, std::int64_t time_stamp);
    /// The file is complete. \throws Error
    void close();

  private:
    class Implementation;
    std::unique_ptr<Implementation> implementation_;
};

}  // namespace fovea
