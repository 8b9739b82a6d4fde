#include "lib/run/track/frame_pieces.hpp"

#include <limits>
#include <string>
#include <utility>

namespace fovea {
namespace {

/// Pieces that wait on a GPU.
constexpr std::size_t pieces_ahead = 2;

/// The memory goes back to the pool when nobody needs the pixels any more.
std::shared_ptr<const void> lent(std::shared_ptr<ResidentPool> pool, std::unique_ptr<ResidentImages> images) {
    return std::shared_ptr<const void>(images.release(), [pool = std::move(pool)](const void* memory) {
        pool->release(
            std::unique_ptr<ResidentImages>(static_cast<ResidentImages*>(const_cast<void*>(memory))));
    });
}

FramePiece piece_on_gpu(Batch batch, const std::shared_ptr<ResidentPool>& pool) {
    FramePiece piece{std::move(batch.images), {}, {}};
    piece.views.assign(batch.resident->views().begin(), batch.resident->views().end());
    piece.memory = lent(pool, std::move(batch.resident));
    return piece;
}

FramePiece piece_on_host(Batch batch) {
    FramePiece piece;
    auto pixels = std::make_shared<std::vector<GreyImage>>();
    pixels->reserve(batch.images.size());
    for (LoadedImage& image : batch.images) {
        pixels->push_back(std::exchange(image.image, {}));
        piece.views.push_back(pixels->back().view());
        if (!image.unreadable.empty()) piece.views.back() = {};
    }
    piece.images = std::move(batch.images);
    piece.memory = std::move(pixels);
    return piece;
}

}  // namespace

FramePieces::FramePieces(const ImageList& frames, const DetectImagesOptions& options,
                         const PieceLimits& limits, FrameLoader* frame_loader)
    : limits_(limits),
      gpu_(options.gpus.empty() ? std::nullopt : std::optional(options.gpus[0])),
      frame_loader_(frame_loader),
      source_(frames, options, options.threads),
      // Frames are let go as they are followed: nothing waits for their memory.
      gatherer_([this] { return next_item(); },
                {limits.images, limits.bytes, std::numeric_limits<std::size_t>::max()}, &source_.buffers(),
                nullptr),
      // Every piece that is kept has a frame that is kept, or waits.
      memory_(std::make_shared<ResidentPool>(gpu_ ? limits.frames_held + pieces_ahead + 3 : 0)),
      brought_(pieces_ahead) {
    if (gpu_) bringing_ = std::thread([this] { bring_to_gpu(); });
}

FramePieces::~FramePieces() {
    brought_.abandon();
    memory_->close();
    if (bringing_.joinable()) bringing_.join();
}

std::optional<GatheredItem> FramePieces::next_item() {
    std::optional<GatheredItem> item = source_.next();
    if (!item || limits_.max_frame_bytes == 0) return item;
    auto* const image = std::get_if<LoadedImage>(&*item);
    const std::size_t bytes = image == nullptr ? 0 : image->image.pixels.size();
    if (bytes <= limits_.max_frame_bytes) return item;
    constexpr std::size_t mebibyte = 1 << 20;
    image->unreadable = "needs " + std::to_string(bytes * limits_.frames_held / mebibyte + 1) +
                        " MiB while its faces are followed, more than the memory limit allows; raise "
                        "--memory-limit";
    image->image = {};
    return item;
}

void FramePieces::bring_to_gpu() {
    try {
        for (Batch batch; gatherer_.fill(batch); batch = {}) {
            if (!bring_to_gpu(std::move(batch))) break;
        }
    } catch (...) {
        failure_ = std::current_exception();
    }
    brought_.close();
}

/// \return false if no more are wanted
bool FramePieces::bring_to_gpu(Batch batch) {
    if (batch.frames) {
        bool goes_on = true;
        frame_loader_->load(batch, {[&] { return memory_->acquire(); },
                                    [&](Batch piece) { return goes_on = brought_.push(std::move(piece)); },
                                    [&] { return brought_.is_empty(); }});
        gatherer_.release(batch);
        return goes_on;
    }
    batch.resident = memory_->acquire();
    if (batch.resident == nullptr) return false;
    if (!uploader_) uploader_.emplace(*gpu_, std::nullopt, DecodeOptions{});
    uploader_->load(batch.images, *batch.resident);
    gatherer_.release(batch);
    return brought_.push(std::move(batch));
}

std::optional<FramePiece> FramePieces::next() {
    if (gpu_) {
        std::optional<Batch> batch = brought_.pop();
        if (batch) return piece_on_gpu(std::move(*batch), memory_);
        if (failure_) std::rethrow_exception(failure_);
        return std::nullopt;
    }
    Batch batch;
    if (!gatherer_.fill(batch)) return std::nullopt;
    return piece_on_host(std::move(batch));
}

}  // namespace fovea
