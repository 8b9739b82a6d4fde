#include "lib/evaluate/statistics/segment_counts.hpp"

#include <algorithm>
#include <limits>

namespace fovea {

bool SegmentCounts::add_up(Weights weights, std::span<std::int64_t> sums) const {
    // Products of 16-bit numbers are added in 32 bits, for which processors have one instruction.
    thread_local std::vector<std::int16_t> short_weights;
    short_weights.assign(weights.begin(), weights.end());
    const std::uint16_t largest =
        weights.empty() ? std::uint16_t{0} : *std::max_element(weights.begin(), weights.end());
    constexpr auto short_limit = std::numeric_limits<std::int16_t>::max();
    constexpr std::size_t sum_limit = std::numeric_limits<std::int32_t>::max();
    if (largest > short_limit || (largest > 0 && elements_ > sum_limit / largest)) return false;
    for (std::size_t segment = 0; segment < sums.size(); ++segment) {
        const std::int16_t* const counts = counts_.data() + segment * units_;
        std::int32_t sum = 0;
        for (std::size_t unit = 0; unit < units_; ++unit) sum += counts[unit] * short_weights[unit];
        sums[segment] = sum;
    }
    return true;
}

}  // namespace fovea
