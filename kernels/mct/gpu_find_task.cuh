#pragma once

namespace fovea::cuda_backend {

/// Finds the entry of a task: the last entry with first[entry] <= task. All lanes of a warp must call it.
/// They look at 32 entries at a time, so that a thousand entries take two loads in sequence, not ten.
/// \param first [count], rising; first[0] <= task.
__device__ inline int find_entry(const int* first, int count, int task) {
    const int lane = static_cast<int>(threadIdx.x % 32);
    int low = 0;
    while (count > 1) {
        const int step = (count + 31) / 32;
        const bool reached = lane * step < count && first[low + lane * step] <= task;
        const int passed = (__popc(__ballot_sync(0xFFFFFFFFU, reached)) - 1) * step;
        low += passed;
        count = min(step, count - passed);
    }
    return low;
}

}  // namespace fovea::cuda_backend
