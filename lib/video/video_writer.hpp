#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "lib/video/colour_frame.hpp"

namespace fovea {

struct VideoWriterOptions {
    int width = 0;  ///< of the frames; an odd side loses its last column or row
    int height = 0;
    std::int64_t time_base_num = 1;  ///< a time stamp counts num / den seconds
    std::int64_t time_base_den = 25;
    bool is_full_range = false;
    int quality = 20;     ///< libx264's CRF, or NVENC's CQ: smaller is better
    bool on_gpu = false;  ///< NVENC encodes, if it is there; else libx264
};

/// Writes an MP4 file of H.264 (FFmpeg). One thread at a time may use it.
class VideoWriter {
  public:
    /// \param file is replaced if it is there. \throws UsageError if there is no encoder; Error if the file
    /// cannot be written or the encoder refuses.
    VideoWriter(const std::filesystem::path& file, const VideoWriterOptions& options);
    ~VideoWriter();
    VideoWriter(const VideoWriter&) = delete;
    VideoWriter& operator=(const VideoWriter&) = delete;

    /// FFmpeg's name of the encoder: "libx264" or "h264_nvenc".
    const std::string& encoder() const;
    /// Writes the next frame, of the options' size. \param time_stamp must rise. \throws Error
    void write(const ColourFrame& frame, std::int64_t time_stamp);
    /// Completes the file. \throws Error
    void close();

  private:
    class Implementation;
    std::unique_ptr<Implementation> implementation_;
};

}  // namespace fovea
