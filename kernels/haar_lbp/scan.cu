// The scan on a GPU: a block takes one tile of windows after the other and does everything for it, so that
// neither pyramid nor integral images ever leave the chip:
//
// 1. resizes the pixels under the tile from the image itself,
// 2. builds the squared integral image, keeps each window's sum of squares, and builds the integral image
//    over it in the same memory,
// 3. evaluates the first stage for all windows; a row's skipped windows follow from which of them it rejects
//    (a machine of two states, composed over the tiles of a row through global memory),
// 4. evaluates stage after stage for the survivors, shared out anew before each (Tek 2012's split, Andargie
//    2019's queues): a thread evaluates up to four windows at once, and the queues are kept by shared-memory
//    bank, so that the lanes of a warp, which read the same corner of different windows, never collide,
// 5. once few windows are left, evaluates each by a whole warp, lanes sharing out a stage's trees.

#include "kernels/core/launch.cuh"
#include "kernels/haar_lbp/scan_cuda.hpp"
#include "kernels/haar_lbp/skip_body.hpp"
#include "kernels/haar_lbp/tile_evaluators.cuh"
#include "kernels/haar_lbp/tile_integral.cuh"
#include "kernels/haar_lbp/window_body.hpp"
#include "kernels/windows/window_trace.hpp"

namespace fovea::cuda_backend {
namespace {

constexpr int warps = scan_warps;
constexpr unsigned all_lanes = 0xFFFFFFFFU;
constexpr int max_windows = 4;            // evaluated by a thread at once
constexpr int windows_worth_a_round = 9;  // by warps, one after the other: found by measurement

// --- Shared state of a block -------------------------------------------------------------------------

struct BlockState {
    Tile tile;
    int done = 0;
    // Windows in each bank's queue, for three stages in turn: read, written, and cleared for the next. The
    // last place counts the single queue that is used without banks.
    int counts[3][warp_size + 1];
    int next_window = 0;
};

__device__ __forceinline__ int warp_max(int value) {
#if __CUDA_ARCH__ >= 800
    return __reduce_max_sync(all_lanes, value);
#else
    for (int distance = 16; distance > 0; distance /= 2) {
        value = max(value, __shfl_xor_sync(all_lanes, value, distance));
    }
    return value;
#endif
}

__device__ __forceinline__ int warp_sum(int value) {
#if __CUDA_ARCH__ >= 800
    return __reduce_add_sync(all_lanes, value);
#else
    for (int distance = 16; distance > 0; distance /= 2) {
        value += __shfl_xor_sync(all_lanes, value, distance);
    }
    return value;
#endif
}

__device__ __forceinline__ unsigned load_acquire(const unsigned* address) {
    unsigned value;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(address) : "memory");
    return value;
}

__device__ __forceinline__ void store_release(unsigned* address, unsigned value) {
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(address), "r"(value) : "memory");
}

__device__ void find_tile(const ScanArguments& a, int index, Tile& tile) {
    int low = 0;
    int high = a.level_count;
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (a.first_tiles[middle] <= index) {
            low = middle;
        } else {
            high = middle;
        }
    }
    tile.level = a.levels[low];
    const int within = index - a.first_tiles[low];
    tile.index = index;
    // Down first: when a tile is taken, its left neighbour was taken a column before.
    tile.column = within / tile.level.tiles_per_column * TileLayout::columns;
    tile.row = within % tile.level.tiles_per_column * tile.level.tile_rows;
    tile.columns = min(TileLayout::columns, tile.level.windows_per_row - tile.column);
    tile.rows = min(tile.level.tile_rows, tile.level.window_rows - tile.row);
    tile.pixel_width = (tile.columns - 1) * tile.level.step + a.tables.window.width;
    tile.pixel_height = (tile.rows - 1) * tile.level.step + a.tables.window.height;
}

// Copies 16 bytes from global to shared memory without waiting.
__device__ __forceinline__ void copy_async(uint4* target, const uint4* source) {
#if __CUDA_ARCH__ >= 800
    const auto address = static_cast<unsigned>(__cvta_generic_to_shared(target));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address), "l"(source) : "memory");
#else
    *target = *source;
#endif
}

__device__ __forceinline__ void wait_for_copies() {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

// --- The scan ------------------------------------------------------------------------------------------

/// `Staged`: the nodes of a stage are copied to shared memory while the stage before is evaluated; stages too
/// large for that are evaluated by warps. All other optimisations can be turned off only without.
template <class Evaluator, bool Slab, bool Staged, bool Trace>
class TileScan {
    using Node = typename Evaluator::Node;
    static constexpr bool haar = Evaluator::haar;

  public:
    __device__ TileScan(const ScanArguments& arguments, char* shared, char* slab, BlockState& block)
        : a_(arguments),
          block_(block),
          shared_(shared),
          slab_(Slab ? slab : shared),
          lane_(threadIdx.x % warp_size),
          warp_(threadIdx.x / warp_size) {}

    __device__ void run() {
        auto* const stage_table = reinterpret_cast<TileStage*>(shared_ + a_.memory.stages);
        for (int i = threadIdx.x; i < a_.tables.stage_count; i += scan_threads) {
            stage_table[i] = a_.tables.stages[i];
        }
        for (;;) {
            __syncthreads();
            if (threadIdx.x == 0) {
                const int index = static_cast<int>(atomicAdd(a_.next_tile, 1U));
                block_.done = index >= a_.tile_count;
                if (!block_.done) find_tile(a_, index, block_.tile);
            }
            for (int i = threadIdx.x; i < 3 * (warp_size + 1); i += scan_threads) {
                block_.counts[i / (warp_size + 1)][i % (warp_size + 1)] = 0;
            }
            __syncthreads();
            if (block_.done) return;
            scan_tile();
        }
    }

  private:
    __device__ const Tile& tile() const { return block_.tile; }
    __device__ const TileMemory& memory() const { return a_.memory.tiles[step_ - 1]; }
    __device__ const TileLayout& layout() const { return a_.tables.layouts[step_ - 1]; }
    __device__ std::uint8_t* pixels() const {
        return reinterpret_cast<std::uint8_t*>(slab_ + memory().pixels);
    }
    // Two words of 32 windows for each row.
    __device__ std::uint32_t* rejected() const {
        return reinterpret_cast<std::uint32_t*>(shared_ + memory().masks);
    }
    __device__ std::uint32_t* passed() const { return rejected() + 2 * layout().rows; }
    __device__ std::uint64_t rejected_in_row(int row) const {
        return rejected()[2 * row] | static_cast<std::uint64_t>(rejected()[2 * row + 1]) << 32;
    }
    __device__ const TileStage& stage_at(int stage) const {
        return reinterpret_cast<const TileStage*>(shared_ + a_.memory.stages)[stage];
    }
    __device__ uint4* staged(int stage) const {
        return reinterpret_cast<uint4*>(shared_ + a_.memory.staged_nodes[stage % 2]);
    }
    __device__ const Node* nodes_of(const TileStage& stage) const {
        return static_cast<const Node*>(a_.tables.nodes[step_ - 1]) + stage.first_node;
    }
    __device__ const TileTree* trees_of(const TileStage& stage) const {
        return Evaluator::uses_trees ? a_.tables.trees + stage.first_tree : nullptr;
    }
    __device__ std::uint16_t* queue(int which) const {
        return reinterpret_cast<std::uint16_t*>(shared_ + memory().queues) +
               which % 2 * TileLayout::columns * layout().rows;
    }

    __device__ void scan_tile() {
        step_ = tile().level.step;
        pitch_ = layout().pitch;
        integral_ = slab_ + memory().integral;
        deviations_ = reinterpret_cast<float*>(shared_ + memory().deviations);
        stage_nodes(0);
        stage_nodes(1);
        auto* const sums = reinterpret_cast<std::uint32_t*>(integral_);
        resize_tile(a_.images, tile(), reinterpret_cast<PackedTap*>(integral_), pixels());
        if constexpr (haar) {
            integrate_tile<true>(tile(), layout(), pixels(), sums);
            keep_sums_of_squares();
            __syncthreads();
        }
        if constexpr (Staged) wait_for_copies();
        integrate_tile<false>(tile(), layout(), pixels(), sums);
        if constexpr (Evaluator::uses_trees && haar) {
            if (a_.tables.tilted) {
                integrate_tile_tilted(tile(), layout(), pixels(), sums + layout().tilted_offset);
            }
        }
        if constexpr (haar) find_deviations();
        if (a_.stage_limit == 0) return;
        first_stage();
        __syncthreads();
        queue_visited();
        __syncthreads();
        later_stages();
    }

    // Begins to copy a stage's nodes to shared memory, if there is such a stage and room for it.
    __device__ __forceinline__ void stage_nodes(int stage) const {
        if constexpr (Staged) {
            if (stage >= a_.tables.stage_count) return;
            const TileStage& s = stage_at(stage);
            const int bytes = s.node_count * static_cast<int>(sizeof(Node));
            if (bytes > a_.memory.staged_nodes_bytes) return;
            const auto* const source = reinterpret_cast<const uint4*>(nodes_of(s));
            uint4* const target = staged(stage);
            for (int i = threadIdx.x; i < bytes / 16; i += scan_threads) copy_async(target + i, source + i);
        }
    }

    __device__ __forceinline__ int chunks() const { return tile().columns > warp_size ? 2 : 1; }

    // Calls work(window) for each window of the tile, lanes on neighbouring ones.
    template <class Work>
    __device__ __forceinline__ void for_each_window(Work work) {
        const int per_row = chunks();
        const int rows = tile().rows;
        const int columns = tile().columns;
        for (int i = warp_; i < rows * per_row; i += warps) {
            const int row = per_row == 2 ? i >> 1 : i;
            const int column = (per_row == 2 ? i & 1 : 0) * warp_size + lane_;
            if (column < columns) work(row * TileLayout::columns + column);
        }
    }

    // Bytes from the integral image's first element to the window's.
    __device__ __forceinline__ int window_offset(int window) const {
        return ((window / TileLayout::columns) * pitch_ + window % TileLayout::columns) * 4;
    }

    __device__ __forceinline__ std::uint32_t inner_sum(int window) const {
        const int* const corners = a_.tables.normalisation_corners[step_ - 1];
        return static_cast<std::uint32_t>(rect_sum(corners, TileCorners{integral_ + window_offset(window)}));
    }

    __device__ void keep_sums_of_squares() {
        for_each_window([&](int window) { deviations_[window] = __uint_as_float(inner_sum(window)); });
    }

    // 1/σ of each window, or 0 where σ <= 10.
    __device__ void find_deviations() {
        for_each_window([&](int window) {
            const WindowContrast contrast =
                window_contrast(static_cast<std::int32_t>(inner_sum(window)),
                                __float_as_uint(deviations_[window]), a_.tables.normalisation_area);
            deviations_[window] = contrast.valid ? contrast.inverse_deviation : 0;
        });
    }

    // The leaves of trees first...end of a stage for the windows of this thread.
    template <int N>
    __device__ __forceinline__ void evaluate(int stage, int first, int end, const int (&at)[N],
                                             const float (&inverse)[N], double (&sums)[N]) const {
        const TileStage& s = stage_at(stage);
#pragma unroll
        for (int n = 0; n < N; ++n) sums[n] = 0;
        const Node* const nodes = Staged ? reinterpret_cast<const Node*>(staged(stage)) : nodes_of(s);
        Evaluator::add_leaves(nodes, trees_of(s), s, first, end, integral_, at, inverse, sums);
    }

    __device__ __forceinline__ void trace(int window, int stages_passed, double sum) const {
        const TiledLevel& level = tile().level;
        const std::int64_t at =
            level.first_window +
            static_cast<std::int64_t>(tile().row + window / TileLayout::columns) * level.windows_per_row +
            tile().column + window % TileLayout::columns;
        a_.trace_stages[at] = static_cast<std::int16_t>(stages_passed);
        a_.trace_sums[at] = sum;
    }

    __device__ void found(int window, double sum) const {
        const TiledLevel& level = tile().level;
        const unsigned at = atomicAdd(a_.found.counts + level.image, 1U);
        if (at >= static_cast<unsigned>(a_.found.capacity)) return;
        const std::size_t place = static_cast<std::size_t>(level.image) * a_.found.capacity + at;
        const int x = (tile().column + window % TileLayout::columns) * level.step;
        const int y = (tile().row + window / TileLayout::columns) * level.step;
        a_.found.windows[place] = {level.level, x, y, sum};
        a_.found.rects[place] = window_rect(x, y, level.scale, level.box);
        a_.found.parents[place] = static_cast<int>(at);
    }

    // The first stage for all windows; which of them it rejects and passes as masks.
    __device__ void first_stage() {
        const int per_row = chunks();
        const int count = tile().rows * per_row;
        const int columns = tile().columns;
        if (per_row == 1) {
            for (int i = threadIdx.x; i < tile().rows; i += scan_threads) {
                rejected()[2 * i + 1] = 0;
                passed()[2 * i + 1] = 0;
            }
        }
        const double threshold = stage_at(0).threshold;
        for (int i = warp_; i < count; i += warps * max_windows) {
            int windows[max_windows];
            int at[max_windows];
            float inverse[max_windows];
            bool valid[max_windows];
            double sums[max_windows];
#pragma unroll
            for (int n = 0; n < max_windows; ++n) {
                const int chunk = i + n * warps;
                const int row = per_row == 2 ? chunk >> 1 : chunk;
                const int column = (per_row == 2 ? chunk & 1 : 0) * warp_size + lane_;
                valid[n] = chunk < count && column < columns;
                windows[n] = valid[n] ? row * TileLayout::columns + column : lane_;
                at[n] = window_offset(windows[n]);
                inverse[n] = haar && valid[n] ? deviations_[windows[n]] : 0;
            }
            evaluate(0, 0, stage_at(0).tree_count, at, inverse, sums);
#pragma unroll
            for (int n = 0; n < max_windows; ++n) {
                const bool evaluated = valid[n] && (!haar || inverse[n] > 0);
                const bool rejects = sums[n] < threshold;
                const unsigned rejected_lanes = __ballot_sync(all_lanes, evaluated && rejects);
                const unsigned passed_lanes = __ballot_sync(all_lanes, evaluated && !rejects);
                const int chunk = i + n * warps;
                if (lane_ == 0 && chunk < count) {
                    const int word = per_row == 2 ? chunk : 2 * chunk;
                    rejected()[word] = rejected_lanes;
                    passed()[word] = passed_lanes;
                }
                if constexpr (Trace) {
                    // Skipped windows are set right once they are known.
                    if (evaluated) {
                        trace(windows[n], rejects ? 0 : 1, sums[n]);
                    } else if (valid[n]) {
                        trace(windows[n], WindowTrace::flat, 0);
                    }
                }
            }
        }
    }

    // Finds the visited windows and queues those that passed the first stage.
    __device__ void queue_visited() {
        const int rows = tile().rows;
        const bool has_right = tile().column + TileLayout::columns < tile().level.windows_per_row;
        if (has_right) {
            tell_right_neighbour(rows);
            __syncthreads();
            if (threadIdx.x == 0) {
                __threadfence();
                store_release(a_.tile_done + tile().index, 1);
            }
        }
        for (int row = threadIdx.x; row < rows; row += scan_threads) {
            unsigned state = tile().column == 0 ? 0 : state_from_left(row);
            const std::uint64_t skipped = skipped_windows(rejected_in_row(row), state);
            passed()[2 * row] &= ~static_cast<std::uint32_t>(skipped);
            passed()[2 * row + 1] &= ~static_cast<std::uint32_t>(skipped >> 32);
            if constexpr (Trace) {
                rejected()[2 * row] = static_cast<std::uint32_t>(skipped);
                rejected()[2 * row + 1] = static_cast<std::uint32_t>(skipped >> 32);
            }
        }
        __syncthreads();
        for_each_window([&](int window) {
            const int word = window / warp_size;
            const int bit = window % warp_size;
            if ((passed()[word] >> bit & 1) != 0) push(0, window);
            if constexpr (Trace) {
                if ((rejected()[word] >> bit & 1) != 0) trace(window, WindowTrace::skipped, 0);
            }
        });
    }

    __device__ void tell_right_neighbour(int rows) const {
        for (int first = warp_ * warp_size; first < rows; first += scan_threads) {
            const int row = first + lane_;
            const std::uint64_t reject = row < rows ? rejected_in_row(row) : 0;
            unsigned after_visit = 0;
            unsigned after_skip = 1;
            skipped_windows(reject, after_visit);
            skipped_windows(reject, after_skip);
            const unsigned visit_word = __ballot_sync(all_lanes, after_visit != 0);
            const unsigned skip_word = __ballot_sync(all_lanes, after_skip != 0);
            if (lane_ == 0) {
                a_.tile_exits[tile().index].after_visit[first / warp_size] = visit_word;
                a_.tile_exits[tile().index].after_skip[first / warp_size] = skip_word;
            }
        }
    }

    // The skip's state at a row's first window: the exit of the tile to the left, whose own entry matters only
    // if all its windows in the row are rejected. Tiles are taken in order, so those to the left have been.
    __device__ unsigned state_from_left(int row) const {
        unsigned flipped = 0;
        int index = tile().index;
        int column = tile().column;
        for (;;) {
            index -= tile().level.tiles_per_column;
            column -= TileLayout::columns;
            while (load_acquire(a_.tile_done + index) == 0) __nanosleep(100);
            const volatile TileExit& exit = a_.tile_exits[index];
            const unsigned after_visit = exit.after_visit[row / warp_size] >> (row % warp_size) & 1;
            const unsigned after_skip = exit.after_skip[row / warp_size] >> (row % warp_size) & 1;
            if (column == 0 || after_visit == after_skip) return after_visit ^ flipped;
            // Entered visiting it is left in after_visit, else in the opposite.
            flipped ^= after_visit;
        }
    }

    __device__ __forceinline__ void push(int which, int window) const {
        int* const counts = block_.counts[which % 3];
        int place;
        if (Staged || a_.bank_queues) {
            const int bank = (window + window / TileLayout::columns * pitch_) % warp_size;
            place = atomicAdd(counts + bank, 1) * warp_size + bank;
        } else {
            place = atomicAdd(counts + warp_size, 1);
        }
        queue(which)[place] = static_cast<std::uint16_t>(window);
    }

    // Windows of a queue that this lane's column of places holds.
    __device__ __forceinline__ int queued(int which) const {
        const int* const counts = block_.counts[which % 3];
        return Staged || a_.bank_queues ? counts[lane_]
                                        : (counts[warp_size] + warp_size - 1 - lane_) / warp_size;
    }

    __device__ void later_stages() {
        const int last = a_.tables.stage_count;
        // A cascade's only stage is evaluated again, for its sums.
        for (int stage = last == 1 ? 0 : 1, which = 0; stage < last; ++stage, ++which) {
            const int own = queued(which);
            const int rounds = warp_max(own);
            const int total = warp_sum(own);
            if (total == 0) return;
            const TileStage& s = stage_at(stage);
            const bool fits =
                !Staged || s.node_count * static_cast<int>(sizeof(Node)) <= a_.memory.staged_nodes_bytes;
            // Where few of the lanes have a window, it takes less to spread each window over the lanes.
            if (!fits || (a_.warp_windows && total < windows_worth_a_round * rounds)) {
                finish_by_warps(which, stage, last);
                return;
            }
            if (!Staged && !a_.compaction) {
                for (int round = warp_; round < rounds; round += warps) {
                    run_to_end(which, stage, last, round, own);
                }
                return;
            }
            if (threadIdx.x <= warp_size) block_.counts[(which + 2) % 3][threadIdx.x] = 0;
            if (stage > 0) stage_nodes(stage + 1);
            if (2 * rounds <= warps && s.any_order != 0) {
                split_rounds(which, stage, rounds, own);
            } else {
                int round = warp_;
                if (Staged || a_.window_sets) {
                    for (; round + 3 * warps < rounds; round += 4 * warps) {
                        evaluate_rounds<4>(which, stage, round, own);
                    }
                    if (round + warps < rounds) {
                        evaluate_rounds<2>(which, stage, round, own);
                        round += 2 * warps;
                    }
                }
                for (; round < rounds; round += warps) evaluate_rounds<1>(which, stage, round, own);
            }
            if constexpr (Staged) wait_for_copies();
            __syncthreads();
        }
    }

    __device__ __forceinline__ void decide(int which, int stage, int window, double sum, bool valid) const {
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

    // `N` rounds of a window a lane, `warps` apart.
    template <int N>
    __device__ __forceinline__ void evaluate_rounds(int which, int stage, int round, int own) const {
        int windows[N];
        int at[N];
        float inverse[N];
        double sums[N];
#pragma unroll
        for (int n = 0; n < N; ++n) {
            const int r = round + n * warps;
            // A lane without a window reads one of its own bank.
            windows[n] = r < own ? queue(which)[r * warp_size + lane_] : lane_;
            at[n] = window_offset(windows[n]);
            inverse[n] = haar ? deviations_[windows[n]] : 0;
        }
        evaluate(stage, 0, stage_at(stage).tree_count, at, inverse, sums);
#pragma unroll
        for (int n = 0; n < N; ++n) decide(which, stage, windows[n], sums[n], round + n * warps < own);
    }

    // Fewer rounds than warps: the trees of each round's stage are shared out over several warps.
    __device__ __forceinline__ void split_rounds(int which, int stage, int rounds, int own) const {
        const int parts = warps / rounds;
        const int round = warp_ % rounds;
        const int part = warp_ / rounds;
        const int window = round < own ? queue(which)[round * warp_size + lane_] : lane_;
        auto* const partial_sums = reinterpret_cast<double*>(shared_ + a_.memory.partial_sums);
        const int trees = stage_at(stage).tree_count;
        if (part < parts) {
            const int at[1] = {window_offset(window)};
            const float inverse[1] = {haar ? deviations_[window] : 0};
            double sums[1];
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
    __device__ void run_to_end(int which, int stage, int last, int round, int own) {
        bool alive = round < own;
        const int window = alive ? queue(which)[round * warp_size + lane_] : lane_;
        const int at[1] = {window_offset(window)};
        const float inverse[1] = {haar ? deviations_[window] : 0};
        for (; stage < last && __any_sync(all_lanes, alive); ++stage) {
            double sums[1];
            evaluate(stage, 0, stage_at(stage).tree_count, at, inverse, sums);
            const bool passes = !(sums[0] < stage_at(stage).threshold);
            if constexpr (Trace) {
                if (alive) trace(window, passes ? stage + 1 : stage, sums[0]);
            }
            alive = alive && passes;
            if (alive && stage + 1 == last) found(window, sums[0]);
        }
    }

    // Takes the queue's windows one by one, each by a warp, through all stages that are left.
    __device__ void finish_by_warps(int which, int stage, int last) {
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
        for (;;) {
            int index = 0;
            if (lane_ == 0) index = atomicAdd(&block_.next_window, 1);
            index = __shfl_sync(all_lanes, index, 0);
            if (index >= total) return;
            const int column = __ffs(static_cast<int>(__ballot_sync(all_lanes, before > index))) - 1;
            const int place = index - __shfl_sync(all_lanes, before - own, column);
            run_by_warp(queue(which)[place * warp_size + column], stage, last);
        }
    }

    __device__ void run_by_warp(int window, int stage, int last) const {
        const char* const at = integral_ + window_offset(window);
        const float inverse = haar ? deviations_[window] : 0;
        double sum = 0;
        for (; stage < last; ++stage) {
            const TileStage& s = stage_at(stage);
            sum = Evaluator::any_order || s.any_order != 0 ? shared_out_sum(s, at, inverse)
                                                           : ordered_sum(s, at, inverse);
            if (sum < s.threshold) break;
        }
        if (lane_ != 0) return;
        if constexpr (Trace) trace(window, stage, sum);
        if (stage == a_.tables.stage_count) found(window, sum);
    }

    __device__ __forceinline__ double shared_out_sum(const TileStage& s, const char* at,
                                                     float inverse) const {
        double sum = Evaluator::lane_sum(nodes_of(s), trees_of(s), s, lane_, at, inverse);
#pragma unroll
        for (int distance = warp_size / 2; distance > 0; distance /= 2) {
            sum += __shfl_xor_sync(all_lanes, sum, distance);
        }
        return sum;
    }

    // The leaves are found side by side but added in the order of the trees.
    __device__ double ordered_sum(const TileStage& s, const char* at, float inverse) const {
        double sum = 0;
        if constexpr (!Evaluator::any_order) {
            for (int first = 0; first < s.tree_count; first += warp_size) {
                const int count = min(warp_size, s.tree_count - first);
                const float own =
                    lane_ < count ? Evaluator::leaf(nodes_of(s), trees_of(s), s, first + lane_, at, inverse)
                                  : 0;
                for (int i = 0; i < count; ++i) sum += __shfl_sync(all_lanes, own, i);
            }
        }
        return sum;
    }

    const ScanArguments& a_;
    BlockState& block_;
    char* shared_;
    char* slab_;
    int lane_;
    int warp_;
    // Of the tile, the same for all threads.
    int step_ = 1;
    int pitch_ = 0;
    char* integral_ = nullptr;
    float* deviations_ = nullptr;
};

template <class Evaluator, bool Slab, bool Staged, bool Trace>
__global__ void __launch_bounds__(scan_threads, scan_blocks)
    scan_kernel(const __grid_constant__ ScanArguments arguments) {
    extern __shared__ __align__(16) char shared[];
    __shared__ BlockState block;
    char* const slab = Slab ? reinterpret_cast<char*>(arguments.slabs) +
                                  static_cast<std::size_t>(blockIdx.x) * arguments.memory.slab_bytes
                            : nullptr;
    TileScan<Evaluator, Slab, Staged, Trace>(arguments, shared, slab, block).run();
}

using Kernel = void (*)(ScanArguments);

template <class Evaluator, bool Trace>
Kernel kernel_of(const ScanMemory& memory) {
    if (memory.slab_bytes > 0) return scan_kernel<Evaluator, true, false, Trace>;
    return memory.staged_nodes_bytes > 0 ? scan_kernel<Evaluator, false, true, Trace>
                                         : scan_kernel<Evaluator, false, false, Trace>;
}

template <class Evaluator>
Kernel kernel_of(const ScanMemory& memory, bool trace) {
    return trace ? kernel_of<Evaluator, true>(memory) : kernel_of<Evaluator, false>(memory);
}

Kernel kernel_of(TileTable table, const ScanMemory& memory, bool trace) {
    switch (table) {
        case TileTable::merged_stumps:
            return kernel_of<MergedStumpEvaluator>(memory, trace);
        case TileTable::merged_trees:
            return kernel_of<MergedTreeEvaluator>(memory, trace);
        case TileTable::haar:
            return kernel_of<HaarEvaluator>(memory, trace);
        case TileTable::lbp_stumps:
            return kernel_of<LbpStumpEvaluator>(memory, trace);
        case TileTable::lbp:
            break;
    }
    return kernel_of<LbpEvaluator>(memory, trace);
}

}  // namespace

int scan_blocks_per_multiprocessor(int device, TileTable table, const ScanMemory& memory, bool trace) {
    check(cudaSetDevice(device), device, "selecting the device");
    const Kernel kernel = kernel_of(table, memory, trace);
    // The limit belongs to the kernel, not to an engine: always all that there is, so that an engine for another
    // cascade does not lower it.
    cudaFuncAttributes attributes{};
    check(cudaFuncGetAttributes(&attributes, kernel), device, "asking for a kernel's attributes");
    int most = 0;
    check(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device), device,
          "reading the device's limits");
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               most - static_cast<int>(attributes.sharedSizeBytes)),
          device, "asking for shared memory");
    int blocks = 0;
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, scan_threads, memory.shared_bytes),
          device, "asking for the occupancy");
    return blocks;
}

void launch_scan(int device, void* stream, TileTable table, int blocks, const ScanArguments& arguments) {
    const Kernel kernel = kernel_of(table, arguments.memory, arguments.trace_stages != nullptr);
    kernel<<<blocks, scan_threads, arguments.memory.shared_bytes, static_cast<cudaStream_t>(stream)>>>(
        arguments);
    check(cudaGetLastError(), device, "scan");
}

}  // namespace fovea::cuda_backend
