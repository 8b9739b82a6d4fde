#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/core/gpu_memory.cuh"
#include "kernels/core/view.hpp"

namespace fovea::cuda_backend {

/// A copy of a host's image in a GPU's memory, without gaps between its rows. It keeps its memory.
class GpuImageCopy {
  public:
    explicit GpuImageCopy(int gpu) : memory_(gpu) {}

    /// Queues the copying. \param image must stay as it is until the copying is done: page-locked memory may
    /// be read after the call. \return the copy. \throws std::bad_alloc; DeviceError.
    ImageView<const std::uint8_t> queue(const Device& device, const ImageView<const std::uint8_t>& image) {
        const auto width = static_cast<std::size_t>(image.width),
                   height = static_cast<std::size_t>(image.height);
        // Queued work may read the memory that would be given back.
        if (memory_.moves(width * height)) device.synchronize();
        memory_.reserve(width * height);
        check(cudaSetDevice(device.index()), device.index(), "selecting the device");
        check(
            cudaMemcpy2DAsync(memory_.at(), width, image.data, static_cast<std::size_t>(image.stride), width,
                              height, cudaMemcpyHostToDevice, static_cast<cudaStream_t>(device.stream())),
            device.index(), "copying an image");
        return {memory_.at<std::uint8_t>(), image.width, image.height, image.width};
    }

  private:
    DeviceMemory memory_;
};

}  // namespace fovea::cuda_backend
