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

/// The order of pixels in a row of a pointwise layer's map: `strips` parts of the row lie side by side, so
/// that a vector has the same column of each of them. A column lies before the first, and one after the last.
struct MixedOrder {
    int strips = 1;
    int columns = 0;  ///< of a strip, even; strips · columns is the width or a little more
};
constexpr int columns_of(int width, int strips) {
    return (width + 2 * strips - 1) / (2 * strips) * 2;
}
MixedOrder mixed_order(int width, int channels);

/// The bytes of a row of a pointwise layer's map.
constexpr std::size_t mixed_row_bytes(int width, int channels) {
    return net_row_bytes(width + 2 * net_row_more_pixels, channels);
}

/// Makes a row of a pointwise layer's map in mixed_order(), with 128 added to each result; 128 beyond the
/// borders. \param from has net_row_bytes(). \param to has mixed_row_bytes().
void pointwise_row(const PackedPointwise& layer, const std::uint8_t* from, int width, std::uint8_t* to);

/// Makes two rows of a depthwise layer's map.
/// \param rows of the pointwise layer's map: the row above, the two rows themselves and the row below.
/// \param to both have net_row_bytes().
void depthwise_rows(const PackedDepthwise& layer, const std::uint8_t* const (&rows)[4], int width,
                    std::uint8_t* const (&to)[2]);

/// Makes such rows and reduces 2×2 values to the largest. \param width before that, even.
void pooled_depthwise_rows(const PackedDepthwise& layer, const std::uint8_t* const (&rows)[4], int width,
                           std::uint8_t* to);

/// Makes the sums of the first four of a head's outputs, in two rows and in mixed_order():
/// [column][strip][4]. \param layer of 16 channels.
void cell_sum_rows(const PackedDepthwise& layer, const std::uint8_t* const (&rows)[4], int width,
                   std::int32_t* const (&to)[2]);

/// Reduces 2×2 values to the largest. \param width of `to` in pixels.
void pool_row(const std::uint8_t* top, const std::uint8_t* bottom, int channels, int width, std::uint8_t* to);

/// Makes a row of a sum. \param coarse half as wide. \param width of `fine` and `to` in pixels, even.
void sum_row(const FaceNetSum& sum, const std::uint8_t* fine, const std::uint8_t* coarse, int channels,
             int width, std::uint8_t* to);

}  // namespace fovea
