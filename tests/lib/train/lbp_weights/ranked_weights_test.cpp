#include "lib/train/lbp_weights/ranked_weights.hpp"

#include <numeric>

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "lib/train/lbp_weights/subject_rates.hpp"
#include "tests/support/histograms.hpp"

using namespace fovea;
using namespace fovea::test;

namespace {

std::vector<std::size_t> themselves(std::size_t count) {
    std::vector<std::size_t> regions(count);
    std::iota(regions.begin(), regions.end(), std::size_t{0});
    return regions;
}

}  // namespace

TEST_CASE("ranked weights by percentiles of the rates", "[train][weights]") {
    // Percentiles of 0, 10, ..., 100: 20, 80 and 90. A value at one is neither below nor above it.
    std::vector<double> rates;
    for (int i = 10; i >= 0; --i) rates.push_back(i / 10.0);
    CHECK(ranked_weights(rates, themselves(11)) == std::vector<double>{4, 2, 1, 1, 1, 1, 1, 1, 1, 0, 0});
    // Between two rates: of 0, 1, 2 they are 0.4, 1.6 and 1.8.
    CHECK(ranked_weights({0, 2, 1}, themselves(3)) == std::vector<double>{0, 4, 1});
    CHECK(ranked_weights({0.5, 0.5, 0.5}, themselves(3)) == std::vector<double>{1, 1, 1});
    CHECK(ranked_weights({0.5}, {0}) == std::vector<double>{1});
    // Averaged over both halves: 1, 4 and 4 become 2.5, 4 and 2.5.
    CHECK(ranked_weights({1, 4, 4}, {2, 1, 0}) == std::vector<double>{1, 4, 1});
}

TEST_CASE("regions at mirrored places", "[train][weights]") {
    RecogniserConfig config;
    config.geometry.size = {130, 150};
    // Columns of 18 pixels, but the last of 22: mirrored, the first covers it to 18/22.
    config.features = {{{}, regions_by_cell({130, 150}, {18, 21})}, {{}, regions_by_count({130, 150}, 2, 1)}};
    const std::vector<std::size_t> mirrored = mirrored_regions(config);
    REQUIRE(mirrored.size() == 51);
    for (std::size_t r = 0; r < 49; ++r) CHECK(mirrored[r] == r / 7 * 7 + (6 - r % 7));
    CHECK(mirrored[49] == 50);
    CHECK(mirrored[50] == 49);

    // Without a partner on the other half, and in the middle.
    config.features = {{{}, {{0, 0, 30, 30}, {30, 0, 30, 30}, {60, 0, 10, 30}}}};
    CHECK(mirrored_regions(config) == std::vector<std::size_t>{0, 1, 2});
}

TEST_CASE("accuracies of regions alone", "[train][weights]") {
    // The first tells the pairs apart, the second judges three rightly at best.
    const RegionPairs pairs{2, {1, 7, 2, 5, 8, 6, 9, 9}, {1, 1, 0, 0}};
    CHECK(region_accuracies(pairs) == std::vector<double>{1, 0.75});
}

TEST_CASE("rank-1 rates by subjects", "[train][weights]") {
    const HistogramLayout layout = layout_of({{2, 9, 256}, {2, 9, 256}});
    // Region 1 tells a from b; by region 2 every face has one of the other subject next to it. c has no other
    // face.
    const std::vector<std::vector<std::uint16_t>> counts{
        {9, 0, 9, 0}, {8, 1, 0, 9}, {0, 9, 8, 1}, {1, 8, 1, 8}, {5, 4, 5, 4}};
    SubjectFaces faces;
    faces.subjects = {"a", "a", "b", "b", "c"};
    for (const auto& face : counts) faces.counts.push_back(face.data());
    const SubjectRates rates =
        subject_rates(layout, HistogramDistance::chi_square, faces, {{1, 0}, {0, 1}, {1, 0.01}});
    CHECK(rates.probes == 4);
    CHECK(rates.regions == std::vector<double>{1, 0});
    CHECK(rates.weighted == std::vector<double>{1, 0, 1});
    // The first of equally near faces counts: with weights of 0 all are.
    CHECK(subject_rates(layout, HistogramDistance::chi_square, faces, {{0, 0}}).weighted ==
          std::vector<double>{0.5});

    faces.subjects = {"a", "b", "c", "d", "e"};
    CHECK_THROWS_AS(subject_rates(layout, HistogramDistance::chi_square, faces, {}), Error);
}
