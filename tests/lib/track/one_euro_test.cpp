#include "lib/track/one_euro.hpp"

#include <cmath>
#include <numbers>

#include <catch2/catch.hpp>

using namespace fovea;

TEST_CASE("The One Euro filter weighs a new value by its cut-off frequency", "[track]") {
    // The new value weighs 1 / (1 + 1 / 1) = 1/2 at a cut-off of 1 / (2 pi) Hz and one second.
    OneEuroOptions options;
    options.min_cutoff = options.speed_cutoff = 1 / (2 * std::numbers::pi);
    options.speed_factor = 0;
    OneEuroFilter filter(options);
    CHECK(filter(10, 1) == 10);
    CHECK(filter(20, 1) == Approx(15));
    CHECK(filter(20, 1) == Approx(17.5));
}

TEST_CASE("The One Euro filter follows fast values more closely", "[track]") {
    OneEuroOptions slow, fast;
    slow.speed_factor = 0;
    fast.speed_factor = 1;
    OneEuroFilter steady(slow), quick(fast);
    double lag_steady = 0, lag_quick = 0;
    for (int i = 0; i < 50; ++i) {
        const double value = 20.0 * i;
        lag_steady = value - steady(value, 0.04);
        lag_quick = value - quick(value, 0.04);
    }
    CHECK(lag_quick < lag_steady / 10);
    CHECK(lag_quick >= 0);
}

TEST_CASE("The One Euro filter calms a value that trembles", "[track]") {
    OneEuroFilter filter;
    double largest = 0;
    for (int i = 0; i < 100; ++i) {
        const double smoothed = filter(i % 2 == 0 ? 1.0 : -1.0, 0.04);
        if (i > 50) largest = std::max(largest, std::abs(smoothed));
    }
    CHECK(largest < 0.2);
}
