#include "lib/run/track/gpu_pieces.hpp"

#include <utility>

#include "lib/job/stages/frame_routes.hpp"
#include "lib/video/video_error.hpp"

namespace fovea {
namespace {

/// Decoded pieces that wait.
constexpr std::size_t pieces_ahead = 2;

/// Every piece that is kept has a frame that is kept, or waits.
std::size_t pieces_in_use(std::size_t max_frames_held) {
    return max_frames_held + pieces_ahead + 3;
}

/// The memory goes back to the pool when nobody needs the pixels any more.
std::shared_ptr<const void> lent(std::shared_ptr<ResidentPool> pool, std::unique_ptr<ResidentImages> images) {
    return std::shared_ptr<const void>(images.release(), [pool = std::move(pool)](const void* memory) {
        pool->release(
            std::unique_ptr<ResidentImages>(static_cast<ResidentImages*>(const_cast<void*>(memory))));
    });
}

FramePiece piece_of(std::vector<LoadedImage> images, std::unique_ptr<ResidentImages> resident,
                    const std::shared_ptr<ResidentPool>& pool) {
    FramePiece piece;
    piece.images = std::move(images);
    piece.views.assign(resident->views().begin(), resident->views().end());
    piece.memory = lent(pool, std::move(resident));
    return piece;
}

}  // namespace

GpuPieces::GpuPieces(const ImageList& frames, const VideoLimits& limits, FrameLoader& loader,
                     std::size_t max_frames_held)
    : frames_(frames),
      limits_(limits),
      loader_(loader),
      memory_(std::make_shared<ResidentPool>(pieces_in_use(max_frames_held))),
      decoded_(pieces_ahead),
      decoder_([this] { decode(); }) {}

GpuPieces::~GpuPieces() {
    decoded_.abandon();
    memory_->close();
    decoder_.join();
}

void GpuPieces::decode() {
    const BatchStation::Pieces pieces{[&] { return memory_->acquire(); },
                                      [&](Batch piece) { return decoded_.push(std::move(piece)); },
                                      [&] { return decoded_.is_empty(); }};
    try {
        PartSource parts(frames_, limits_);
        for (std::size_t next = 0; next < frames_.size();) {
            Batch batch;
            try {
                batch.frames = parts.take(next);
                next += batch.frames->wanted.size();
            } catch (const VideoError& error) {
                LoadedImage& image = batch.images.emplace_back();
                image.index = next++;
                image.unreadable = error.what();
            }
            if (batch.frames)
                loader_.load(batch, pieces);
            else if (!decoded_.push(std::move(batch)))
                return;
        }
    } catch (...) {
        failure_ = std::current_exception();
    }
    decoded_.close();
}

std::optional<FramePiece> GpuPieces::next() {
    std::optional<Batch> batch = decoded_.pop();
    if (!batch) {
        if (failure_) std::rethrow_exception(failure_);
        return std::nullopt;
    }
    if (batch->resident) return piece_of(std::move(batch->images), std::move(batch->resident), memory_);
    FramePiece unreadable;
    unreadable.images = std::move(batch->images);
    unreadable.views.resize(unreadable.images.size());
    return unreadable;
}

UploadedPieces::UploadedPieces(std::unique_ptr<FrameReader> reader, int gpu, std::size_t max_frames_held)
    : reader_(std::move(reader)),
      loader_(gpu, std::nullopt, DecodeOptions{}),
      memory_(std::make_shared<ResidentPool>(pieces_in_use(max_frames_held))) {}

std::optional<FramePiece> UploadedPieces::next() {
    std::vector<LoadedImage> images = reader_->next();
    if (images.empty()) return std::nullopt;
    std::unique_ptr<ResidentImages> resident = memory_->acquire();
    loader_.load(images, *resident);
    for (LoadedImage& image : images) image.image = {};
    return piece_of(std::move(images), std::move(resident), memory_);
}

}  // namespace fovea
