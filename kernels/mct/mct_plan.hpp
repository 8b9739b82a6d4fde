#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/core/view.hpp"
#include "kernels/engine/gpu_cascade.hpp"
#include "kernels/mct/mct_cascade.hpp"

namespace fovea::cuda_backend {

/// The part of a level whose codes a block makes, in pixels.
struct MctLevelTile {
    static constexpr int columns = 116;
    static constexpr int rows = 54;
};

/// The windows (at step 1) that a block evaluates, in cells of 2×2.
struct MctScanTile {
    static constexpr int columns = 64;
    static constexpr int rows = 32;
    static constexpr int cell_columns = columns / 2;
    static constexpr int cell_rows = rows / 2;
    static constexpr int cells = cell_columns * cell_rows;
    static constexpr int windows = columns * rows;
};

/// The number of octaves that one launch makes from the octave before them.
constexpr int octaves_per_launch = 6;
constexpr int octave_launches = 2;
/// Pixels of the launch's source octave under one block, in both directions.
constexpr int octave_block = 1 << octaves_per_launch;

/// An image of a batch and its octaves.
struct MctGpuImage {
    std::size_t pixels = 0;  ///< bytes from the first image of the batch; rows without padding
    Size size;
    int octaves = 0;  ///< besides the image itself
    /// [octave - 1]: bytes from the batch's first octave to this one; rows are padded to octave_pitch().
    std::size_t octave_offsets[octaves_per_launch * octave_launches] = {};
};

/// Bytes from one row of an octave to the next.
FOVEA_HOST_DEVICE constexpr int octave_pitch(int width) {
    return (width + 15) / 16 * 16;
}

/// A level of an image of a batch.
///
/// Its codes lie in planes of 16-bit elements, by MctPlane: one element for each pixel, or for each 2×2
/// pixels on coarse planes. In the last columns and rows, whose neighbourhoods reach beyond the level,
/// elements are undefined.
struct MctGpuLevel {
    int image = 0;
    int octave = 0;
    double ratio = 1;
    Size source;           ///< size of the octave
    std::size_t taps = 0;  ///< index of its first tap in the batch: columns, then rows; none if ratio is 1
    Size size;
    std::size_t planes[mct_plane_count] = {};  ///< elements from the batch's first code
    int pitch = 0;                             ///< elements, a multiple of 8
    int cell_pitch = 0;                        ///< pitch of coarse planes, a multiple of 8
    int level_tile_columns = 0;
    int scan_tile_columns = 0;
    int columns = 0;  ///< as in PyramidLevel
    int rows = 0;
    int step = 1;
    int windows_per_row = 0;
    int level = 0;
    float scale = 1;
    Size box;
    std::int64_t first_window = 0;  ///< in the trace of the batch

    FOVEA_HOST_DEVICE int plane_pitch(int plane) const { return plane < 2 ? pitch : cell_pitch; }
    FOVEA_HOST_DEVICE int plane_rows(int plane) const {
        return plane < 2 ? size.height : (size.height + 1) / 2;
    }
};

/// The places of a batch's tables, in bytes from the start of its input; the images follow the tables.
struct MctTableOffsets {
    std::size_t levels = 0, level_tiles = 0, scan_tiles = 0, images = 0;
    std::size_t octave_blocks[octave_launches] = {};
    std::size_t bytes = 0;
};

/// A batch as the kernels read it. `first_...` number the tasks of blocks: element i is the first task of
/// image or level i, and the last element is the number of tasks.
struct MctBatchPlan {
    std::vector<MctGpuImage> images;
    std::vector<int> first_octave_blocks[octave_launches];
    std::vector<MctGpuLevel> levels;
    std::vector<int> first_level_tiles;
    std::vector<int> first_scan_tiles;
    std::vector<std::size_t> image_offsets;  ///< [job], bytes
    std::size_t image_bytes = 0;
    std::size_t octave_bytes = 0;
    std::size_t taps = 0;
    std::size_t codes = 0;
    std::int64_t windows = 0;

    int octave_blocks(int launch) const { return first_octave_blocks[launch].back(); }
    int level_tiles() const { return first_level_tiles.back(); }
    int scan_tiles() const { return first_scan_tiles.back(); }
    MctTableOffsets offsets() const;
    void write_tables(std::byte* target) const;
};

/// Plans a batch. \param planes that the cascade reads, by MctPlane.
/// \throws std::length_error for images of 2^32 bytes or more, or more than 2^30 tasks of one kind.
MctBatchPlan make_mct_plan(std::span<const ScanJob> jobs, const bool (&planes)[mct_plane_count]);

}  // namespace fovea::cuda_backend
