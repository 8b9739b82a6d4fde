#include "lib/bench/track/track_timing.hpp"

#include <algorithm>
#include <memory>

#include <spdlog/fmt/fmt.h>

#include "kernels/core/buffer.hpp"
#include "kernels/core/stopwatch.hpp"
#include "lib/core/cancel.hpp"
#include "lib/core/time_summary.hpp"
#include "lib/track/face_tracker.hpp"

namespace fovea {
namespace {

/// The frames of a clip in a device's memory.
class ResidentClip {
  public:
    ResidentClip(const Device& device, Clip clip) : clip_(std::move(clip)) {
        for (const GreyImage& frame : clip_.frames) {
            views_.push_back(frame.view());
            if (!device.is_cuda()) continue;
            Buffer<std::uint8_t>& pixels = buffers_.emplace_back(device, frame.pixels.size());
            pixels.upload(frame.pixels.data(), frame.pixels.size());
            views_.back().data = pixels.data();
        }
        device.synchronize();
    }

    const std::vector<ImageView<const std::uint8_t>>& views() const { return views_; }

  private:
    Clip clip_;
    std::vector<Buffer<std::uint8_t>> buffers_;
    std::vector<ImageView<const std::uint8_t>> views_;
};

/// One way to find the faces of a clip.
struct TimedWay {
    FrameTimes times;
    TrackerOptions options;
    const ResidentClip* clip = nullptr;
};

class TimingRun {
  public:
    explicit TimingRun(const TimedMeans& means)
        : means_(means), gpu_(means.device.is_cuda() ? means.device.index() : ImageBatch::on_host) {}

    void go_through(TimedWay& way, bool counts) const {
        const TrackerOptions& options = way.options;
        const std::unique_ptr<PointFlow> flow =
            options.mode == FollowMode::flow ? make_point_flow(means_.device, options) : nullptr;
        int last_number = 0;
        std::size_t boxes = 0;
        FaceTracker tracker(
            options, flow.get(), &means_.landmarks, gpu_,
            [&](const Track&, const ImageView<const std::uint8_t>&, const std::set<int>&) {
                return ++last_number;
            },
            [&](std::span<TrackedFrame> frames) {
                for (const TrackedFrame& frame : frames) boxes += frame.faces.size();
            });
        std::vector<double> run_ms;
        const auto& views = way.clip->views();
        for (std::size_t i = 0; i < views.size(); ++i) {
            const bool detects = i % static_cast<std::size_t>(options.redetect) == 0;
            const Stopwatch watch;
            means_.limit.run([&] {
                TrackerFrame frame{views[i]};
                if (detects) frame.detections = detect(views[i]);
                tracker.add(std::move(frame));
            });
            const double ms = watch.seconds() * 1e3;
            if (!counts) continue;
            run_ms.push_back(ms);
            if (detects) way.times.detected_ms.push_back(ms);
        }
        way.times.boxes = static_cast<double>(boxes) / static_cast<double>(views.size());
        if (counts) add_run(way.times, run_ms);
    }

  private:
    std::vector<Detection> detect(const ImageView<const std::uint8_t>& view) const {
        return std::move(means_.detector.detect({std::span(&view, 1), gpu_}, means_.detection).at(0));
    }

    static double mean_time(const std::vector<double>& ms) {
        double sum = 0;
        for (const double value : ms) sum += value;
        return ms.empty() ? 0 : sum / static_cast<double>(ms.size());
    }

    static void add_run(FrameTimes& times, const std::vector<double>& run_ms) {
        const double mean = mean_time(run_ms);
        times.quickest_mean_ms = times.ms.empty() ? mean : std::min(times.quickest_mean_ms, mean);
        times.slowest_mean_ms = std::max(times.slowest_mean_ms, mean);
        times.ms.insert(times.ms.end(), run_ms.begin(), run_ms.end());
        times.mean_ms = mean_time(times.ms);
        times.detected_mean_ms = mean_time(times.detected_ms);
        std::vector<double> sorted = times.ms;
        std::sort(sorted.begin(), sorted.end());
        times.median_ms = median_time(sorted);
        times.p99_ms = sorted[(sorted.size() - 1) * 99 / 100];
        times.max_ms = sorted.back();
    }

    const TimedMeans& means_;
    const int gpu_;
};

TimedWay way_of(const std::string& work, const TrackerOptions& options, const ResidentClip& clip,
                bool has_faces) {
    TimedWay way;
    way.times.work = work;
    way.times.redetect = options.redetect;
    way.times.has_faces = has_faces;
    way.options = options;
    way.clip = &clip;
    return way;
}

std::vector<TimedWay> ways_of(const TimingPlan& plan, const TrackerOptions& tracker, const ResidentClip& clip,
                              const ResidentClip& empty_clip) {
    TrackerOptions live = tracker;
    live.look_back = 0;
    live.min_detections = 1;  // faces have landmarks from the first frame on, as in the rival
    std::vector<TimedWay> ways;
    ways.push_back(way_of("no face, detection in every frame", every_frame(live), empty_clip, false));
    TrackerOptions sparse = live;
    ways.push_back(way_of(fmt::format("no face, detection in 1 of {} frames", sparse.redetect), sparse,
                          empty_clip, false));
    ways.push_back(way_of("detection and landmarks in every frame", every_frame(live), clip, true));
    for (const int redetect : plan.redetects) {
        TrackerOptions options = live;
        options.redetect = redetect;
        ways.push_back(way_of(fmt::format("detection in 1 of {} frames, followed by flow", redetect), options,
                              clip, true));
    }
    return ways;
}

void add_speed_ups(std::vector<FrameTimes>& times) {
    for (FrameTimes& way : times) {
        if (!way.has_faces || way.redetect == 1) continue;
        const auto rival = std::find_if(times.begin(), times.end(), [](const FrameTimes& other) {
            return other.has_faces && other.redetect == 1;
        });
        if (rival != times.end() && way.mean_ms > 0) way.speed_up = rival->mean_ms / way.mean_ms;
    }
}

}  // namespace

std::vector<FrameTimes> time_tracking(const TimingPlan& plan, const CutOuts& cut_outs,
                                      const TrackerOptions& tracker, const TimedMeans& means,
                                      const RunHooks& hooks) {
    if (hooks.stage) hooks.stage("drawing the clips for timing");
    const auto resident = [&](const ClipPlan& clip) {
        return ResidentClip(means.device, drawn_clip(ClipRenderer(clip, cut_outs), means.limit));
    };
    ClipPlan no_faces = plan.clip;
    no_faces.faces = 0;
    const ResidentClip clip = resident(plan.clip), empty_clip = resident(no_faces);
    std::vector<TimedWay> ways = ways_of(plan, tracker, clip, empty_clip);
    const TimingRun run(means);
    for (int i = 0; i <= plan.repeat; ++i) {
        for (TimedWay& way : ways) {
            if (is_cancelled(hooks.cancel)) break;
            if (hooks.stage)
                hooks.stage(fmt::format("timing, run {} of {}: {}", i, plan.repeat, way.times.work));
            run.go_through(way, i > 0);
        }
    }
    std::vector<FrameTimes> times;
    for (TimedWay& way : ways) {
        if (!way.times.ms.empty()) times.push_back(std::move(way.times));
    }
    add_speed_ups(times);
    return times;
}

}  // namespace fovea
