#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "kernels/mct/mct_cascade.hpp"
#include "kernels/mct/mct_plan.hpp"

namespace fovea::cuda_backend {

/// A look-up, which the scan reads by one load.
struct alignas(8) MctGpuLookup {
    std::int32_t reject_above = std::numeric_limits<std::int32_t>::max();
    std::uint32_t offset_and_keep = 1U << 16;

    /// The place of its code in shared memory, in bytes from the element of the window or cell.
    FOVEA_HOST_DEVICE int offset() const { return static_cast<int>(offset_and_keep & 0xFFFFU); }
    /// The factor of the sum so far: 0 where a stage starts, else 1.
    FOVEA_HOST_DEVICE int keep() const { return static_cast<int>(offset_and_keep >> 16); }
};

/// The most look-ups of a window on fine (not coarse) planes that a thread makes; a warp makes the others.
constexpr int mct_thread_lookups = 64;

/// The numbers of look-ups after which surviving cells, or windows, are queued anew.
constexpr int mct_coarse_rounds[] = {5, 13, mct_max_coarse_lookups};
constexpr int mct_fine_rounds[] = {5, 14, 34, mct_thread_lookups};

/// Elements from one row of a tile's codes in shared memory to the next, multiples of 8. The codes of a
/// tile's last window reach 21 pixels further, and the codes of its last cell 9 cells.
constexpr int mct_fine_pitch = 88;
constexpr int mct_cell_pitch = 48;

/// The part of a plane under a tile of windows, in pixels, or in cells on coarse planes.
struct MctTilePlane {
    int pitch;  ///< elements
    int rows;
};
FOVEA_HOST_DEVICE constexpr MctTilePlane mct_tile_plane(int plane) {
    const int reach = MctCascade::window - 3 * mct_block(static_cast<MctPlane>(plane));
    return mct_is_coarse(static_cast<MctPlane>(plane))
               ? MctTilePlane{mct_cell_pitch, MctScanTile::cell_rows + reach / 2}
               : MctTilePlane{mct_fine_pitch, MctScanTile::rows + reach};
}

/// The places of a block's data in its shared memory, in bytes from its start. Queues hold as many entries as
/// a tile has cells or windows.
struct MctScanMemory {
    int planes[mct_plane_count] = {};  ///< -1 for planes that no look-up reads
    int cell_queues[2] = {};
    /// The second takes the place of coarse planes and cells, once these are done.
    int window_queues[2] = {};
    int tables = 0;         ///< tables of the first coarse look-ups, then of the first fine look-ups
    int shared_coarse = 0;  ///< number of these coarse look-ups
    int shared_fine = 0;    ///< number of these fine look-ups
    int bytes = 0;
};

/// A cascade as the scan reads it; weights are MctCascade::weights.
struct MctScanTables {
    std::vector<MctGpuLookup> lookups;
    bool planes[mct_plane_count] = {};
    int coarse = 0;
    std::int32_t last_threshold = 0;  ///< a margin is this minus the last sum
    MctScanMemory memory;
};

/// Prepares a cascade. \param shared_bytes that a block may use; tables beyond stay in global memory.
/// \throws std::invalid_argument if a tile's codes and queues do not fit, or coarse look-ups are not first.
MctScanTables make_mct_tables(const MctCascade& cascade, int shared_bytes);

}  // namespace fovea::cuda_backend
