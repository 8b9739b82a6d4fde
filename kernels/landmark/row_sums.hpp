#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace fovea {

/// Adds the chosen rows of a matrix to `sum`, one after the other; equal in every bit for all instruction
/// sets (Highway). \param rows [row][stride]. \param stride a multiple of 16; all elements are added.
/// \param chosen indices of rows, which may repeat. \param sum [stride].
void add_rows(const float* rows, std::size_t stride, std::span<const std::uint32_t> chosen, float* sum);

}  // namespace fovea
