#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/core/align.hpp"
#include "kernels/engine/gpu_cascade.hpp"
#include "kernels/haar_lbp/gpu_scan.hpp"

namespace fovea::cuda_backend {

/// The levels of a batch in the form that the scan reads.
struct ScanPlan {
    std::vector<TiledLevel> levels;
    std::vector<int> first_tiles;
    int tiles = 0;
    std::size_t image_bytes = 0;
    std::vector<std::size_t> image_offsets;
    std::int64_t windows = 0;

    std::size_t levels_bytes() const { return align_up(levels.size() * sizeof(TiledLevel)); }
    std::size_t tables_bytes() const { return levels_bytes() + align_up(first_tiles.size() * sizeof(int)); }
};

/// Plans the scan of a batch.
/// \param layouts by step - 1. \throws std::length_error if the images have 2^32 bytes or over 2^30 tiles.
ScanPlan make_scan_plan(std::span<const ScanJob> jobs, const TileLayout* layouts);

}  // namespace fovea::cuda_backend
