#pragma once

#include "kernels/haar_lbp/gpu_tile_scan.cuh"

namespace fovea::cuda_backend {

template <class Evaluator, bool Slab, NodePlace Place, bool Trace>
__device__ void TileScan<Evaluator, Slab, Place, Trace>::later_stages() {
    const int last = a_.tables.stage_count;
    // A cascade's only stage is evaluated again, for its sums.
    for (int stage = last == 1 ? 0 : 1, which = 0; stage < last; ++stage, ++which) {
        const int own = queued(which);
        const int rounds = warp_max(own);
        const int total = warp_sum(own);
        if (total == 0) return;
        const TileStage& s = stage_at(stage);
        // If few lanes have a window, spreading each window over the lanes is faster.
        if (!is_for_threads(stage, s) || (a_.warp_windows && total < windows_worth_a_round * rounds)) {
            finish_by_warps(which, stage, last);
            return;
        }
        if (!fast_nodes && !a_.compaction) {
            for (int round = warp_; round < rounds; round += scan_warps) {
                run_to_end(which, stage, last, round, own);
            }
            return;
        }
        if (threadIdx.x <= warp_size) block_.counts[(which + 2) % 3][threadIdx.x] = 0;
        if (stage > 0) stage_nodes(stage + 1);
        if (2 * rounds <= scan_warps && s.any_order != 0) {
            split_rounds(which, stage, rounds, own);
        } else {
            int round = warp_;
            if (fast_nodes || a_.window_sets) {
                for (; round + 3 * scan_warps < rounds; round += 4 * scan_warps) {
                    evaluate_rounds<4>(which, stage, round, own);
                }
                if (round + scan_warps < rounds) {
                    evaluate_rounds<2>(which, stage, round, own);
                    round += 2 * scan_warps;
                }
            }
            for (; round < rounds; round += scan_warps) evaluate_rounds<1>(which, stage, round, own);
        }
        if constexpr (staged_nodes) wait_for_copies();
        __syncthreads();
    }
}

template <class Evaluator, bool Slab, NodePlace Place, bool Trace>
__device__ __forceinline__ void TileScan<Evaluator, Slab, Place, Trace>::decide(int which, int stage,
                                                                                int window, double sum,
                                                                                bool valid) const {
    if (!valid) return;
    const bool rejects = sum < stage_at(stage).threshold;
    if constexpr (Trace) trace(window, rejects ? stage : stage + 1, sum);
    if (rejects) return;
    if (stage + 1 == a_.tables.stage_count) {
        found(window, sum);
    } else {
        push(which + 1, window);
    }
}

// Evaluates `N` rounds, `scan_warps` apart; in each round a lane has one window.
template <class Evaluator, bool Slab, NodePlace Place, bool Trace>
template <int N>
__device__ __forceinline__ void TileScan<Evaluator, Slab, Place, Trace>::evaluate_rounds(int which, int stage,
                                                                                         int round,
                                                                                         int own) const {
    int windows[N];
    int at[N];
    float inverse[N];
    double sums[N];
#pragma unroll
    for (int n = 0; n < N; ++n) {
        const int r = round + n * scan_warps;
        // A lane without a window reads a window of its own bank.
        windows[n] = r < own ? queue(which)[r * warp_size + lane_] : lane_;
        at[n] = window_offset(windows[n]);
        inverse[n] = haar ? deviations_[windows[n]] : 0;
    }
    evaluate(stage, at, inverse, sums);
#pragma unroll
    for (int n = 0; n < N; ++n) decide(which, stage, windows[n], sums[n], round + n * scan_warps < own);
}

// Several warps share the trees of each round, if there are fewer rounds than warps.
template <class Evaluator, bool Slab, NodePlace Place, bool Trace>
__device__ __forceinline__ void TileScan<Evaluator, Slab, Place, Trace>::split_rounds(int which, int stage,
                                                                                      int rounds,
                                                                                      int own) const {
    const int parts = scan_warps / rounds;
    const int round = warp_ % rounds;
    const int part = warp_ / rounds;
    const int window = round < own ? queue(which)[round * warp_size + lane_] : lane_;
    auto* const partial_sums = reinterpret_cast<double*>(shared_ + a_.memory.partial_sums);
    const int trees = stage_at(stage).tree_count;
    if (part < parts) {
        const int at[1] = {window_offset(window)};
        const float inverse[1] = {haar ? deviations_[window] : 0};
        double sums[1] = {part == 0 ? Evaluator::first_sum(stage_at(stage)) : 0};
        evaluate(stage, part * trees / parts, (part + 1) * trees / parts, at, inverse, sums);
        partial_sums[threadIdx.x] = sums[0];
    }
    __syncthreads();
    if (part > 0) return;
    double sum = 0;
    for (int p = 0; p < parts; ++p) sum += partial_sums[(p * rounds + round) * warp_size + lane_];
    decide(which, stage, window, sum, round < own);
}

// Without compaction: each lane keeps its window until it is rejected.
template <class Evaluator, bool Slab, NodePlace Place, bool Trace>
__device__ void TileScan<Evaluator, Slab, Place, Trace>::run_to_end(int which, int stage, int last, int round,
                                                                    int own) {
    bool alive = round < own;
    const int window = alive ? queue(which)[round * warp_size + lane_] : lane_;
    const int at[1] = {window_offset(window)};
    const float inverse[1] = {haar ? deviations_[window] : 0};
    for (; stage < last && __any_sync(all_lanes, alive); ++stage) {
        double sums[1];
        evaluate(stage, at, inverse, sums);
        const bool passes = !(sums[0] < stage_at(stage).threshold);
        if constexpr (Trace) {
            if (alive) trace(window, passes ? stage + 1 : stage, sums[0]);
        }
        alive = alive && passes;
        if (alive && stage + 1 == last) found(window, sums[0]);
    }
}

// Takes each window of the queue, by a warp or a part of one, through all remaining stages.
template <class Evaluator, bool Slab, NodePlace Place, bool Trace>
__device__ void TileScan<Evaluator, Slab, Place, Trace>::finish_by_warps(int which, int stage, int last) {
    const int own = queued(which);
    int before = own;  // windows in the columns of places up to this lane's
#pragma unroll
    for (int distance = 1; distance < warp_size; distance *= 2) {
        const int left = __shfl_up_sync(all_lanes, before, distance);
        if (lane_ >= distance) before += left;
    }
    const int total = __shfl_sync(all_lanes, before, warp_size - 1);
    if (threadIdx.x == 0) block_.next_window = 0;
    __syncthreads();
    constexpr int at_once = warp_size / lanes_of_window;
    for (;;) {
        int first = 0;
        if (lane_ == 0) first = atomicAdd(&block_.next_window, at_once);
        first = __shfl_sync(all_lanes, first, 0);
        if (first >= total) return;
        int window = no_window;
#pragma unroll
        for (int i = 0; i < at_once; ++i) {
            const int index = first + i;
            if (index >= total) break;
            const int column = __ffs(static_cast<int>(__ballot_sync(all_lanes, before > index))) - 1;
            const int place = index - __shfl_sync(all_lanes, before - own, column);
            if (lane_ / lanes_of_window == i) window = queue(which)[place * warp_size + column];
        }
        run_by_lanes(window, stage, last);
    }
}

// Takes the windows of a warp through stages, `lanes_of_window` lanes each. \param window may be no_window.
template <class Evaluator, bool Slab, NodePlace Place, bool Trace>
__device__ void TileScan<Evaluator, Slab, Place, Trace>::run_by_lanes(int window, int stage, int last) const {
    bool alive = window != no_window;
    const int at = window_offset(alive ? window : 0);
    const float inverse = haar && alive ? deviations_[window] : 0;
    int passed = stage;
    double sum = 0;
    for (; stage < last && __any_sync(all_lanes, alive); ++stage) {
        const TileStage& s = stage_at(stage);
        const double stage_sum = Evaluator::any_order || s.any_order != 0 ? shared_out_sum(s, at, inverse)
                                                                          : ordered_sum(s, at, inverse);
        if (!alive) continue;
        sum = stage_sum;
        alive = !(sum < s.threshold);
        if (alive) passed = stage + 1;
    }
    if (window == no_window || lane_ % lanes_of_window != 0) return;
    if constexpr (Trace) trace(window, passed, sum);
    if (passed == a_.tables.stage_count) found(window, sum);
}

// The sum of a window's lanes, each of which has its share of the trees.
template <class Evaluator, bool Slab, NodePlace Place, bool Trace>
__device__ __forceinline__ double TileScan<Evaluator, Slab, Place, Trace>::shared_out_sum(
    const TileStage& s, int at, float inverse) const {
    double sum =
        Evaluator::lane_sum(nodes_of(s), trees_of(s), s, lane_ % lanes_of_window, integral_, at, inverse);
#pragma unroll
    for (int distance = lanes_of_window / 2; distance > 0; distance /= 2) {
        sum += __shfl_xor_sync(all_lanes, sum, distance);
    }
    return Evaluator::first_sum(s) + sum;
}

// The leaves are found side by side but added in the order of the trees.
template <class Evaluator, bool Slab, NodePlace Place, bool Trace>
__device__ double TileScan<Evaluator, Slab, Place, Trace>::ordered_sum(const TileStage& s, int at,
                                                                       float inverse) const {
    double sum = 0;
    if constexpr (!Evaluator::any_order) {
        const int lane = lane_ % lanes_of_window;
        for (int first = 0; first < s.tree_count; first += lanes_of_window) {
            const int count = min(lanes_of_window, s.tree_count - first);
            const float own = lane < count ? Evaluator::leaf(nodes_of(s), trees_of(s), s, first + lane,
                                                             integral_, at, inverse)
                                           : 0;
            for (int i = 0; i < count; ++i) sum += __shfl_sync(all_lanes, own, i, lanes_of_window);
        }
    }
    return sum;
}

}  // namespace fovea::cuda_backend
