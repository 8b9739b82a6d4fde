#include "kernels/core/gpu_launch.cuh"
#include "kernels/engine/gpu_gather.hpp"

namespace fovea::cuda_backend {
namespace {

constexpr int block_threads = 256;

__global__ void gather_kernel(const GatherSource* sources, int count, GatherWord* target,
                              std::uint32_t words) {
    const std::uint32_t word = blockIdx.x * block_threads + threadIdx.x;
    if (word < words) target[word] = gathered(sources, count, word);
}

}  // namespace

void launch_gather(const Device& device, const GatherSource* sources, int count, std::byte* target,
                   std::size_t bytes) {
    if (bytes == 0) return;
    const auto words = static_cast<std::uint32_t>(bytes / sizeof(GatherWord));
    const std::uint32_t blocks = (words + block_threads - 1) / block_threads;
    launch_kernel(device, "gathering images", blocks, block_threads, 0, gather_kernel, sources, count,
                  reinterpret_cast<GatherWord*>(target), words);
}

}  // namespace fovea::cuda_backend
