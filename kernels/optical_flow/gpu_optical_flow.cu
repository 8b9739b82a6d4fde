// Pyramids in a GPU's memory, and the launches of the kernels that make them and follow points.

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
#include "kernels/optical_flow/gpu_image_copy.cuh"
#include "kernels/optical_flow/gpu_optical_flow.hpp"

namespace fovea::cuda_backend {
namespace {

unsigned blocks_of(const FlowLevelTask& task) {
    const auto tiles = [](int pixels, int side) {
        return (static_cast<unsigned>(pixels) + static_cast<unsigned>(side) - 1) /
               static_cast<unsigned>(side);
    };
    return tiles(task.to.width + 2 * task.border.width, grid_block_width) *
           tiles(task.to.height + 2 * task.border.height, grid_block_height);
}

class GpuFlowPyramid {
  public:
    explicit GpuFlowPyramid(int gpu) : memory_(gpu), image_(gpu) {}

    void build(const Device& device, const ImageView<const std::uint8_t>& image, ImageMemory memory,
               Size window, int max_level) {
        FlowLevels all = lay_out_flow_levels({image.width, image.height}, window, max_level);
        if (all.levels.size() > max_flow_levels) {
            throw std::invalid_argument("points cannot be followed on a GPU through more than " +
                                        std::to_string(max_flow_levels) + " levels");
        }
        // Queued work may read the memory that would be given back.
        if (memory_.moves(all.bytes)) device.synchronize();
        memory_.reserve(all.bytes);
        levels_ = std::move(all.levels);
        window_ = window;
        make_levels(device, memory == ImageMemory::device ? image : uploaded(device, image));
    }

    int level_count() const { return static_cast<int>(levels_.size()); }
    Size window() const { return window_; }
    Size size() const { return levels_[0].size; }
    GpuFlowLevel level(int number) const {
        const FlowLevel& level = levels_[static_cast<std::size_t>(number)];
        return {memory_.at<std::uint8_t>(level.origin), level.size.width, level.size.height, level.stride};
    }

  private:
    ImageView<const std::uint8_t> uploaded(const Device& device, const ImageView<const std::uint8_t>& image) {
        const ImageView<const std::uint8_t> copy = image_.queue(device, image);
        // The caller may change the image then.
        device.synchronize();
        return copy;
    }

    FlowLevelTask task(const ImageView<const std::uint8_t>& from, int number) const {
        FlowLevelTask made{from, level(number), {window_.width + 1, window_.height + 1}, number > 0, 0};
        made.blocks = blocks_of(made);
        return made;
    }

    void make_levels(const Device& device, const ImageView<const std::uint8_t>& image) const {
        FlowLevelTask first = task(image, 0);
        FlowLevelTask second{};
        if (level_count() > 1) second = task(image, 1);
        const auto launch = [&] {
            launch_kernel(device, "making a pyramid", first.blocks + second.blocks,
                          dim3(grid_block_width, grid_block_height), 0, flow_level_kernel, first, second);
        };
        launch();
        second = {};
        for (int l = 2; l < level_count(); ++l) {
            const GpuFlowLevel below = level(l - 1);
            first =
                task({below.origin, below.width, below.height, static_cast<std::ptrdiff_t>(below.stride)}, l);
            launch();
        }
    }

    DeviceMemory memory_;
    GpuImageCopy image_;
    std::vector<FlowLevel> levels_;
    Size window_;
};

// Places of a call's points in one piece of memory.
struct PointPlaces {
    explicit PointPlaces(std::size_t count, bool with_errors, bool with_back) {
        const auto add = [&](std::size_t bytes) {
            const std::size_t place = total;
            total = align_up(total + bytes);
            return place;
        };
        points = add(count * sizeof(FlowPoint));
        moved = add(count * sizeof(FlowPoint));
        inputs = total;
        found = add(count);
        errors = add(with_errors ? count * sizeof(float) : 0);
        back = add(with_back ? count * sizeof(FlowPoint) : 0);
        found_back = add(with_back ? count : 0);
    }
    std::size_t points = 0, moved = 0, found = 0, errors = 0, back = 0, found_back = 0;
    std::size_t inputs = 0, total = 0;
};

}  // namespace

class GpuOpticalFlow::Implementation {
  public:
    explicit Implementation(const Device& device)
        : device_(device),
          earlier_(std::make_unique<GpuFlowPyramid>(device.index())),
          newest_(std::make_unique<GpuFlowPyramid>(device.index())),
          memory_(device.index()),
          staging_(device.index(), true) {
        check(cudaSetDevice(device.index()), device.index(), "selecting the device");
        check(cudaDeviceGetAttribute(&max_shared_, cudaDevAttrMaxSharedMemoryPerBlockOptin, device.index()),
              device.index(), "reading an attribute");
        check(cudaFuncSetAttribute(follow_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, max_shared_),
              device.index(), "asking for shared memory");
    }

    void add_image(const ImageView<const std::uint8_t>& image, ImageMemory memory, Size window,
                   int max_level) {
        earlier_->build(device_, image, memory, window, max_level);
        std::swap(earlier_, newest_);
    }

    void enqueue(const GpuFlowPoints& points, const FlowOptions& options) {
        if (points.count == 0) return;
        const GpuFlowTask task = task_of(points, options);
        launch_kernel(device_, "following points", static_cast<unsigned>(points.count), 32,
                      task.layout.bytes(), follow_kernel, task);
    }

    void follow(std::span<const FlowPoint> points, std::span<FlowPoint> moved, std::span<std::uint8_t> found,
                std::span<float> errors, const FlowOptions& options, std::span<FlowPoint> back,
                std::span<std::uint8_t> found_back) {
        check_flow_lengths(points, moved, found, errors);
        if (back.size() != found_back.size() || (!back.empty() && back.size() != points.size())) {
            throw std::invalid_argument("points cannot be followed back: there is not room for all of them");
        }
        check_pyramids(options);
        if (points.empty()) return;
        const std::size_t count = points.size();
        const PointPlaces places = bring(points, moved, !errors.empty(), !back.empty());
        enqueue(on_gpu(places, count, !errors.empty(), !back.empty()), options);
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

    std::vector<double> measure(const ImageView<const std::uint8_t>& image, int images,
                                std::span<const FlowPoint> points, bool and_back, const FlowOptions& options,
                                int repeat) {
        check_pyramids(options);
        const std::vector<FlowPoint> moved(points.begin(), points.end());
        const PointPlaces places = bring(points, moved, true, and_back);
        // Pyramids of their own: what is measured must not change what is followed.
        GpuFlowPyramid scratch(device_.index());
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
                scratch.build(device_, view, ImageMemory::device, options.window, options.max_level);
            }
            enqueue(on_gpu(places, points.size(), true, and_back), options);
            after.record(stream);
            device_.synchronize();
            if (i >= 0) times.push_back(after.since(before));
        }
        return times;
    }

  private:
    void check_pyramids(const FlowOptions& options) const {
        for (const GpuFlowPyramid* pyramid : {earlier_.get(), newest_.get()}) {
            check_flow_pyramid(pyramid->level_count(), pyramid->window(), options);
        }
        check_flow_sizes(earlier_->size(), newest_->size());
    }

    GpuFlowTask task_of(const GpuFlowPoints& points, const FlowOptions& options) const {
        check_pyramids(options);
        GpuFlowTask task{{}, {}, {}, GpuWindowLayout(options.window), points};
        if (task.layout.bytes() > static_cast<std::size_t>(max_shared_)) {
            throw std::invalid_argument("windows of " + std::to_string(options.window.width) + "x" +
                                        std::to_string(options.window.height) +
                                        " pixels do not fit into the shared memory of " + device_.name() +
                                        ": follow points on the CPU, or in smaller windows");
        }
        task.limits = flow_limits(options, std::min(earlier_->level_count(), newest_->level_count()));
        for (int l = 0; l <= task.limits.last_level; ++l) {
            task.from[l] = earlier_->level(l);
            task.to[l] = newest_->level(l);
        }
        return task;
    }

    PointPlaces bring(std::span<const FlowPoint> points, std::span<const FlowPoint> moved, bool with_errors,
                      bool with_back) {
        const PointPlaces places(points.size(), with_errors, with_back);
        if (memory_.moves(places.total) || staging_.moves(places.total)) device_.synchronize();
        memory_.reserve(places.total);
        check(cudaSetDevice(device_.index()), device_.index(), "selecting the device");
        staging_.reserve(places.total);
        std::memcpy(staging_.at(places.points), points.data(), points.size_bytes());
        std::memcpy(staging_.at(places.moved), moved.data(), moved.size_bytes());
        cuda_backend::copy(device_.index(), device_.stream(), memory_.at(), staging_.at(), places.inputs);
        return places;
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

void GpuOpticalFlow::enqueue(const GpuFlowPoints& points, const FlowOptions& options) {
    implementation_->enqueue(points, options);
}

std::vector<double> GpuOpticalFlow::measure(const ImageView<const std::uint8_t>& image, int images,
                                            std::span<const FlowPoint> points, bool and_back,
                                            const FlowOptions& options, int repeat) {
    return implementation_->measure(image, images, points, and_back, options, repeat);
}

}  // namespace fovea::cuda_backend
