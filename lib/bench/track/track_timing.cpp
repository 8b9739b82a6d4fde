#include "lib/bench/track/track_timing.hpp"

#include <algorithm>
#include <limits>
#include <memory>

#include <spdlog/fmt/fmt.h>

#include "kernels/core/buffer.hpp"
#include "kernels/core/stopwatch.hpp"
#include "lib/core/job_hooks.hpp"
#include "lib/core/time_summary.hpp"
#include "lib/detect/detections.hpp"
#include "lib/track/face_tracker.hpp"

namespace fovea {
namespace {

/// Frames in a device's memory.
class ResidentFrames {
  public:
    ResidentFrames(const Device& device, const std::vector<GreyImage>& frames) {
        for (const GreyImage& frame : frames) {
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
    std::vector<Buffer<std::uint8_t>> buffers_;
    std::vector<ImageView<const std::uint8_t>> views_;
};

/// One way to find the faces.
struct TimedWay {
    FrameTimes times;
    TrackerOptions options;
};

class TimingRun {
  public:
    TimingRun(const TimedMeans& means, const std::vector<GreyImage>& frames)
        : means_(means),
          frames_(means.device, frames),
          gpu_(means.device.is_cuda() ? means.device.index() : ImageBatch::on_host) {}

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
            },
            [&](const ImageView<const std::uint8_t>& view) { return detect(view); });
        std::vector<double> run_ms;
        const auto& views = frames_.views();
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
    const ResidentFrames frames_;
    const int gpu_;
};

std::vector<TimedWay> ways_of(const TimingPlan& plan, TrackerOptions live) {
    live.look_back = 0;
    live.min_detections = 1;  // faces have landmarks from the first frame on, as in the rival
    std::vector<TimedWay> ways;
    const auto add = [&](const std::string& work, const TrackerOptions& options) {
        TimedWay& way = ways.emplace_back();
        way.times.work = work;
        way.times.redetect = options.redetect;
        way.options = options;
    };
    add("detection and landmarks in every frame", every_frame(live));
    for (const int redetect : plan.redetects) {
        live.redetect = redetect;
        add(fmt::format("detection in 1 of {} frames, followed by flow", redetect), live);
    }
    return ways;
}

/// \param times the first are those of detection in every frame
void add_speed_ups(std::vector<FrameTimes>& times) {
    for (std::size_t i = 1; i < times.size(); ++i) {
        if (times[i].mean_ms > 0) times[i].speed_up = times[0].mean_ms / times[i].mean_ms;
    }
}

}  // namespace

ScoredMeans with_track_scores(TrackerOptions tracker, DetectorOptions detection) {
    if (detection.score != ScoreKind::confidence) {
        tracker.min_score = tracker.min_weak_score = -std::numeric_limits<double>::infinity();
        return {tracker, detection};
    }
    tracker.min_score = detection.min_score.value_or(default_min_confidence);
    tracker.min_weak_score = std::min(tracker.min_weak_score, tracker.min_score);
    detection.min_score = tracker.min_weak_score;
    return {tracker, detection};
}

TrackerOptions every_frame(TrackerOptions options) {
    options.mode = FollowMode::detections;
    options.redetect = 1;
    options.look_back = 0;
    return options;
}

std::vector<FrameTimes> time_tracking(const TimingPlan& plan, const std::vector<GreyImage>& frames,
                                      const TrackerOptions& tracker, const TimedMeans& means,
                                      const JobHooks& hooks) {
    std::vector<TimedWay> ways = ways_of(plan, tracker);
    const TimingRun run(means, frames);
    for (int i = 0; i <= plan.repeat; ++i) {
        for (TimedWay& way : ways) {
            if (hooks.is_cancelled()) break;
            hooks.begin_stage(fmt::format("timing, run {} of {}: {}", i, plan.repeat, way.times.work));
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
