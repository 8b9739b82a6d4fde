#pragma once

#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "lib/core/bounded_queue.hpp"
#include "lib/image/gpu_images.hpp"
#include "lib/image/loaded_image.hpp"
#include "lib/inputs/image_list.hpp"
#include "lib/job/stages/batch_gatherer.hpp"
#include "lib/job/stages/frame_loader.hpp"
#include "lib/job/stages/image_source.hpp"
#include "lib/job/stages/resident_pool.hpp"

namespace fovea {

/// Some consecutive frames of a sequence, in the memory of one device.
struct FramePiece {
    std::vector<LoadedImage> images;                   ///< what is known of each; pixels are elsewhere
    std::vector<ImageView<const std::uint8_t>> views;  ///< parallel; empty: unreadable
    std::shared_ptr<const void> memory;                ///< keeps the pixels
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

/// The frames of a sequence in their order: read ahead on the host, and there or in the memory of a GPU,
/// which decodes videos itself. For one thread.
class FramePieces {
  public:
    /// Begins to read. \param frames must outlive this. \param options as of ImageSource.
    /// \param frame_loader of the GPU options.gpus[0], for the parts of videos that it decodes; must outlive
    /// this, and must serve nothing else meanwhile. Null: it decodes none.
    FramePieces(const ImageList& frames, const DetectImagesOptions& options, const PieceLimits& limits,
                FrameLoader* frame_loader);
    ~FramePieces();
    FramePieces(const FramePieces&) = delete;
    FramePieces& operator=(const FramePieces&) = delete;

    /// The next piece; nothing after the last one. \throws ShortageError, DeviceError, std::bad_alloc
    std::optional<FramePiece> next();

  private:
    std::optional<GatheredItem> next_item();
    void bring_to_gpu();
    bool bring_to_gpu(Batch batch);

    const PieceLimits limits_;
    const std::optional<int> gpu_;
    FrameLoader* const frame_loader_;
    ImageSource source_;
    BatchGatherer gatherer_;
    // The members below are for GPUs.
    std::optional<GpuImageLoader> uploader_;  // made for the first frames from the host
    std::shared_ptr<ResidentPool> memory_;
    BoundedQueue<Batch> brought_;
    std::exception_ptr failure_;  // read once the queue is closed
    std::thread bringing_;
};

}  // namespace fovea
