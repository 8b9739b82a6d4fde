#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <variant>

#include "lib/image/buffer_pool.hpp"
#include "lib/job/stages/batch.hpp"
#include "lib/job/stages/memory_budget.hpp"

namespace fovea {

/// How large a batch may be.
struct BatchLimits {
    std::size_t images = 16;
    /// Bytes of pixels; a larger image is a batch of its own.
    std::size_t bytes = std::size_t{64} << 20;
    /// Host memory of the images in all batches; one batch alone may take more.
    std::size_t host_bytes = std::size_t{512} << 20;
    bool keep_files = false;  ///< the files of images are wanted until their batch is done
    /// Images of the first batch, if fewer; each later one may have twice as many. So stations begin early.
    std::size_t first_images = std::numeric_limits<std::size_t>::max();
};

/// The input of a gatherer: an image that was read, or a part of a video that a GPU is to decode.
using GatheredItem = std::variant<LoadedImage, FramePart>;

/// Makes batches of images that were read and decoded ahead; a part of a video is a batch of its own.
class BatchGatherer {
  public:
    /// \param next_item gives the next image or part, in the job's order, or nothing after the last.
    /// \param buffers takes the memory of images that are released; null = none does. \param cancel once
    /// true, there are no more batches; null = never.
    BatchGatherer(std::function<std::optional<GatheredItem>()> next_item, const BatchLimits& limits,
                  BufferPool* buffers, const std::atomic<bool>* cancel);

    /// Fills a batch; waits for images and for memory. \return false after the last image, a cancellation, or
    /// stop(). For one thread. \throws what `next_item` throws.
    bool fill(Batch& batch);
    /// Gives back the host memory of a batch that is done. A second call does nothing. For any thread.
    void release(Batch& batch);
    /// Does release() for a batch whose images are on a GPU now, unless their files are still wanted.
    void release_loaded(Batch& batch);
    /// Ends the waiting of fill(). From any thread.
    void stop() { budget_.close(); }

  private:
    void take_part(Batch& batch);

    const std::function<std::optional<GatheredItem>()> next_item_;
    const BatchLimits limits_;
    BufferPool* const buffers_;
    const std::atomic<bool>* const cancel_;
    MemoryBudget budget_;
    std::optional<GatheredItem> next_;  // read, and too large for the batch before
    std::size_t max_images_;            // of the next batch
};

}  // namespace fovea
