#include "lib/evaluate/detection/trace_steps.hpp"

#include <algorithm>

namespace fovea {

void TraceSteps::add(double score, int true_positives, int false_positives, std::size_t changes_end) {
    const std::size_t changes_begin = gains_.empty() ? 0 : gains_.back().changes_end;
    if (true_positives != 0 || false_positives != 1 || changes_end != changes_begin) {
        gains_.push_back({static_cast<std::uint32_t>(size()), static_cast<std::int16_t>(true_positives),
                          static_cast<std::int16_t>(false_positives),
                          static_cast<std::uint32_t>(changes_end)});
    }
    scores_.push_back(score);
}

TraceSteps::Step TraceSteps::operator[](std::size_t step) const {
    const auto gain = std::ranges::lower_bound(gains_, step, {}, &Gain::step);
    const std::uint32_t changes_begin = gain == gains_.begin() ? 0 : (gain - 1)->changes_end;
    if (gain == gains_.end() || gain->step != step) return {score(step), 0, 1, changes_begin, changes_begin};
    return {score(step), gain->true_positives, gain->false_positives, changes_begin, gain->changes_end};
}

TraceSteps::Total TraceSteps::total() const {
    Total sum{0, static_cast<int>(size() - gains_.size())};
    for (const Gain& gain : gains_) {
        sum.true_positives += gain.true_positives;
        sum.false_positives += gain.false_positives;
    }
    return sum;
}

}  // namespace fovea
