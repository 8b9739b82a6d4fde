#include <cmath>
#include <vector>

#include <catch2/catch.hpp>

#include "kernels/histogram_search/histogram_search.hpp"
#include "tests/support/histograms.hpp"

namespace fovea {
namespace {

double distance(const HistogramLayout& layout, HistogramDistance metric, std::vector<std::uint16_t> a,
                std::vector<std::uint16_t> b) {
    REQUIRE(a.size() == layout.bins);
    REQUIRE(b.size() == layout.bins);
    const double there = histogram_distance(layout, metric, a.data(), b.data());
    CHECK(histogram_distance(layout, metric, b.data(), a.data()) == there);
    return there;
}

}  // namespace

TEST_CASE("histogram distance: values by hand", "[histogram-search]") {
    const HistogramLayout one = test::even_layout(1, {3, 100, 256});
    CHECK(distance(one, HistogramDistance::l1, {1, 5, 7}, {4, 5, 2}) == 8);
    CHECK(distance(one, HistogramDistance::intersection, {1, 5, 7}, {4, 5, 2}) == 12 - 8);
    CHECK(distance(one, HistogramDistance::intersection, {1, 5, 7}, {1, 5, 7}) == 0);
    CHECK(distance(one, HistogramDistance::intersection, {1, 5, 7}, {0, 0, 0}) == 6.5);
    CHECK(distance(one, HistogramDistance::l2, {1, 5, 7}, {4, 5, 3}) == 5);
    CHECK(distance(one, HistogramDistance::cosine, {3, 4, 0}, {4, 3, 0}) == 1 - 24.0 / 25);
    CHECK(distance(one, HistogramDistance::cosine, {3, 4, 0}, {6, 8, 0}) == 0);
    CHECK(distance(one, HistogramDistance::cosine, {3, 4, 0}, {0, 0, 9}) == 1);
    CHECK(distance(one, HistogramDistance::cosine, {3, 4, 0}, {0, 0, 0}) == 1);
    CHECK(distance(one, HistogramDistance::cosine, {0, 0, 0}, {0, 0, 0}) == 1);
    // 2² / 4 + 3² / 3, a bin that both lack adds nothing.
    CHECK(distance(one, HistogramDistance::chi_square, {3, 0, 0}, {1, 3, 0}) == 4);
    CHECK(distance(one, HistogramDistance::chi_square, {9, 0, 50}, {9, 0, 50}) == 0);
    // 8 / 3 is 2731 / 1024.
    CHECK(distance(one, HistogramDistance::chi_square, {1, 0, 0}, {2, 0, 0}) == 341 / 1024.0);
}

TEST_CASE("histogram distance: weights by hand", "[histogram-search]") {
    // Blocks of weights 1/2, 0 and 3.
    const HistogramLayout layout = test::layout_of({{1, 9, 128}, {2, 9, 0}, {1, 9, 768}});
    const std::vector<std::uint16_t> a{3, 9, 9, 6}, b{1, 0, 0, 2};
    CHECK(distance(layout, HistogramDistance::l1, a, b) == 1 + 12);
    CHECK(distance(layout, HistogramDistance::intersection, a, b) == (1 + 12) / 2.0);
    CHECK(distance(layout, HistogramDistance::chi_square, a, b) == 0.5 + 6);
    CHECK(distance(layout, HistogramDistance::l2, a, b) == std::sqrt(2.0 + 48));
    const double squares = 0.5 * 9 + 3 * 36, other_squares = 0.5 * 1 + 3 * 4;
    CHECK(distance(layout, HistogramDistance::cosine, a, b) ==
          Approx(1 - (0.5 * 3 + 3 * 12) / std::sqrt(squares * other_squares)));
}

TEST_CASE("histogram distance: chi-square's precision by the largest count", "[histogram-search]") {
    CHECK(chi_square_bits(0) == 10);
    CHECK(chi_square_bits(378) == 10);
    CHECK(chi_square_bits(1023) == 10);
    CHECK(chi_square_bits(1024) == 9);
    CHECK(chi_square_bits(65535) == 4);
    for (const std::uint32_t largest : {1U, 255U, 1023U, 5000U, 65535U}) {
        const HistogramLayout layout = test::even_layout(3, {100, largest, 256});
        const auto counts = test::random_counts(layout, 20, test::CountKind::any, largest);
        // A term is half a unit off at most, and 2^-22 of itself.
        const double unit = std::ldexp(1.0, -chi_square_bits(largest));
        const double allowed = 300 * (unit / 2 + 2.0 * largest / (1 << 22));
        for (std::size_t i = 0; i + 1 < 20; ++i) {
            const std::uint16_t *a = counts.data() + i * layout.bins, *b = a + layout.bins;
            double exact = 0;
            for (std::size_t bin = 0; bin < layout.bins; ++bin) {
                const double sum = double{1} * a[bin] + b[bin], difference = double{1} * a[bin] - b[bin];
                if (sum > 0) exact += difference * difference / sum;
            }
            CHECK(std::abs(histogram_distance(layout, HistogramDistance::chi_square, a, b) - exact) <=
                  allowed);
        }
    }
}

TEST_CASE("histogram distance: layouts that are refused", "[histogram-search]") {
    using Catch::Matchers::Contains;
    CHECK_NOTHROW(check_histogram_layout(test::even_layout(1, {1, 0, 0})));
    CHECK_NOTHROW(check_histogram_layout(test::even_layout(49, {65536, 65535, 256})));
    CHECK_THROWS_WITH(check_histogram_layout({}), Contains("no block"));
    CHECK_THROWS_WITH(check_histogram_layout(test::layout_of({{1, 1, 1}, {0, 1, 1}})), Contains("block 1"));
    CHECK_THROWS_WITH(check_histogram_layout(test::even_layout(1, {1, 65536, 1})), Contains("65536"));
    CHECK_THROWS_WITH(check_histogram_layout(test::even_layout(1, {1, 1, 65536})), Contains("65536/256"));
    CHECK_THROWS_WITH(check_histogram_layout({{{5, 9, 256}}, 6}), Contains("6 bins") && Contains("have 5"));
    CHECK_THROWS_WITH(check_histogram_layout(test::even_layout(2, {65536, 65535, 65535})),
                      Contains("63 bits"));
    // 2 · 65535² · 65535 · 16384 < 2^63 <= 2 · 65535² · 65535 · 16385, nearly.
    CHECK_NOTHROW(check_histogram_layout(test::even_layout(1, {16384, 65535, 65535})));
    CHECK_THROWS_AS(check_histogram_layout(test::even_layout(1, {16386, 65535, 65535})),
                    std::invalid_argument);
    CHECK_THROWS_AS(histogram_distance({}, HistogramDistance::l1, nullptr, nullptr), std::invalid_argument);
    CHECK_THROWS_AS(HistogramGallery(Device::cpu(), {}, HistogramDistance::l1), std::invalid_argument);
}

}  // namespace fovea
