#include "kernels/boost/feature_bins.hpp"

#include <algorithm>
#include <cmath>

#include <tbb/blocked_range.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

namespace fovea {
namespace {

/// Samples that the bins' range is estimated from: enough for one part in ten of a deviation.
constexpr std::size_t max_range_samples = 256;
/// Deviations from the mean that the bins reach to; values beyond are in the outer ones.
constexpr double reach = 3.5;

}  // namespace

FeatureBins::FeatureBins(const SampleIntegrals& samples, const WindowFeatures& features,
                         std::size_t max_bytes)
    : samples_(samples),
      features_(features),
      kept_(std::min(features.size(), max_bytes / std::max<std::size_t>(1, row_bytes()))) {
    if (features.kind == Cascade::Feature::haar) ranges_.resize(features.size());
    bins_.resize(kept_ * row_bytes());
    tbb::enumerable_thread_specific<Scratch> scratch;
    constexpr std::size_t grain = 64;
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, features.size(), grain), [&](const auto& range) {
        for (std::size_t feature = range.begin(); feature < range.end(); ++feature) {
            Scratch& own = scratch.local();
            if (features.kind == Cascade::Feature::haar) {
                find_values(feature, own);
                ranges_[feature] = range_of(own.values);
            }
            if (feature < kept_) fill(feature, own, bins_.data() + feature * row_bytes());
        }
    });
}

const std::uint8_t* FeatureBins::of(std::size_t feature, Scratch& scratch) const {
    if (feature < kept_) return bins_.data() + feature * row_bytes();
    scratch.bins.resize(row_bytes());
    if (features_.kind == Cascade::Feature::haar) find_values(feature, scratch);
    fill(feature, scratch, scratch.bins.data());
    return scratch.bins.data();
}

void FeatureBins::find_values(std::size_t feature, Scratch& scratch) const {
    scratch.values.resize(row_bytes());
    haar_values(samples_, features_.haar[feature], 0, samples_.count(), scratch.values.data());
}

/// From samples at equal distances, in double precision and their order: the same on every machine.
FeatureBins::Range FeatureBins::range_of(const std::vector<float>& values) const {
    const std::size_t count = std::min(samples_.count(), max_range_samples);
    if (count == 0) return {};
    double sum = 0, squares = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const auto value = static_cast<double>(values[i * samples_.count() / count]);
        sum += value;
        squares += value * value;
    }
    const double mean = sum / static_cast<double>(count);
    const double deviation = std::sqrt(std::max(0.0, squares / static_cast<double>(count) - mean * mean));
    if (!(deviation > 0)) return {};
    return {static_cast<float>(mean - reach * deviation), static_cast<float>(256 / (2 * reach * deviation))};
}

/// \param scratch with the values of a Haar feature
void FeatureBins::fill(std::size_t feature, const Scratch& scratch, std::uint8_t* bins) const {
    if (features_.kind == Cascade::Feature::lbp) {
        lbp_codes(samples_, features_.lbp[feature], 0, samples_.count(), bins);
        return;
    }
    bins_of(scratch.values.data(), samples_.count(), ranges_[feature].least, ranges_[feature].scale, bins);
}

}  // namespace fovea
