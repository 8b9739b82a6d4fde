#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/cascade/gpu_scanner.hpp"
#include "kernels/cascade/scan_cuda.hpp"

namespace fovea::cuda_backend {

/// Rounds a number of bytes up, so that what follows lies where every type may.
constexpr std::size_t plan_aligned(std::size_t bytes) {
    return (bytes + 255) / 256 * 256;
}

/// The levels of a batch as the scan takes them.
struct ScanPlan {
    std::vector<TiledLevel> levels;
    std::vector<int> first_tiles;
    int tiles = 0;
    std::size_t image_bytes = 0;
    std::vector<std::size_t> image_offsets;
    std::int64_t windows = 0;

    std::size_t levels_bytes() const { return plan_aligned(levels.size() * sizeof(TiledLevel)); }
    std::size_t tables_bytes() const {
        return levels_bytes() + plan_aligned(first_tiles.size() * sizeof(int));
    }
};

/// \param layouts by step - 1. \throws std::length_error if the images have 2^32 bytes or 2^30 tiles.
ScanPlan make_scan_plan(std::span<const ScanJob> jobs, const TileLayout* layouts);

}  // namespace fovea::cuda_backend
