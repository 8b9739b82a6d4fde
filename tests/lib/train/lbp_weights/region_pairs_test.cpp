#include "lib/train/lbp_weights/region_pairs.hpp"

#include <catch2/catch.hpp>

#include "kernels/histogram_search/histogram_search.hpp"
#include "tests/support/histograms.hpp"

using namespace fovea;
using namespace fovea::test;

TEST_CASE("distances of regions by hand", "[train][weights]") {
    const HistogramLayout layout = layout_of({{2, 10, 256}, {3, 10, 0}});
    const std::vector<std::uint16_t> a{3, 1, 0, 0, 4}, b{1, 1, 0, 5, 4};
    double found[2];
    // (3 - 1)² / 4 + 0, and the empty bin adds nothing: 5² / 5. A block's own weight does not matter.
    region_distances(layout, HistogramDistance::chi_square, a.data(), b.data(), found);
    CHECK(found[0] == 1.0);
    CHECK(found[1] == 5.0);
    region_distances(layout, HistogramDistance::l1, a.data(), b.data(), found);
    CHECK(found[0] == 2.0);
    CHECK(found[1] == 5.0);
    region_distances(layout, HistogramDistance::intersection, a.data(), b.data(), found);
    CHECK(found[0] == 1.0);  // (4 + 2) / 2 - 2
    CHECK(found[1] == 2.5);  // (4 + 9) / 2 - 4
    for (const HistogramDistance distance : {HistogramDistance::l2, HistogramDistance::cosine}) {
        CHECK_FALSE(is_sum_over_regions(distance));
        CHECK_THROWS_AS(region_distances(layout, distance, a.data(), b.data(), found), std::invalid_argument);
    }
}

TEST_CASE("weighted distances of regions add up to the recognisers' distance", "[train][weights]") {
    for (const NamedLayout& named : edge_layouts()) {
        const HistogramLayout& layout = named.layout;
        CAPTURE(named.name);
        const std::vector<std::uint16_t> counts = random_counts(layout, 6, CountKind::any, 7);
        std::vector<double> weights;
        for (const HistogramBlock& block : layout.blocks) weights.push_back(block.weight / 256.0);
        for (const HistogramDistance distance :
             {HistogramDistance::chi_square, HistogramDistance::intersection, HistogramDistance::l1}) {
            RegionPairs pairs;
            pairs.regions = layout.blocks.size();
            pairs.distances.resize(5 * pairs.regions);
            pairs.same.resize(5);
            for (std::size_t i = 0; i < 5; ++i) {
                region_distances(layout, distance, counts.data(), counts.data() + (i + 1) * layout.bins,
                                 pairs.distances.data() + i * pairs.regions);
            }
            const std::vector<double> sums = weighted_distances(pairs, weights);
            for (std::size_t i = 0; i < 5; ++i) {
                const double whole = histogram_distance(layout, distance, counts.data(),
                                                        counts.data() + (i + 1) * layout.bins);
                CHECK(sums[i] == Approx(whole).epsilon(1e-12).margin(1e-12));
            }
        }
    }
}

TEST_CASE("the threshold that judges most pairs rightly", "[train][weights]") {
    const auto best = [](std::vector<double> distances, std::vector<std::uint8_t> same) {
        const BestThreshold found = best_threshold(distances, same);
        return std::pair{found.threshold, found.right};
    };
    CHECK(best({1, 2, 3, 4}, {1, 1, 0, 0}) == std::pair{2.5, std::size_t{4}});
    CHECK(best({4, 1, 3, 2}, {0, 1, 0, 1}) == std::pair{2.5, std::size_t{4}});
    // The strictest of equally good ones.
    CHECK(best({1, 2, 3, 4}, {1, 0, 1, 0}) == std::pair{1.5, std::size_t{3}});
    // Equal distances are accepted together.
    CHECK(best({1, 1, 1, 5}, {1, 0, 1, 0}) == std::pair{3.0, std::size_t{3}});
    // None, and all.
    CHECK(best({2, 6}, {0, 0}) == std::pair{1.0, std::size_t{2}});
    CHECK(best({2, 6}, {0, 1}) == std::pair{1.0, std::size_t{1}});
    CHECK(best({2, 6}, {1, 1}) == std::pair{6.0, std::size_t{2}});
    CHECK_THROWS_AS(best_threshold({}, {}), std::invalid_argument);
}
