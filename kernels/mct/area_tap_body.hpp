#pragma once

#include <cmath>

#include "kernels/mct/mct_body.hpp"

namespace fovea {

/// The tap of coordinate `index` of a level: one element of area_taps(). Computed in double, by operations
/// that IEEE 754 rounds correctly, so that a GPU finds the same weights.
/// \param ratio octave pixels a level pixel. \param source_size pixels of the octave, at least 1.
FOVEA_HOST_DEVICE inline AreaTap area_tap(int index, double ratio, int source_size) {
    AreaTap tap{0, {0, 0, 0}};
    if (ratio >= 1) {
        const double begin = index * ratio;
        const double length = (index + 1) * ratio - begin;
        tap.first = static_cast<int>(floor(begin));
        int before = 0;
        for (int k = 0; k < 3; ++k) {
            double covered = tap.first + k + 1 - begin;
            covered = covered < 0 ? 0 : covered > length ? length : covered;
            const int until = k == 2 ? 256 : static_cast<int>(rint(covered / ratio * 256));
            tap.weights[k] = static_cast<std::uint16_t>(until - before);
            before = until;
        }
        return tap;
    }
    double position = (index + 0.5) * ratio - 0.5;
    position = position < 0 ? 0 : position > source_size - 1.0 ? source_size - 1.0 : position;
    tap.first = static_cast<int>(floor(position));
    const int second = static_cast<int>(rint((position - tap.first) * 256));
    tap.weights[0] = static_cast<std::uint16_t>(256 - second);
    tap.weights[1] = static_cast<std::uint16_t>(second);
    return tap;
}

}  // namespace fovea
