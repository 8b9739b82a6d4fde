#include "lib/track/point_flow.hpp"

#include <cmath>

#include "kernels/optical_flow/flow.hpp"
#include "kernels/optical_flow/flow_pyramid.hpp"

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

/// \param there, back where the points went, and where their places came back to.
std::vector<FollowedPoint> followed_points(std::span<const FlowPoint> points,
                                           std::span<const FlowPoint> there,
                                           std::span<const std::uint8_t> found_there,
                                           std::span<const FlowPoint> back,
                                           std::span<const std::uint8_t> found_back) {
    std::vector<FollowedPoint> result(points.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
        const double x = static_cast<double>(back[i].x) - points[i].x;
        const double y = static_cast<double>(back[i].y) - points[i].y;
        result[i] = {
            {there[i].x, there[i].y}, found_there[i] != 0 && found_back[i] != 0, std::sqrt(x * x + y * y)};
    }
    return result;
}

class HostFlowImage final : public FlowImage {
  public:
    FlowPyramid pyramid;
};

class HostPointFlow final : public PointFlow {
  public:
    explicit HostPointFlow(const TrackerOptions& options) : options_(flow_options(options)) {}

    std::unique_ptr<FlowImage> prepare(const ImageView<const std::uint8_t>& image) override {
        auto prepared = std::make_unique<HostFlowImage>();
        prepared->pyramid.build(image, options_.window, options_.max_level);
        return prepared;
    }

    std::vector<FollowedPoint> follow(FlowImage& from, FlowImage& to,
                                      std::span<const Point> points) override {
        const FlowPyramid& first = static_cast<HostFlowImage&>(from).pyramid;
        const FlowPyramid& second = static_cast<HostFlowImage&>(to).pyramid;
        const std::vector<FlowPoint> start = flow_points(points);
        std::vector<FlowPoint> there(start.size()), back(start.size());
        std::vector<std::uint8_t> found_there(start.size()), found_back(start.size());
        follow_points(first, second, start, there, found_there, {}, options_);
        follow_points(second, first, there, back, found_back, {}, options_);
        return followed_points(start, there, found_there, back, found_back);
    }

  private:
    const FlowOptions options_;
};

}  // namespace

std::unique_ptr<PointFlow> make_point_flow(const Device& /*device*/, const TrackerOptions& options) {
    return std::make_unique<HostPointFlow>(options);
}

}  // namespace fovea
