#include "kernels/histogram_search/chi_square_features.hpp"

#include <algorithm>
#include <cmath>

#include <catch2/catch.hpp>

namespace fovea {
namespace {

// The largest error of a product of features, in proportion to a + b.
double largest_error(std::uint32_t largest) {
    const auto features = chi_square_features(largest);
    REQUIRE(features.size() == largest + 1);
    double error = 0;
    for (std::uint32_t a = 0; a <= largest; ++a) {
        for (std::uint32_t b = 0; b <= largest; ++b) {
            double product = 0;
            for (std::size_t f = 0; f < features_of_count; ++f) product += features[a][f] * features[b][f];
            if (a == 0 || b == 0) {
                REQUIRE(product == 0);
            } else {
                error = std::max(error, std::abs(product - 4.0 * a * b / (a + b)) / (a + b));
            }
        }
    }
    return error;
}

}  // namespace

TEST_CASE("chi-square features: products are the terms", "[histogram-search]") {
    // 4 · 1 · 1 / 2 = 2 has the root of 2.
    CHECK(chi_square_features(1)[1][0] == Approx(std::sqrt(2.0)));
    // Counts up to the number of features are exact.
    for (const std::uint32_t largest : {1U, 2U, 3U, 5U, 8U}) CHECK(largest_error(largest) < 1e-12);
    CHECK(largest_error(9) > 1e-12);
    CHECK(largest_error(255) < 4e-4);
    CHECK(largest_error(378) < 5e-4);
    CHECK(largest_error(1023) < 4e-3);
}

}  // namespace fovea
