#pragma once

#include <cstdint>

#include "kernels/view.hpp"

// The arithmetic of normalised faces, host and device alike.
namespace fovea {

/// The ellipse that holds a face, pixels of the aligned crop. The default is CSU's for 130×150.
struct FaceEllipse {
    double x = 65;
    double y = 50;
    double a = 64;   ///< horizontal radius
    double b = 118;  ///< vertical radius

    FOVEA_HOST_DEVICE bool holds(int column, int row) const {
        const double u = column - x, v = row - y;
        return 1 - (u * u / (a * a) + v * v / (b * b)) > 0;
    }
    friend bool operator==(const FaceEllipse&, const FaceEllipse&) = default;
};

/// The equalised grey value of the pixels of a value: the largest is 255, and values are as far apart as they are
/// frequent: 255 · (at_most - lowest) / (pixels - lowest), rounded half up; the value itself where all pixels have one.
/// \param at_most pixels of at most this grey value. \param lowest pixels of the lowest value that occurs.
/// \param pixels of the face. At most 2^24.
FOVEA_HOST_DEVICE inline std::uint32_t equalised_value(std::uint32_t value, std::uint32_t at_most,
                                                       std::uint32_t lowest, std::uint32_t pixels) {
    if (pixels == lowest) return value;
    const std::uint64_t span = pixels - lowest;
    return static_cast<std::uint32_t>((std::uint64_t{510} * (at_most - lowest) + span) / (2 * span));
}

}  // namespace fovea
