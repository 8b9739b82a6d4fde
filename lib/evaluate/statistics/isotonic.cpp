#include "lib/evaluate/statistics/isotonic.hpp"

#include <algorithm>

namespace fovea {

std::vector<IsotonicStep> isotonic_regression(std::vector<ScoreCount> counts) {
    std::stable_sort(counts.begin(), counts.end(),
                     [](const ScoreCount& a, const ScoreCount& b) { return a.score < b.score; });
    std::vector<ScoreCount> pools;
    for (const ScoreCount& next : counts) {
        if (!pools.empty() && pools.back().score == next.score) {
            pools.back().count += next.count;
            pools.back().hits += next.hits;
        } else {
            pools.push_back(next);
        }
    }
    std::size_t kept = 0;  // pools[0 ... kept) rise
    for (const ScoreCount& next : std::vector<ScoreCount>(pools)) {
        pools[kept++] = next;
        // Multiplied out: counts and hits are whole numbers, so that equal rates are seen to be equal.
        while (kept > 1 &&
               pools[kept - 2].hits * pools[kept - 1].count >= pools[kept - 1].hits * pools[kept - 2].count) {
            pools[kept - 2].count += pools[kept - 1].count;
            pools[kept - 2].hits += pools[kept - 1].hits;
            --kept;
        }
    }
    std::vector<IsotonicStep> curve;
    for (std::size_t i = 0; i < kept; ++i) curve.push_back({pools[i].score, pools[i].hits / pools[i].count});
    return curve;
}

double isotonic_value(const std::vector<IsotonicStep>& curve, double score) {
    const auto above =
        std::upper_bound(curve.begin(), curve.end(), score,
                         [](double value, const IsotonicStep& step) { return value < step.score; });
    return above == curve.begin() ? curve.front().value : std::prev(above)->value;
}

}  // namespace fovea
