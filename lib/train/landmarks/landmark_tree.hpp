#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/landmark/landmark_model.hpp"
#include "lib/train/counter_random.hpp"

namespace fovea {

/// Which pairs of pixels a split compares: drawn with a probability in proportion to exp(-distance / λ), as
/// long steps meet other parts of the face and change with every expression (Kazemi and Sullivan 2014,
/// section 2.3.2).
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
    /// Share of the samples, drawn for every tree anew, that it is fitted to (stochastic gradient boosting,
    /// Friedman 2002).
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
    std::span<float> residuals;            ///< [sample][stride]: what the shapes lack
    std::size_t count = 0;
    std::size_t stride = 0;
};

/// Grows a tree, and takes from the residuals what it adds to the shapes. Each node's split is that of
/// `tests` random ones, with thresholds of -64 to 63, after which the residuals vary least about the means of
/// both sides; a leaf holds their mean times the shrinkage, as whole multiples of the unit. Multi-threaded;
/// the result does not depend on it: sums are made in a fixed order.
/// \param seed, level, tree name the tree's random numbers.
GrownTree grow_tree(const TreeGrowing& growing, const PixelPairs& pairs, const TreeSamples& samples,
                    std::uint64_t seed, std::size_t level, std::size_t tree);

}  // namespace fovea
