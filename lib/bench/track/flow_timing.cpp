#include "lib/bench/track/flow_timing.hpp"

#include <cmath>
#include <memory>
#include <span>

#include <opencv2/video/tracking.hpp>
#include <spdlog/fmt/fmt.h>

#include "kernels/core/buffer.hpp"
#include "kernels/core/stopwatch.hpp"
#include "kernels/optical_flow/flow.hpp"
#include "kernels/optical_flow/flow_pyramid.hpp"
#include "kernels/optical_flow/gpu_optical_flow.hpp"
#include "lib/core/job_hooks.hpp"

namespace fovea {
namespace {

/// Points over the whole frame, evenly.
std::vector<FlowPoint> points_over(Size size, int count) {
    const double area = static_cast<double>(size.width) * size.height;
    const double step = std::sqrt(area / count);
    const int across = std::max(1, static_cast<int>(std::lround(size.width / step)));
    const int down = (count + across - 1) / across;
    std::vector<FlowPoint> points;
    for (int i = 0; i < count; ++i) {
        points.push_back({static_cast<float>((i % across + 0.5) * size.width / across),
                          static_cast<float>((i / across + 0.5) * size.height / down)});
    }
    return points;
}

/// The linked OpenCV's own calcOpticalFlowPyrLK on pyramids that it builds.
class OpenCvFlow {
  public:
    explicit OpenCvFlow(const FlowOptions& options) : options_(options) {}

    /// Builds the pyramid of the next frame, with its gradients; the one before becomes the previous one.
    void add_frame(ImageView<const std::uint8_t> image) {
        std::swap(previous_, next_);
        const cv::Mat picture(image.height, image.width, CV_8UC1, const_cast<std::uint8_t*>(image.data),
                              static_cast<std::size_t>(image.stride));
        cv::buildOpticalFlowPyramid(picture, next_, window(), options_.max_level, true);
    }
    /// Follows points from the previous frame into the next one. \param points, moved, found of one length
    void follow(std::span<const FlowPoint> points, std::span<FlowPoint> moved,
                std::span<std::uint8_t> found) const {
        const int count = static_cast<int>(points.size());
        static_assert(sizeof(FlowPoint) == sizeof(cv::Point2f));
        const cv::Mat from(count, 1, CV_32FC2, const_cast<FlowPoint*>(points.data()));
        cv::Mat to(count, 1, CV_32FC2, moved.data());
        cv::Mat status(count, 1, CV_8UC1, found.data());
        const cv::TermCriteria criteria(cv::TermCriteria::COUNT + cv::TermCriteria::EPS,
                                        options_.max_iterations.value_or(30),
                                        options_.epsilon.value_or(0.01));
        cv::calcOpticalFlowPyrLK(previous_, next_, from, to, status, cv::noArray(), window(),
                                 options_.max_level, criteria, 0, options_.min_eigenvalue);
    }

  private:
    cv::Size window() const { return {options_.window.width, options_.window.height}; }

    const FlowOptions options_;
    std::vector<cv::Mat> previous_, next_;
};

/// The points that one follower found.
struct Followed {
    explicit Followed(std::size_t points) : moved(points), found(points) {}

    bool equals(const Followed& other) const {
        if (found != other.found) return false;
        for (std::size_t i = 0; i < moved.size(); ++i) {
            if (found[i] != 0 && !(moved[i] == other.moved[i])) return false;
        }
        return true;
    }

    std::vector<FlowPoint> moved;
    std::vector<std::uint8_t> found;
};

class FlowTimingRun {
  public:
    FlowTimingRun(const std::vector<GreyImage>& frames, const Device& device, ThreadLimit& limit)
        : frames_(frames), limit_(limit) {
        if (!device.is_cuda()) return;
        for (const GreyImage& frame : frames) {
            Buffer<std::uint8_t>& pixels = on_gpu_.emplace_back(device, frame.pixels.size());
            pixels.upload(frame.pixels.data(), frame.pixels.size());
        }
        device.synchronize();
        gpu_ = std::make_unique<cuda_backend::GpuOpticalFlow>(device);
    }

    void time(FlowTimes& times, int repeat) {
        FlowOptions options;
        options.window = {times.window, times.window};
        options.max_level = times.levels - 1;
        options.max_iterations = times.iterations;
        const Size size{frames_[0].width, frames_[0].height};
        const std::vector<FlowPoint> points = points_over(size, times.points);
        FlowPyramid pyramids[2];
        OpenCvFlow opencv(options);
        Followed own(points.size()), rivals(points.size()), gpus(points.size());
        limit_.run([&] {
            pyramids[0].build(frames_[0].view(), options.window, options.max_level);
            opencv.add_frame(frames_[0].view());
        });
        if (gpu_) gpu_->add_image(view_on_gpu(0), ImageMemory::device, options.window, options.max_level);
        // One more than there are repetitions: the first warms up.
        for (std::size_t i = 1; i <= static_cast<std::size_t>(repeat) + 1; ++i) {
            const ImageView<const std::uint8_t> frame = frames_[i % frames_.size()].view();
            const FlowPyramid& before = pyramids[(i - 1) % 2];
            FlowPyramid& next = pyramids[i % 2];
            const double own_ms = timed([&] {
                next.build(frame, options.window, options.max_level);
                follow_points(before, next, points, own.moved, own.found, {}, options);
            });
            const double rivals_ms = timed([&] {
                opencv.add_frame(frame);
                opencv.follow(points, rivals.moved, rivals.found);
            });
            const double gpus_ms = timed([&] {
                if (gpu_) follow_on_gpu(i % frames_.size(), points, gpus, options);
            });
            times.equal = times.equal && own.equals(rivals) && (!gpu_ || own.equals(gpus));
            if (i == 1) continue;
            if (gpu_) times.gpu_ms.push_back(gpus_ms);
            times.fovea_ms.push_back(own_ms);
            times.opencv_ms.push_back(rivals_ms);
        }
        times.found = 0;
        for (const std::uint8_t found : own.found) times.found += found != 0;
    }

  private:
    template <class Work>
    double timed(const Work& work) const {
        const Stopwatch watch;
        limit_.run(work);
        return watch.seconds() * 1e3;
    }

    ImageView<const std::uint8_t> view_on_gpu(std::size_t frame) const {
        ImageView<const std::uint8_t> view = frames_[frame].view();
        view.data = on_gpu_[frame].data();
        return view;
    }

    void follow_on_gpu(std::size_t frame, std::span<const FlowPoint> points, Followed& followed,
                       const FlowOptions& options) const {
        gpu_->add_image(view_on_gpu(frame), ImageMemory::device, options.window, options.max_level);
        gpu_->follow(points, followed.moved, followed.found, {}, options);
    }

    const std::vector<GreyImage>& frames_;
    ThreadLimit& limit_;
    std::vector<Buffer<std::uint8_t>> on_gpu_;  // parallel to frames_; empty without a GPU
    std::unique_ptr<cuda_backend::GpuOpticalFlow> gpu_;
};

}  // namespace

std::vector<FlowTimes> time_flow(const FlowTimingPlan& plan, const std::vector<GreyImage>& frames,
                                 const Device& device, ThreadLimit& limit, const JobHooks& hooks) {
    FlowTimingRun run(frames, device, limit);
    std::vector<FlowTimes> all;
    for (const int points : plan.points) {
        hooks.begin_stage(fmt::format("timing flow: {} points", points));
        for (const int window : plan.windows) {
            for (const int levels : plan.levels) {
                for (const int iterations : plan.iterations) {
                    if (hooks.is_cancelled()) return all;
                    FlowTimes& times = all.emplace_back();
                    times.points = points;
                    times.window = window;
                    times.levels = levels;
                    times.iterations = iterations;
                    run.time(times, plan.repeat);
                }
            }
        }
    }
    return all;
}

}  // namespace fovea
