#pragma once

#include <cstdint>

#include "kernels/core/view.hpp"

// The arithmetic of a face's sharpness, host and device alike: whole numbers alone.
namespace fovea {

/// Cells on a side of the grid that a face is resized to.
inline constexpr int sharpness_side = 64;

/// The pixels of a row (or column) that a cell of the grid is made of: the first and the last one weigh less
/// than those between them.
struct CellSpan {
    int first = 0;
    int last = 0;  ///< may be `first`: then only first_weight counts
    std::uint32_t first_weight = 0;
    std::uint32_t last_weight = 0;
    std::uint32_t inner_weight = 0;  ///< of each pixel between both

    FOVEA_HOST_DEVICE std::uint32_t weight(int pixel) const {
        return pixel == first ? first_weight : pixel == last ? last_weight : inner_weight;
    }
};

/// The sum of the weights of each cell over a row of `length` pixels.
FOVEA_HOST_DEVICE inline std::uint32_t span_weight(int length) {
    return length < sharpness_side ? 2 * sharpness_side : static_cast<std::uint32_t>(length);
}

/// The pixels of a cell: of 64 pixels and more those under the cell, by the part of them that lies under it
/// (in 1/64 pixel); of fewer the two about the cell's centre, interpolated linearly (in 1/128 pixel).
/// \param length of the row, at least 1. \param cell 0 to 63.
FOVEA_HOST_DEVICE inline CellSpan cell_span(int length, int cell) {
    constexpr int side = sharpness_side;
    if (length < side) {
        constexpr int one = 2 * side;
        const int centre = (2 * cell + 1) * length - side;  // from the centre of the first pixel
        if (centre <= 0) return {0, 0, one, 0, 0};
        const int first = centre / one, rest = centre % one;
        if (first + 1 >= length) return {length - 1, length - 1, one, 0, 0};
        return {first, first + 1, static_cast<std::uint32_t>(one - rest), static_cast<std::uint32_t>(rest),
                0};
    }
    const std::int64_t begin = std::int64_t{cell} * length, end = begin + length;
    const int first = static_cast<int>(begin / side), last = static_cast<int>((end - 1) / side);
    if (first == last) return {first, last, static_cast<std::uint32_t>(length), 0, side};
    return {first, last, static_cast<std::uint32_t>(std::int64_t{side} * (first + 1) - begin),
            static_cast<std::uint32_t>(end - std::int64_t{side} * last), side};
}

/// A cell's grey level from the weighted sum of its pixels, rounded half up. \param weight that of all pixels
/// together.
FOVEA_HOST_DEVICE inline std::uint8_t cell_level(std::uint64_t sum, std::uint64_t weight) {
    return static_cast<std::uint8_t>((sum + weight / 2) / weight);
}

/// The Laplacian at a cell that is not at the grid's border (kernel 0 1 0 / 1 −4 1 / 0 1 0).
/// \param cell within a grid of 64 × 64.
FOVEA_HOST_DEVICE inline int laplacian(const std::uint8_t* cell) {
    return cell[-sharpness_side] + cell[sharpness_side] + cell[-1] + cell[1] - 4 * cell[0];
}

}  // namespace fovea
