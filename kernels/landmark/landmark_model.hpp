#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fovea {

/// A split of a regression tree: a face goes to the left child if the grey value of pixel `first` exceeds
/// that of pixel `second` (indices in LandmarkCascade::pixels) by more than `threshold`, else to the right.
struct LandmarkSplit {
    std::uint16_t first = 0;
    std::uint16_t second = 0;
    std::int16_t threshold = 0;  ///< -256 (always left) to 255 (always right)

    friend bool operator==(const LandmarkSplit&, const LandmarkSplit&) = default;
};

/// A pixel that splits look at, by its place relative to a landmark of the initial shape.
struct LandmarkPixel {
    float dx = 0;  ///< from the landmark, in units of the initial shape
    float dy = 0;
    std::uint32_t anchor = 0;  ///< the landmark

    friend bool operator==(const LandmarkPixel&, const LandmarkPixel&) = default;
};

/// One level of the cascade: trees that share a set of pixels. All trees have the model's depth; split i of a
/// tree has the children 2i + 1 and 2i + 2, and the leaves follow the splits in this numbering.
struct LandmarkCascade {
    std::vector<LandmarkPixel> pixels;  ///< 1 to 65,536
    std::size_t trees = 0;              ///< at most 2^24
    std::vector<LandmarkSplit> splits;  ///< [tree][2^depth - 1]
    /// [tree][2^depth][leaf_stride()]: what a leaf adds to the shape, x0 y0 x1 y1 ..., and zeros up to the
    /// stride. `leaves` or `quantised_leaves` is empty; quantised values count in units of leaf_unit.
    std::vector<float> leaves;
    std::vector<std::int8_t> quantised_leaves;
    float leaf_unit = 0;

    bool is_quantised() const { return !quantised_leaves.empty(); }
};

/// A cascade of ensembles of regression trees, which moves the landmarks of a mean face to the landmarks of a
/// face in an image (V. Kazemi and J. Sullivan, "One millisecond face alignment with an ensemble of
/// regression trees", CVPR 2014). Shapes are in the unit square of a face's box: (0, 0) is the box's top left
/// pixel, (1, 1) its bottom right pixel.
struct LandmarkModel {
    int points = 0;  ///< landmarks, 1 to 4,096
    int depth = 0;   ///< of all trees, 0 to 16
    /// Positions are rounded to multiples of 1 / subpixels pixel, 1 to 256; dlib's models have 1.
    int subpixels = 1;
    std::vector<float> initial_shape;  ///< [2 · points]: x0 y0 x1 y1 ...
    std::vector<LandmarkCascade> cascades;
    /// After this many cascades the box is replaced by the square, turned and scaled, in which the initial
    /// shape fits the landmarks best, and the shape begins anew in it (see refitted()). Later cascades meet
    /// upright faces of one size. 0, as in dlib's models, or as many as there are: never.
    std::size_t refit_after = 0;

    std::size_t splits_of_tree() const { return (std::size_t{1} << depth) - 1; }
    std::size_t leaves_of_tree() const { return std::size_t{1} << depth; }
    /// Elements from one leaf to the next: 2 · points rounded up to 16.
    std::size_t leaf_stride() const { return (2 * static_cast<std::size_t>(points) + 15) / 16 * 16; }
    /// The trees of all cascades.
    std::size_t trees() const;
};

/// Checks sizes, indices and ranges, and that all values are finite. A model that passes can be evaluated on
/// any image. \throws std::invalid_argument, which names the first fault.
void check_landmark_model(const LandmarkModel& model);

}  // namespace fovea
