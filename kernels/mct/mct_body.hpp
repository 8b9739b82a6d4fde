#pragma once

#include <cstdint>

#include "kernels/core/octave_pixel.hpp"
#include "kernels/core/view.hpp"
#include "kernels/mct/mct_cascade.hpp"

namespace fovea {

/// The modified census transform of nine sums, row by row: bit 8 - k is 1 if 9 · sums[k] > Σ sums (Fröba and
/// Ernst 2004, eq. 5; Tek 2012, eq. 2.1). At most 510, since not all sums can lie above their mean.
FOVEA_HOST_DEVICE inline int mct_code(const int (&sums)[9]) {
    int total = 0;
    for (int k = 0; k < 9; ++k) total += sums[k];
    int code = 0;
    for (int k = 0; k < 9; ++k) code = code * 2 + (9 * sums[k] > total ? 1 : 0);
    return code;
}

/// The sum of the block × block pixels from the top left pixel (x, y) on.
FOVEA_HOST_DEVICE inline int block_sum(ImageView<const std::uint8_t> level, int block, int x, int y) {
    int sum = 0;
    for (int dy = 0; dy < block; ++dy) {
        for (int dx = 0; dx < block; ++dx) sum += level(x + dx, y + dy);
    }
    return sum;
}

/// The code of MctPlane::contrast4 from its nine sums of 4×4 pixels, 0...4080 each: 0...510.
FOVEA_HOST_DEVICE inline int contrast_code(const int (&sums)[9]) {
    int least = sums[0];
    int most = sums[0];
    for (int k = 1; k < 9; ++k) {
        least = sums[k] < least ? sums[k] : least;
        most = sums[k] > most ? sums[k] : most;
    }
    return (most - least) >> 3;
}

/// A plane's code of the 3×3 blocks from the top left pixel (x, y) on, where block = mct_block(plane): reads
/// [x, x + 3·block) × [y, y + 3·block).
FOVEA_HOST_DEVICE inline int mct_code_at(ImageView<const std::uint8_t> level, MctPlane plane, int x, int y) {
    const int block = mct_block(plane);
    int sums[9];
    for (int k = 0; k < 9; ++k) sums[k] = block_sum(level, block, x + k % 3 * block, y + k / 3 * block);
    return plane == MctPlane::contrast4 ? contrast_code(sums) : mct_code(sums);
}

/// The place of a look-up's code for the window at (x, y): the top left pixel of the neighbourhood.
struct MctPlace {
    int x;
    int y;
};
FOVEA_HOST_DEVICE inline MctPlace mct_place(const MctLookup& lookup, int x, int y) {
    const bool coarse = mct_is_coarse(lookup.plane);
    return {(coarse ? x & ~1 : x) + lookup.x, (coarse ? y & ~1 : y) + lookup.y};
}

/// The fate of a window.
struct MctResult {
    int lookups_passed = 0;  ///< all if the window passed; else the index of the look-up that rejected it
    std::int32_t sum = 0;    ///< after the last look-up made

    friend bool operator==(const MctResult&, const MctResult&) = default;
};

/// Makes look-ups [outcome.lookups_passed, end) of one window, going on from outcome.sum.
/// \param code_of gives the code of a look-up. \return false if a look-up rejected the window.
template <class CodeOf>
FOVEA_HOST_DEVICE inline bool evaluate_lookups(const MctLookup* lookups, const std::int8_t* weights, int end,
                                               MctResult& outcome, const CodeOf& code_of) {
    for (int i = outcome.lookups_passed; i < end; ++i) {
        if (lookups[i].starts_stage) outcome.sum = 0;
        outcome.sum += weights[i * MctCascade::codes + code_of(lookups[i])];
        outcome.lookups_passed = i;
        if (outcome.sum > lookups[i].reject_above) return false;
    }
    outcome.lookups_passed = end;
    return true;
}

/// The pixels of the octave that one coordinate of a level samples: first, first + 1 and first + 2, with
/// weights in units of 1/256 that add up to 256. Pixels of weight 0 may lie beyond the octave's end.
struct AreaTap {
    int first;
    std::uint16_t weights[3];
};

/// Weighs three pixels of a row, exactly: 8 fractional bits, 0...65280.
FOVEA_HOST_DEVICE inline int area_columns(int a, int b, int c, const AreaTap& tap) {
    return a * tap.weights[0] + b * tap.weights[1] + c * tap.weights[2];
}

/// Weighs three results of area_columns() vertically, and rounds half up to a grey level.
FOVEA_HOST_DEVICE inline int area_rows(int a, int b, int c, const AreaTap& tap) {
    return (a * tap.weights[0] + b * tap.weights[1] + c * tap.weights[2] + (1 << 15)) >> 16;
}

}  // namespace fovea
