// Selection of the nearest by their bits.

#include "kernels/core/gpu_launch.cuh"
#include "kernels/nearest/gpu_nearest.cuh"
#include "kernels/nearest/gpu_select_digit.cuh"

namespace fovea::cuda_backend {
namespace {

constexpr int select_threads = 1024;

/// Finds the k nearest of a query, in no order, for any k up to its count: radix selection of the k-th key
/// and, among equal keys, of the index. One block for each query.
__global__ void __launch_bounds__(select_threads)
    nearest_by_radix_kernel(NearestInput in, std::uint32_t k, NearestOutput out) {
    __shared__ std::uint32_t filled;
    const std::uint32_t query = blockIdx.x, count = in.count_of(query);
    if (threadIdx.x == 0) filled = 0;
    const unsigned long long* const keys = in.keys + query * in.stride;
    NearestPair last;  // no pair behind `last` is among the nearest
    std::uint32_t need = k;
    bool decided = false;
    // The key's 8 bytes from the highest on, then the index's 4.
    for (int byte = 0; byte < 12 && !decided; ++byte) {
        const int shift = byte < 8 ? 56 - 8 * byte : 24 - 8 * (byte - 8);
        const RadixDigit selected = select_digit(need, [&](std::uint32_t* histogram) {
            for (std::uint32_t i = threadIdx.x; i < count; i += select_threads) {
                const unsigned long long key = keys[i];
                if (byte < 8) {
                    // Compares the bytes before this one, if there are any.
                    if (byte > 0 && (key >> (shift + 8)) != (last.key >> (shift + 8))) continue;
                    atomicAdd(&histogram[key >> shift & 255], 1U);
                } else {
                    const std::uint32_t index = in.index(query, i);
                    if (key != last.key) continue;
                    if (byte > 8 && (index >> (shift + 8)) != (last.index >> (shift + 8))) continue;
                    atomicAdd(&histogram[index >> shift & 255], 1U);
                }
            }
        });
        need -= selected.below;
        decided = selected.count == need;
        if (byte < 8) {
            last.key = (last.key & ~(255ULL << shift)) | static_cast<unsigned long long>(selected.digit)
                                                             << shift;
        } else {
            last.index = (last.index & ~(255U << shift)) | selected.digit << shift;
        }
    }
    // select_digit() has barriers: every thread sees that filled is 0.
    for (std::uint32_t i = threadIdx.x; i < count; i += select_threads) {
        const NearestPair pair{keys[i], in.index(query, i)};
        if (is_before(last, pair)) continue;
        const std::size_t to = query * out.stride + atomicAdd(&filled, 1U);
        out.keys[to] = pair.key;
        out.indices[to] = pair.index;
    }
}

}  // namespace

void select_nearest(const Device& device, const NearestInput& in, std::size_t queries, std::uint32_t k,
                    const NearestOutput& out) {
    launch_kernel(device, "selecting neighbours", static_cast<unsigned>(queries), select_threads, 0,
                  nearest_by_radix_kernel, in, k, out);
}

}  // namespace fovea::cuda_backend
