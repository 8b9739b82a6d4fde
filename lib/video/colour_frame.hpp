#pragma once

#include <cstdint>
#include <vector>

#include "kernels/core/view.hpp"

namespace fovea {

/// Numbers of ITU-T H.273 that tell how colours are coded; 2: unknown.
struct ColourCodes {
    static constexpr int bt601_matrix = 6;

    int primaries = 2;
    int transfer = 2;
    int matrix = 2;

    friend bool operator==(const ColourCodes&, const ColourCodes&) = default;
};

/// A frame in colour, stretched and turned for display: 8-bit planes of luma and, half as wide and high
/// (rounded up), of the two colour differences (YUV 4:2:0).
struct ColourFrame {
    int width = 0;
    int height = 0;
    bool is_full_range = false;  ///< luma is 0 to 255; else 16 to 235
    std::vector<std::uint8_t> y, u, v;
    ColourCodes codes{};

    int chroma_width() const { return (width + 1) / 2; }
    int chroma_height() const { return (height + 1) / 2; }
};

/// Resizes a plane by resize_linear(). \param plane row-major, of the size `from`
std::vector<std::uint8_t> resized_plane(std::vector<std::uint8_t> plane, Size from, Size to);

/// The place of a frame in a frame of the size `into`: as large as fits, in the middle. All sides are even
/// unless both sizes are equal. \param into at least 2x2
Rect fitted_place(Size frame, Size into);

/// A black frame of the size `into` with the frame in its fitted_place(). \throws std::bad_alloc
ColourFrame fitted(ColourFrame frame, Size into);

}  // namespace fovea
