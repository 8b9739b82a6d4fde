#pragma once

#include <cstddef>
#include <vector>

#include "kernels/core/view.hpp"

namespace fovea {

/// The part of a region in a row of pixels with codes.
struct RegionSpan {
    std::size_t region = 0;
    int begin = 0;  ///< column of the face
    int end = 0;    ///< behind the last one
};

/// Rows of a face through which the same regions go.
struct RegionBand {
    int top = 0;
    int bottom = 0;  ///< behind the last row
    int begin = 0;   ///< of the columns that belong to any region
    int end = 0;
    std::vector<RegionSpan> spans;
};

/// The bands from top to bottom that have pixels both of a region and with a code, that is at least `margin`
/// from every border of the face. \param regions inside the face, may overlap.
std::vector<RegionBand> region_bands(Size face, const std::vector<Rect>& regions, int margin);

}  // namespace fovea
