#include "lib/train/cascade/rejections.hpp"

#include <algorithm>
#include <stdexcept>

namespace fovea {
namespace {

// Element k: weak classifiers of the first k stages together.
std::vector<std::int64_t> up_to_stage(std::span<const int> weak_classifiers) {
    std::vector<std::int64_t> sums{0};
    for (const int count : weak_classifiers) sums.push_back(sums.back() + count);
    return sums;
}

}  // namespace

double RejectionLevel::share(std::int64_t count) const {
    return visited == 0 ? 0 : static_cast<double>(count) / static_cast<double>(visited);
}

double RejectionLevel::weak_classifiers_per_window() const {
    return share(weak_classifiers);
}

RejectionLevel& RejectionTable::level_of_scale(const PyramidLevel& level, std::size_t stages) {
    const double scale = level.scale;
    auto at = std::lower_bound(levels_.begin(), levels_.end(), scale,
                               [](const RejectionLevel& a, double b) { return a.scale < b; });
    if (at == levels_.end() || at->scale != scale) {
        at = levels_.emplace(at);
        at->scale = scale;
        at->box = level.box;
        at->rejected.assign(stages, 0);
    }
    return *at;
}

void RejectionTable::add(std::span<const int> weak_classifiers, std::span<const PyramidLevel> levels,
                         const WindowTrace& trace) {
    const std::size_t stages = weak_classifiers.size();
    if (trace.levels.size() != levels.size()) {
        throw std::invalid_argument("a trace of " + std::to_string(trace.levels.size()) +
                                    " levels was given for " + std::to_string(levels.size()));
    }
    const std::vector<std::int64_t> evaluated = up_to_stage(weak_classifiers);
    for (std::size_t i = 0; i < levels.size(); ++i) {
        if (trace.levels[i].stages_passed.empty()) continue;
        RejectionLevel& level = level_of_scale(levels[i], stages);
        if (level.rejected.size() != stages) {
            throw std::invalid_argument("rejections of cascades with different stages do not add up");
        }
        level.windows += static_cast<std::int64_t>(trace.levels[i].stages_passed.size());
        for (const std::int16_t passed : trace.levels[i].stages_passed) {
            if (passed == WindowTrace::skipped) continue;
            ++level.visited;
            if (passed == WindowTrace::flat) {
                ++level.flat;
                continue;
            }
            const auto stage = static_cast<std::size_t>(passed);
            if (passed < 0 || stage > stages) {
                throw std::invalid_argument("a trace holds a window that passed " + std::to_string(passed) +
                                            " of " + std::to_string(stages) + " stages");
            }
            ++(stage == stages ? level.passed : level.rejected[stage]);
            level.weak_classifiers += evaluated[std::min(stage + 1, stages)];
        }
    }
}

RejectionLevel RejectionTable::total() const {
    RejectionLevel total;
    for (const RejectionLevel& level : levels_) {
        total.rejected.resize(std::max(total.rejected.size(), level.rejected.size()));
        total.windows += level.windows;
        total.visited += level.visited;
        total.flat += level.flat;
        total.passed += level.passed;
        total.weak_classifiers += level.weak_classifiers;
        for (std::size_t stage = 0; stage < level.rejected.size(); ++stage) {
            total.rejected[stage] += level.rejected[stage];
        }
    }
    return total;
}

}  // namespace fovea
