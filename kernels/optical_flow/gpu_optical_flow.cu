// The launches of the kernels that follow points.

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "kernels/core/align.hpp"
#include "kernels/core/gpu_memory.cuh"
#include "kernels/optical_flow/flow_limits.hpp"
#include "kernels/optical_flow/gpu_flow_kernels.cuh"
#include "kernels/optical_flow/gpu_flow_pyramid.cuh"
#include "kernels/optical_flow/gpu_optical_flow.hpp"

namespace fovea::cuda_backend {

GpuFlowPyramid::GpuFlowPyramid(const Device& device)
    : implementation_(std::make_unique<Implementation>(device)) {}
GpuFlowPyramid::~GpuFlowPyramid() = default;

void GpuFlowPyramid::build(const ImageView<const std::uint8_t>& image, ImageMemory memory, Size window,
                           int max_level) {
    implementation_->build(image, memory, window, max_level);
}

namespace {

// Places of a call's points in one piece of memory.
struct PointPlaces {
    PointPlaces(std::size_t count, std::size_t pair_count, bool with_errors, bool with_back) {
        const auto add = [&](std::size_t bytes) {
            const std::size_t place = total;
            total = align_up(total + bytes);
            return place;
        };
        points = add(count * sizeof(FlowPoint));
        pairs = add(pair_count * sizeof(GpuLevelPair));
        pair_of = add(pair_count > 0 ? count * sizeof(std::uint32_t) : 0);
        moved = add(count * sizeof(FlowPoint));
        inputs = total;
        found = add(count);
        errors = add(with_errors ? count * sizeof(float) : 0);
        back = add(with_back ? count * sizeof(FlowPoint) : 0);
        found_back = add(with_back ? count : 0);
    }
    std::size_t points = 0, pairs = 0, pair_of = 0, moved = 0, found = 0, errors = 0, back = 0,
                found_back = 0;
    std::size_t inputs = 0, total = 0;
};

}  // namespace

class GpuOpticalFlow::Implementation {
  public:
    explicit Implementation(const Device& device)
        : device_(device),
          earlier_(std::make_unique<GpuFlowPyramid>(device)),
          newest_(std::make_unique<GpuFlowPyramid>(device)),
          memory_(device.index()),
          staging_(device.index(), true) {
        check(cudaSetDevice(device.index()), device.index(), "selecting the device");
        check(cudaDeviceGetAttribute(&max_shared_, cudaDevAttrMaxSharedMemoryPerBlockOptin, device.index()),
              device.index(), "reading an attribute");
        allow_shared<GpuLevelPair>();
        allow_shared<GpuLevelPairs>();
    }

    void add_image(const ImageView<const std::uint8_t>& image, ImageMemory memory, Size window,
                   int max_level) {
        earlier_->build(image, memory, window, max_level);
        std::swap(earlier_, newest_);
    }

    void enqueue(const GpuFlowPoints& points, const FlowOptions& options) {
        if (points.count == 0) return;
        const GpuFlowPair pair{earlier_.get(), newest_.get()};
        const FlowLimits limits = limits_of(pair, options);
        launch<GpuLevelPair>({levels_of(pair, limits), limits, layout_of(options), points});
    }

    void follow(std::span<const FlowPoint> points, std::span<FlowPoint> moved, std::span<std::uint8_t> found,
                std::span<float> errors, const FlowOptions& options, std::span<FlowPoint> back,
                std::span<std::uint8_t> found_back) {
        check_lengths(points, moved, found, errors, back, found_back);
        limits_of({earlier_.get(), newest_.get()}, options);
        if (points.empty()) return;
        const PointPlaces places(points.size(), 0, !errors.empty(), !back.empty());
        stage(places, points, moved);
        bring(places);
        enqueue(on_gpu(places, points.size(), !errors.empty(), !back.empty()), options);
        take(places, moved, found, errors, back, found_back);
    }

    void follow(std::span<const GpuFlowPair> pairs, std::span<const FlowPoint> points,
                std::span<FlowPoint> moved, std::span<std::uint8_t> found, const FlowOptions& options,
                std::span<FlowPoint> back, std::span<std::uint8_t> found_back) {
        check_lengths(points, moved, found, {}, back, found_back);
        if (points.empty()) return;
        const PointPlaces places(points.size(), pairs.size(), false, !back.empty());
        stage(places, points, moved);
        const FlowLimits limits = stage_pairs(places, pairs, points.size(), options);
        bring(places);
        launch<GpuLevelPairs>(
            {{memory_.at<GpuLevelPair>(places.pairs), memory_.at<std::uint32_t>(places.pair_of)},
             limits,
             layout_of(options),
             on_gpu(places, points.size(), false, !back.empty())});
        take(places, moved, found, {}, back, found_back);
    }

    std::vector<double> measure(const ImageView<const std::uint8_t>& image, int images,
                                std::span<const FlowPoint> points, bool and_back, const FlowOptions& options,
                                int repeat) {
        limits_of({earlier_.get(), newest_.get()}, options);
        const std::vector<FlowPoint> moved(points.begin(), points.end());
        const PointPlaces places(points.size(), 0, true, and_back);
        stage(places, points, moved);
        bring(places);
        // Pyramids of their own: what is measured must not change what is followed.
        GpuFlowPyramid scratch(device_);
        DeviceMemory resident(device_.index());
        resident.reserve(static_cast<std::size_t>(image.stride) * static_cast<std::size_t>(image.height));
        cuda_backend::copy(
            device_.index(), device_.stream(), resident.at(), image.data,
            static_cast<std::size_t>(image.stride) * static_cast<std::size_t>(image.height - 1) +
                static_cast<std::size_t>(image.width));
        const ImageView<const std::uint8_t> view{resident.at<std::uint8_t>(), image.width, image.height,
                                                 image.stride};
        std::vector<double> times;
        Event before(device_.index()), after(device_.index());
        const auto stream = static_cast<cudaStream_t>(device_.stream());
        for (int i = -3; i < repeat; ++i) {
            before.record(stream);
            for (int n = 0; n < images; ++n) {
                scratch.build(view, ImageMemory::device, options.window, options.max_level);
            }
            enqueue(on_gpu(places, points.size(), true, and_back), options);
            after.record(stream);
            device_.synchronize();
            if (i >= 0) times.push_back(after.since(before));
        }
        return times;
    }

  private:
    static const GpuFlowPyramid::Implementation& of(const GpuFlowPyramid* pyramid) {
        return pyramid->implementation();
    }

    static void check_lengths(std::span<const FlowPoint> points, std::span<FlowPoint> moved,
                              std::span<std::uint8_t> found, std::span<float> errors,
                              std::span<FlowPoint> back, std::span<std::uint8_t> found_back) {
        check_flow_lengths(points, moved, found, errors);
        if (back.size() != found_back.size() || (!back.empty() && back.size() != points.size())) {
            throw std::invalid_argument("points cannot be followed back: there is not room for all of them");
        }
    }

    static FlowLimits limits_of(const GpuFlowPair& pair, const FlowOptions& options) {
        for (const GpuFlowPyramid* pyramid : {pair.from, pair.to})
            check_flow_pyramid(of(pyramid).level_count(), of(pyramid).window(), options);
        check_flow_sizes(of(pair.from).size(), of(pair.to).size());
        return flow_limits(options, std::min(of(pair.from).level_count(), of(pair.to).level_count()));
    }

    static GpuLevelPair levels_of(const GpuFlowPair& pair, const FlowLimits& limits) {
        GpuLevelPair levels{};
        for (int l = 0; l <= limits.last_level; ++l) {
            levels.from[l] = of(pair.from).level(l);
            levels.to[l] = of(pair.to).level(l);
        }
        return levels;
    }

    GpuWindowLayout layout_of(const FlowOptions& options) const {
        const GpuWindowLayout layout(options.window);
        if (layout.bytes() > static_cast<std::size_t>(max_shared_)) {
            throw std::invalid_argument("windows of " + std::to_string(options.window.width) + "x" +
                                        std::to_string(options.window.height) +
                                        " pixels do not fit into the shared memory of " + device_.name() +
                                        ": follow points on the CPU, or in smaller windows");
        }
        return layout;
    }

    template <class Images>
    void allow_shared() const {
        check(cudaFuncSetAttribute(follow_kernel<Images>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   max_shared_),
              device_.index(), "asking for shared memory");
    }

    template <class Images>
    void launch(const GpuFlowTask<Images>& task) const {
        launch_kernel(device_, "following points", static_cast<unsigned>(task.points.count), 32,
                      task.layout.bytes(), follow_kernel<Images>, task);
    }

    void stage(const PointPlaces& places, std::span<const FlowPoint> points,
               std::span<const FlowPoint> moved) {
        if (memory_.moves(places.total) || staging_.moves(places.total)) device_.synchronize();
        memory_.reserve(places.total);
        check(cudaSetDevice(device_.index()), device_.index(), "selecting the device");
        staging_.reserve(places.total);
        std::memcpy(staging_.at(places.points), points.data(), points.size_bytes());
        std::memcpy(staging_.at(places.moved), moved.data(), moved.size_bytes());
    }

    /// The limits of all pairs.
    FlowLimits stage_pairs(const PointPlaces& places, std::span<const GpuFlowPair> pairs, std::size_t count,
                           const FlowOptions& options) {
        FlowLimits limits{};
        std::size_t point = 0;
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            check_flow_sizes(of(pairs[0].from).size(), of(pairs[i].from).size());
            limits = limits_of(pairs[i], options);
            const GpuLevelPair levels = levels_of(pairs[i], limits);
            std::memcpy(staging_.at(places.pairs + i * sizeof(levels)), &levels, sizeof(levels));
            if (pairs[i].points > count - point) break;
            std::fill_n(staging_.at<std::uint32_t>(places.pair_of) + point, pairs[i].points,
                        static_cast<std::uint32_t>(i));
            point += pairs[i].points;
        }
        if (point != count) {
            throw std::invalid_argument(
                "points cannot be followed: their number is not that of their images");
        }
        return limits;
    }

    void bring(const PointPlaces& places) {
        cuda_backend::copy(device_.index(), device_.stream(), memory_.at(), staging_.at(), places.inputs);
    }

    /// Waits for the outcome.
    void take(const PointPlaces& places, std::span<FlowPoint> moved, std::span<std::uint8_t> found,
              std::span<float> errors, std::span<FlowPoint> back, std::span<std::uint8_t> found_back) {
        cuda_backend::copy(device_.index(), device_.stream(), staging_.at(places.moved),
                           memory_.at(places.moved), places.total - places.moved);
        device_.synchronize();
        std::memcpy(moved.data(), staging_.at(places.moved), moved.size_bytes());
        std::memcpy(found.data(), staging_.at(places.found), found.size_bytes());
        if (!errors.empty()) std::memcpy(errors.data(), staging_.at(places.errors), errors.size_bytes());
        if (back.empty()) return;
        std::memcpy(back.data(), staging_.at(places.back), back.size_bytes());
        std::memcpy(found_back.data(), staging_.at(places.found_back), found_back.size_bytes());
    }

    GpuFlowPoints on_gpu(const PointPlaces& places, std::size_t count, bool with_errors,
                         bool with_back) const {
        GpuFlowPoints points;
        points.count = static_cast<int>(count);
        points.points = memory_.at<FlowPoint>(places.points);
        points.moved = memory_.at<FlowPoint>(places.moved);
        points.found = memory_.at<std::uint8_t>(places.found);
        if (with_errors) points.errors = memory_.at<float>(places.errors);
        if (with_back) {
            points.back = memory_.at<FlowPoint>(places.back);
            points.found_back = memory_.at<std::uint8_t>(places.found_back);
        }
        return points;
    }

    const Device& device_;
    std::unique_ptr<GpuFlowPyramid> earlier_, newest_;
    DeviceMemory memory_;
    HostMemory staging_;
    int max_shared_ = 0;
};

GpuOpticalFlow::GpuOpticalFlow(const Device& device)
    : implementation_(std::make_unique<Implementation>(device)) {}
GpuOpticalFlow::~GpuOpticalFlow() = default;

void GpuOpticalFlow::add_image(const ImageView<const std::uint8_t>& image, ImageMemory memory, Size window,
                               int max_level) {
    implementation_->add_image(image, memory, window, max_level);
}

void GpuOpticalFlow::follow(std::span<const FlowPoint> points, std::span<FlowPoint> moved,
                            std::span<std::uint8_t> found, std::span<float> errors,
                            const FlowOptions& options, std::span<FlowPoint> back,
                            std::span<std::uint8_t> found_back) {
    implementation_->follow(points, moved, found, errors, options, back, found_back);
}

void GpuOpticalFlow::follow(std::span<const GpuFlowPair> pairs, std::span<const FlowPoint> points,
                            std::span<FlowPoint> moved, std::span<std::uint8_t> found,
                            const FlowOptions& options, std::span<FlowPoint> back,
                            std::span<std::uint8_t> found_back) {
    implementation_->follow(pairs, points, moved, found, options, back, found_back);
}

void GpuOpticalFlow::enqueue(const GpuFlowPoints& points, const FlowOptions& options) {
    implementation_->enqueue(points, options);
}

std::vector<double> GpuOpticalFlow::measure(const ImageView<const std::uint8_t>& image, int images,
                                            std::span<const FlowPoint> points, bool and_back,
                                            const FlowOptions& options, int repeat) {
    return implementation_->measure(image, images, points, and_back, options, repeat);
}

}  // namespace fovea::cuda_backend
