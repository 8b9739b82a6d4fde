#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/core/view.hpp"

namespace fovea {

/// A local binary pattern LBP(P, R), with uniform patterns or all: Ojala, Pietikäinen, Mäenpää 2002.
struct LbpOperator {
    int points = 8;     ///< P: 4 to 16
    double radius = 2;  ///< R: 0.5 to 32, pixels
    bool uniform =
        true;  ///< u2: patterns with at most two transitions have a bin each, all others share the last

    friend bool operator==(const LbpOperator&, const LbpOperator&) = default;
};

/// One sample of a pattern: the four pixels about a place on the circle. Weights are in units of 1/255 and
/// add up to 255, so that a sample of a flat area equals its centre, and each fits 8 bits.
struct LbpSample {
    int x = 0;                              ///< of the top left pixel, relative to the centre
    int y = 0;                              ///< likewise; y points down
    std::array<std::uint8_t, 4> weights{};  ///< of (x, y), (x + 1, y), (x, y + 1), (x + 1, y + 1)

    friend bool operator==(const LbpSample&, const LbpSample&) = default;
};

/// An operator made ready.
///
/// Bit p of the code of a pixel c is set if 255 · c <= Σ weights · pixels of sample p: sample p lies at
/// (x + R cos(2πp/P), y - R sin(2πp/P)), interpolated bilinearly, and compared by >=. Integers only. Pixels
/// within `margin` of the image's border have no code.
struct LbpPlan {
    LbpOperator lbp;
    int margin = 0;                  ///< ceil(R)
    std::uint32_t bins = 0;          ///< P(P-1)+3 with uniform patterns (59, 243), else 2^P
    std::vector<LbpSample> samples;  ///< P of them
    /// [2^P]: the bin of a code. Uniform codes have bins 0, 1, ... as they rise
    std::vector<std::uint16_t> labels;
};

/// \throws std::invalid_argument naming what is out of its range.
LbpPlan make_lbp_plan(const LbpOperator& lbp);

/// Code of pixel (x, y), which lies at least `margin` from every border: the definition, one pixel at a time.
std::uint32_t lbp_code(const LbpPlan& plan, ImageView<const std::uint8_t> image, int x, int y);

/// One operator and the regions in which its labels are counted.
struct RegionalLbp {
    LbpOperator lbp;
    std::vector<Rect> regions;  ///< pixels of the face, may overlap; each lies inside the face

    friend bool operator==(const RegionalLbp&, const RegionalLbp&) = default;
};

/// columns = round(width / cell.width), rows likewise, at least 1: cells of that size from the top left,
/// those of the last column and row ending where the face does. Gives the lengths of Tek's table 4.2 for
/// 130×150: 12×12 of 11×13, 7×7 of 18×21, 5×5 of 26×30. \throws std::invalid_argument for a cell larger than
/// the face or empty.
std::vector<Rect> regions_by_cell(Size face, Size cell);

/// columns × rows cells whose edges are floor(i · width / columns): they cover the face and do not overlap.
/// \throws std::invalid_argument unless there are 1 to width columns, and rows likewise.
std::vector<Rect> regions_by_count(Size face, int columns, int rows);

/// Every rectangle of that size whose corner is a multiple of the stride and that lies in the face, row by
/// row; strides shorter than the size make them overlap. \throws std::invalid_argument for empty sizes or
/// strides, or none that fits.
std::vector<Rect> regions_by_stride(Size face, Size size, Size stride);

}  // namespace fovea
