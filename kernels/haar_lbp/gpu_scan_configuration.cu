#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "kernels/core/align.hpp"
#include "kernels/core/gpu_launch.cuh"
#include "kernels/haar_lbp/gpu_scan_configuration.hpp"

namespace fovea::cuda_backend {
namespace {

class Configurator {
  public:
    Configurator(const Cascade& cascade, int device, const EngineOptions& variant)
        : cascade_(cascade), device_(device), variant_(variant) {
        haar_ = cascade.feature == Cascade::Feature::haar;
        for (const auto& [attribute, value] :
             {std::pair{cudaDevAttrMaxSharedMemoryPerMultiprocessor, &shared_per_multiprocessor_},
              std::pair{cudaDevAttrMaxSharedMemoryPerBlockOptin, &shared_per_block_},
              std::pair{cudaDevAttrReservedSharedMemoryPerBlock, &reserved_per_block_}}) {
            check(cudaDeviceGetAttribute(value, attribute, device), device, "reading the device's limits");
        }
    }

    /// Tables and memory of the largest tiles of which several fit on a multiprocessor.
    ScanConfiguration configure() {
        const TileTable wanted = wanted_table();
        const TileTable general = haar_ ? TileTable::haar : TileTable::lbp;
        for (const TileTable table : {wanted, general}) {
            for (int blocks = scan_blocks; blocks >= 1; --blocks) {
                const int min_rows = blocks == 1 ? 1 : 16;
                if (try_shared(table, blocks, min_rows)) return finish(table);
            }
        }
        if (!try_slab(general)) {
            throw std::invalid_argument("a window of " + std::to_string(cascade_.window.width) + "x" +
                                        std::to_string(cascade_.window.height) +
                                        " pixels, or the number of stages, is too large for this GPU");
        }
        return finish(general);
    }

  private:
    static constexpr int max_rows[2] = {96, 64};

    TileTable wanted_table() const {
        if (!haar_) return has_lbp_stumps(cascade_) ? TileTable::lbp_stumps : TileTable::lbp;
        if (!variant_.merged_corners || !can_merge_corners(cascade_)) return TileTable::haar;
        return cascade_.stumps_only ? TileTable::merged_stumps : TileTable::merged_trees;
    }

    // Memory of a tile of one step; `shared` and `slab` grow by it.
    TileMemory place(const TileLayout& layout, int start, int& shared_end, int& slab_end, bool slab) const {
        TileMemory memory;
        std::size_t at = start;
        const auto take = [](std::size_t& from, std::size_t bytes) {
            const std::size_t place = from;
            from = align_up(from + bytes, 16);
            return static_cast<int>(place);
        };
        const std::size_t windows = static_cast<std::size_t>(TileLayout::columns) * layout.rows;
        const std::size_t pixels = static_cast<std::size_t>(layout.pixel_width) * layout.pixel_height;
        const std::size_t queues = 2 * sizeof(std::uint16_t) * windows;
        const std::size_t integral = static_cast<std::size_t>(layout.total_elements()) * sizeof(std::int32_t);
        memory.masks = take(at, 4 * sizeof(std::uint32_t) * layout.rows);
        if (haar_) memory.deviations = take(at, sizeof(float) * windows);
        if (slab) {
            std::size_t slab_at = 0;
            memory.queues = take(at, queues);
            memory.integral = take(slab_at, integral);
            memory.pixels = take(slab_at, pixels);
            slab_end = std::max(slab_end, static_cast<int>(slab_at));
        } else {
            // The pixels are done with before the first window is queued.
            memory.queues = memory.pixels = take(at, std::max(queues, pixels));
            memory.integral = take(at, integral);
        }
        shared_end = std::max(shared_end, static_cast<int>(at));
        return memory;
    }

    // Memory of a block that no tile's size changes. Merged nodes lie in a bank, others are staged, where the
    // first stage fits.
    int common_memory(TileTable table, bool may_stage) {
        memory_ = {};
        std::size_t at = align_up(sizeof(TileStage) * cascade_.stages.size(), 16);
        memory_.partial_sums = static_cast<int>(at);
        at += sizeof(double) * scan_threads;
        if (!may_stage) return static_cast<int>(at);
        const std::size_t node = node_size(table);
        if (table == TileTable::merged_stumps || table == TileTable::merged_trees) {
            const std::size_t tree = table == TileTable::merged_trees ? 2 * node : node;
            for (const CascadeStage& stage : cascade_.stages) {
                if (tree * static_cast<std::size_t>(stage.first_tree + stage.tree_count) > node_bank_bytes)
                    break;
                ++memory_.banked_stages;
            }
            return static_cast<int>(at);
        }
        constexpr std::size_t max_bytes = 5120;
        std::size_t largest = 0;
        std::size_t first = 0;
        for (const CascadeStage& stage : cascade_.stages) {
            std::size_t bytes = 0;
            for (int t = 0; t < stage.tree_count; ++t) {
                const int nodes = cascade_.trees[stage.first_tree + t].node_count;
                bytes += node * static_cast<std::size_t>(nodes);
            }
            if (&stage == cascade_.stages.data()) first = bytes;
            if (bytes <= max_bytes) largest = std::max(largest, bytes);
        }
        if (first > 2 * max_bytes) return static_cast<int>(at);
        memory_.staged_nodes_bytes = static_cast<int>(std::max(first, largest));
        for (int& place : memory_.staged_nodes) {
            place = static_cast<int>(at);
            at += align_up(memory_.staged_nodes_bytes, 16);
        }
        return static_cast<int>(at);
    }

    static std::size_t node_size(TileTable table) {
        switch (table) {
            case TileTable::merged_stumps:
                return sizeof(MergedStump);
            case TileTable::merged_trees:
                return sizeof(MergedTreeNode);
            case TileTable::haar:
                return sizeof(HaarTileNode);
            case TileTable::lbp_stumps:
                return sizeof(LbpStump);
            case TileTable::lbp:
                break;
        }
        return sizeof(LbpTileNode);
    }

    bool try_shared(TileTable table, int blocks, int min_rows) {
        if (!variant_.shared_integral) return false;
        const int budget =
            std::min(shared_per_block_, shared_per_multiprocessor_ / blocks - reserved_per_block_) -
            static_shared;
        const int start =
            common_memory(table, variant_.staged_stumps && variant_.compaction && variant_.bank_queues &&
                                     variant_.warp_windows && variant_.window_sets);
        const bool short_offsets = has_short_offsets(table);
        memory_.shared_bytes = start;
        for (int step = 1; step <= 2; ++step) {
            int rows = max_rows[step - 1];
            for (; rows >= min_rows; rows -= rows > 16 ? 4 : 1) {
                const TileLayout layout = make_tile_layout(cascade_.window, step, rows, cascade_.has_tilted);
                if (short_offsets && layout.total_elements() > 1 << 14) continue;
                int end = 0;
                int unused = 0;
                const TileMemory memory = place(layout, start, end, unused, false);
                if (end > budget) continue;
                layouts_[step - 1] = layout;
                memory_.tiles[step - 1] = memory;
                memory_.shared_bytes = std::max(memory_.shared_bytes, end);
                break;
            }
            if (rows < min_rows) return false;
        }
        return true;
    }

    bool try_slab(TileTable table) {
        const int start = common_memory(table, false);
        memory_.shared_bytes = start;
        for (int step = 1; step <= 2; ++step) {
            layouts_[step - 1] = make_tile_layout(cascade_.window, step, 32, cascade_.has_tilted);
            memory_.tiles[step - 1] =
                place(layouts_[step - 1], start, memory_.shared_bytes, memory_.slab_bytes, true);
        }
        memory_.slab_bytes = static_cast<int>(align_up(memory_.slab_bytes));
        return memory_.shared_bytes + static_shared <= shared_per_block_;
    }

    ScanConfiguration finish(TileTable table) {
        ScanConfiguration configuration;
        configuration.table = table;
        configuration.memory = memory_;
        ScanTables& tables = configuration.tables;
        tables.stage_count = static_cast<int>(cascade_.stages.size());
        tables.window = cascade_.window;
        tables.tilted = cascade_.has_tilted;
        for (int i = 0; i < 2; ++i) {
            configuration.packed[i] = pack_for_tiles(cascade_, layouts_[i], table);
            tables.layouts[i] = layouts_[i];
            std::copy_n(configuration.packed[i].normalisation_corners, 4, tables.normalisation_corners[i]);
            const std::vector<std::byte>& nodes = configuration.packed[i].nodes;
            if (memory_.banked_stages > 0) {
                std::copy_n(nodes.begin(), std::min(nodes.size(), node_bank_bytes),
                            configuration.bank.nodes[i]);
            }
        }
        tables.normalisation_area = configuration.packed[0].normalisation_area;
        configuration.blocks_per_multiprocessor =
            std::min(scan_blocks_per_multiprocessor(device_, table, memory_, false),
                     scan_blocks_per_multiprocessor(device_, table, memory_, true));
        if (configuration.blocks_per_multiprocessor == 0) {
            throw std::invalid_argument("no block of the scan fits on this GPU");
        }
        return configuration;
    }

    // Room for the shared memory that the kernel itself declares.
    static constexpr int static_shared = 1024;

    const Cascade& cascade_;
    int device_;
    EngineOptions variant_;
    bool haar_ = true;
    int shared_per_multiprocessor_ = 0;
    int shared_per_block_ = 0;
    int reserved_per_block_ = 0;
    TileLayout layouts_[2];
    ScanMemory memory_;
};

}  // namespace

ScanConfiguration configure_scan(const Cascade& cascade, int device, const EngineOptions& variant) {
    return Configurator(cascade, device, variant).configure();
}

}  // namespace fovea::cuda_backend
