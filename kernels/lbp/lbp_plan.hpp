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
    /// u2: patterns with at most two transitions have a bin each, all others share the last.
    bool uniform = true;

    friend bool operator==(const LbpOperator&, const LbpOperator&) = default;
};

/// One sample of a pattern: the four pixels about a place on the circle; (x, y) is the top left of them,
/// relative to the centre, and y points down. Weights are in units of 1/255. They add up to 255, so that a
/// sample of a flat area equals its centre and each weight fits 8 bits.
struct LbpSample {
    int x = 0;
    int y = 0;
    std::array<std::uint8_t, 4> weights{};  ///< of (x, y), (x + 1, y), (x, y + 1), (x + 1, y + 1)

    friend bool operator==(const LbpSample&, const LbpSample&) = default;
};

/// An operator with its tables.
///
/// Bit p of the code of a pixel with value c is set if 255 · c <= Σ weights · pixels of sample p. This sample
/// lies at (x + R cos(2πp/P), y - R sin(2πp/P)) and is interpolated bilinearly, by integers only. Pixels
/// within `margin` of the image's border have no code.
struct LbpPlan {
    LbpOperator lbp;
    int margin = 0;                  ///< ceil(R)
    std::uint32_t bins = 0;          ///< P(P-1)+3 with uniform patterns (59, 243), else 2^P
    std::vector<LbpSample> samples;  ///< P of them
    /// [2^P]: the bin of a code. Uniform codes have bins 0, 1, ... in rising order.
    std::vector<std::uint16_t> labels;
};

/// \throws std::invalid_argument if points or radius are out of range.
LbpPlan make_lbp_plan(const LbpOperator& lbp);

/// The code of pixel (x, y), at least `margin` from every border: the definition, one pixel at a time.
std::uint32_t lbp_code(const LbpPlan& plan, ImageView<const std::uint8_t> image, int x, int y);

/// One operator and the regions in which its labels are counted.
struct RegionalLbp {
    LbpOperator lbp;
    std::vector<Rect> regions;  ///< pixels of the face, may overlap; each lies inside the face

    friend bool operator==(const RegionalLbp&, const RegionalLbp&) = default;
};

/// Cells of a size, from the top left: round(width / cell.width) columns and round(height / cell.height)
/// rows, at least 1; the last column and row end where the face does. For 130×150 this gives the lengths of
/// Tek's table 4.2: 12×12 cells of 11×13, 7×7 of 18×21, 5×5 of 26×30. \throws std::invalid_argument for a
/// cell that is empty or larger than the face.
std::vector<Rect> regions_by_cell(Size face, Size cell);

/// columns × rows cells that cover the face and do not overlap; edges are floor(i · width / columns) and
/// floor(i · height / rows). \throws std::invalid_argument if columns are not 1 to width, rows 1 to height.
std::vector<Rect> regions_by_count(Size face, int columns, int rows);

/// Every rectangle of a size inside the face whose corner is a multiple of the stride, row by row; they
/// overlap if the stride is shorter than the size. \throws std::invalid_argument for an empty size or stride,
/// or a size larger than the face.
std::vector<Rect> regions_by_stride(Size face, Size size, Size stride);

}  // namespace fovea
