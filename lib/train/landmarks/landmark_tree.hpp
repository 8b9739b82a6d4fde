#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/landmark/landmark_model.hpp"
#include "lib/train/counter_random.hpp"

namespace fovea {

/// Draws the pairs of pixels that splits compare, with a probability in proportion to exp(-distance / λ):
/// near pixels change less with the expression (Kazemi and Sullivan 2014, section 2.3.2).
class PixelPairs {
  public:
    /// \param pixels at least two. \param prior λ, in units of the initial shape.
    PixelPairs(const std::vector<float>& initial_shape, const std::vector<LandmarkPixel>& pixels,
               double prior);

    /// Two different pixels; threshold 0.
    LandmarkSplit draw(CounterRandom& random) const;

  private:
    std::size_t pixels_;
    std::vector<double> cumulative_;  // of the pairs (0, 1), (0, 2), ..., (1, 2), ...
    std::vector<std::size_t> first_of_row_;
};

/// How trees are grown.
struct TreeGrowing {
    int depth = 4;
    int tests = 20;  ///< splits tried at each node
    double shrinkage = 0.1;
    /// Share of the samples that a tree is fitted to, drawn for every tree anew (stochastic gradient
    /// boosting, Friedman 2002).
    double sample_share = 1;
    float leaf_unit = 0;  ///< leaves are whole multiples of it
};

/// A regression tree.
struct GrownTree {
    std::vector<LandmarkSplit> splits;  ///< [2^depth - 1]
    std::vector<std::int8_t> leaves;    ///< [2^depth][stride]
};

/// The data that trees are fitted to.
struct TreeSamples {
    std::span<const std::uint8_t> pixels;  ///< [pixel][sample]
    std::span<float> residuals;            ///< [sample][stride]: targets minus shapes
    std::size_t count = 0;
    std::size_t stride = 0;
};

/// Grows a tree, and subtracts its leaves from the residuals. The split of a node is the one of `tests`
/// random splits, with thresholds of -64 to 63, after which the residuals vary least about the means of both
/// sides. A leaf holds the mean residual times the shrinkage, as whole multiples of the unit. Sums are made
/// in a fixed order, so that the result does not depend on the number of threads.
/// \param seed, level, tree name the tree's random numbers.
GrownTree grow_tree(const TreeGrowing& growing, const PixelPairs& pairs, const TreeSamples& samples,
                    std::uint64_t seed, std::size_t level, std::size_t tree);

}  // namespace fovea
