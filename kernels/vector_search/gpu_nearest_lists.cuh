#pragma once

#include "kernels/core/gpu_warp.cuh"
#include "kernels/nearest/gpu_nearest.cuh"
#include "kernels/vector_search/gpu_vector_tiles.cuh"

// The nearest vectors that a block of threads has found so far for each of its queries.
namespace fovea::cuda_backend {

constexpr int block_queries = 2 * tile_rows;
constexpr int compare_threads = 256;
constexpr int compare_warps = compare_threads / 32;

/// The lists of blocks, in global memory: [block][block_queries][room].
struct ListMemory {
    double* ranks = nullptr;
    std::uint32_t* indices = nullptr;
    std::uint32_t room = 0;  ///< at least k + tile_rows
};

/// Shared memory about the queries of a block.
struct ListState {
    double own[block_queries];
    double worst[block_queries];  ///< the rank below which a vector may be among the nearest
    float limits[block_queries];  ///< filter_limit()
    std::uint32_t counts[block_queries];
};
static_assert(sizeof(ListState) % 16 == 0);

/// One list.
struct ListEntries {
    double* ranks;
    std::uint32_t* indices;

    __device__ ListEntries(const ListMemory& memory, std::uint32_t query)
        : ranks(memory.ranks + place(memory, query)), indices(memory.indices + place(memory, query)) {}
    /// No rank is negative, so its bits order as it does.
    __device__ unsigned long long key(std::uint32_t i) const {
        return static_cast<unsigned long long>(__double_as_longlong(ranks[i]));
    }

  private:
    static __device__ std::size_t place(const ListMemory& memory, std::uint32_t query) {
        return (static_cast<std::size_t>(blockIdx.x) * block_queries + query) * memory.room;
    }
};

/// Gives all lanes of a warp the number of entries for which is_one(i) is true.
template <class IsOne>
__device__ std::uint32_t count_entries(std::uint32_t count, const IsOne& is_one) {
    int mine = 0;
    for (std::uint32_t i = threadIdx.x % 32; i < count; i += 32) mine += is_one(i) ? 1 : 0;
    return static_cast<std::uint32_t>(warp_sum(mine));
}

/// Gives all lanes of a warp the last of the k nearest entries, k from 1 to `count`: bisects its key, then,
/// among equal keys, its index.
__device__ inline NearestPair last_of_nearest(const ListEntries& list, std::uint32_t count, std::uint32_t k) {
    // So many keys are at most `limit`; gives the largest of them.
    const auto largest_up_to = [&](unsigned long long limit) {
        unsigned long long largest = 0;
        for (std::uint32_t i = threadIdx.x % 32; i < count; i += 32) {
            const unsigned long long key = list.key(i);
            if (key <= limit && key > largest) largest = key;
        }
        for (int step = 16; step > 0; step /= 2) {
            const unsigned long long other = __shfl_xor_sync(all_lanes, largest, step);
            if (other > largest) largest = other;
        }
        return largest;
    };
    unsigned long long low = 0, high = largest_up_to(no_key);
    if (count == k) return {high, no_index};
    // Fewer than k keys are below `low`, k or more are at most `high`.
    while (low < high) {
        const unsigned long long middle = low + (high - low) / 2;
        const std::uint32_t found =
            count_entries(count, [&](std::uint32_t i) { return list.key(i) <= middle; });
        if (found == k) return {largest_up_to(middle), no_index};
        if (found > k) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    const std::uint32_t need = k - count_entries(count, [&](std::uint32_t i) { return list.key(i) < low; });
    std::uint32_t first = 0, last = no_index;
    while (first < last) {
        const std::uint32_t middle = first + (last - first) / 2;
        const std::uint32_t found = count_entries(
            count, [&](std::uint32_t i) { return list.key(i) == low && list.indices[i] <= middle; });
        if (found >= need) {
            last = middle;
        } else {
            first = middle + 1;
        }
    }
    return {low, first};
}

/// Removes the entries of a list behind `last`; the others keep their order. For a warp.
__device__ inline void remove_behind(const ListEntries& list, std::uint32_t count, const NearestPair& last) {
    const std::uint32_t lane = threadIdx.x % 32;
    std::uint32_t kept = 0;
    for (std::uint32_t first = 0; first < count; first += 32) {
        const std::uint32_t i = first + lane;
        NearestPair pair;
        if (i < count) pair = {list.key(i), list.indices[i]};
        const bool stays = i < count && !is_before(last, pair);
        const unsigned mask = __ballot_sync(all_lanes, stays);
        if (stays) {
            const std::uint32_t to = kept + __popc(mask & ((1U << lane) - 1));
            list.ranks[to] = __longlong_as_double(static_cast<long long>(pair.key));
            list.indices[to] = pair.index;
        }
        kept += __popc(mask);
        __syncwarp();
    }
}

/// Keeps the k nearest of each list and sets the limits anew. All threads of the block must call it, and see
/// what it did after their next barrier.
__device__ inline void shorten_lists(const ListMemory& memory, ListState& state, std::uint32_t k,
                                     VectorDistance distance, const OwnRange& range, double bytes) {
    for (std::uint32_t query = threadIdx.x / 32; query < block_queries; query += compare_warps) {
        const std::uint32_t count = state.counts[query];
        if (count < k) continue;
        const ListEntries list(memory, query);
        const NearestPair last = last_of_nearest(list, count, k);
        if (count > k) remove_behind(list, count, last);
        __syncwarp();  // every lane has read the count
        if (threadIdx.x % 32 != 0) continue;
        const double worst = __longlong_as_double(static_cast<long long>(last.key));
        state.counts[query] = k;
        state.worst[query] = worst;
        state.limits[query] = filter_limit(distance, state.own[query], worst, range, bytes);
    }
}

}  // namespace fovea::cuda_backend
