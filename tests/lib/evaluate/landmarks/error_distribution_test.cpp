#include "lib/evaluate/landmarks/error_distribution.hpp"

#include <cmath>
#include <limits>

#include <catch2/catch.hpp>

using namespace fovea;

namespace {

constexpr double missed = std::numeric_limits<double>::infinity();

}  // namespace

TEST_CASE("an error distribution by hand", "[evaluate][landmarks]") {
    // Sorted: 0.01, 0.03, 0.04 (found) and a missed face.
    const ErrorDistribution errors({{0.04, 0}, {missed, 1}, {0.01, 2}, {0.03, 3}});
    CHECK(errors.errors().size() == 4);
    CHECK(errors.found().size() == 3);
    const std::vector<std::uint16_t> ones{1, 1, 1, 1};
    const WeightedErrors all(errors, ones);
    CHECK(all.mean() == Approx(0.08 / 3));
    CHECK(all.quantile(0.5) == 0.03);
    CHECK(all.quantile(0) == 0.01);
    CHECK(all.quantile(1) == 0.04);
    CHECK(all.quantile(0.25) == Approx(0.02));              // rank 0.5 of 0 ... 2: between 0.01 and 0.03
    CHECK(all.quantile_with_missed(0.5) == Approx(0.035));  // rank 1.5 of 0 ... 3
    CHECK(std::isinf(all.quantile_with_missed(0.9)));       // rank 2.7: towards the missed one
    // Deviations from 0.026667: -0.016667, 0.003333, 0.013333; squares sum to 0.000466667.
    CHECK(all.standard_deviation() == Approx(std::sqrt(0.000466667 / 3)));
    CHECK(all.share_up_to(0.03) == 0.5);  // a face at the limit is within it
    CHECK(all.share_up_to(0.0299) == 0.25);
    CHECK(all.share_up_to(0) == 0);
    CHECK(all.failure_rate(1e300) == 0.25);
    // Up to 0.02: the first face alone, 0.01 below the limit: 0.01 / (0.02 * 4).
    CHECK(all.area_under_ced(0.02) == Approx(0.125));
    // Up to 0.05: (0.04 + 0.02 + 0.01) / (0.05 * 4).
    CHECK(all.area_under_ced(0.05) == Approx(0.35));
}

TEST_CASE("weights count faces several times or not at all", "[evaluate][landmarks]") {
    const ErrorDistribution errors({{0.04, 0}, {missed, 1}, {0.01, 2}, {0.03, 2}});
    // Unit 2 twice, unit 0 not: 0.01, 0.01, 0.03, 0.03, missed.
    const std::vector<std::uint16_t> weights{0, 1, 2};
    const WeightedErrors drawn(errors, weights);
    CHECK(drawn.mean() == Approx(0.02));
    CHECK(drawn.quantile(0.5) == Approx(0.02));
    CHECK(drawn.quantile(1) == 0.03);
    CHECK(drawn.quantile_with_missed(0.5) == 0.03);
    CHECK(drawn.share_up_to(0.02) == Approx(0.4));
    CHECK(drawn.area_under_ced(0.05) == Approx((0.08 + 0.04) / (0.05 * 5)));
    CHECK(drawn.standard_deviation() == Approx(0.01));
}

TEST_CASE("numbers of nothing are undefined, not zero", "[evaluate][landmarks]") {
    const std::vector<std::uint16_t> one{1};
    const ErrorDistribution none(std::vector<UnitError>{});
    const WeightedErrors of_none(none, {});
    CHECK(std::isnan(of_none.mean()));
    CHECK(std::isnan(of_none.quantile(0.5)));
    CHECK(std::isnan(of_none.area_under_ced(0.08)));
    CHECK(std::isnan(of_none.share_up_to(0.08)));

    const ErrorDistribution all_missed({{missed, 0}});
    const WeightedErrors of_missed(all_missed, one);
    CHECK(std::isnan(of_missed.mean()));
    CHECK(std::isnan(of_missed.standard_deviation()));
    CHECK(std::isinf(of_missed.quantile_with_missed(0.5)));
    CHECK(of_missed.area_under_ced(0.08) == 0);
    CHECK(of_missed.failure_rate(0.08) == 1);

    const ErrorDistribution exact({{0, 0}});
    CHECK(WeightedErrors(exact, one).area_under_ced(0.08) == 1);
    CHECK(WeightedErrors(exact, one).failure_rate(0) == 0);

    CHECK_THROWS_AS(ErrorDistribution({{-0.1, 0}}), std::invalid_argument);
    CHECK_THROWS_AS(ErrorDistribution({{std::nan(""), 0}}), std::invalid_argument);
}
