#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/core/view.hpp"

// The plan by which a block of threads on a GPU counts the labels of several regions at once: it stages a
// part of the face, counts every pixel once in its cell, and adds up each region's cells.
namespace fovea {

/// The cells of a region: columns [left, right), rows [top, bottom). Empty if no pixel of it has a code.
struct RegionCells {
    std::uint16_t left = 0;
    std::uint16_t top = 0;
    std::uint16_t right = 0;
    std::uint16_t bottom = 0;

    friend bool operator==(const RegionCells&, const RegionCells&) = default;
};

/// The work of one block. The edges of all its regions divide its pixels into cells.
struct StagedJob {
    Rect window;                              ///< the staged part of the face
    Rect coded;                               ///< the counted part of the face; may be empty
    int cell_columns = 0;                     ///< at most 65,535
    int cell_rows = 0;                        ///< at most 65,535
    std::vector<std::uint16_t> column_cells;  ///< [coded.width]: the column of cells of a column of pixels
    std::vector<std::uint16_t> row_cells;     ///< [coded.height]: the row of cells of a row of pixels
    std::size_t first_region = 0;
    std::vector<RegionCells> regions;  ///< the regions from first_region on

    std::size_t cells() const { return static_cast<std::size_t>(cell_columns) * cell_rows; }
};

/// Columns of a staged row: the window's, rounded up to a multiple of four.
int staged_stride(const Rect& window);

/// Bytes of shared memory that a job needs: four for every staged pixel and for every bin of every cell.
std::size_t staged_bytes(const StagedJob& job, std::size_t bins);

/// Makes jobs that count all regions in their order. Neighbouring regions share a job where the job stages no
/// more pixels than separate jobs and needs at most `max_bytes`; jobs are made as alike in size as their
/// order allows. Empty if a region alone needs more.
/// \param regions inside the face. \param margin of the operator. \param bins of a histogram.
std::vector<StagedJob> staged_jobs(Size face, const std::vector<Rect>& regions, int margin, std::size_t bins,
                                   std::size_t max_bytes);

}  // namespace fovea
