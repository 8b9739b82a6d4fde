#include "lib/train/landmarks/landmark_tree.hpp"

#include <cmath>
#include <map>

#include <catch2/catch.hpp>

using namespace fovea;

namespace {

constexpr std::size_t stride = 16;

// Two pixels of which the first is brighter in the first half of the samples, which lack +1 and +2 in their
// first two coordinates, and darker in the others, which lack -1 and -2.
struct TwoKinds {
    explicit TwoKinds(std::size_t half) : count(2 * half), pixels(4 * half), residuals(count * stride, 0) {
        for (std::size_t s = 0; s < count; ++s) {
            const bool first = s < half;
            pixels[s] = first ? 200 : 100;
            pixels[count + s] = first ? 100 : 200;
            residuals[s * stride] = first ? 1 : -1;
            residuals[s * stride + 1] = first ? 2 : -2;
        }
    }
    TreeSamples view() { return {pixels, residuals, count, stride}; }

    std::size_t count;
    std::vector<std::uint8_t> pixels;
    std::vector<float> residuals;
};

PixelPairs one_pair() {
    return {{0.25F, 0.5F, 0.75F, 0.5F}, {{0, 0, 0}, {0, 0, 1}}, 0.1};
}

}  // namespace

TEST_CASE("a tree tells two kinds of samples apart and adds a share of what they lack", "[train][landmark]") {
    for (const std::size_t half : {1U, 2U, 40U, 700U}) {
        for (const double share : {1.0, 0.5}) {
            // One kind of four samples drawn by halves may be missing.
            if (share < 1 && half < 40) continue;
            TwoKinds kinds(half);
            TreeGrowing growing;
            growing.depth = 1;
            growing.tests = 20;
            growing.shrinkage = 0.5;
            growing.sample_share = share;
            growing.leaf_unit = 0.015625F;
            const GrownTree tree = grow_tree(growing, one_pair(), kinds.view(), 1, 0, 0);
            CAPTURE(half, share);
            REQUIRE(tree.splits.size() == 1);
            REQUIRE(tree.leaves.size() == 2 * stride);
            CHECK(tree.splits[0].threshold >= -64);
            CHECK(tree.splits[0].threshold <= 63);
            // Who goes to the left has the brighter pixel named first. Half of 1 and 2 are 32 and 64 units.
            const std::size_t brighter_first = tree.splits[0].first == 0 ? 0 : 1;
            const std::int8_t* const leaf = tree.leaves.data() + brighter_first * stride;
            const std::int8_t* const other = tree.leaves.data() + (1 - brighter_first) * stride;
            CHECK(int{leaf[0]} == 32);
            CHECK(int{leaf[1]} == 64);
            CHECK(int{leaf[2]} == 0);
            CHECK(int{other[0]} == -32);
            CHECK(int{other[1]} == -64);
            // Also what no tree was fitted to is what is lacking now.
            for (std::size_t s = 0; s < kinds.count; ++s) {
                CHECK(kinds.residuals[s * stride] == (s < half ? 0.5F : -0.5F));
                CHECK(kinds.residuals[s * stride + 1] == (s < half ? 1.0F : -1.0F));
            }
        }
    }
}

TEST_CASE("a leaf that int8 does not hold is clipped, and what it lacks stays", "[train][landmark]") {
    TwoKinds kinds(4);
    TreeGrowing growing;
    growing.depth = 1;
    growing.shrinkage = 1;
    growing.leaf_unit = 0.0078125F;  // 128 of them are 1
    const GrownTree tree = grow_tree(growing, one_pair(), kinds.view(), 1, 0, 0);
    int largest = 0;
    for (const std::int8_t value : tree.leaves) largest = std::max(largest, std::abs(int{value}));
    CHECK(largest == 127);
    CHECK(kinds.residuals[0] == 0.0078125F);
    CHECK(kinds.residuals[1] == 2 - 127 * 0.0078125F);
}

TEST_CASE("where nothing tells samples apart, a tree adds their mean", "[train][landmark]") {
    TwoKinds kinds(2);
    std::fill(kinds.pixels.begin(), kinds.pixels.end(), 7);
    kinds.residuals[0] = 5;  // the sum of the first coordinate is 5 + 1 - 1 - 1, the mean 1
    TreeGrowing growing;
    growing.depth = 2;
    growing.shrinkage = 1;
    growing.leaf_unit = 0.015625F;
    const GrownTree tree = grow_tree(growing, one_pair(), kinds.view(), 1, 0, 0);
    REQUIRE(tree.splits.size() == 3);
    CHECK(kinds.residuals[0] == 4);
    CHECK(kinds.residuals[stride] == 0);
    CHECK(kinds.residuals[2 * stride] == -2);
    CHECK(kinds.residuals[1] == 2);
}

TEST_CASE("pairs of pixels are drawn as the prior says", "[train][landmark]") {
    // On a line at 0, 0.1 and 0.3: distances of 0.1, 0.2 and 0.3.
    const PixelPairs pairs({0, 0, 0.1F, 0}, {{0, 0, 0}, {0, 0, 1}, {0.2F, 0, 1}}, 0.1);
    std::map<std::pair<int, int>, int> counts;
    CounterRandom random(5);
    constexpr int draws = 40'000;
    for (int i = 0; i < draws; ++i) {
        const LandmarkSplit split = pairs.draw(random);
        REQUIRE(split.first != split.second);
        ++counts[{split.first, split.second}];
    }
    REQUIRE(counts.size() == 6);
    const double all = std::exp(-1) + std::exp(-2) + std::exp(-3);
    const auto expected = [&](double distance) { return draws * std::exp(-distance / 0.1) / all / 2; };
    for (const auto& [first, second, distance] :
         {std::tuple{0, 1, 0.1}, std::tuple{1, 2, 0.2}, std::tuple{0, 2, 0.3}}) {
        CAPTURE(first, second);
        // Five standard deviations of a count.
        const double margin = 5 * std::sqrt(expected(distance));
        CHECK(counts[{first, second}] == Approx(expected(distance)).margin(margin));
        CHECK(counts[{second, first}] == Approx(expected(distance)).margin(margin));
    }
}
