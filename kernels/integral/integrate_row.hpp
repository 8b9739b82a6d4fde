#pragma once

#include <cstdint>

#include "kernels/integral/integral.hpp"

namespace fovea {

/// A row of sums, or of sums of squares, and the row above it; both null where it is not wanted.
struct SumRow {
    const std::uint32_t* above = nullptr;
    std::uint32_t* sums = nullptr;
};

/// Adds one image row, by vector instructions chosen at run time (Highway). Sums wrap.
void integrate_row(const std::uint8_t* pixels, int width, const IntegralLayout& layout, SumRow plain,
                   SumRow squared);

}  // namespace fovea
