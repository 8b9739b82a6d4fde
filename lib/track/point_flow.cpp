#include "lib/track/point_flow.hpp"

#include <cmath>

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

class GpuFlowImage final : public FlowImage {
  public:
    ImageView<const std::uint8_t> image;
    std::uint64_t number = 0;  ///< no two images have the same
};

/// The GPU holds the pyramids of two images. Frames are followed one by one, forwards or backwards, so that
/// one of the two is there already as a rule.
class GpuPointFlow final : public PointFlow {
  public:
    GpuPointFlow(const Device& device, const TrackerOptions& options)
        : options_(flow_options(options)), flow_(device) {}

    std::unique_ptr<FlowImage> prepare(const ImageView<const std::uint8_t>& image) override {
        auto prepared = std::make_unique<GpuFlowImage>();
        prepared->image = image;
        prepared->number = ++last_number_;
        return prepared;
    }

    std::vector<FollowedPoint> follow(FlowImage& from, FlowImage& to,
                                      std::span<const Point> points) override {
        if (newest_ != number_of(to) || earlier_ != number_of(from)) {
            if (newest_ != number_of(from)) add(from);
            add(to);
        }
        Journey journey(points);
        flow_.follow(journey.start, journey.there, journey.found_there, {}, options_, journey.back,
                     journey.found_back);
        return journey.outcome();
    }

  private:
    static std::uint64_t number_of(const FlowImage& image) {
        return static_cast<const GpuFlowImage&>(image).number;
    }

    void add(const FlowImage& image) {
        const auto& added = static_cast<const GpuFlowImage&>(image);
        flow_.add_image(added.image, ImageMemory::device, options_.window, options_.max_level);
        earlier_ = newest_;
        newest_ = added.number;
    }

    const FlowOptions options_;
    cuda_backend::GpuOpticalFlow flow_;
    std::uint64_t last_number_ = 0;
    std::uint64_t newest_ = 0, earlier_ = 0;  // numbers of the images whose pyramids are there
};

}  // namespace

std::unique_ptr<PointFlow> make_point_flow(const Device& device, const TrackerOptions& options) {
    if (device.is_cuda()) return std::make_unique<GpuPointFlow>(device, options);
    return std::make_unique<HostPointFlow>(options);
}

}  // namespace fovea
