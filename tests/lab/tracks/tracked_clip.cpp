#include "tests/lab/tracks/tracked_clip.hpp"

#include <algorithm>

#include <tbb/parallel_for.h>

#include "kernels/core/device.hpp"
#include "lib/track/face_tracker.hpp"

namespace fovea {
namespace {

/// Frames that a detector gets at once.
constexpr std::size_t detected_at_once = 16;

}  // namespace

Clip drawn_clip(const ClipRenderer& renderer, ThreadLimit& limit) {
    Clip clip{renderer.plan(), {}, {}};
    const auto frames = static_cast<std::size_t>(renderer.plan().frames);
    clip.frames.resize(frames);
    clip.truth.resize(frames);
    limit.run([&] {
        tbb::parallel_for(std::size_t{0}, frames, [&](std::size_t i) {
            clip.frames[i] = renderer.frame(static_cast<int>(i));
            clip.truth[i] = renderer.truth(static_cast<int>(i));
        });
    });
    return clip;
}

void detect_clip(Clip& clip, const TrackMeans& means) {
    clip.detections.clear();
    for (std::size_t first = 0; first < clip.frames.size(); first += detected_at_once) {
        std::vector<ImageView<const std::uint8_t>> views;
        for (std::size_t i = first; i < std::min(first + detected_at_once, clip.frames.size()); ++i)
            views.push_back(clip.frames[i].view());
        means.limit.run([&] {
            for (std::vector<Detection>& found : means.detector.detect(views, means.detection))
                clip.detections.push_back(std::move(found));
        });
    }
}

FoundFaces followed_clip(const Clip& clip, const TrackerOptions& options, const TrackMeans& means) {
    FoundFaces faces(clip.frames.size());
    const Device cpu = Device::cpu();
    const std::unique_ptr<PointFlow> flow =
        options.mode == FollowMode::flow ? make_point_flow(cpu, options) : nullptr;
    int last_number = 0;
    std::size_t newest = 0;
    FaceTracker tracker(
        options, flow.get(), &means.landmarks, ImageBatch::on_host,
        [&](const Track&, const ImageView<const std::uint8_t>&, const std::set<int>&) {
            return ++last_number;
        },
        [&](std::span<TrackedFrame> frames) {
            for (TrackedFrame& frame : frames) faces[frame.place] = std::move(frame.faces);
        },
        [&](const ImageView<const std::uint8_t>&) { return clip.detections[newest]; });
    means.limit.run([&] {
        for (std::size_t i = 0; i < clip.frames.size(); ++i) {
            newest = i;
            TrackerFrame frame{clip.frames[i].view()};
            if (i % static_cast<std::size_t>(options.redetect) == 0) frame.detections = clip.detections[i];
            tracker.add(std::move(frame));
        }
        tracker.finish();
    });
    return faces;
}

}  // namespace fovea
