#include "kernels/boost/split_search.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <numeric>

#include <tbb/blocked_range.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include "kernels/boost/best_cut.hpp"
#include "kernels/boost/gpu_feature_bins.hpp"
#include "kernels/core/align.hpp"

namespace fovea {
namespace {

constexpr int bin_count = 256;

/// A weight in the lower half and a response in the upper one, so that one addition adds both.
std::uint64_t packed(const BoostWeight& weight) {
    return (static_cast<std::uint64_t>(static_cast<std::uint32_t>(weight.response)) << 32) +
           static_cast<std::uint64_t>(static_cast<std::uint32_t>(weight.weight));
}

SplitSums unpacked(std::uint64_t sum) {
    return {static_cast<std::int64_t>(sum & 0xFFFFFFFFU),
            static_cast<std::int64_t>(static_cast<std::int32_t>(static_cast<std::uint32_t>(sum >> 32)))};
}

/// The samples of a search, as the histograms want them.
struct SearchTask {
    std::span<const std::uint32_t> samples;
    std::vector<std::uint64_t> weights;  ///< parallel
    /// [sample] of all samples, 0 for those that are not searched and those that fill the last eight; empty:
    /// few are searched.
    std::vector<std::uint64_t> dense;
    SplitSums total;
    SplitCriterion criterion;
};

class Histogram {
  public:
    void add(const SearchTask& task, const std::uint8_t* bins) {
        for (auto& part : parts_) part.fill(0);
        if (task.dense.empty())
            add_some(task, bins);
        else
            add_all(task.dense, bins);
        for (std::size_t b = 0; b < bin_count; ++b) {
            // The halves do not run over into each other: see BoostWeight::max_sum.
            sums_[b] = unpacked(parts_[0][b] + parts_[1][b] + parts_[2][b] + parts_[3][b]);
        }
    }
    const std::array<SplitSums, bin_count>& sums() const { return sums_; }

  private:
    // Neighbouring samples often share a bin: four tables, so that no addition waits for the one before.

    /// Eight bins are loaded at once: a core then does little more than one addition to memory a cycle, which
    /// is its limit.
    void add_all(const std::vector<std::uint64_t>& weights, const std::uint8_t* bins) {
        static_assert(std::endian::native == std::endian::little,
                      "the first sample's bin is the lowest byte");
        for (std::size_t i = 0; i < weights.size(); i += 8) {
            std::uint64_t eight;
            std::memcpy(&eight, bins + i, 8);
            for (std::size_t k = 0; k < 8; ++k) parts_[k % 4][eight >> (8 * k) & 0xFF] += weights[i + k];
        }
    }

    void add_some(const SearchTask& task, const std::uint8_t* bins) {
        const std::size_t count = task.weights.size();
        std::size_t i = 0;
        for (; i + 4 <= count; i += 4) {
            for (std::size_t k = 0; k < 4; ++k) parts_[k][bins[task.samples[i + k]]] += task.weights[i + k];
        }
        for (; i < count; ++i) parts_[0][bins[task.samples[i]]] += task.weights[i];
    }

    std::array<std::array<std::uint64_t, bin_count>, 4> parts_;
    std::array<SplitSums, bin_count> sums_;
};

void cut_bins(const SearchTask& task, const std::array<SplitSums, bin_count>& sums, FeatureSplit& split) {
    const BestCut cut = best_cut(task.criterion, sums, task.total);
    split.score = cut.score;
    for (std::size_t bin = 0; bin < cut.end; ++bin) split.subset[bin / 32] |= 1U << (bin % 32);
}

/// The same as cut_bins, with the codes in the order of their mean responses.
void cut_codes(const SearchTask& task, const std::array<SplitSums, bin_count>& sums, FeatureSplit& split) {
    std::array<std::uint8_t, bin_count> order{};
    std::size_t count = 0;
    std::array<double, bin_count> means{};
    for (std::size_t code = 0; code < bin_count; ++code) {
        if (sums[code].weight == 0) continue;
        means[code] = static_cast<double>(sums[code].response) / static_cast<double>(sums[code].weight);
        order[count++] = static_cast<std::uint8_t>(code);
    }
    std::sort(order.begin(), order.begin() + count, [&](std::uint8_t a, std::uint8_t b) {
        return means[a] != means[b] ? means[a] < means[b] : a < b;
    });
    std::array<SplitSums, bin_count> sorted;
    for (std::size_t i = 0; i < count; ++i) sorted[i] = sums[order[i]];
    const BestCut cut = best_cut(task.criterion, std::span(sorted).first(count), task.total);
    split.score = cut.score;
    for (std::size_t i = 0; i < cut.end; ++i) split.subset[order[i] / 32] |= 1U << (order[i] % 32);
}

SearchTask task_of(std::span<const std::uint32_t> samples, std::span<const BoostWeight> weights,
                   std::size_t all, SplitCriterion criterion) {
    // A sample that is looked up costs as much as so many that follow each other.
    constexpr std::size_t cost_of_lookup = 2;
    SearchTask task{samples, {}, {}, {}, criterion};
    task.weights.reserve(weights.size());
    for (const BoostWeight& weight : weights) {
        task.weights.push_back(packed(weight));
        task.total += {weight.weight, weight.response};
    }
    if (cost_of_lookup * samples.size() < all) return task;
    task.dense.resize(align_up(all, 8));
    for (std::size_t i = 0; i < samples.size(); ++i) task.dense[samples[i]] = task.weights[i];
    return task;
}

/// Finds the best split of one feature; for one thread.
class FeatureSearch {
  public:
    FeatureSplit best(const FeatureBins& bins, const SearchTask& task, std::size_t feature) {
        FeatureSplit split;
        split.feature = feature;
        histogram_.add(task, bins.of(feature, scratch_));
        if (bins.features().kind == Cascade::Feature::haar)
            cut_bins(task, histogram_.sums(), split);
        else
            cut_codes(task, histogram_.sums(), split);
        return split;
    }

  private:
    FeatureBins::Scratch scratch_;
    Histogram histogram_;
};

using FeatureSearches = tbb::enumerable_thread_specific<FeatureSearch>;

/// The features of the highest scores, best first.
std::vector<std::size_t> best_features(std::span<const double> scores, std::size_t most) {
    std::vector<std::size_t> features;
    for (std::size_t feature = 0; feature < scores.size(); ++feature) {
        if (scores[feature] > 0) features.push_back(feature);
    }
    const auto end = features.begin() + static_cast<std::ptrdiff_t>(std::min(most, features.size()));
    std::partial_sort(features.begin(), end, features.end(), [&](std::size_t a, std::size_t b) {
        return scores[a] != scores[b] ? scores[a] > scores[b] : a < b;
    });
    features.erase(end, features.end());
    return features;
}

/// Places in `samples`, those of the smallest values first. \param values [sample]
std::vector<std::uint32_t> places_by_value(const std::vector<float>& values,
                                           std::span<const std::uint32_t> samples) {
    // A value's bits, so changed that they rise with it, above the place: numbers are sorted faster than
    // places.
    std::vector<std::uint64_t> keys(samples.size());
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const auto bits = std::bit_cast<std::uint32_t>(values[samples[i]]);
        const std::uint32_t rising = (bits >> 31) != 0 ? ~bits : bits | 0x80000000U;
        keys[i] = static_cast<std::uint64_t>(rising) << 32 | i;
    }
    std::sort(keys.begin(), keys.end());
    std::vector<std::uint32_t> places(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) places[i] = static_cast<std::uint32_t>(keys[i]);
    return places;
}

}  // namespace

std::vector<FeatureSplit> best_splits(const FeatureBins& bins, std::span<const std::uint32_t> samples,
                                      std::span<const BoostWeight> weights, SplitCriterion criterion,
                                      std::size_t most) {
    const SearchTask task = task_of(samples, weights, bins.samples().count(), criterion);
    FeatureSearches searches;
    std::span<const double> scores;
    std::vector<double> own;
    if (bins.on_gpu() != nullptr) {
        scores = bins.on_gpu()->scores(samples, weights, criterion);
    } else {
        own.resize(bins.features().size());
        constexpr std::size_t grain = 32;
        tbb::parallel_for(tbb::blocked_range<std::size_t>(0, own.size(), grain), [&](const auto& range) {
            FeatureSearch& search = searches.local();
            for (std::size_t feature = range.begin(); feature < range.end(); ++feature)
                own[feature] = search.best(bins, task, feature).score;
        });
        scores = own;
    }
    const std::vector<std::size_t> features = best_features(scores, most);
    std::vector<FeatureSplit> splits(features.size());
    tbb::parallel_for(std::size_t{0}, features.size(),
                      [&](std::size_t i) { splits[i] = searches.local().best(bins, task, features[i]); });
    return splits;
}

std::optional<ThresholdSplit> best_threshold(const SampleIntegrals& integrals, const HaarFeature& feature,
                                             std::span<const std::uint32_t> samples,
                                             std::span<const BoostWeight> weights, SplitCriterion criterion) {
    std::vector<float> values(integrals.count() + SampleIntegrals::padding);
    haar_values(integrals, feature, 0, integrals.count(), values.data());
    const std::vector<std::uint32_t> order = places_by_value(values, samples);
    const auto value_of = [&](std::size_t place) { return values[samples[place]]; };
    SplitSums total;
    for (const BoostWeight& weight : weights) total += {weight.weight, weight.response};
    std::optional<ThresholdSplit> best;
    SplitSums left;
    for (std::size_t i = 0; i + 1 < order.size(); ++i) {
        left += {weights[order[i]].weight, weights[order[i]].response};
        const float here = value_of(order[i]), next = value_of(order[i + 1]);
        const float threshold = (here + next) * 0.5F;
        if (!(here + 2 * std::numeric_limits<float>::epsilon() < next) || !(here < threshold)) continue;
        const SplitSums right{total.weight - left.weight, total.response - left.response};
        if (left.weight <= 0 || right.weight <= 0) continue;
        const double score = split_score(criterion, left, right);
        if (!best || score > best->score) best = {score, threshold};
    }
    return best;
}

}  // namespace fovea
