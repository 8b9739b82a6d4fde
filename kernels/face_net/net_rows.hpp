#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/face_net/packed_face_net.hpp"

// The operations of a face network on single rows, by vector instructions chosen at run time (Highway); equal
// in every bit to tests/support/plain_face_net.hpp.

namespace fovea {

/// So many pixels and bytes beyond the end of a row are read and written, so that rows have whole vectors.
/// net_row_bytes() has room for them.
constexpr int net_row_more_pixels = 8;
constexpr std::size_t net_row_more_bytes = 128;

/// The bytes of a row of `width` pixels with the room that vectors need beyond its end.
constexpr std::size_t net_row_bytes(int width, int channels) {
    return static_cast<std::size_t>(width + net_row_more_pixels) * static_cast<std::size_t>(channels) +
           net_row_more_bytes;
}

/// Makes row y of the stem's map.
/// \param rows the image's rows 2y - 1, 2y and 2y + 1, each from the pixel before the first on: 2 · width + 1
/// pixels, then room for 2 · net_row_more_pixels + 1 more.
/// \param width of `to` in pixels. \param to has net_row_bytes().
void stem_row(const PackedPointwise& stem, const std::uint8_t* const (&rows)[3], int width, std::uint8_t* to);

/// Makes a row of a pointwise layer's map, with 128 added to each result.
/// \param from, to have net_row_bytes().
void pointwise_row(const PackedPointwise& layer, const std::uint8_t* from, int width, std::uint8_t* to);

/// Makes a row of a depthwise layer's map.
/// \param rows the row above, the row itself and the row below of the pointwise layer's map, 128 added: from
/// the pixel before the first to the pixel after the last; 128 beyond the borders. Each has
/// net_row_bytes(width + 2, channels). \param to has net_row_bytes().
void depthwise_row(const PackedDepthwise& layer, const std::uint8_t* const (&rows)[3], int width,
                   std::uint8_t* to);

/// Reduces 2×2 values to the largest. \param width of `to` in pixels.
void pool_row(const std::uint8_t* top, const std::uint8_t* bottom, int channels, int width, std::uint8_t* to);

/// Makes a row of a sum. \param coarse half as wide. \param width of `fine` and `to` in pixels, even.
void sum_row(const FaceNetSum& sum, const std::uint8_t* fine, const std::uint8_t* coarse, int channels,
             int width, std::uint8_t* to);

}  // namespace fovea
