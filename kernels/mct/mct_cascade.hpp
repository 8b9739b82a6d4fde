#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "kernels/core/view.hpp"

namespace fovea {

/// The kinds of codes. A code is the modified census transform of a 3×3 neighbourhood of square blocks of
/// pixels (Fröba and Ernst 2004; blocks after Zhang et al. 2007).
enum class MctPlane : std::uint8_t {
    pixel,    ///< blocks of 1×1, at the window's own place
    block2,   ///< blocks of 2×2, at the window's own place
    coarse2,  ///< blocks of 2×2, at the place of the window's cell: both coordinates rounded down to even
    coarse4,  ///< blocks of 4×4, at the place of the window's cell
    /// Not a census, but the contrast of coarse4's blocks: (largest sum - smallest sum) / 8, 0...510. No
    /// census shows it: a smooth surface has the codes of its noise.
    contrast4,
};
constexpr int mct_plane_count = 5;

/// The edge of a block in pixels.
FOVEA_HOST_DEVICE constexpr int mct_block(MctPlane plane) {
    return plane == MctPlane::pixel ? 1 : plane == MctPlane::block2 || plane == MctPlane::coarse2 ? 2 : 4;
}

/// True if all windows of a cell of 2×2 windows share the plane's codes.
FOVEA_HOST_DEVICE constexpr bool mct_is_coarse(MctPlane plane) {
    return plane != MctPlane::pixel && plane != MctPlane::block2;
}

/// One look-up table and where its code is read.
struct MctLookup {
    MctPlane plane = MctPlane::pixel;
    /// The top left pixel of the neighbourhood, relative to the window or its cell: 0...window - 3·block,
    /// even on coarse planes.
    std::uint8_t x = 0;
    std::uint8_t y = 0;
    /// The sum begins anew, at 0, before this look-up: a stage of a staged cascade starts here.
    bool starts_stage = false;
    /// The window is rejected if the sum, after this look-up, is greater.
    std::int32_t reject_above = std::numeric_limits<std::int32_t>::max();

    friend bool operator==(const MctLookup&, const MctLookup&) = default;
};

/// A cascade of look-up tables on the modified census transform (Fröba and Ernst 2004; Tek 2012, section
/// 2.1), with a rejection threshold after each look-up, as in a soft cascade (Bourdev and Brandt 2005). A
/// staged cascade uses `starts_stage`; thresholds inside a stage reject no window that its end would pass.
///
/// A window passes if no look-up rejects it; its margin is the last threshold minus the last sum. Low sums
/// are faces, as in the papers. All numbers are integers. read_mct_cascade (lib/detect/mct_model.hpp) builds
/// and checks cascades.
struct MctCascade {
    static constexpr int window = 24;  ///< edge of the window, level pixels
    static constexpr int codes = 512;  ///< entries of a table; code 511 cannot occur

    /// Look-ups on coarse planes come first: all windows of a cell share their outcome.
    std::vector<MctLookup> lookups;
    std::vector<std::int8_t> weights;  ///< look-up by look-up, `codes` each

    int coarse_lookups() const {
        int count = 0;
        while (count < static_cast<int>(lookups.size()) && mct_is_coarse(lookups[count].plane)) ++count;
        return count;
    }
    const std::int8_t* table(std::size_t lookup) const { return weights.data() + lookup * codes; }

    friend bool operator==(const MctCascade&, const MctCascade&) = default;
};

/// The most look-ups of a cascade, so that sums stay within 20 bits.
constexpr int mct_max_lookups = 4096;
/// The most look-ups on coarse planes, so that their sums stay within 16 bits.
constexpr int mct_max_coarse_lookups = 128;

}  // namespace fovea
