#include "lib/evaluate/recognition/score_curve.hpp"

#include <algorithm>
#include <cmath>

#include <spdlog/fmt/fmt.h>

namespace fovea {

bool within_rate(double accepted, double all, double rate) {
    constexpr double rounding = 1e-12;
    return accepted <= rate * all * (1 + rounding);
}

void EqualErrorRate::point(double positives_accepted, double negatives_accepted, std::size_t place) {
    if (value_) return;
    const double false_match = negatives_accepted / negatives_;
    const double false_non_match = 1 - positives_accepted / positives_;
    const double before = last_false_non_match_ - last_false_match_;  // > 0
    const double after = false_non_match - false_match;
    if (after <= 0) {
        value_ = last_false_match_ + before / (before - after) * (false_match - last_false_match_);
        place_ = last_place_ && before <= -after ? last_place_ : place;
    }
    last_false_match_ = false_match;
    last_false_non_match_ = false_non_match;
    last_place_ = place;
}

std::string rate_text(double rate) {
    return fmt::format("{:g}", rate);
}

std::vector<double> false_rate_grid(std::size_t negatives) {
    constexpr int steps_per_decade = 8;
    constexpr int most = 64;
    std::vector<double> rates;
    for (int k = 0; k <= most; ++k) {
        const double rate = std::pow(10.0, -static_cast<double>(k) / steps_per_decade);
        if (rate * static_cast<double>(negatives) < 1) break;
        rates.push_back(rate);
    }
    std::reverse(rates.begin(), rates.end());
    return rates;
}

}  // namespace fovea
