#pragma once

#include <cstddef>
#include <cstdint>

namespace fovea {

/// The number of gallery vectors that lie side by side in the CPU's memory:
/// [pair of components][vectors_of_dot_tile][2].
constexpr std::size_t vectors_of_dot_tile = 32;

/// Computes the dot products of queries and the vectors of a tile, modulo 2^32, by vector instructions chosen
/// at run time (Highway).
///
/// \param queries [count][stride], of which the first `pairs` words are read: a word holds two components,
/// the first one in its lower half. \param tile [pairs][vectors_of_dot_tile][2]. \param dots receives
/// [count][vectors_of_dot_tile].
void dot_products_of_tile(const std::uint32_t* queries, std::size_t stride, std::size_t count,
                          const std::int16_t* tile, std::size_t pairs, std::int32_t* dots);

/// Finds the dot products that reach the limits of their queries: dot · factor - offset >= limit, in single
/// precision, up to the rounding that filter_limit() allows.
///
/// \param dots [count][vectors_of_dot_tile]. \param factors, offsets [vectors_of_dot_tile].
/// \param limits [count]. \param reached receives [count]: a bit for each vector.
void find_dots_that_reach(const std::int32_t* dots, std::size_t count, const float* factors,
                          const float* offsets, const float* limits, std::uint32_t* reached);

}  // namespace fovea
