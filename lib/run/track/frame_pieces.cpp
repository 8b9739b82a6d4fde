#include "lib/run/track/frame_pieces.hpp"

#include <string>

namespace fovea {

FrameReader::FrameReader(const ImageList& frames, const VideoReadOptions& reading,
                         const PrefetchOptions& options, const PieceLimits& limits)
    : inputs_(frames.open_from(0, reading)), limits_(limits), prefetcher_(*inputs_, options) {}

std::vector<LoadedImage> FrameReader::next() {
    std::vector<LoadedImage> images;
    std::size_t bytes = 0;
    while (images.size() < limits_.images) {
        if (!ahead_) {
            ahead_ = prefetcher_.next();
            if (!ahead_) break;
            refuse_if_too_large(*ahead_);
        }
        const std::size_t size = ahead_->image.pixels.size();
        if (!images.empty() && bytes + size > limits_.bytes) break;
        bytes += size;
        images.push_back(*std::exchange(ahead_, std::nullopt));
    }
    return images;
}

void FrameReader::refuse_if_too_large(LoadedImage& image) const {
    const std::size_t bytes = image.image.pixels.size();
    if (limits_.max_frame_bytes == 0 || bytes <= limits_.max_frame_bytes) return;
    constexpr std::size_t mebibyte = 1 << 20;
    image.unreadable = "needs " + std::to_string(bytes * limits_.frames_held / mebibyte + 1) +
                       " MiB while its faces are followed, more than the memory limit allows; raise "
                       "--memory-limit";
    image.image = {};
}

std::optional<FramePiece> HostPieces::next() {
    FramePiece piece;
    piece.images = reader_->next();
    if (piece.images.empty()) return std::nullopt;
    auto pixels = std::make_shared<std::vector<GreyImage>>();
    pixels->reserve(piece.images.size());
    for (LoadedImage& image : piece.images) {
        pixels->push_back(std::exchange(image.image, {}));
        piece.views.push_back(pixels->back().view());
        if (!image.unreadable.empty()) piece.views.back() = {};
    }
    piece.memory = std::move(pixels);
    return piece;
}

}  // namespace fovea
