#include "lib/run/track/tracking_lane.hpp"

#include <algorithm>

#include "lib/image/frame_opener.hpp"
#include "lib/track/face_tracker.hpp"

namespace fovea {
namespace {

/// Threads that decode a part of a video on the CPU where the GPU's decoder has stopped.
constexpr int fallback_threads = 2;

/// One that is read, one that waits, one with the tracker, and one that the tracker holds in part.
constexpr std::size_t pieces_on_the_way = 4;

}  // namespace

TrackingLane::TrackingLane(const TrackerOptions& tracker, const Detector& detector, std::optional<int> gpu,
                           const DetectImagesOptions& reading, ThreadLimit& limit)
    : tracker_(tracker),
      detector_(detector),
      reading_(reading),
      limit_(limit),
      device_(gpu ? Device::cuda(*gpu) : Device::cpu()),
      ahead_device_(gpu ? Device::cuda(*gpu) : Device::cpu()) {
    if (gpu) own_detector_ = detector.copy_for(device_);
    if (tracker.mode != FollowMode::flow) return;
    flow_ = make_point_flow(device_, tracker);
    if (gpu) flow_ahead_ = make_point_flow(ahead_device_, tracker);
}

const FaceDescriber& TrackingLane::describer(const RecogniserConfig& recogniser) {
    if (!describer_) describer_.emplace(recogniser);
    return *describer_;
}

FrameLoader& TrackingLane::loader() {
    if (!loader_) {
        FrameLoaderOptions options;
        options.frames = video_read_options(reading_.decode, fallback_threads, reading_.max_image_bytes);
        loader_ = std::make_unique<FrameLoader>(device_.index(), options, decoding_);
    }
    return *loader_;
}

PieceLimits TrackingLane::piece_limits(std::size_t frames_held) const {
    PieceLimits limits;
    limits.frames_held = frames_held;
    // Frames on a GPU take the GPU's memory.
    if (device_.is_cuda()) return limits;
    limits.bytes = std::min(limits.bytes, reading_.host_bytes / (8 * pieces_on_the_way));
    // Frames wait in pieces, and pieces are on their way.
    limits.max_frame_bytes = (reading_.host_bytes - pieces_on_the_way * limits.bytes) / frames_held;
    return limits;
}

std::unique_ptr<FramePieces> TrackingLane::pieces_of(const ImageList& frames) {
    DetectImagesOptions options = reading_;
    if (device_.is_cuda()) options.gpus = {device_.index()};
    const std::optional<VideoFrame> first = frames.frame(0);
    const bool are_decoded = options.why_not_on_gpu && first && options.why_not_on_gpu(*first->video).empty();
    return std::make_unique<FramePieces>(frames, options,
                                         piece_limits(FaceTracker::max_frames_held(tracker_)),
                                         are_decoded ? &loader() : nullptr);
}

}  // namespace fovea
