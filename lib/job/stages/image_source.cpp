#include "lib/job/stages/image_source.hpp"

#include <algorithm>
#include <utility>

#include "lib/image/frame_opener.hpp"
#include "lib/video/video_error.hpp"

namespace fovea {
namespace {

PrefetchOptions prefetch_options(const DetectImagesOptions& options, int threads, std::size_t first,
                                 const SourceFiles& files, BufferPool& buffers) {
    PrefetchOptions prefetch;
    prefetch.threads = threads;
    prefetch.max_bytes = options.prefetch_bytes;
    prefetch.decode = options.decode;
    prefetch.first = first;
    prefetch.max_image_bytes = options.max_image_bytes;
    prefetch.buffers = &buffers;
    prefetch.keep_files = files.keep;
    prefetch.keep_encoded = files.keep_encoded;
    return prefetch;
}

}  // namespace

ImageSource::ImageSource(const ImageList& images, const DetectImagesOptions& options, int threads,
                         const SourceFiles& files)
    : images_(images),
      readers_(std::min(threads, options.max_readers)),
      routes_(images, options.first, options.gpus.empty() ? WhyNotOnGpu{} : options.why_not_on_gpu),
      parts_(images, {options.decode.max_pixels, options.max_image_bytes}),
      inputs_(images.open_from(options.first,
                               video_read_options(options.decode, threads, options.max_image_bytes),
                               options.max_unpacker_bytes)),
      buffers_(options.spare_bytes),
      on_host_(*inputs_, routes_.on_host()),
      prefetcher_(
          routes_.any_by_gpu() ? static_cast<const ImageInputs&>(on_host_) : *inputs_,
          prefetch_options(options, readers_, routes_.any_by_gpu() ? 0 : options.first, files, buffers_)),
      next_(options.first) {}

std::optional<GatheredItem> ImageSource::next() {
    if (next_ >= images_.size()) return std::nullopt;
    if (routes_.by_gpu(next_)) return next_part();
    std::optional<LoadedImage> image = prefetcher_.next();
    if (!image) return std::nullopt;
    // The prefetcher counts those that it reads.
    image->index = next_++;
    return std::move(*image);
}

GatheredItem ImageSource::next_part() {
    try {
        FramePart part = parts_.take(next_);
        next_ += part.wanted.size();
        return part;
    } catch (const VideoError& error) {
        LoadedImage image;
        image.index = next_++;
        image.unreadable = error.what();
        return image;
    }
}

ImageResult result_without_faces(const ImageList& images, const LoadedImage& loaded) {
    ImageResult result;
    result.image = images.name(loaded.index);
    result.frame = frame_time(images.frame(loaded.index));
    result.is_damaged = loaded.is_damaged;
    result.pages = loaded.pages;
    if (loaded.unreadable.empty()) {
        result.width = loaded.size.width;
        result.height = loaded.size.height;
    } else {
        result.status = "unreadable: " + loaded.unreadable;
    }
    return result;
}

}  // namespace fovea
