#pragma once

// The scan on a GPU. A block takes one tile of windows after the other and does everything for it, so that
// neither pyramid nor integral images leave the chip:
//
// 1. It makes the pixels under the tile from the image itself.
// 2. It builds the squared integral image, keeps each window's sum of squares, and builds the integral image
//    in the same memory.
// 3. It evaluates the first stage for all windows. A row's skipped windows follow from the windows that this
//    stage rejects, by a machine of two states, composed over the tiles of a row through global memory.
// 4. It evaluates stage after stage for the survivors, which are shared out anew before each (Tek 2012's
//    split, Andargie 2019's queues). A thread evaluates up to four windows at once. Each shared-memory bank
//    has a queue, so that lanes of a warp, which read the same corner of different windows, never collide.
// 5. Once few windows are left, the lanes of a warp share the trees of a window; for LBP's stumps eight lanes
//    do.

#include <type_traits>

#include "kernels/core/gpu_warp.cuh"
#include "kernels/haar_lbp/gpu_scan.hpp"
#include "kernels/haar_lbp/gpu_tile_evaluators.cuh"
#include "kernels/haar_lbp/gpu_tile_integral.cuh"
#include "kernels/haar_lbp/skip_body.hpp"
#include "kernels/haar_lbp/window_body.hpp"
#include "kernels/windows/window_trace.hpp"

namespace fovea::cuda_backend {

constexpr int max_windows = 4;            // that a thread evaluates at once
constexpr int windows_worth_a_round = 9;  // with fewer a round, lanes share the trees of a window; measured

/// Shared state of a block.
struct ScanBlock {
    Tile tile;
    int done = 0;
    // Windows in each bank's queue, for three stages in turn: read, written, and cleared for the next. The
    // last place counts the single queue that is used without banks.
    int counts[3][warp_size + 1];
    int next_window = 0;
};

/// Finds the tile of an index, which counts from 0 over all levels.
__device__ inline void find_tile(const ScanArguments& a, int index, Tile& tile) {
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

template <NodePlace Place>
using ScanArgumentsFor = std::conditional_t<Place == NodePlace::bank, BankedScanArguments, ScanArguments>;

/// The scan of a block. Unless all nodes lie in global memory, warps evaluate the stages whose nodes do, and
/// all other optimisations are on.
template <class Evaluator, bool Slab, NodePlace Place, bool Trace>
class TileScan {
    using Node = typename Evaluator::Node;
    static constexpr bool fast_nodes = Place != NodePlace::global;
    // Copied to shared memory while the stage before is evaluated.
    static constexpr bool staged_nodes = Place == NodePlace::shared;
    static constexpr bool haar = Evaluator::haar;
    static constexpr int lanes_of_window = Evaluator::lanes_of_window;
    static constexpr int no_window = -1;

  public:
    __device__ TileScan(const ScanArgumentsFor<Place>& arguments, char* shared, char* slab, ScanBlock& block)
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
    // True if the threads of a block evaluate the stage, each for its own windows.
    __device__ bool is_for_threads(int stage, const TileStage& s) const {
        switch (Place) {
            case NodePlace::global:
                return true;
            case NodePlace::shared:
                return s.node_count * static_cast<int>(sizeof(Node)) <= a_.memory.staged_nodes_bytes;
            case NodePlace::bank:
                return stage < a_.memory.banked_stages;
        }
        return false;
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
        if constexpr (staged_nodes) wait_for_copies();
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
        if constexpr (staged_nodes) {
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

    // Calls work(window) for each window of the tile; neighbouring lanes have neighbouring windows.
    template <class Work>
    __device__ __forceinline__ void for_each_window(Work work) {
        const int per_row = chunks();
        const int rows = tile().rows;
        const int columns = tile().columns;
        for (int i = warp_; i < rows * per_row; i += scan_warps) {
            const int row = per_row == 2 ? i >> 1 : i;
            const int column = (per_row == 2 ? i & 1 : 0) * warp_size + lane_;
            if (column < columns) work(row * TileLayout::columns + column);
        }
    }

    // Bytes from the integral image's first element to the window's.
    __device__ __forceinline__ int window_offset(int window) const {
        int offset = ((window / TileLayout::columns) * pitch_ + window % TileLayout::columns) * 4;
        // Hidden from the compiler, which would multiply by four anew for every corner.
        asm("" : "+r"(offset));
        return offset;
    }

    __device__ __forceinline__ std::uint32_t inner_sum(int window) const {
        const int* const corners = a_.tables.normalisation_corners[step_ - 1];
        return static_cast<std::uint32_t>(rect_sum(corners, TileCorners{integral_ + window_offset(window)}));
    }

    __device__ void keep_sums_of_squares() {
        for_each_window([&](int window) { deviations_[window] = __uint_as_float(inner_sum(window)); });
    }

    // Keeps each window's inverse deviation, or 0 where σ <= 10.
    __device__ void find_deviations() {
        for_each_window([&](int window) {
            const WindowContrast contrast =
                window_contrast(static_cast<std::int32_t>(inner_sum(window)),
                                __float_as_uint(deviations_[window]), a_.tables.normalisation_area);
            deviations_[window] = contrast.valid ? contrast.inverse_deviation : 0;
        });
    }

    // Adds the leaves of a stage's trees [first, end) for the windows of this thread.
    template <int N>
    __device__ __forceinline__ void evaluate(int stage, int first, int end, const int (&at)[N],
                                             const float (&inverse)[N], double (&sums)[N]) const {
        const TileStage& s = stage_at(stage);
        const auto add = [&](const Node* nodes) {
            Evaluator::add_leaves(nodes, trees_of(s), s, first, end, integral_, at, inverse, sums);
        };
        if constexpr (Place == NodePlace::bank) {
            add(reinterpret_cast<const Node*>(a_.bank.nodes[step_ - 1]) + s.first_node);
        } else {
            add(staged_nodes ? reinterpret_cast<const Node*>(staged(stage)) : nodes_of(s));
        }
    }

    // The sums of a stage's leaves for the windows of this thread.
    template <int N>
    __device__ __forceinline__ void evaluate(int stage, const int (&at)[N], const float (&inverse)[N],
                                             double (&sums)[N]) const {
#pragma unroll
        for (int n = 0; n < N; ++n) sums[n] = Evaluator::first_sum(stage_at(stage));
        evaluate(stage, 0, stage_at(stage).tree_count, at, inverse, sums);
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

    // Evaluates the first stage for all windows, and keeps masks of the windows that it rejects and passes.
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
        for (int i = warp_; i < count; i += scan_warps * max_windows) {
            int windows[max_windows];
            int at[max_windows];
            float inverse[max_windows];
            bool valid[max_windows];
            double sums[max_windows];
#pragma unroll
            for (int n = 0; n < max_windows; ++n) {
                const int chunk = i + n * scan_warps;
                const int row = per_row == 2 ? chunk >> 1 : chunk;
                const int column = (per_row == 2 ? chunk & 1 : 0) * warp_size + lane_;
                valid[n] = chunk < count && column < columns;
                windows[n] = valid[n] ? row * TileLayout::columns + column : lane_;
                at[n] = window_offset(windows[n]);
                inverse[n] = haar && valid[n] ? deviations_[windows[n]] : 0;
            }
            evaluate(0, at, inverse, sums);
#pragma unroll
            for (int n = 0; n < max_windows; ++n) {
                const bool evaluated = valid[n] && (!haar || inverse[n] > 0);
                const bool rejects = sums[n] < threshold;
                const unsigned rejected_lanes = __ballot_sync(all_lanes, evaluated && rejects);
                const unsigned passed_lanes = __ballot_sync(all_lanes, evaluated && !rejects);
                const int chunk = i + n * scan_warps;
                if (lane_ == 0 && chunk < count) {
                    const int word = per_row == 2 ? chunk : 2 * chunk;
                    rejected()[word] = rejected_lanes;
                    passed()[word] = passed_lanes;
                }
                if constexpr (Trace) {
                    // Skipped windows are corrected once they are known.
                    if (evaluated) {
                        trace(windows[n], rejects ? 0 : 1, sums[n]);
                    } else if (valid[n]) {
                        trace(windows[n], WindowTrace::flat, 0);
                    }
                }
            }
        }
    }

    // Finds the visited windows, and queues the visited windows that passed the first stage.
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

    // The skip's state at a row's first window: the exit of the tile to the left. The entry of that tile
    // matters only if it rejects all its windows in the row. Tiles are taken in order, so all tiles to the
    // left were taken before.
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
            // Entered by a visit, the tile is left in state after_visit, else in the opposite state.
            flipped ^= after_visit;
        }
    }

    // gpu_tile_scan_later_stages.cuh: the stages after the first, for the windows that are left.
    __device__ __forceinline__ void push(int which, int window) const {
        int* const counts = block_.counts[which % 3];
        int place;
        if (fast_nodes || a_.bank_queues) {
            const int bank = (window + window / TileLayout::columns * pitch_) % warp_size;
            place = atomicAdd(counts + bank, 1) * warp_size + bank;
        } else {
            place = atomicAdd(counts + warp_size, 1);
        }
        queue(which)[place] = static_cast<std::uint16_t>(window);
    }

    // The number of windows of a queue in this lane's column of places.
    __device__ __forceinline__ int queued(int which) const {
        const int* const counts = block_.counts[which % 3];
        return fast_nodes || a_.bank_queues ? counts[lane_]
                                            : (counts[warp_size] + warp_size - 1 - lane_) / warp_size;
    }

    __device__ void later_stages();
    __device__ __forceinline__ void decide(int which, int stage, int window, double sum, bool valid) const;
    template <int N>
    __device__ __forceinline__ void evaluate_rounds(int which, int stage, int round, int own) const;
    __device__ __forceinline__ void split_rounds(int which, int stage, int rounds, int own) const;
    __device__ void run_to_end(int which, int stage, int last, int round, int own);
    __device__ void finish_by_warps(int which, int stage, int last);
    __device__ void run_by_lanes(int window, int stage, int last) const;
    __device__ __forceinline__ double shared_out_sum(const TileStage& s, int at, float inverse) const;
    __device__ double ordered_sum(const TileStage& s, int at, float inverse) const;

    const ScanArgumentsFor<Place>& a_;
    ScanBlock& block_;
    char* shared_;
    char* slab_;
    int lane_;
    int warp_;
    // State of the tile, equal in all threads.
    int step_ = 1;
    int pitch_ = 0;
    char* integral_ = nullptr;
    float* deviations_ = nullptr;
};

}  // namespace fovea::cuda_backend
