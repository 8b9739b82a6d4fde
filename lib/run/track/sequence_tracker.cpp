#include "lib/run/track/sequence_tracker.hpp"

#include <exception>
#include <thread>
#include <utility>

#include "lib/core/bounded_queue.hpp"

namespace fovea {
namespace {

/// Pieces that wait for the tracker.
constexpr std::size_t detected_pieces_ahead = 1;

int gpu_of(const Device& device) {
    return device.is_cuda() ? device.index() : ImageBatch::on_host;
}

}  // namespace

/// A piece with what was detected in some of its frames.
struct SequenceTracker::DetectedPiece {
    std::vector<LoadedImage> images;
    std::vector<TrackerFrame> frames;  ///< parallel
    KnownMoves moves;
};

SequenceTracker::SequenceTracker(const TrackConfig& config, const TrackingTools& tools,
                                 FaceTracker::NumberTrack number_track, TakeFrames take)
    : config_(config),
      tools_(tools),
      take_(std::move(take)),
      tracker_(
          config.tracker, tools.flow, tools.landmarks ? &*tools.landmarks : nullptr, gpu_of(tools.device),
          std::move(number_track), [this](std::span<TrackedFrame> frames) { finish(frames); },
          [this](const ImageView<const std::uint8_t>& image) { return detect_now(image); }),
      rhythm_(config.tracker.redetect) {
    if (config.explain) tracker_.explain();
    if (tools.flow_ahead == nullptr) return;
    moves_ahead_.emplace(config.tracker, *tools.flow_ahead, tools.landmarks ? &*tools.landmarks : nullptr,
                         gpu_of(tools.device));
}

bool SequenceTracker::run(FramePieces& pieces, const std::atomic<bool>* cancel) {
    cancel_ = cancel;
    BoundedQueue<DetectedPiece> queue(detected_pieces_ahead);
    std::exception_ptr failure;
    std::thread detector([&] {
        try {
            while (!is_cancelled()) {
                std::optional<FramePiece> piece = pieces.next();
                if (!piece || !queue.push(detect(std::move(*piece)))) break;
            }
        } catch (...) {
            failure = std::current_exception();
        }
        queue.close();
    });
    try {
        while (std::optional<DetectedPiece> piece = queue.pop()) {
            if (is_cancelled()) break;
            add(*piece);
        }
    } catch (...) {
        queue.abandon();
        detector.join();
        throw;
    }
    queue.abandon();
    detector.join();
    if (failure) std::rethrow_exception(failure);
    tools_.limit.run([&] { tracker_.finish(); });
    return !is_cancelled();
}

SequenceTracker::DetectedPiece SequenceTracker::detect(FramePiece piece) {
    DetectedPiece detected;
    std::vector<std::size_t> places;
    std::vector<ImageView<const std::uint8_t>> views;
    for (std::size_t i = 0; i < piece.images.size(); ++i) {
        detected.frames.push_back({piece.views[i], piece.memory});
        if (!rhythm_.runs_in_next({piece.views[i].width, piece.views[i].height})) continue;
        places.push_back(i);
        views.push_back(piece.views[i]);
    }
    detected.images = std::move(piece.images);
    tools_.limit.run([&] {
        if (!places.empty()) {
            std::vector<std::vector<Detection>> found =
                tools_.detector.detect({views, gpu_of(tools_.device)}, tools_.detection);
            for (std::size_t i = 0; i < places.size(); ++i)
                detected.frames[places[i]].detections = std::move(found[i]);
        }
        if (moves_ahead_) detected.moves = moves_ahead_->find(detected.frames);
    });
    return detected;
}

/// Called by the tracker, within limit.run().
std::vector<Detection> SequenceTracker::detect_now(const ImageView<const std::uint8_t>& image) const {
    return std::move(
        tools_.detector.detect({std::span(&image, 1), gpu_of(tools_.device)}, tools_.detection).at(0));
}

void SequenceTracker::add(DetectedPiece& detected) {
    for (LoadedImage& image : detected.images) in_tracker_.push_back(std::move(image));
    tools_.limit.run([&] {
        tracker_.know(std::move(detected.moves));
        tracker_.add(detected.frames);
    });
}

void SequenceTracker::finish(std::span<TrackedFrame> frames) {
    std::vector<FinishedFrame> finished;
    for (TrackedFrame& frame : frames) {
        LoadedImage& loaded = in_tracker_.front();
        finished.push_back({loaded.index, loaded.size, std::move(loaded.unreadable), loaded.is_damaged,
                            loaded.pages, std::move(frame.faces), std::move(frame.decisions), frame.image});
        in_tracker_.pop_front();
    }
    take_(finished);
}

}  // namespace fovea
