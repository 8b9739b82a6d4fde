#include "lib/evaluate/statistics/resample.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"

using namespace fovea;

namespace {

// The mean of the values of the units, and a statistic that is defined only where unit 0 is drawn.
class Means : public BootstrapStatistics {
  public:
    explicit Means(std::vector<double> values, std::string second_key = "of_first", double trials = 0)
        : values_(std::move(values)),
          quantities_{{"mean", "Mean", "", Better::higher, Unit::number, trials},
                      {std::move(second_key), "First", "", Better::higher, Unit::number}} {}

    std::size_t units() const override { return values_.size(); }
    const std::vector<Quantity>& quantities() const override { return quantities_; }
    void evaluate(Weights weights, std::span<double> values) const override {
        double sum = 0;
        double count = 0;
        for (std::size_t i = 0; i < values_.size(); ++i) {
            sum += weights[i] * values_[i];
            count += weights[i];
        }
        values[0] = sum / count;
        values[1] = weights[0] > 0 ? values_[0] : std::numeric_limits<double>::quiet_NaN();
    }

  private:
    std::vector<double> values_;
    std::vector<Quantity> quantities_;
};

}  // namespace

TEST_CASE("Bootstrap intervals are quantiles of resamples that anyone can draw", "[evaluate][resample]") {
    const std::vector<double> data{1, 4, 9, 16, 25, 36, 49, 64};
    const int resamples = 80;
    const Numbers estimates = bootstrap_estimates(Means(data), resamples, 7);
    REQUIRE(estimates.size() == 2);
    CHECK(estimates[0].value == 25.5);  // 204 / 8

    std::vector<double> means;
    for (std::uint32_t resample = 0; resample < resamples; ++resample) {
        std::seed_seq sequence{std::uint32_t{7}, std::uint32_t{0}, resample};
        std::mt19937_64 generator(sequence);
        double sum = 0;
        for (int i = 0; i < 8; ++i) sum += data[generator() % 8];  // 8 divides 2^64: no rejection
        means.push_back(sum / 8);
    }
    std::sort(means.begin(), means.end());
    // 2.5 % of 80 are two values on either side.
    REQUIRE(estimates[0].ci95);
    CHECK((*estimates[0].ci95)[0] == Approx(means[2]));
    CHECK((*estimates[0].ci95)[1] == Approx(means[77]));
    // Always the first unit's value, in those resamples that have it.
    CHECK(estimates[1].ci95 == Interval{1, 1});
}

TEST_CASE("Bootstrap intervals are absent where nothing varies or nothing is defined",
          "[evaluate][resample]") {
    CHECK_FALSE(bootstrap_estimates(Means({3}), 100, 1)[0].ci95);
    CHECK(bootstrap_estimates(Means({3}), 100, 1)[0].value == 3.0);
    CHECK_FALSE(bootstrap_estimates(Means({3, 5}), 0, 1)[0].ci95);
    const auto undefined = bootstrap_estimates(Means({std::nan(""), 1}), 50, 1);
    CHECK_FALSE(undefined[0].value);
    CHECK_FALSE(undefined[0].ci95);
}

TEST_CASE("A share that all resamples agree on has Wilson's interval", "[evaluate][resample]") {
    // Wilson's for 40 of 40 at z = 1.96: from 40 / (40 + z^2) = 0.9124 to 1; for 0 of 40 from 0 to 0.0876.
    const Interval all = bootstrap_estimates(Means({1, 1, 1, 1}, "x", 40), 100, 1)[0].ci95.value();
    CHECK(all[0] == Approx(40 / (40 + 3.8414588)));
    CHECK(all[1] == 1);
    const Interval none = bootstrap_estimates(Means({0, 0, 0, 0}, "x", 40), 100, 1)[0].ci95.value();
    CHECK(none[0] == 0);
    CHECK(none[1] == Approx(3.8414588 / (40 + 3.8414588)));
    // Other numbers keep what the resamples say, as does a share that they do not agree on.
    CHECK(bootstrap_estimates(Means({1, 1, 1, 1}), 100, 1)[0].ci95 == Interval{1, 1});
    CHECK(bootstrap_estimates(Means({1, 0, 1, 1}, "x", 40), 100, 1)[0].ci95 ==
          bootstrap_estimates(Means({1, 0, 1, 1}), 100, 1)[0].ci95);
    CHECK_FALSE(bootstrap_estimates(Means({1, 1, 1, 1}, "x", 40), 0, 1)[0].ci95);
}

TEST_CASE("A paired comparison draws the same units for both", "[evaluate][resample]") {
    // The second is the first plus 2 for every unit: whatever is drawn, the difference of the means is 2.
    const auto same_shift = paired_bootstrap(Means({1, 10, 100, 1000}), Means({3, 12, 102, 1002}), 200, 1);
    REQUIRE(same_shift.size() == 2);
    CHECK(same_shift[0].first == Approx(277.75));
    CHECK(same_shift[0].second == Approx(279.75));
    CHECK(*same_shift[0].difference == Approx(2));
    REQUIRE(same_shift[0].ci95);
    CHECK((*same_shift[0].ci95)[0] == Approx(2));
    CHECK((*same_shift[0].ci95)[1] == Approx(2));
    // No resample has a difference <= 0: p = 2 * (0 + 1) / (200 + 1).
    CHECK(*same_shift[0].p_value == Approx(2.0 / 201));

    const auto equal = paired_bootstrap(Means({1, 2, 3}), Means({1, 2, 3}), 200, 1);
    CHECK(equal[0].difference == 0.0);
    CHECK(equal[0].p_value == 1.0);
}

TEST_CASE("A paired comparison takes what both have and needs equal units", "[evaluate][resample]") {
    const auto common = paired_bootstrap(Means({1, 2, 3}), Means({1, 2, 3}, "other"), 20, 1);
    REQUIRE(common.size() == 1);
    CHECK(common[0].quantity.key == "mean");
    CHECK_THROWS_AS(paired_bootstrap(Means({1, 2, 3}), Means({1, 2}), 20, 1), Error);
}
