#include "lib/train/lbp_weights/region_pairs.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <stdexcept>

namespace fovea {
namespace {

// The sum of a block's integer terms, as finished_distance() wants it for a weight of 1.
std::int64_t block_sum(HistogramDistance distance, int bits, std::uint32_t bins, const std::uint16_t* first,
                       const std::uint16_t* second) {
    std::int64_t counts = 0, terms = 0;
    for (std::uint32_t i = 0; i < bins; ++i) {
        const std::uint32_t a = first[i], b = second[i];
        counts += a + b;
        if (distance == HistogramDistance::chi_square) {
            terms += chi_square_term(a, b, bits);
        } else if (distance == HistogramDistance::intersection) {
            terms += 2 * static_cast<std::int64_t>(std::min(a, b));
        } else {
            terms += std::abs(static_cast<std::int64_t>(a) - static_cast<std::int64_t>(b));
        }
    }
    if (distance == HistogramDistance::l1) return terms;
    return distance == HistogramDistance::chi_square ? (counts << bits) - terms : counts - terms;
}

}  // namespace

bool is_sum_over_regions(HistogramDistance distance) {
    return distance == HistogramDistance::chi_square || distance == HistogramDistance::intersection ||
           distance == HistogramDistance::l1;
}

void region_distances(const HistogramLayout& layout, HistogramDistance distance, const std::uint16_t* first,
                      const std::uint16_t* second, double* distances) {
    if (!is_sum_over_regions(distance)) {
        throw std::invalid_argument("the distance is no sum over regions");
    }
    std::uint32_t largest = 0;
    for (const HistogramBlock& block : layout.blocks) largest = std::max(largest, block.largest);
    const int bits = chi_square_bits(largest);
    constexpr std::int64_t weight_of_one = 256;
    std::size_t at = 0;
    for (std::size_t r = 0; r < layout.blocks.size(); ++r) {
        const std::uint32_t bins = layout.blocks[r].bins;
        const std::int64_t sum = block_sum(distance, bits, bins, first + at, second + at);
        distances[r] = finished_distance(distance, bits, weight_of_one * sum, 0, 0);
        at += bins;
    }
}

std::vector<double> weighted_distances(const RegionPairs& pairs, const std::vector<double>& weights) {
    std::vector<double> sums(pairs.size());
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        sums[i] = std::inner_product(weights.begin(), weights.end(), pairs.of(i), 0.0);
    }
    return sums;
}

BestThreshold best_threshold(const std::vector<double>& distances, const std::vector<std::uint8_t>& same) {
    if (distances.empty()) throw std::invalid_argument("a threshold needs pairs");
    std::vector<std::size_t> order(distances.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return distances[a] < distances[b]; });
    // Accepting none judges all pairs of different subjects rightly.
    std::size_t right = static_cast<std::size_t>(std::count(same.begin(), same.end(), std::uint8_t{0}));
    BestThreshold best{distances[order.front()] / 2, right};
    for (std::size_t i = 0; i < order.size(); ++i) {
        const bool is_same = same[order[i]] != 0;
        right = is_same ? right + 1 : right - 1;
        const double here = distances[order[i]];
        const bool is_last = i + 1 == order.size();
        if (!is_last && distances[order[i + 1]] == here) continue;  // accepted together
        if (right > best.right) best = {is_last ? here : (here + distances[order[i + 1]]) / 2, right};
    }
    return best;
}

}  // namespace fovea
