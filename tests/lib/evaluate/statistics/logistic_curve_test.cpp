#include "lib/evaluate/statistics/logistic_curve.hpp"

#include <cmath>

#include <catch2/catch.hpp>

using namespace fovea;

TEST_CASE("logistic curve: two groups of scores give a line through their odds", "[logistic-curve]") {
    // Many counts put the targets near 0 and 1: 25 % at -1 and 90 % at 2.
    const LogisticCurve curve = fit_logistic_curve({{-1, 1e6, 0.25e6}, {2, 1e6, 0.9e6}});
    CHECK(curve.value(-1) == Approx(0.25).epsilon(1e-4));
    CHECK(curve.value(2) == Approx(0.9).epsilon(1e-4));
    CHECK(curve.slope == Approx((std::log(9.0) - std::log(1 / 3.0)) / 3).epsilon(1e-4));
}

TEST_CASE("logistic curve: one score has its smoothed share", "[logistic-curve]") {
    // 3 hits of 4/5 and one miss of 1/3: (3 · 0.8 + 1/3) / 4.
    const LogisticCurve curve = fit_logistic_curve({{0, 4, 3}});
    CHECK(curve.value(0) == Approx((2.4 + 1 / 3.0) / 4).epsilon(1e-9));
}

TEST_CASE("logistic curve: scores that part hits from misses give a finite slope", "[logistic-curve]") {
    const LogisticCurve curve = fit_logistic_curve({{-3, 1, 0}, {-2, 1, 0}, {2, 1, 1}, {3, 1, 1}});
    CHECK(std::isfinite(curve.slope));
    CHECK(curve.slope > 0.2);
    // Both sides mirror each other.
    CHECK(curve.offset == Approx(0).margin(1e-9));
}

TEST_CASE("logistic curve: it rises even where scores mislead, and nothing teaches nothing",
          "[logistic-curve]") {
    CHECK(fit_logistic_curve({{-1, 10, 9}, {1, 10, 1}}).slope == min_logistic_slope);
    const LogisticCurve none = fit_logistic_curve({});
    CHECK(none.slope == 1);
    CHECK(none.offset == 0);
    // Large scores do not overflow.
    const LogisticCurve large = fit_logistic_curve({{-1e6, 5, 0}, {1e6, 5, 5}, {0, 2, 1}});
    CHECK(std::isfinite(large.value(1e6)));
}
