#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>

#include "kernels/core/device.hpp"
#include "kernels/mct/mct_body.hpp"
#include "kernels/mct/mct_plan.hpp"
#include "kernels/mct/mct_tables.hpp"
#include "kernels/windows/found_windows.hpp"

namespace fovea::cuda_backend {

/// A batch in device memory, which a MctBatchPlan describes.
struct MctBatch {
    const MctGpuLevel* levels = nullptr;
    const int* first_level_tiles = nullptr;
    const int* first_scan_tiles = nullptr;
    int level_count = 0;
    const MctGpuImage* images = nullptr;
    const int* first_octave_blocks[octave_launches] = {};
    int image_count = 0;
    const std::uint8_t* pixels = nullptr;
    std::uint8_t* octaves = nullptr;
    AreaTap* taps = nullptr;
    std::uint16_t* codes = nullptr;
    bool planes[mct_plane_count] = {};
};

/// Launch 0 makes octaves 1...6 of every image and the taps of every level, and clears `cleared_words` words;
/// launch 1 makes octaves 7...12 of the images that have so many.
void launch_mct_octaves(const Device& device, const MctBatch& batch, int launch, int blocks,
                        unsigned* cleared, int cleared_words);

/// Makes the codes of all levels. The pixels of levels never leave the chip.
void launch_mct_levels(const Device& device, const MctBatch& batch, int tiles);

/// The arguments of the scan. They contain the look-ups that threads evaluate, because engines side by side
/// would share constant memory.
struct MctScanArguments {
    MctBatch batch;
    MctScanMemory memory;
    FoundWindows found;
    MctGpuLookup coarse_lookups[mct_max_coarse_lookups];
    MctGpuLookup fine_lookups[mct_thread_lookups];  ///< the first fine look-ups
    int coarse = 0;
    int fine = 0;
    int coarse_rounds[std::size(mct_coarse_rounds)];
    int fine_rounds[std::size(mct_fine_rounds)];
    std::int32_t last_threshold = 0;
    const MctGpuLookup* all_fine_lookups = nullptr;
    const std::int8_t* weights = nullptr;  ///< MctCascade::weights
    int tile_count = 0;
    unsigned* next_tile = nullptr;         ///< 0 at the start
    std::int16_t* trace_stages = nullptr;  ///< as WindowTrace, all levels in a row; null = no trace
    double* trace_sums = nullptr;
};

constexpr int mct_scan_threads = 256;
/// Blocks that should share a multiprocessor.
constexpr int mct_scan_blocks = 4;

/// The most bytes of shared memory of a block of the scan with which mct_scan_blocks share a multiprocessor.
int mct_scan_shared_bytes(int device);

/// The number of blocks of the scan that fit on one multiprocessor; 0 if none does.
int mct_blocks_per_multiprocessor(int device, int shared_bytes, bool trace);

/// Evaluates all windows of all levels, by one launch of `blocks` blocks that take tiles in turn.
void launch_mct_scan(const Device& device, int blocks, const MctScanArguments& arguments);

}  // namespace fovea::cuda_backend
