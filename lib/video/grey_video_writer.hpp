#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>

#include "kernels/core/view.hpp"

namespace fovea {

struct GreyVideoOptions {
    Size size;  ///< of the frames, pixels
    int frames_per_second = 25;
    /// H.264 by libx264 at this constant rate factor, 0 (exact) to 51 (worst); nothing: FFV1, which is exact.
    std::optional<int> crf;
};

/// Writes grey frames as a video; the container follows from the file's name (.mkv). Luma has the full range,
/// colours are grey. Equal frames give equal files. For one thread at a time.
class GreyVideoWriter {
  public:
    /// \throws Error if the file cannot be written or FFmpeg lacks the encoder; std::bad_alloc
    GreyVideoWriter(const std::filesystem::path& file, const GreyVideoOptions& options);
    ~GreyVideoWriter();
    GreyVideoWriter(const GreyVideoWriter&) = delete;
    GreyVideoWriter& operator=(const GreyVideoWriter&) = delete;

    /// \param frame of the options' size. \throws std::invalid_argument for another one; Error;
    /// std::bad_alloc
    void write(const ImageView<const std::uint8_t>& frame);
    /// The file is complete with this. \throws Error
    void finish();

  private:
    class Stream;
    std::unique_ptr<Stream> stream_;
};

}  // namespace fovea
