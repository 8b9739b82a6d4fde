#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/core/device.hpp"
#include "kernels/core/view.hpp"
#include "kernels/haar_lbp/tile.hpp"
#include "kernels/windows/cascade_window.hpp"
#include "kernels/windows/found_windows.hpp"
#include "kernels/windows/levels.hpp"

namespace fovea::cuda_backend {

/// A level of one image of a batch, divided into tiles.
struct TiledLevel {
    unsigned image_offset = 0;  ///< bytes from the first image of the batch to this one
    double scale_x = 1;         ///< as resize_scale() gives it
    double scale_y = 1;
    Size image_size;
    int step = 1;
    int windows_per_row = 0;
    int window_rows = 0;
    int tile_rows = 0;  ///< rows of windows of a tile, at most TileLayout::rows
    int tiles_per_column = 0;
    int image = 0;
    int level = 0;
    float scale = 1;
    Size box;
    std::int64_t first_window = 0;  ///< in the trace of the batch
};

/// The message of a tile to its right neighbour: a bit for each row of windows, 1 if the window after the
/// row's last is skipped (skipped_windows).
struct TileExit {
    std::uint32_t after_visit[4];  ///< if the row's first window is visited
    std::uint32_t after_skip[4];   ///< if the row's first window is skipped
};

/// A cascade in a GPU's memory.
struct ScanTables {
    const TileStage* stages = nullptr;
    const TileTree* trees = nullptr;  ///< null where TileCascade::trees is empty
    const void* nodes[2] = {};        ///< by step - 1
    int stage_count = 0;
    int normalisation_corners[2][4] = {};
    double normalisation_area = 0;
    TileLayout layouts[2];
    Size window;
    bool tilted = false;
};

/// The places of a block's data for one step, in bytes from the start of its dynamic shared memory; the
/// integral image and the pixels may instead lie in the block's slab of global memory.
struct TileMemory {
    int masks = 0;
    int deviations = 0;
    int queues = 0;
    int integral = 0;
    int pixels = 0;
};

/// The places of all of a block's data, in bytes from the start of its dynamic shared memory.
struct ScanMemory {
    int stages = 0;
    int partial_sums = 0;
    int staged_nodes[2] = {};    ///< for even and odd stages
    int staged_nodes_bytes = 0;  ///< for each; 0 if nodes are not staged
    int banked_stages = 0;       ///< whose nodes lie in the ScanNodeBank; 0 if the table has none
    TileMemory tiles[2];         ///< by step - 1
    int shared_bytes = 0;
    int slab_bytes = 0;  ///< 0 if all lies in shared memory
};

/// The arguments of a scan of a batch.
struct ScanArguments {
    ScanTables tables;
    ScanMemory memory;
    FoundWindows found;
    const std::uint8_t* images = nullptr;
    const TiledLevel* levels = nullptr;
    const int* first_tiles = nullptr;  ///< [level_count + 1]
    int level_count = 0;
    int tile_count = 0;
    unsigned* next_tile = nullptr;  ///< 0 at the start
    unsigned* tile_done = nullptr;  ///< [tile], 0 at the start: 1 once its TileExit is written
    TileExit* tile_exits = nullptr;
    std::byte* slabs = nullptr;            ///< [block][slab_bytes]
    std::int16_t* trace_stages = nullptr;  ///< as WindowTrace, all levels in a row; null = no trace
    double* trace_sums = nullptr;
    int stage_limit = 0;  ///< all stages are evaluated, or none if 0, to measure the work before
    bool compaction = true;
    bool bank_queues = true;
    bool warp_windows = true;
    bool window_sets = true;
};

/// Bytes of nodes of one step that fit into the parameters of a kernel, which have 32,764 bytes in all.
constexpr std::size_t node_bank_bytes = 15872;

/// Nodes of a cascade's first stages, as parameters of the kernel. All lanes of a warp read the same node. In
/// shared memory that takes as long as reading eight corners; parameters have a cache of their own.
struct ScanNodeBank {
    alignas(16) std::byte nodes[2][node_bank_bytes] = {};  ///< by step - 1
};

/// The arguments of a scan whose tables have a bank.
struct BankedScanArguments : ScanArguments {
    ScanNodeBank bank;
};
static_assert(sizeof(BankedScanArguments) <= 32764);

/// Threads of a block, and blocks that share a multiprocessor where a tile's memory allows it. Measured on an
/// H200 (256 × 3 and 384 × 2 differ by less than 10 % either way).
constexpr int scan_threads = 384;
constexpr int scan_blocks = 3;

/// The number of blocks of the scan that fit on one multiprocessor; 0 if none does.
int scan_blocks_per_multiprocessor(int device, TileTable table, const ScanMemory& memory, bool trace);

/// Evaluates all windows of all levels, by one launch of `blocks` blocks that take tiles in turn.
/// \param arguments with a bank where memory.banked_stages is not 0.
void launch_scan(const Device& device, TileTable table, int blocks, const BankedScanArguments& arguments);

}  // namespace fovea::cuda_backend
