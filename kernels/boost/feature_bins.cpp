#include "kernels/boost/feature_bins.hpp"

#include <algorithm>

#include <tbb/blocked_range.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include "kernels/boost/feature_bins_body.hpp"
#include "kernels/boost/gpu_feature_bins.hpp"

namespace fovea {

FeatureBins::FeatureBins(const SampleIntegrals& samples, const WindowFeatures& features,
                         std::size_t max_bytes, const Device* device)
    : samples_(samples), features_(features) {
    if (device != nullptr && device->is_cuda()) {
        const std::size_t room = std::max(max_bytes, cuda_backend::memory_for_bins(*device));
        on_gpu_ = cuda_backend::make_gpu_feature_bins(*device, samples, features, room);
        return;
    }
    kept_ = std::min(features.size(), max_bytes / std::max<std::size_t>(1, row_bytes()));
    // Not cleared: the threads that fill them are the first to touch these pages.
    bins_ = std::make_unique_for_overwrite<std::uint8_t[]>(kept_ * row_bytes());
    tbb::enumerable_thread_specific<Scratch> scratch;
    constexpr std::size_t grain = 64;
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, kept_, grain), [&](const auto& range) {
        for (std::size_t feature = range.begin(); feature < range.end(); ++feature)
            fill(feature, scratch.local(), bins_.get() + feature * row_bytes());
    });
}

FeatureBins::~FeatureBins() = default;

const std::uint8_t* FeatureBins::of(std::size_t feature, Scratch& scratch) const {
    if (feature < kept_) return bins_.get() + feature * row_bytes();
    scratch.bins.resize(row_bytes());
    fill(feature, scratch, scratch.bins.data());
    return scratch.bins.data();
}

void FeatureBins::fill(std::size_t feature, Scratch& scratch, std::uint8_t* bins) const {
    if (features_.kind == Cascade::Feature::lbp) {
        lbp_codes(samples_, features_.lbp[feature], 0, samples_.count(), bins);
        return;
    }
    scratch.values.resize(row_bytes());
    haar_values(samples_, features_.haar[feature], 0, samples_.count(), scratch.values.data());
    const BinRange range =
        bin_range(samples_.count(), [&](std::size_t sample) { return scratch.values[sample]; });
    bins_of(scratch.values.data(), samples_.count(), range.least, range.scale, bins);
}

}  // namespace fovea
