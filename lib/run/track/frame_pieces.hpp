#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "lib/image/loaded_image.hpp"
#include "lib/image/prefetch.hpp"
#include "lib/inputs/image_list.hpp"

namespace fovea {

/// Some consecutive frames of a sequence, in the memory of one device.
struct FramePiece {
    std::vector<LoadedImage> images;                   ///< what is known of each; pixels are elsewhere
    std::vector<ImageView<const std::uint8_t>> views;  ///< parallel; empty: unreadable
    std::shared_ptr<const void> memory;                ///< keeps the pixels
};

/// The frames of a sequence in their order. For one thread.
class FramePieces {
  public:
    virtual ~FramePieces() = default;
    /// The next piece; nothing after the last one. \throws ShortageError, DeviceError, std::bad_alloc
    virtual std::optional<FramePiece> next() = 0;
};

/// The largest size of a piece.
struct PieceLimits {
    std::size_t images = 32;
    /// Bytes of pixels; a larger frame is a piece of its own.
    std::size_t bytes = std::size_t{32} << 20;
    std::size_t max_frame_bytes = 0;  ///< a larger frame is unreadable; 0 = no limit
    /// Frames that are kept at once, including frames that wait until their faces have been followed.
    std::size_t frames_held = 1;
};

/// Frames that are read and decoded ahead on the host, some at a time. For one thread.
class FrameReader {
  public:
    /// Begins to read. \param frames must outlive it.
    FrameReader(const ImageList& frames, const VideoReadOptions& reading, const PrefetchOptions& options,
                const PieceLimits& limits);
    /// The next frames; none after the last one.
    std::vector<LoadedImage> next();

  private:
    void refuse_if_too_large(LoadedImage& image) const;

    std::unique_ptr<ImageInputs> inputs_;
    PieceLimits limits_;
    ImagePrefetcher prefetcher_;
    std::optional<LoadedImage> ahead_;
};

/// Frames in host memory.
class HostPieces final : public FramePieces {
  public:
    explicit HostPieces(std::unique_ptr<FrameReader> reader) : reader_(std::move(reader)) {}
    std::optional<FramePiece> next() override;

  private:
    std::unique_ptr<FrameReader> reader_;
};

}  // namespace fovea
