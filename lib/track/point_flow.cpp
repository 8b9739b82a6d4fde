#include "lib/track/point_flow.hpp"

#include <cmath>
#include <cstddef>
#include <utility>

#include "kernels/optical_flow/flow.hpp"
#include "kernels/optical_flow/flow_pyramid.hpp"
#include "kernels/optical_flow/gpu_optical_flow.hpp"

namespace fovea {
namespace {

FlowOptions flow_options(const TrackerOptions& options) {
    FlowOptions flow;
    flow.window = {options.flow_window, options.flow_window};
    flow.max_level = options.flow_levels - 1;
    flow.max_iterations = options.flow_iterations;
    flow.epsilon = options.flow_epsilon;
    return flow;
}

std::vector<FlowPoint> flow_points(std::span<const Point> points) {
    std::vector<FlowPoint> result;
    result.reserve(points.size());
    for (const Point& point : points)
        result.push_back({static_cast<float>(point.x), static_cast<float>(point.y)});
    return result;
}

/// Points on their way there and back.
struct Journey {
    explicit Journey(std::span<const Point> points)
        : start(flow_points(points)),
          there(start.size()),
          back(start.size()),
          found_there(start.size()),
          found_back(start.size()) {}

    std::vector<FollowedPoint> outcome() const {
        std::vector<FollowedPoint> followed(start.size());
        for (std::size_t i = 0; i < start.size(); ++i) {
            const double x = static_cast<double>(back[i].x) - start[i].x;
            const double y = static_cast<double>(back[i].y) - start[i].y;
            followed[i] = {{there[i].x, there[i].y},
                           found_there[i] != 0 && found_back[i] != 0,
                           std::sqrt(x * x + y * y)};
        }
        return followed;
    }

    std::vector<FlowPoint> start, there, back;
    std::vector<std::uint8_t> found_there, found_back;
};

class HostFlowImage final : public FlowImage {
  public:
    FlowPyramid pyramid;
};

class HostPointFlow final : public PointFlow {
  public:
    explicit HostPointFlow(const TrackerOptions& options) : options_(flow_options(options)) {}

    std::unique_ptr<FlowImage> prepare(const ImageView<const std::uint8_t>& image) override {
        auto prepared = std::make_unique<HostFlowImage>();
        prepared->pyramid.build_on_demand(image, options_.window, options_.max_level);
        return prepared;
    }

    std::vector<FollowedPoint> follow(FlowImage& from, FlowImage& to,
                                      std::span<const Point> points) override {
        const FlowPyramid& first = static_cast<HostFlowImage&>(from).pyramid;
        const FlowPyramid& second = static_cast<HostFlowImage&>(to).pyramid;
        Journey journey(points);
        follow_points_and_back(first, second, journey.start, journey.there, journey.found_there, {},
                               journey.back, journey.found_back, options_);
        return journey.outcome();
    }

  private:
    const FlowOptions options_;
};

/// Pyramids that are not in use.
using FreePyramids = std::vector<std::unique_ptr<cuda_backend::GpuFlowPyramid>>;

/// An image, and its pyramid from the time on that points are followed in it.
class GpuFlowImage final : public FlowImage {
  public:
    GpuFlowImage(const ImageView<const std::uint8_t>& image, std::shared_ptr<FreePyramids> free)
        : image_(image), free_(std::move(free)) {}
    ~GpuFlowImage() override {
        if (pyramid_ != nullptr) free_->push_back(std::move(pyramid_));
    }
    GpuFlowImage(const GpuFlowImage&) = delete;
    GpuFlowImage& operator=(const GpuFlowImage&) = delete;

    const cuda_backend::GpuFlowPyramid* pyramid(const Device& device, const FlowOptions& options) {
        if (pyramid_ != nullptr) return pyramid_.get();
        std::unique_ptr<cuda_backend::GpuFlowPyramid> made;
        if (free_->empty()) {
            made = std::make_unique<cuda_backend::GpuFlowPyramid>(device);
        } else {
            made = std::move(free_->back());
            free_->pop_back();
        }
        made->build(image_, ImageMemory::device, options.window, options.max_level);
        pyramid_ = std::move(made);
        return pyramid_.get();
    }

  private:
    const ImageView<const std::uint8_t> image_;
    const std::shared_ptr<FreePyramids> free_;
    std::unique_ptr<cuda_backend::GpuFlowPyramid> pyramid_;
};

class GpuPointFlow final : public PointFlow {
  public:
    GpuPointFlow(const Device& device, const TrackerOptions& options)
        : device_(device), options_(flow_options(options)), flow_(device) {}

    std::unique_ptr<FlowImage> prepare(const ImageView<const std::uint8_t>& image) override {
        return std::make_unique<GpuFlowImage>(image, free_);
    }

    std::vector<FollowedPoint> follow(FlowImage& from, FlowImage& to,
                                      std::span<const Point> points) override {
        const PointsToFollow one{&from, &to, points};
        return std::move(follow_each(std::span(&one, 1)).at(0));
    }

    std::vector<std::vector<FollowedPoint>> follow_each(std::span<const PointsToFollow> all) override {
        std::vector<cuda_backend::GpuFlowPair> pairs;
        std::vector<Point> points;
        for (const PointsToFollow& one : all) {
            pairs.push_back({pyramid_of(*one.from), pyramid_of(*one.to), one.points.size()});
            points.insert(points.end(), one.points.begin(), one.points.end());
        }
        Journey journey(points);
        flow_.follow(pairs, journey.start, journey.there, journey.found_there, options_, journey.back,
                     journey.found_back);
        const std::vector<FollowedPoint> outcome = journey.outcome();
        std::vector<std::vector<FollowedPoint>> followed;
        auto first = outcome.begin();
        for (const PointsToFollow& one : all) {
            const auto last = first + static_cast<std::ptrdiff_t>(one.points.size());
            followed.emplace_back(first, last);
            first = last;
        }
        return followed;
    }

  private:
    const cuda_backend::GpuFlowPyramid* pyramid_of(FlowImage& image) const {
        return static_cast<GpuFlowImage&>(image).pyramid(device_, options_);
    }

    const Device& device_;
    const FlowOptions options_;
    const std::shared_ptr<FreePyramids> free_ = std::make_shared<FreePyramids>();
    cuda_backend::GpuOpticalFlow flow_;
};

}  // namespace

std::unique_ptr<PointFlow> make_point_flow(const Device& device, const TrackerOptions& options) {
    if (device.is_cuda()) return std::make_unique<GpuPointFlow>(device, options);
    return std::make_unique<HostPointFlow>(options);
}

}  // namespace fovea
