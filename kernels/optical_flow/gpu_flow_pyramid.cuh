#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "kernels/core/gpu_memory.cuh"
#include "kernels/optical_flow/flow_pyramid.hpp"
#include "kernels/optical_flow/gpu_flow_pyramid_kernels.cuh"
#include "kernels/optical_flow/gpu_image_copy.cuh"
#include "kernels/optical_flow/gpu_optical_flow.hpp"

// Only the source file that launches the kernels includes this.
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

}  // namespace

class GpuFlowPyramid::Implementation {
  public:
    explicit Implementation(const Device& device)
        : device_(device), memory_(device.index()), image_(device.index()) {}

    void build(const ImageView<const std::uint8_t>& image, ImageMemory memory, Size window, int max_level) {
        FlowLevels all = lay_out_flow_levels({image.width, image.height}, window, max_level);
        if (all.levels.size() > max_flow_levels) {
            throw std::invalid_argument("points cannot be followed on a GPU through more than " +
                                        std::to_string(max_flow_levels) + " levels");
        }
        // Queued work may read the memory that would be given back.
        if (memory_.moves(all.bytes)) device_.synchronize();
        memory_.reserve(all.bytes);
        levels_ = std::move(all.levels);
        window_ = window;
        make_levels(memory == ImageMemory::device ? image : uploaded(image));
    }

    int level_count() const { return static_cast<int>(levels_.size()); }
    Size window() const { return window_; }
    Size size() const { return levels_[0].size; }
    GpuFlowLevel level(int number) const {
        const FlowLevel& level = levels_[static_cast<std::size_t>(number)];
        return {memory_.at<std::uint8_t>(level.origin), level.size.width, level.size.height, level.stride};
    }

  private:
    ImageView<const std::uint8_t> uploaded(const ImageView<const std::uint8_t>& image) {
        const ImageView<const std::uint8_t> copy = image_.queue(device_, image);
        // The caller may change the image then.
        device_.synchronize();
        return copy;
    }

    FlowLevelTask task(const ImageView<const std::uint8_t>& from, int number) const {
        FlowLevelTask made{from, level(number), {window_.width + 1, window_.height + 1}, number > 0, 0};
        made.blocks = blocks_of(made);
        return made;
    }

    void make_levels(const ImageView<const std::uint8_t>& image) const {
        FlowLevelTask first = task(image, 0);
        FlowLevelTask second{};
        if (level_count() > 1) second = task(image, 1);
        const auto launch = [&] {
            launch_kernel(device_, "making a pyramid", first.blocks + second.blocks,
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

    const Device& device_;
    DeviceMemory memory_;
    GpuImageCopy image_;
    std::vector<FlowLevel> levels_;
    Size window_;
};

}  // namespace fovea::cuda_backend
