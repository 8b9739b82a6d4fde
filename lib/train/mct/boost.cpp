#include "lib/train/mct/boost.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

namespace fovea {
namespace {

using Histogram = std::array<double, MctCascade::codes>;

// Weight by code. Patches that were rejected, and those of negligible weight, were left out of `used`.
Histogram weigh_codes(std::span<const std::uint16_t> codes, std::span<const std::uint32_t> used,
                      std::span<const float> weights) {
    // Four histograms in turn: neighbouring patches often have the same code, and its entry would be waited
    // for.
    std::array<std::array<float, MctCascade::codes>, 4> parts{};
    for (std::size_t k = 0; k < used.size(); ++k) parts[k % 4][codes[used[k]]] += weights[used[k]];
    Histogram sum{};
    for (int c = 0; c < MctCascade::codes; ++c) {
        sum[c] = double(parts[0][c]) + parts[1][c] + parts[2][c] + parts[3][c];
    }
    return sum;
}

// The heaviest patches that carry all but 1 % of the weight (weight trimming; Friedman, Hastie, Tibshirani
// 2000).
std::vector<std::uint32_t> trimmed(std::span<const float> weights) {
    std::vector<float> sorted(weights.begin(), weights.end());
    std::sort(sorted.begin(), sorted.end());
    const double total = std::accumulate(sorted.begin(), sorted.end(), 0.0);
    double below = 0;
    float limit = 0;
    for (const float weight : sorted) {
        below += weight;
        limit = weight;
        if (below > 0.01 * total) break;
    }
    std::vector<std::uint32_t> used;
    for (std::uint32_t i = 0; i < weights.size(); ++i) {
        if (weights[i] >= limit && weights[i] > 0) used.push_back(i);
    }
    return used;
}

// A class as tables are fitted to it: the patches that matter, and weights that sum to 1.
struct Weighted {
    const CodeMatrix& codes;
    std::vector<float> weights;
    std::vector<std::uint32_t> used;

    Weighted(const BoostingSamples& boosted, double bias)
        : codes(boosted.codes()), weights(boosted.weights(bias)), used(trimmed(weights)) {
        const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
        const auto norm = static_cast<float>(total > 0 ? 1 / total : 0);
        for (float& weight : weights) weight *= norm;
    }
    Histogram histogram(std::size_t place) const { return weigh_codes(codes.row(place), used, weights); }
};

// The bias at which a face and another window weigh the same on average.
double balance(const BoostingSamples& faces, const BoostingSamples& others) {
    double low = -1e5;
    double high = 1e5;
    for (int i = 0; i < 30; ++i) {
        const double bias = (low + high) / 2;
        (faces.mean_weight(bias) < others.mean_weight(bias) ? low : high) = bias;
    }
    return (low + high) / 2;
}

}  // namespace

BoostingSamples::BoostingSamples(const CodeMatrix& codes, bool faces, double weight_unit)
    : codes_(&codes),
      sign_(faces ? 2 / weight_unit : -2 / weight_unit),
      sums_(codes.patches()),
      alive_(codes.patches(), 1),
      alive_count_(codes.patches()) {}

void BoostingSamples::add(std::size_t place, const std::int8_t* weights) {
    const auto codes = codes_->row(place);
    for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] += alive_[i] != 0 ? weights[codes[i]] : 0;
}

std::size_t BoostingSamples::reject_above(std::int32_t threshold) {
    for (std::size_t i = 0; i < sums_.size(); ++i) {
        if (alive_[i] != 0 && sums_[i] > threshold) {
            alive_[i] = 0;
            --alive_count_;
        }
    }
    return alive_count_;
}

void BoostingSamples::begin_stage() {
    std::fill(sums_.begin(), sums_.end(), 0);
}

std::vector<float> BoostingSamples::weights(double bias) const {
    std::vector<float> weights(sums_.size());
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, sums_.size(), 4096), [&](const auto& range) {
        for (std::size_t i = range.begin(); i != range.end(); ++i) {
            weights[i] =
                alive_[i] != 0 ? static_cast<float>(1 / (1 + std::exp(-sign_ * (sums_[i] + bias)))) : 0;
        }
    });
    return weights;
}

double BoostingSamples::mean_weight(double bias) const {
    // A sample is enough, and a bias need not be exact.
    const std::size_t stride = sums_.size() / 8192 + 1;
    double total = 0;
    std::size_t count = 0;
    for (std::size_t i = 0; i < sums_.size(); i += stride) {
        if (alive_[i] == 0) continue;
        total += 1 / (1 + std::exp(-sign_ * (sums_[i] + bias)));
        ++count;
    }
    return count > 0 ? total / static_cast<double>(count) : 0;
}

FittedTable fit_table(const BoostingSamples& faces, const BoostingSamples& others,
                      std::span<const std::uint8_t> allowed, const BoostSettings& settings) {
    const double bias = balance(faces, others);
    const Weighted face(faces, bias);
    const Weighted other(others, bias);
    const std::size_t places = faces.codes().places().size();
    std::vector<double> losses(places, 2);
    tbb::parallel_for(std::size_t{0}, places, [&](std::size_t p) {
        if (allowed[p] == 0) return;
        const Histogram of_faces = face.histogram(p);
        const Histogram of_others = other.histogram(p);
        double loss = 0;
        for (int c = 0; c < MctCascade::codes; ++c) loss += std::sqrt(of_faces[c] * of_others[c]);
        losses[p] = loss;
    });
    FittedTable table;
    table.place = static_cast<std::size_t>(std::min_element(losses.begin(), losses.end()) - losses.begin());
    table.loss = losses[table.place];
    const Histogram of_faces = face.histogram(table.place);
    const Histogram of_others = other.histogram(table.place);
    for (int c = 0; c < MctCascade::codes; ++c) {
        const double response =
            0.5 * std::log((of_others[c] + settings.smoothing) / (of_faces[c] + settings.smoothing));
        const double weight = response * settings.shrinkage * settings.weight_unit;
        table.weights[c] = static_cast<std::int8_t>(std::clamp<long>(std::lround(weight), -127, 127));
    }
    return table;
}

}  // namespace fovea
