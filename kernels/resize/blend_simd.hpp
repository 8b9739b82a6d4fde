#pragma once

#include <cstdint>

#include "kernels/resize/column_taps.hpp"

namespace fovea {

// Interpolation by vector instructions chosen at run time (Highway), equal to resize_body.hpp in every bit.

/// blend_columns() for groups of columns. \param windows, per_group those of a group follow one another.
/// \param weights of all columns. \param to a value a column. \return the number of columns that were made:
/// all, or none on machines without vectors.
int blend_groups(const std::uint8_t* pixels, const ColumnTaps::Window* windows, int per_group,
                 const std::uint16_t* weights, int groups, std::uint16_t* to);

/// blend_rows() for `count` columns.
void blend_two_rows(const std::uint16_t* top, const std::uint16_t* bottom, int weight, std::uint8_t* to,
                    int count);

}  // namespace fovea
