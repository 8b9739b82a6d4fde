#include <algorithm>

#include "kernels/core/gpu_launch.cuh"
#include "kernels/face_normalise/gpu_face_normalise.hpp"

namespace fovea::cuda_backend {
namespace {

constexpr int grey_values = 256;
constexpr int threads = 256;  // one for every grey value
constexpr int warps = threads / 32;

// The sum of the values of all threads up to and including this one's.
__device__ std::uint32_t prefix_sum(std::uint32_t value, std::uint32_t* sums_of_warps) {
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int distance = 1; distance < 32; distance *= 2) {
        const std::uint32_t before = __shfl_up_sync(0xFFFFFFFF, value, distance);
        if (lane >= static_cast<unsigned>(distance)) value += before;
    }
    if (lane == 31) sums_of_warps[warp] = value;
    __syncthreads();
    for (unsigned i = 0; i < warp; ++i) value += sums_of_warps[i];
    __syncthreads();
    return value;
}

// A block normalises one face after the other; the spans of rows are found once. Shared memory: [height].
__global__ void __launch_bounds__(threads)
    normalise_kernel(std::uint8_t* faces, std::size_t count, Size size, FaceNormalisation normalisation) {
    extern __shared__ std::uint32_t spans[];  // begin, and end above 16 bits
    __shared__ std::uint32_t counts[grey_values];
    __shared__ std::uint8_t becomes[grey_values];
    __shared__ std::uint32_t sums[warps];
    __shared__ std::uint32_t lowest;
    __shared__ unsigned long long total;
    const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, warp = thread / 32;
    for (int y = thread; y < size.height; y += threads) {
        const FaceSpan span =
            normalisation.mask ? span_of_row(normalisation.ellipse, size.width, y) : FaceSpan{0, size.width};
        spans[y] = static_cast<std::uint32_t>(span.begin) | static_cast<std::uint32_t>(span.end) << 16;
    }
    const std::size_t pixels_of_face = static_cast<std::size_t>(size.width) * size.height;
    for (std::size_t i = blockIdx.x; i < count; i += gridDim.x) {
        std::uint8_t* const face = faces + i * pixels_of_face;
        counts[thread] = 0;
        if (thread == 0) total = 0;
        __syncthreads();
        for (int y = warp; y < size.height; y += warps) {
            const int begin = static_cast<int>(spans[y] & 0xFFFF), end = static_cast<int>(spans[y] >> 16);
            const std::uint8_t* const row = face + static_cast<std::ptrdiff_t>(y) * size.width;
            for (int x = begin + lane; x < end; x += 32) atomicAdd(&counts[row[x]], 1U);
        }
        __syncthreads();

        const std::uint32_t own = counts[thread];
        const std::uint32_t at_most = prefix_sum(own, sums);
        if (own != 0 && at_most == own) lowest = own;
        if (thread == threads - 1) sums[0] = at_most;
        __syncthreads();
        const std::uint32_t pixels = sums[0];
        std::uint32_t value = static_cast<std::uint32_t>(thread);
        if (own != 0) {
            if (normalisation.equalise) value = equalised_value(value, at_most, lowest, pixels);
            atomicAdd(&total, static_cast<unsigned long long>(value) * own);
        }
        becomes[thread] = static_cast<std::uint8_t>(value);
        __syncthreads();
        const std::uint8_t outside = normalisation.standardise ? rounded_mean(total, pixels) : 0;
        for (int y = warp; y < size.height; y += warps) {
            const int begin = static_cast<int>(spans[y] & 0xFFFF), end = static_cast<int>(spans[y] >> 16);
            std::uint8_t* const row = face + static_cast<std::ptrdiff_t>(y) * size.width;
            for (int x = lane; x < size.width; x += 32) {
                row[x] = x >= begin && x < end ? becomes[row[x]] : outside;
            }
        }
        // The next face's counts.
        __syncthreads();
    }
}

}  // namespace

void normalise_faces(const Device& device, std::uint8_t* faces, std::size_t count, Size size,
                     const FaceNormalisation& normalisation) {
    constexpr std::size_t max_blocks = 4096;
    launch_kernel(device, "normalising faces", static_cast<unsigned>(std::min(count, max_blocks)), threads,
                  sizeof(std::uint32_t) * static_cast<std::size_t>(size.height), normalise_kernel, faces,
                  count, size, normalisation);
}

}  // namespace fovea::cuda_backend
