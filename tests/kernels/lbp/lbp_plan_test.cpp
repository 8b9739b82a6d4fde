#include "kernels/lbp/lbp_plan.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include <catch2/catch.hpp>

#include "kernels/lbp/lbp_body.hpp"
#include "tests/support/images.hpp"

using namespace fovea;

namespace {

using Weights = std::array<std::uint8_t, 4>;

std::size_t bins_by_cell(Size cell, const LbpOperator& lbp) {
    return regions_by_cell({130, 150}, cell).size() * make_lbp_plan(lbp).bins;
}

// The face's pixels, each as often as regions hold it.
std::vector<int> covered(Size face, const std::vector<Rect>& regions) {
    std::vector<int> times(static_cast<std::size_t>(face.width * face.height));
    for (const Rect& region : regions) {
        for (int y = region.y; y < region.y + region.height; ++y) {
            for (int x = region.x; x < region.x + region.width; ++x) {
                ++times.at(static_cast<std::size_t>(y * face.width + x));
            }
        }
    }
    return times;
}

bool all_once(const std::vector<int>& times) {
    return std::all_of(times.begin(), times.end(), [](int n) { return n == 1; });
}

}  // namespace

TEST_CASE("LBP plan: samples by hand", "[lbp]") {
    const LbpPlan two = make_lbp_plan({8, 2, true});
    CHECK(two.margin == 2);
    CHECK(two.samples[0] == LbpSample{2, 0, {255, 0, 0, 0}});
    CHECK(two.samples[2] == LbpSample{0, -2, {255, 0, 0, 0}});
    CHECK(two.samples[4] == LbpSample{-2, 0, {255, 0, 0, 0}});
    CHECK(two.samples[6] == LbpSample{0, 2, {255, 0, 0, 0}});
    // Every other sample is a single pixel.
    for (std::size_t p = 0; p < 8; ++p) CHECK((two.samples[p].weights[0] == 255) == (p % 2 == 0));
    // (√2, -√2): 255 times the areas is 61.873, 43.751, 87.502 and 61.873.
    CHECK(two.samples[1] == LbpSample{1, -2, {62, 44, 87, 62}});
    CHECK(two.samples[3] == LbpSample{-2, -2, {44, 62, 62, 87}});
    CHECK(two.samples[5] == LbpSample{-2, 1, {62, 87, 44, 62}});
    CHECK(two.samples[7] == LbpSample{1, 1, {87, 62, 62, 44}});
    // (√½, -√½): 52.812, 127.5 less 4 · 10^-7, 21.876, 52.812.
    CHECK(make_lbp_plan({8, 1, true}).samples[1] == LbpSample{0, -1, {53, 127, 22, 53}});
    // Halves: of equal remainders the first is rounded up.
    const LbpPlan half = make_lbp_plan({4, 0.5, false});
    CHECK(half.margin == 1);
    CHECK(half.samples[0] == LbpSample{0, 0, {128, 127, 0, 0}});
    CHECK(half.samples[1] == LbpSample{0, -1, {128, 0, 127, 0}});
    CHECK(half.samples[2] == LbpSample{-1, 0, {128, 127, 0, 0}});
    // So close to the pixel on the right that nothing is left for that on the left.
    CHECK(make_lbp_plan({4, 1.999, false}).samples[0] == LbpSample{2, 0, {255, 0, 0, 0}});
    CHECK(make_lbp_plan({4, 2 + 1e-9, false}).samples[0] == LbpSample{2, 0, {255, 0, 0, 0}});
}

TEST_CASE("LBP plan: samples lie where they should and inside the margin", "[lbp]") {
    for (int points = 4; points <= 16; ++points) {
        for (const double radius : {0.5, 1.0, 1.5, 2.0, 2.999999, 3.7, 8.0, 31.6, 32.0}) {
            CAPTURE(points, radius);
            const LbpPlan plan = make_lbp_plan({points, radius, true});
            REQUIRE(plan.samples.size() == static_cast<std::size_t>(points));
            for (int p = 0; p < points; ++p) {
                const LbpSample& sample = plan.samples[static_cast<std::size_t>(p)];
                double x = 0, y = 0;
                int sum = 0;
                for (int i = 0; i < 4; ++i) {
                    const int weight = sample.weights[static_cast<std::size_t>(i)];
                    sum += weight;
                    x += weight * (sample.x + i % 2);
                    y += weight * (sample.y + i / 2);
                    if (weight == 0) continue;
                    CHECK(std::abs(sample.x + i % 2) <= plan.margin);
                    CHECK(std::abs(sample.y + i / 2) <= plan.margin);
                }
                REQUIRE(sum == 255);
                const double angle = 2 * std::numbers::pi * p / points;
                CHECK(std::abs(x / 255 - radius * std::cos(angle)) < 1.01 / 255);
                CHECK(std::abs(y / 255 + radius * std::sin(angle)) < 1.01 / 255);
            }
        }
    }
}

TEST_CASE("LBP code by hand", "[lbp]") {
    const std::uint8_t pixels[] = {10, 20, 30, 40, 25, 25, 60, 24, 70};
    const ImageView<const std::uint8_t> image{pixels, 3, 3, 3};
    // Right 25, above 20, left 40, below 24 beside 25.
    CHECK(lbp_code(make_lbp_plan({4, 1, true}), image, 1, 1) == 0b0101);
    // 255 · 25 = 6375 beside, at the upper right, 53 · 20 + 127 · 30 + 22 · 25 + 53 · 25 = 6745; at the upper
    // left 127 · 10 + 53 · 20 + 53 · 40 + 22 · 25 = 5000; at the lower left 53 · 40 + 22 · 25 + 127 · 60 + 53
    // · 24 = 11562; at the lower right 22 · 25 + 53 · 25 + 53 · 24 + 127 · 70 = 12037.
    CHECK(lbp_code(make_lbp_plan({8, 1, true}), image, 1, 1) == 0b10110011);
    // A flat area has all bits, whatever the weights.
    const std::vector<std::uint8_t> flat(100 * 100, 201);
    for (int points = 4; points <= 16; ++points) {
        for (const double radius : {0.7, 1.0, 2.0, 3.3, 31.9}) {
            CHECK(lbp_code(make_lbp_plan({points, radius, true}), {flat.data(), 100, 100, 100}, 40, 50) ==
                  (1U << points) - 1);
        }
    }
}

TEST_CASE("LBP codes are those of any positive multiple plus a constant", "[lbp]") {
    GreyImage image = test::smooth_noise(40, 30, 2, 5), other;
    for (std::uint8_t& pixel : image.pixels) pixel = static_cast<std::uint8_t>(pixel / 4);
    other = image;
    for (std::uint8_t& pixel : other.pixels) pixel = static_cast<std::uint8_t>(3 * pixel + 17);
    const LbpPlan plan = make_lbp_plan({16, 2.5, true});
    for (int y = 3; y < 27; ++y) {
        for (int x = 3; x < 37; ++x) {
            REQUIRE(lbp_code(plan, image.view(), x, y) == lbp_code(plan, other.view(), x, y));
        }
    }
}

TEST_CASE("LBP labels: uniform patterns have bins as they rise", "[lbp]") {
    CHECK(make_lbp_plan({4, 1, true}).labels ==
          std::vector<std::uint16_t>{0, 1, 2, 3, 4, 14, 5, 6, 7, 8, 14, 9, 10, 11, 12, 13});
    const LbpPlan all = make_lbp_plan({8, 1, false});
    CHECK(all.bins == 256);
    std::vector<std::uint16_t> rising(256);
    std::iota(rising.begin(), rising.end(), std::uint16_t{0});
    CHECK(all.labels == rising);
    CHECK(make_lbp_plan({16, 1, false}).bins == 65536);
    CHECK(make_lbp_plan({16, 1, false}).labels.back() == 65535);
    for (int points = 4; points <= 16; ++points) {
        const LbpPlan plan = make_lbp_plan({points, 2, true});
        CHECK(plan.bins == static_cast<std::uint32_t>(points * (points - 1) + 3));
        CHECK(*std::max_element(plan.labels.begin(), plan.labels.end()) == plan.bins - 1);
        std::uint32_t different = 0;
        for (std::uint32_t code = 0; code < 1U << points; ++code) {
            different += uniform_label(code, points) != plan.labels[code] ? 1 : 0;
        }
        CHECK(different == 0);
    }
}

TEST_CASE("LBP regions: the lengths of Tek's table 4.2", "[lbp]") {
    CHECK(regions_by_cell({130, 150}, {11, 13}).size() == 144);
    CHECK(bins_by_cell({11, 13}, {8, 2, true}) == 8496);
    CHECK(bins_by_cell({18, 21}, {8, 2, true}) == 2891);
    CHECK(bins_by_cell({26, 30}, {8, 2, true}) == 1475);
    CHECK(bins_by_cell({18, 21}, {16, 2, true}) == 11907);
    CHECK(bins_by_cell({26, 30}, {16, 2, true}) == 6075);
}

TEST_CASE("LBP regions: cells, counts and strides", "[lbp]") {
    // 10 / 3 rounds to 3, 7 / 2 to 4: the last column is wider, the last row lower than a cell.
    const auto cells = regions_by_cell({10, 7}, {3, 2});
    REQUIRE(cells.size() == 12);
    CHECK(cells[0] == Rect{0, 0, 3, 2});
    CHECK(cells[2] == Rect{6, 0, 4, 2});
    CHECK(cells[11] == Rect{6, 6, 4, 1});
    CHECK(regions_by_cell({5, 5}, {5, 5}) == std::vector<Rect>{{0, 0, 5, 5}});
    CHECK(regions_by_cell({5, 5}, {4, 4}) == std::vector<Rect>{{0, 0, 5, 5}});
    const auto counted = regions_by_count({10, 4}, 3, 2);
    CHECK(counted == std::vector<Rect>{
                         {0, 0, 3, 2}, {3, 0, 3, 2}, {6, 0, 4, 2}, {0, 2, 3, 2}, {3, 2, 3, 2}, {6, 2, 4, 2}});
    for (int side = 1; side <= 20; ++side) {
        for (int parts = 1; parts <= side; ++parts) {
            REQUIRE(all_once(covered({side, 21}, regions_by_count({side, 21}, parts, 22 - parts))));
            REQUIRE(all_once(covered({side, 21}, regions_by_cell({side, 21}, {parts, parts}))));
        }
    }
    const auto overlapping = regions_by_stride({10, 5}, {4, 3}, {3, 2});
    CHECK(overlapping ==
          std::vector<Rect>{
              {0, 0, 4, 3}, {3, 0, 4, 3}, {6, 0, 4, 3}, {0, 2, 4, 3}, {3, 2, 4, 3}, {6, 2, 4, 3}});
    constexpr int largest = std::numeric_limits<int>::max();
    CHECK(regions_by_stride({9, 9}, {9, 9}, {largest, largest}).size() == 1);
}

TEST_CASE("LBP plan and regions: what is out of range is refused", "[lbp]") {
    using Catch::Matchers::Contains;
    CHECK_THROWS_WITH(make_lbp_plan({3, 1, true}), Contains("3 points"));
    CHECK_THROWS_WITH(make_lbp_plan({17, 1, true}), Contains("17 points"));
    for (const double radius : {0.0, 0.49, 32.01, -1.0, std::nan(""), 1e300}) {
        CHECK_THROWS_WITH(make_lbp_plan({8, radius, true}), Contains("radius"));
    }
    CHECK_THROWS_AS(regions_by_cell({0, 5}, {1, 1}), std::invalid_argument);
    CHECK_THROWS_AS(regions_by_cell({5, 5}, {0, 1}), std::invalid_argument);
    CHECK_THROWS_WITH(regions_by_cell({5, 5}, {6, 1}), Contains("6x1"));
    CHECK_THROWS_WITH(regions_by_count({5, 5}, 6, 1), Contains("6x1"));
    CHECK_THROWS_AS(regions_by_count({5, 5}, 1, 6), std::invalid_argument);
    CHECK_THROWS_AS(regions_by_count({5, 5}, 0, 1), std::invalid_argument);
    CHECK_THROWS_AS(regions_by_stride({5, 5}, {1, 6}, {1, 1}), std::invalid_argument);
    CHECK_THROWS_WITH(regions_by_stride({5, 5}, {1, 1}, {1, 0}), Contains("stride"));
    CHECK_THROWS_AS(regions_by_stride({5, 5}, {0, 1}, {1, 1}), std::invalid_argument);
}
