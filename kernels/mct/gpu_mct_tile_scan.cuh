#pragma once

// The scan of an MCT cascade on a GPU. A block takes one tile of windows after the other.
//
// 1. It copies the tile's codes to shared memory, the codes of cells first.
// 2. It makes the look-ups on coarse planes: each thread has a cell, and the survivors are queued anew after
//    the first few look-ups (Tek 2012's two-part cascade, in more parts).
// 3. Each surviving cell gives four windows. Each thread has a window; survivors are queued anew, too.
// 4. Few windows are left then, and most of them pass many look-ups. Each warp has a window and makes 32
//    look-ups at once. Prefix sums over the lanes tell which look-up rejects first.
//
// A cascade without look-ups on coarse planes begins at 3 with all cells.

#include <climits>

#include "kernels/core/gpu_warp.cuh"
#include "kernels/mct/gpu_find_task.cuh"
#include "kernels/mct/gpu_mct.hpp"
#include "kernels/windows/levels.hpp"

namespace fovea::cuda_backend {

constexpr int mct_scan_warps = mct_scan_threads / 32;
constexpr int fine_round_count = sizeof mct_fine_rounds / sizeof mct_fine_rounds[0];

// Each window has a whole warp if there are fewer windows than this.
constexpr int windows_worth_a_round = 3 * mct_scan_warps;

// Entries of queues: a cell in the low 16 bits and its sum above, or a window in the low 12 bits and its sum.
__device__ __forceinline__ std::uint32_t pack_cell(int cell, int sum) {
    return static_cast<std::uint32_t>(cell) | static_cast<std::uint32_t>(sum) << 16;
}
__device__ __forceinline__ std::uint32_t pack_window(int window, int sum) {
    return static_cast<std::uint32_t>(window) | static_cast<std::uint32_t>(sum) << 12;
}
static_assert(MctScanTile::windows <= 1 << 12);
static_assert(mct_max_coarse_lookups * 128 < 1 << 15 && mct_max_lookups * 128 <= 1 << 19);

/// Shared state of a block.
struct MctScanBlock {
    // This tile and the next one, by turns: the tile's level, or -1 if there is none, and its number there.
    int level[2];
    int tile[2];
    // The number of entries that each round of queueing made.
    int counts[8];
};

template <bool Trace>
class MctTileScan {
  public:
    __device__ MctTileScan(const MctScanArguments& arguments, char* shared, MctScanBlock& block)
        : a_(arguments),
          shared_(shared),
          block_(block),
          lane_(static_cast<int>(threadIdx.x) % 32),
          warp_(static_cast<int>(threadIdx.x) / 32) {}

    __device__ void run() {
        copy_tables();
        if (warp_ == 0) take_tile(0);
        __syncthreads();
        for (int turn = 0; block_.level[turn] >= 0; turn = 1 - turn) {
            level_ = a_.batch.levels + block_.level[turn];
            x_ = block_.tile[turn] % level_->scan_tile_columns * MctScanTile::columns;
            y_ = block_.tile[turn] / level_->scan_tile_columns * MctScanTile::rows;
            columns_ = level_->columns - x_;
            rows_ = level_->rows - y_;
            step_ = level_->step;
            scan_tile(1 - turn);
            // The next tile overwrites what warps still read.
            __syncthreads();
        }
    }

  private:
    // Copies the tables of the look-ups that most windows reach; they stay for all tiles.
    __device__ void copy_tables() const {
        constexpr int parts = MctCascade::codes / 16;
        const int count = (a_.memory.shared_coarse + a_.memory.shared_fine) * parts;
        for (int i = threadIdx.x; i < count; i += mct_scan_threads) {
            const int table = i / parts;
            const int lookup =
                table < a_.memory.shared_coarse ? table : table - a_.memory.shared_coarse + a_.coarse;
            copy_async(shared_ + a_.memory.tables + 16 * i,
                       a_.weights + static_cast<std::size_t>(lookup) * MctCascade::codes + i % parts * 16);
        }
        commit_copies();
        wait_for_copies<0>();
    }

    // Only the first warp calls it.
    __device__ void take_tile(int turn) const {
        int task = 0;
        if (lane_ == 0) task = static_cast<int>(atomicAdd(a_.next_tile, 1U));
        task = __shfl_sync(all_lanes, task, 0);
        if (task >= a_.tile_count) {
            if (lane_ == 0) block_.level[turn] = -1;
            return;
        }
        const int level = find_entry(a_.batch.first_scan_tiles, a_.batch.level_count, task);
        if (lane_ == 0) {
            block_.level[turn] = level;
            block_.tile[turn] = task - a_.batch.first_scan_tiles[level];
        }
    }

    __device__ void scan_tile(int next_turn) {
        if (threadIdx.x < 8) block_.counts[threadIdx.x] = 0;
        copy_plane(MctPlane::coarse2);
        copy_plane(MctPlane::coarse4);
        copy_plane(MctPlane::contrast4);
        commit_copies();
        copy_plane(MctPlane::pixel);
        copy_plane(MctPlane::block2);
        commit_copies();
        // While the copies are on their way.
        if (warp_ == 0) take_tile(next_turn);
        wait_for_copies<1>();
        __syncthreads();
        int counter = 0;
        const std::uint32_t* const cells = evaluate_cells(counter);
        const int cell_count = cells == nullptr ? MctScanTile::cells : block_.counts[counter - 1];
        wait_for_copies<0>();
        __syncthreads();
        expand_cells(cells, cell_count, counter);
        evaluate_windows(counter);
    }

    __device__ void copy_plane(MctPlane plane) const {
        const int index = static_cast<int>(plane);
        if (a_.memory.planes[index] < 0) return;
        const MctTilePlane shape = mct_tile_plane(index);
        const int unit = mct_is_coarse(plane) ? 2 : 1;
        const int pitch = level_->plane_pitch(index);
        const int parts = min(shape.pitch, pitch - x_ / unit) / 8;
        const int rows = min(shape.rows, level_->plane_rows(index) - y_ / unit);
        const std::uint16_t* const source =
            a_.batch.codes + level_->planes[index] + static_cast<std::size_t>(y_ / unit) * pitch + x_ / unit;
        char* const target = shared_ + a_.memory.planes[index];
        // Each row has sixteen lanes, which saves a division by the number of parts.
        for (int row = threadIdx.x / 16; row < rows; row += mct_scan_threads / 16) {
            const int part = threadIdx.x % 16;
            if (part >= parts) continue;
            copy_async(target + (row * shape.pitch + part * 8) * 2,
                       source + static_cast<std::size_t>(row) * pitch + part * 8);
        }
    }

    // --- Evaluation ------------------------------------------------------------------------------------

    // Makes look-ups [from, to) of one item; `tables` begin with the table of look-up 0.
    // \return the number of look-ups passed: the index of the look-up that rejects, or `to`.
    __device__ __forceinline__ static int pass(const MctGpuLookup* lookups, int from, int to,
                                               const char* tables, const char* at, int& sum) {
        const char* table = tables + from * MctCascade::codes;
#pragma unroll 2
        for (; from < to; ++from) {
            const MctGpuLookup lookup = lookups[from];
            const int code = *reinterpret_cast<const std::uint16_t*>(at + lookup.offset());
            sum = sum * lookup.keep() + *reinterpret_cast<const std::int8_t*>(table + code);
            if (sum > lookup.reject_above) break;
            table += MctCascade::codes;
        }
        return from;
    }

    // Makes look-ups [from, to) with tables in shared memory as far as they lie there.
    __device__ __forceinline__ static int pass(const MctGpuLookup* lookups, int from, int to, int shared,
                                               const char* shared_tables, const char* tables, const char* at,
                                               int& sum) {
        if (from < shared) {
            const int end = min(to, shared);
            from = pass(lookups, from, end, shared_tables, at, sum);
            if (from < end) return from;
        }
        return to > shared ? pass(lookups, from, to, tables, at, sum) : from;
    }

    __device__ __forceinline__ int pass_coarse(int from, int to, const char* at, int& sum) const {
        return pass(a_.coarse_lookups, from, to, a_.memory.shared_coarse, shared_ + a_.memory.tables,
                    reinterpret_cast<const char*>(a_.weights), at, sum);
    }

    __device__ __forceinline__ int pass_fine(int from, int to, const char* at, int& sum) const {
        return pass(a_.fine_lookups, from, to, a_.memory.shared_fine,
                    shared_ + a_.memory.tables + a_.memory.shared_coarse * MctCascade::codes, fine_weights(),
                    at, sum);
    }

    __device__ const char* fine_weights() const {
        return reinterpret_cast<const char*>(a_.weights) +
               static_cast<std::size_t>(a_.coarse) * MctCascade::codes;
    }

    // Appends the entries of the lanes whose `keeps` is true.
    __device__ __forceinline__ void push(std::uint32_t* queue, int counter, bool keeps,
                                         std::uint32_t entry) const {
        const unsigned kept = __ballot_sync(all_lanes, keeps);
        if (kept == 0) return;
        int first = 0;
        if (lane_ == 0) first = atomicAdd(&block_.counts[counter], __popc(kept));
        first = __shfl_sync(all_lanes, first, 0);
        if (keeps) queue[first + __popc(kept & ((1U << lane_) - 1))] = entry;
    }

    __device__ std::uint32_t* queue_at(int place) const {
        return reinterpret_cast<std::uint32_t*>(shared_ + place);
    }

    // --- Cells -----------------------------------------------------------------------------------------

    __device__ static int cell_x(int cell) {
        return cell % MctScanTile::cell_columns;
    }
    __device__ static int cell_y(int cell) {
        return cell / MctScanTile::cell_columns;
    }

    __device__ __forceinline__ bool visited(int x, int y) const {
        return x < columns_ && y < rows_ && (step_ == 1 || falls_on_step(x, y));
    }

    // Not inlined: it is rare, and its divisions are long.
    __device__ __noinline__ bool falls_on_step(int x, int y) const {
        return (x_ + x) % step_ == 0 && (y_ + y) % step_ == 0;
    }

    // True if one of the cell's windows is visited.
    __device__ bool cell_visited(int cell) const {
        const int x = 2 * cell_x(cell);
        const int y = 2 * cell_y(cell);
        if (step_ == 1) return x < columns_ && y < rows_;
        for (int k = 0; k < 4; ++k) {
            if (visited(x + k % 2, y + k / 2)) return true;
        }
        return false;
    }

    __device__ const char* cell_at(int cell) const {
        return shared_ + (cell_y(cell) * mct_cell_pitch + cell_x(cell)) * 2;
    }

    // \return the queue of the cells that pass all look-ups on coarse planes; the counter before the next one
    // has their number. Null if there are no such look-ups: all cells pass.
    __device__ const std::uint32_t* evaluate_cells(int& counter) const {
        if (a_.coarse == 0) return nullptr;
        int from = 0;
        for (int round = 0;; ++round) {
            const int to = min(a_.coarse_rounds[round], a_.coarse);
            const bool first = round == 0;
            const int count = first ? MctScanTile::cells : block_.counts[counter - 1];
            const std::uint32_t* const source = queue_at(a_.memory.cell_queues[1 - round % 2]);
            std::uint32_t* const target = queue_at(a_.memory.cell_queues[round % 2]);
            for (int base = warp_ * 32; base < count; base += mct_scan_threads) {
                const int item = base + lane_;
                const std::uint32_t entry = item >= count ? 0
                                            : first       ? static_cast<std::uint32_t>(item)
                                                          : source[item];
                const int cell = static_cast<int>(entry & 0xFFFFU);
                int sum = static_cast<int>(entry) >> 16;
                bool passes = item < count && (!first || cell_visited(cell));
                if (passes) {
                    const int passed = pass_coarse(from, to, cell_at(cell), sum);
                    passes = passed == to;
                    if constexpr (Trace) {
                        if (!passes) trace_cell(cell, passed, sum);
                    }
                }
                push(target, counter, passes, pack_cell(cell, sum));
            }
            ++counter;
            __syncthreads();
            from = to;
            if (from == a_.coarse) return target;
        }
    }

    // --- Windows ---------------------------------------------------------------------------------------

    __device__ static int window_x(int window) {
        return window % MctScanTile::columns;
    }
    __device__ static int window_y(int window) {
        return window / MctScanTile::columns;
    }

    __device__ const char* window_at(int window) const {
        return shared_ + (window_y(window) * mct_fine_pitch + window_x(window)) * 2;
    }

    // Makes the first fine look-ups of the four windows of every cell.
    __device__ void expand_cells(const std::uint32_t* cells, int cell_count, int& counter) const {
        const int to = min(a_.fine_rounds[0], a_.fine);
        std::uint32_t* const target = queue_at(a_.memory.window_queues[0]);
        const int count = 4 * cell_count;
        for (int base = warp_ * 32; base < count; base += mct_scan_threads) {
            const int item = base + lane_;
            const std::uint32_t entry = item >= count      ? 0
                                        : cells == nullptr ? static_cast<std::uint32_t>(item / 4)
                                                           : cells[item / 4];
            const int cell = static_cast<int>(entry & 0xFFFFU);
            const int x = 2 * cell_x(cell) + item % 2;
            const int y = 2 * cell_y(cell) + item / 2 % 2;
            const int window = y * MctScanTile::columns + x;
            int sum = static_cast<int>(entry) >> 16;
            bool passes = item < count && visited(x, y);
            if (passes) {
                const int passed = pass_fine(0, to, window_at(window), sum);
                passes = passed == to;
                if constexpr (Trace) {
                    if (!passes) trace_window(window, a_.coarse + passed, sum);
                }
            }
            push(target, counter, passes, pack_window(window, sum));
        }
        ++counter;
        __syncthreads();
    }

    __device__ void evaluate_windows(int& counter) const {
        int from = min(a_.fine_rounds[0], a_.fine);
        int which = 0;
        int count = block_.counts[counter - 1];
        for (int round = 1; round < fine_round_count && count >= windows_worth_a_round && from < a_.fine;
             ++round) {
            const int to = min(a_.fine_rounds[round], a_.fine);
            const std::uint32_t* const source = queue_at(a_.memory.window_queues[which]);
            std::uint32_t* const target = queue_at(a_.memory.window_queues[1 - which]);
            for (int base = warp_ * 32; base < count; base += mct_scan_threads) {
                const int item = base + lane_;
                const std::uint32_t entry = item < count ? source[item] : 0;
                const int window = static_cast<int>(entry & 0xFFFU);
                int sum = static_cast<int>(entry) >> 12;
                bool passes = item < count;
                if (passes) {
                    const int passed = pass_fine(from, to, window_at(window), sum);
                    passes = passed == to;
                    if constexpr (Trace) {
                        if (!passes) trace_window(window, a_.coarse + passed, sum);
                    }
                }
                push(target, counter, passes, pack_window(window, sum));
            }
            ++counter;
            __syncthreads();
            from = to;
            which = 1 - which;
            count = block_.counts[counter - 1];
        }
        const std::uint32_t* const left = queue_at(a_.memory.window_queues[which]);
        for (int item = warp_; item < count; item += mct_scan_warps) {
            const std::uint32_t entry = left[item];
            finish_by_warp(static_cast<int>(entry & 0xFFFU), from, static_cast<int>(entry) >> 12);
        }
    }

    // Makes the look-ups from `from` to the last, 32 at once. Those of two steps are loaded side by
    // side, since a warp waits for memory most of the time.
    __device__ void finish_by_warp(int window, int from, int sum) const {
        constexpr int steps = 2;
        const char* const at = window_at(window);
        const char* const tables = fine_weights();
        while (from < a_.fine) {
            MctGpuLookup lookups[steps];
            int own[steps];
#pragma unroll
            for (int k = 0; k < steps; ++k) {
                const int i = from + 32 * k + lane_;
                if (i < a_.fine) lookups[k] = a_.all_fine_lookups[i];
            }
#pragma unroll
            for (int k = 0; k < steps; ++k) {
                const int i = from + 32 * k + lane_;
                // Lanes beyond the end add 0.
                own[k] = 0;
                if (i >= a_.fine) continue;
                const int code = *reinterpret_cast<const std::uint16_t*>(at + lookups[k].offset());
                own[k] =
                    static_cast<std::int8_t>(tables[static_cast<std::size_t>(i) * MctCascade::codes + code]);
            }
#pragma unroll
            for (int k = 0; k < steps; ++k) {
                if (from >= a_.fine) break;
                const int total = sums_of_lanes(lookups[k], own[k], sum);
                const unsigned rejecting =
                    __ballot_sync(all_lanes, from + lane_ < a_.fine && total > lookups[k].reject_above);
                if (rejecting != 0) {
                    if constexpr (Trace) {
                        const int rejected_by = __ffs(static_cast<int>(rejecting)) - 1;
                        sum = __shfl_sync(all_lanes, total, rejected_by);
                        if (lane_ == 0) trace_window(window, a_.coarse + from + rejected_by, sum);
                    }
                    return;
                }
                sum = __shfl_sync(all_lanes, total, 31);
                from += 32;
            }
        }
        if (lane_ != 0) return;
        if constexpr (Trace) trace_window(window, a_.coarse + a_.fine, sum);
        found(window, sum);
    }

    // The sum after each lane's look-up. \param sum before the first lane's.
    __device__ __forceinline__ int sums_of_lanes(const MctGpuLookup& lookup, int own, int sum) const {
        int total = own;
#pragma unroll
        for (int distance = 1; distance < 32; distance *= 2) {
            const int left = __shfl_up_sync(all_lanes, total, distance);
            if (lane_ >= distance) total += left;
        }
        // Sums from before the last start of a stage do not count.
        const unsigned starts = __ballot_sync(all_lanes, lookup.keep() == 0);
        if (starts == 0) return total + sum;
        const unsigned before = starts & (0xFFFFFFFFU >> (31 - lane_));
        const int start = before == 0 ? 0 : 31 - __clz(static_cast<int>(before));
        const int dropped = __shfl_sync(all_lanes, total - own, start);
        return total + (before == 0 ? sum : -dropped);
    }

    // --- Results ---------------------------------------------------------------------------------------

    __device__ void found(int window, int sum) const {
        const unsigned at = atomicAdd(a_.found.counts + level_->image, 1U);
        if (at >= static_cast<unsigned>(a_.found.capacity)) return;
        const std::size_t place = static_cast<std::size_t>(level_->image) * a_.found.capacity + at;
        const int x = x_ + window_x(window);
        const int y = y_ + window_y(window);
        a_.found.windows[place] = {level_->level, x, y, static_cast<double>(a_.last_threshold) - sum};
        a_.found.rects[place] = window_rect(x, y, level_->scale, level_->box);
        a_.found.parents[place] = static_cast<int>(at);
    }

    __device__ void trace_window(int window, int lookups_passed, int sum) const {
        const int x = (x_ + window_x(window)) / step_;
        const int y = (y_ + window_y(window)) / step_;
        const std::int64_t at =
            level_->first_window + static_cast<std::int64_t>(y) * level_->windows_per_row + x;
        a_.trace_stages[at] = static_cast<std::int16_t>(lookups_passed);
        a_.trace_sums[at] = sum;
    }

    __device__ void trace_cell(int cell, int lookups_passed, int sum) const {
        for (int k = 0; k < 4; ++k) {
            const int x = 2 * cell_x(cell) + k % 2;
            const int y = 2 * cell_y(cell) + k / 2;
            if (visited(x, y)) trace_window(y * MctScanTile::columns + x, lookups_passed, sum);
        }
    }

    const MctScanArguments& a_;
    char* shared_;
    MctScanBlock& block_;
    int lane_;
    int warp_;
    // State of the tile, equal in all threads.
    const MctGpuLevel* level_ = nullptr;
    int x_ = 0;
    int y_ = 0;
    int columns_ = 0;  // windows from the tile's first to the level's end
    int rows_ = 0;
    int step_ = 1;
};

}  // namespace fovea::cuda_backend
