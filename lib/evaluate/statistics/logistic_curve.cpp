#include "lib/evaluate/statistics/logistic_curve.hpp"

#include <algorithm>
#include <cmath>

namespace fovea {
namespace {

constexpr int max_iterations = 100;
/// Added to the diagonal of the Hessian.
constexpr double ridge = 1e-12;

struct Targets {
    double hit = 1, miss = 0;
};

/// −log of the counts' likelihood.
double loss(const LogisticCurve& curve, const std::vector<ScoreCount>& counts, const Targets& targets) {
    double sum = 0;
    for (const ScoreCount& count : counts) {
        const double logit = curve.slope * count.score + curve.offset;
        const double wanted = count.hits * targets.hit + (count.count - count.hits) * targets.miss;
        // log(1 + exp(x)) without overflow.
        const double all = std::max(logit, 0.0) + std::log1p(std::exp(-std::abs(logit)));
        sum += count.count * all - wanted * logit;
    }
    return sum;
}

}  // namespace

double LogisticCurve::value(double score) const {
    return 1 / (1 + std::exp(-(slope * score + offset)));
}

LogisticCurve fit_logistic_curve(const std::vector<ScoreCount>& counts) {
    double all = 0, hits = 0;
    for (const ScoreCount& count : counts) {
        all += count.count;
        hits += count.hits;
    }
    if (!(all > 0)) return {};
    const Targets targets{(hits + 1) / (hits + 2), 1 / (all - hits + 2)};
    LogisticCurve curve{min_logistic_slope, std::log((hits + 1) / (all - hits + 1))};
    double now = loss(curve, counts, targets);
    for (int i = 0; i < max_iterations; ++i) {
        double by_slope = 0, by_offset = 0, slopes = ridge, mixed = 0, offsets = ridge;
        for (const ScoreCount& count : counts) {
            const double p = curve.value(count.score);
            const double wanted = count.hits * targets.hit + (count.count - count.hits) * targets.miss;
            const double error = count.count * p - wanted, weight = count.count * p * (1 - p);
            by_slope += error * count.score;
            by_offset += error;
            slopes += weight * count.score * count.score;
            mixed += weight * count.score;
            offsets += weight;
        }
        const double determinant = slopes * offsets - mixed * mixed;
        const double slope_step = (offsets * by_slope - mixed * by_offset) / determinant;
        const double offset_step = (slopes * by_offset - mixed * by_slope) / determinant;
        // Halved until the loss falls.
        bool has_fallen = false;
        for (double share = 1; share > 1e-10 && !has_fallen; share /= 2) {
            const LogisticCurve next{curve.slope - share * slope_step, curve.offset - share * offset_step};
            const double then = loss(next, counts, targets);
            if (!(then < now)) continue;
            has_fallen = true;
            curve = next;
            now = then;
        }
        if (!has_fallen) break;
    }
    curve.slope = std::max(curve.slope, min_logistic_slope);
    return curve;
}

}  // namespace fovea
