#include "lib/job/stages/batch_gatherer.hpp"

#include <algorithm>
#include <utility>

#include "lib/core/job_hooks.hpp"

namespace fovea {
namespace {

std::size_t host_bytes_of(const LoadedImage& image) {
    return image.image.pixels.size() + image.file.size() + (image.jpeg ? image.jpeg->bytes.size() : 0);
}

// A JPEG file that a GPU is to decode counts with the pixels that it becomes.
std::size_t batch_bytes_of(const LoadedImage& image) {
    return image.jpeg
               ? static_cast<std::size_t>(image.size.width) * static_cast<std::size_t>(image.size.height)
               : host_bytes_of(image);
}

}  // namespace

BatchGatherer::BatchGatherer(std::function<std::optional<GatheredItem>()> next_item,
                             const BatchLimits& limits, BufferPool* buffers, const std::atomic<bool>* cancel)
    : next_item_(std::move(next_item)),
      limits_(limits),
      buffers_(buffers),
      cancel_(cancel),
      budget_(limits.host_bytes),
      max_images_(std::min(limits.first_images, limits.images)) {}

bool BatchGatherer::fill(Batch& batch) {
    std::size_t bytes = 0;
    while (batch.images.size() < max_images_ && !is_cancelled(cancel_)) {
        if (!next_) next_ = next_item_();
        if (!next_) break;
        if (std::holds_alternative<FramePart>(*next_)) {
            if (batch.images.empty()) take_part(batch);
            break;
        }
        auto& next = std::get<LoadedImage>(*next_);
        const std::size_t held = host_bytes_of(next);
        const std::size_t size = batch_bytes_of(next);
        // A batch that is there does not wait for memory that only its going on sets free.
        if (batch.images.empty()) {
            if (!budget_.acquire(held)) break;
        } else if (bytes + size > limits_.bytes || !budget_.try_acquire(held)) {
            break;
        }
        bytes += size;
        batch.host_bytes += held;
        batch.images.push_back(std::move(next));
        next_.reset();
    }
    max_images_ = std::min(2 * max_images_, limits_.images);
    return !batch.images.empty() || batch.frames.has_value();
}

void BatchGatherer::take_part(Batch& batch) {
    auto& part = std::get<FramePart>(*next_);
    if (!budget_.acquire(part.part.bytes)) return;
    batch.host_bytes = part.part.bytes;
    batch.frames = std::move(part);
    next_.reset();
}

void BatchGatherer::release_loaded(Batch& batch) {
    if (!limits_.keep_files) release(batch);
}

void BatchGatherer::release(Batch& batch) {
    for (LoadedImage& image : batch.images) {
        if (buffers_ != nullptr) {
            buffers_->release(std::move(image.image.pixels));
            buffers_->release(std::move(image.file));
            if (image.jpeg) buffers_->release(std::move(image.jpeg->bytes));
        }
        image.image = {};
        image.file = {};
        image.jpeg.reset();
    }
    budget_.release(std::exchange(batch.host_bytes, 0));
}

}  // namespace fovea
