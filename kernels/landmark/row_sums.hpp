#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace fovea {

/// Adds rows of a matrix, in the order in which they are listed, to a sum of their length: equal in every bit
/// for all instruction sets (Highway).
/// \param rows [row][stride]. \param stride a multiple of 16, all of which is added. \param chosen indices of
/// rows, each as often as it is listed. \param sum receives the sum in addition to what it holds.
void add_rows(const float* rows, std::size_t stride, std::span<const std::uint32_t> chosen, float* sum);

}  // namespace fovea
