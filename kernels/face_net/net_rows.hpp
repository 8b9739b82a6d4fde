#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/face_net/packed_face_net.hpp"

// The operations of a face network on single rows, in vectors of the instruction set chosen at run time:
// equal in every bit to tests/support/plain_face_net.hpp.

namespace fovea {

/// Pixels and bytes that are read and written beyond the end of a row, so that rows have a whole number of
/// vectors: row_bytes() has room for them.
constexpr int net_row_more_pixels = 8;
constexpr std::size_t net_row_more_bytes = 128;

/// Bytes of a row of `width` pixels with room for what lies beyond its end.
constexpr std::size_t net_row_bytes(int width, int channels) {
    return static_cast<std::size_t>(width + net_row_more_pixels) * static_cast<std::size_t>(channels) +
           net_row_more_bytes;
}

/// A row of the stem.
/// \param rows  the image's rows 2y - 1, 2y and 2y + 1, from the pixel before the first one on; 2 · width + 1
/// pixels of each, and room for 2 · net_row_more_pixels + 1 more.
/// \param width of `to`, pixels. \param to of net_row_bytes().
void stem_row(const PackedPointwise& stem, const std::uint8_t* const (&rows)[3], int width, std::uint8_t* to);

/// A row of a pointwise layer, 128 added to each result.
/// \param from, to of net_row_bytes().
void pointwise_row(const PackedPointwise& layer, const std::uint8_t* from, int width, std::uint8_t* to);

/// A row of a depthwise layer.
/// \param rows  of the pointwise layer, 128 added: above, the same, below; from the pixel before the first
/// one to that after the last; 128 beyond the borders. Each of net_row_bytes(width + 2, channels).
/// \param to    of net_row_bytes().
void depthwise_row(const PackedDepthwise& layer, const std::uint8_t* const (&rows)[3], int width,
                   std::uint8_t* to);

/// The largest of 2×2 values. \param width of `to`, pixels.
void pool_row(const std::uint8_t* top, const std::uint8_t* bottom, int channels, int width, std::uint8_t* to);

/// A row of a sum. \param coarse half as wide. \param width of `fine` and `to`, pixels, even.
void sum_row(const FaceNetSum& sum, const std::uint8_t* fine, const std::uint8_t* coarse, int channels,
             int width, std::uint8_t* to);

}  // namespace fovea
