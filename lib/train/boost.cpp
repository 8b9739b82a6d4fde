#include "lib/train/boost.hpp"

#include <algorithm>
#include <cmath>

#include <tbb/parallel_for.h>

namespace fovea {
namespace {

using Histogram = std::array<double, MctCascade::codes>;

// Weight by code. Patches that were rejected, and those of negligible weight, were left out of `used`.
Histogram weigh_codes(std::span<const std::uint16_t> codes, std::span<const std::uint32_t> used,
                      std::span<const float> weights) {
    // Four histograms in turn: neighbouring patches often have the same code, and its entry would be waited for.
    std::array<std::array<float, MctCascade::codes>, 4> parts{};
    for (std::size_t k = 0; k < used.size(); ++k) parts[k % 4][codes[used[k]]] += weights[used[k]];
    Histogram sum{};
    for (int c = 0; c < MctCascade::codes; ++c) {
        sum[c] = double(parts[0][c]) + parts[1][c] + parts[2][c] + parts[3][c];
    }
    return sum;
}

// The heaviest patches that carry all but 1 % of the weight (weight trimming; Friedman, Hastie, Tibshirani 2000).
std::vector<std::uint32_t> trimmed(std::span<const float> weights) {
    std::vector<float> sorted(weights.begin(), weights.end());
    std::sort(sorted.begin(), sorted.end());
    double below = 0;
    float limit = 0;
    for (const float weight : sorted) {
        below += weight;
        if (below > 0.01) {
            limit = weight;
            break;
        }
    }
    std::vector<std::uint32_t> used;
    for (std::uint32_t i = 0; i < weights.size(); ++i) {
        if (weights[i] >= limit && weights[i] > 0) used.push_back(i);
    }
    return used;
}

}  // namespace

BoostedClass::BoostedClass(const CodeMatrix& codes, bool face, double weight_unit)
    : codes_(&codes), face_(face), weight_unit_(weight_unit), sums_(codes.patches()), alive_(codes.patches(), 1),
      weights_(codes.patches()), alive_count_(codes.patches()) {
    update_weights();
}

void BoostedClass::add(std::size_t place, const std::array<std::int8_t, MctCascade::codes>& weights) {
    const auto codes = codes_->row(place);
    for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] += alive_[i] != 0 ? weights[codes[i]] : 0;
    update_weights();
}

std::size_t BoostedClass::reject_above(std::int32_t threshold) {
    bool changed = false;
    for (std::size_t i = 0; i < sums_.size(); ++i) {
        if (alive_[i] != 0 && sums_[i] > threshold) {
            alive_[i] = 0;
            --alive_count_;
            changed = true;
        }
    }
    if (changed) update_weights();
    return alive_count_;
}

void BoostedClass::begin_stage() {
    std::fill(sums_.begin(), sums_.end(), 0);
    update_weights();
}

void BoostedClass::update_weights() {
    const double sign = face_ ? 2 / weight_unit_ : -2 / weight_unit_;
    double total = 0;
    for (std::size_t i = 0; i < sums_.size(); ++i) {
        const double weight = alive_[i] != 0 ? 1 / (1 + std::exp(-sign * (sums_[i] + bias_))) : 0;
        weights_[i] = static_cast<float>(weight);
        total += weight;
    }
    total_ = total;
    if (total <= 0) return;
    const auto norm = static_cast<float>(1 / total);
    for (float& weight : weights_) weight *= norm;
}

void balance(BoostedClass& faces, BoostedClass& others) {
    double low = -20000;
    double high = 20000;
    for (int i = 0; i < 24; ++i) {
        const double bias = (low + high) / 2;
        faces.set_bias(bias);
        others.set_bias(bias);
        // A greater bias makes faces heavier and others lighter.
        (faces.total() / double(faces.alive_count()) < others.total() / double(others.alive_count()) ? low : high) = bias;
    }
}

FittedTable fit_table(const BoostedClass& faces, const BoostedClass& others, std::span<const std::uint8_t> allowed,
                      const BoostSettings& settings) {
    const std::vector<std::uint32_t> used_faces = trimmed(faces.weights());
    const std::vector<std::uint32_t> used_others = trimmed(others.weights());
    const std::size_t places = faces.codes().places().size();
    std::vector<double> losses(places, 2);
    tbb::parallel_for(std::size_t{0}, places, [&](std::size_t p) {
        if (allowed[p] == 0) return;
        const Histogram face = weigh_codes(faces.codes().row(p), used_faces, faces.weights());
        const Histogram other = weigh_codes(others.codes().row(p), used_others, others.weights());
        double loss = 0;
        for (int c = 0; c < MctCascade::codes; ++c) loss += 2 * std::sqrt(face[c] * other[c]) / 2;
        losses[p] = loss;
    });
    FittedTable table;
    table.place = static_cast<std::size_t>(std::min_element(losses.begin(), losses.end()) - losses.begin());
    table.loss = losses[table.place];
    const Histogram face = weigh_codes(faces.codes().row(table.place), used_faces, faces.weights());
    const Histogram other = weigh_codes(others.codes().row(table.place), used_others, others.weights());
    for (int c = 0; c < MctCascade::codes; ++c) {
        const double response =
            0.5 * std::log((other[c] + settings.smoothing) / (face[c] + settings.smoothing));
        const double weight = response * settings.shrinkage * settings.weight_unit;
        table.weights[c] = static_cast<std::int8_t>(std::clamp<long>(std::lround(weight), -127, 127));
    }
    return table;
}

}  // namespace fovea
