#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/histogram_search/histogram_distance_body.hpp"
#include "kernels/histogram_search/histogram_layout.hpp"

namespace fovea {

/// Pairs of faces with the distance of each single region; weights of regions are learned from them.
struct RegionPairs {
    std::size_t regions = 0;
    std::vector<double> distances;   ///< [pair][region], unweighted
    std::vector<std::uint8_t> same;  ///< [pair]: 1 if they show one subject

    std::size_t size() const { return same.size(); }
    const double* of(std::size_t pair) const { return distances.data() + pair * regions; }
};

/// True for distances that are sums over regions: chi-square, intersection and L1.
bool is_sum_over_regions(HistogramDistance distance);

/// The distance of each region alone, as if all weights were 1: the sum of weight · distance over the regions
/// is histogram_distance(), up to the rounding of doubles.
/// \param first, second vectors of layout.bins counts. \param distances receives layout.blocks.size() values.
/// \throws std::invalid_argument unless is_sum_over_regions(distance).
void region_distances(const HistogramLayout& layout, HistogramDistance distance, const std::uint16_t* first,
                      const std::uint16_t* second, double* distances);

/// Σ weight · distance of every pair, added up in the order of the regions.
std::vector<double> weighted_distances(const RegionPairs& pairs, const std::vector<double>& weights);

/// A threshold, and how many pairs it judges rightly if pairs with a distance up to it are accepted as
/// the same.
struct BestThreshold {
    double threshold = 0;
    std::size_t right = 0;
};

/// The threshold that judges most pairs rightly, of equally good ones the strictest. It lies halfway between
/// the last accepted distance and the next; it is half the smallest distance if accepting no pair is best,
/// and the largest distance if accepting all is best.
/// \param same parallel to distances. \throws std::invalid_argument without a pair.
BestThreshold best_threshold(const std::vector<double>& distances, const std::vector<std::uint8_t>& same);

}  // namespace fovea
