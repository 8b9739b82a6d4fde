#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/core/view.hpp"

// How a block of threads on a GPU counts the labels of several regions at once: it stages a part of the face,
// counts every pixel once in the cell that it belongs to, and adds up each region's cells.
namespace fovea {

/// The cells of a region: columns [left, right), rows [top, bottom). None if no pixel of the region has a
/// code.
struct RegionCells {
    std::uint16_t left = 0;
    std::uint16_t top = 0;
    std::uint16_t right = 0;
    std::uint16_t bottom = 0;

    friend bool operator==(const RegionCells&, const RegionCells&) = default;
};

/// The work of one block. The edges of all its regions divide its pixels into cells.
struct StagedJob {
    Rect window;           ///< of the face; what is staged
    Rect coded;            ///< of the face; pixels that are counted, may be empty
    int cell_columns = 0;  ///< at most 65,535, as cell_rows
    int cell_rows = 0;
    std::vector<std::uint16_t> column_cells;  ///< [coded.width]: the column of cells of a column of pixels
    std::vector<std::uint16_t> row_cells;     ///< [coded.height]: likewise
    std::size_t first_region = 0;
    std::vector<RegionCells> regions;  ///< of the regions from first_region on

    std::size_t cells() const { return static_cast<std::size_t>(cell_columns) * cell_rows; }
};

/// Columns of a staged row: those of the window and up to a multiple of four.
int staged_stride(const Rect& window);

/// Shared memory that a job needs: four bytes for every staged pixel, and for every bin of every cell.
std::size_t staged_bytes(const StagedJob& job, std::size_t bins);

/// Jobs that count all regions, in their order, neighbouring ones together where that stages less than one by
/// one and needs no more than `max_bytes`: as few jobs as that gives, as alike as their order allows. Empty
/// if a region alone needs more.
/// \param regions inside the face. \param margin of the operator, \param bins of its histograms.
std::vector<StagedJob> staged_jobs(Size face, const std::vector<Rect>& regions, int margin, std::size_t bins,
                                   std::size_t max_bytes);

}  // namespace fovea
