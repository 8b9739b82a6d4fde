#include "lib/run/track/tracking_lane.hpp"

#include <algorithm>
#include <string>

#include "lib/core/error.hpp"
#include "lib/image/frame_opener.hpp"
#include "lib/track/face_tracker.hpp"
#include "lib/video/nvdec.hpp"

namespace fovea {
namespace {

/// Threads that decode a part of a video on the CPU where the GPU's decoder has stopped.
constexpr int fallback_threads = 2;

/// One that is read, one that waits, one with the tracker, and one that the tracker holds in part.
constexpr std::size_t pieces_on_the_way = 4;

}  // namespace

TrackingLane::TrackingLane(const RunConfig& config, const LoadedDetector& detector, std::optional<int> gpu,
                           const TrackingMemory& memory, ThreadLimit& limit)
    : config_(config),
      detector_(detector),
      memory_(memory),
      limit_(limit),
      device_(gpu ? Device::cuda(*gpu) : Device::cpu()),
      ahead_device_(gpu ? Device::cuda(*gpu) : Device::cpu()) {
    if (gpu) own_detector_ = detector.detector->copy_for(device_);
    if (config.tracking.tracker.mode != FollowMode::flow) return;
    flow_ = make_point_flow(device_, config.tracking.tracker);
    if (gpu) flow_ahead_ = make_point_flow(ahead_device_, config.tracking.tracker);
}

const FaceDescriber& TrackingLane::describer(const RecogniserConfig& recogniser) {
    if (!describer_) describer_.emplace(recogniser);
    return *describer_;
}

WhyNotOnGpu TrackingLane::video_route(const ImageList& frames) const {
    const VideoDecoderChoice choice = config_.image.video_decoder;
    if (!device_.is_cuda() || choice == VideoDecoderChoice::cpu) return {};
    return [&frames, choice, gpu = device_.index()](const VideoSource& video) {
        std::string why_not =
            nvdec_library().loaded ? why_not_on_gpus(video, {gpu}) : nvdec_library().why_none;
        if (!why_not.empty() && choice == VideoDecoderChoice::nvdec) {
            throw UsageError("'" + std::string(frames.video_name(0)) +
                             "' cannot be decoded by NVDEC: " + why_not + "; use --video-decoder auto");
        }
        return why_not;
    };
}

FrameLoader& TrackingLane::loader() {
    if (!loader_) {
        FrameLoaderOptions options;
        options.frames =
            video_read_options(decode_options(config_.image), fallback_threads, memory_.plan.max_image_bytes);
        loader_ = std::make_unique<FrameLoader>(device_.index(), options, decoding_);
    }
    return *loader_;
}

PieceLimits TrackingLane::piece_limits(std::size_t frames_held) const {
    PieceLimits limits;
    limits.frames_held = frames_held;
    // Frames on a GPU take the GPU's memory.
    if (device_.is_cuda()) return limits;
    limits.bytes = std::min(limits.bytes, memory_.followed_bytes / (8 * pieces_on_the_way));
    // Frames wait in pieces, and pieces are on their way.
    limits.max_frame_bytes = (memory_.followed_bytes - pieces_on_the_way * limits.bytes) / frames_held;
    return limits;
}

std::unique_ptr<FramePieces> TrackingLane::pieces_of(const ImageList& frames) {
    const std::size_t held = FaceTracker::max_frames_held(config_.tracking.tracker);
    DetectImagesOptions options = memory_.plan;
    options.threads = limit_.threads();
    options.decode = decode_options(config_.image);
    if (device_.is_cuda()) options.gpus = {device_.index()};
    options.why_not_on_gpu = video_route(frames);
    const std::optional<VideoFrame> first = frames.frame(0);
    const bool are_decoded = options.why_not_on_gpu && first && options.why_not_on_gpu(*first->video).empty();
    return std::make_unique<FramePieces>(frames, options, piece_limits(held),
                                         are_decoded ? &loader() : nullptr);
}

}  // namespace fovea
