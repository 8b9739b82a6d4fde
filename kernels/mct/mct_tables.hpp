#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "kernels/mct/mct_cascade.hpp"
#include "kernels/mct/mct_plan.hpp"

namespace fovea::cuda_backend {

/// A look-up as the scan reads it, at once.
struct alignas(8) MctGpuLookup {
    std::int32_t reject_above = std::numeric_limits<std::int32_t>::max();
    std::uint32_t offset_and_keep = 1U << 16;

    /// Position of its code in shared memory: bytes from the window's or cell's element.
    FOVEA_HOST_DEVICE int offset() const { return static_cast<int>(offset_and_keep & 0xFFFFU); }
    /// Factor of the sum so far: 0 where a stage starts, else 1.
    FOVEA_HOST_DEVICE int keep() const { return static_cast<int>(offset_and_keep >> 16); }
};

/// Look-ups at the window's own place that a thread, not a warp, may evaluate.
constexpr int mct_thread_lookups = 64;

/// Look-ups after which survivors are queued anew, cells' and windows'.
constexpr int mct_coarse_rounds[] = {5, 13, mct_max_coarse_lookups};
constexpr int mct_fine_rounds[] = {5, 14, 34, mct_thread_lookups};

/// Elements from one row of a tile's codes in shared memory to the next, multiples of 8. The codes of a
/// window that lies last reach 21 pixels further, those of a cell 9 cells.
constexpr int mct_fine_pitch = 88;
constexpr int mct_cell_pitch = 48;

/// Pixels, or cells on coarse planes, of a plane under a tile of windows.
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

/// The places of a block's data in its shared memory: bytes from its beginning. Queues hold as many entries
/// as a tile has cells or windows.
struct MctScanMemory {
    int planes[mct_plane_count] = {};  ///< -1 for planes that no look-up reads
    int cell_queues[2] = {};
    int window_queues[2] = {};  ///< the second lies where coarse planes and cells were, done with by then
    int tables = 0;             ///< of the first coarse look-ups, then of the first fine ones
    int shared_coarse = 0;      ///< how many of each
    int shared_fine = 0;
    int bytes = 0;
};

/// A cascade as the scan takes it, but for its weights: those of MctCascade.
struct MctScanTables {
    std::vector<MctGpuLookup> lookups;
    bool planes[mct_plane_count] = {};
    int coarse = 0;
    std::int32_t last_threshold = 0;  ///< what margins are measured from
    MctScanMemory memory;
};

/// \param shared_bytes that a block may use; tables for which there is no room stay in global memory.
/// \throws std::invalid_argument if not even a tile's codes and queues fit.
MctScanTables make_mct_tables(const MctCascade& cascade, int shared_bytes);

}  // namespace fovea::cuda_backend
