#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>

#include "lib/image/buffer_pool.hpp"
#include "lib/image/prefetch.hpp"
#include "lib/inputs/image_list.hpp"
#include "lib/job/stages/batch_gatherer.hpp"
#include "lib/job/stages/detect_images.hpp"
#include "lib/job/stages/frame_routes.hpp"

namespace fovea {

/// The files of images that are kept when they were read.
struct SourceFiles {
    bool keep = false;                                        ///< see PrefetchOptions::keep_files
    std::function<bool(const JpegFrame&)> keep_encoded = {};  ///< see PrefetchOptions
};

/// The images of a list in their order, read and decoded ahead on the host; frames of videos that GPUs decode
/// come as parts. For one thread.
class ImageSource {
  public:
    /// Begins to read. \param images must outlive this. \param options the limits of reading ahead, how
    /// images are decoded, the GPUs, and the first image. \param threads that decode, at most.
    ImageSource(const ImageList& images, const DetectImagesOptions& options, int threads,
                const SourceFiles& files = {});

    /// Waits for the next image or part; nothing after the last one. \throws ShortageError, std::bad_alloc
    std::optional<GatheredItem> next();

    bool any_by_gpu() const { return routes_.any_by_gpu(); }
    /// Images give back their memory to it.
    BufferPool& buffers() { return buffers_; }
    PrefetchTimes times() const { return prefetcher_.times(); }
    /// Threads that decode.
    int readers() const { return readers_; }

  private:
    GatheredItem next_part();

    const ImageList& images_;
    const int readers_;
    const FrameRoutes routes_;
    PartSource parts_;
    const std::unique_ptr<ImageInputs> inputs_;
    BufferPool buffers_;
    const SelectedInputs on_host_;
    ImagePrefetcher prefetcher_;
    std::size_t next_;  // of the list
};

/// The result of an image that was read from a list, before its faces are added.
ImageResult result_without_faces(const ImageList& images, const LoadedImage& loaded);

}  // namespace fovea
