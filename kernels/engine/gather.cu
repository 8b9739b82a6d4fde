#include "kernels/core/launch.cuh"
#include "kernels/engine/gather_cuda.hpp"

namespace fovea::cuda_backend {
namespace {

constexpr int block_threads = 256;

__global__ void gather_kernel(const GatherSource* sources, int count, GatherWord* target,
                              std::uint32_t words) {
    const std::uint32_t word = blockIdx.x * block_threads + threadIdx.x;
    if (word < words) target[word] = gathered(sources, count, word);
}

}  // namespace

void launch_gather(int device, void* stream, const GatherSource* sources, int count, std::byte* target,
                   std::size_t bytes) {
    if (bytes == 0) return;
    const auto words = static_cast<std::uint32_t>(bytes / sizeof(GatherWord));
    const std::uint32_t blocks = (words + block_threads - 1) / block_threads;
    gather_kernel<<<blocks, block_threads, 0, static_cast<cudaStream_t>(stream)>>>(
        sources, count, reinterpret_cast<GatherWord*>(target), words);
    check(cudaGetLastError(), device, "gathering images");
}

}  // namespace fovea::cuda_backend
