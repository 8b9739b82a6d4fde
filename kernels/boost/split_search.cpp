#include "kernels/boost/split_search.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include <tbb/blocked_range.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include "kernels/boost/gpu_feature_bins.hpp"

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
    std::vector<std::uint64_t> weights;
    bool has_all = false;  ///< samples are 0, 1, 2, ...
    SplitSums total;
    SplitCriterion criterion;
};

class Histogram {
  public:
    void add(const SearchTask& task, const std::uint8_t* bins) {
        for (auto& part : parts_) part.fill(0);
        if (task.has_all) {
            add_all(task, [bins](std::size_t i) { return bins[i]; });
        } else {
            add_all(task, [bins, &task](std::size_t i) { return bins[task.samples[i]]; });
        }
        for (std::size_t b = 0; b < bin_count; ++b) {
            // The halves do not run over into each other: see BoostWeight::max_sum.
            sums_[b] = unpacked(parts_[0][b] + parts_[1][b] + parts_[2][b] + parts_[3][b]);
        }
    }
    const std::array<SplitSums, bin_count>& sums() const { return sums_; }

  private:
    // Neighbouring samples often share a bin: four tables, so that no addition waits for the one before.
    template <class Bin>
    void add_all(const SearchTask& task, const Bin& bin) {
        const std::uint64_t* const weights = task.weights.data();
        const std::size_t count = task.weights.size();
        std::size_t i = 0;
        for (; i + 4 <= count; i += 4) {
            parts_[0][bin(i)] += weights[i];
            parts_[1][bin(i + 1)] += weights[i + 1];
            parts_[2][bin(i + 2)] += weights[i + 2];
            parts_[3][bin(i + 3)] += weights[i + 3];
        }
        for (; i < count; ++i) parts_[0][bin(i)] += weights[i];
    }

    std::array<std::array<std::uint64_t, bin_count>, 4> parts_;
    std::array<SplitSums, bin_count> sums_;
};

/// Goes through the bins in an order and keeps the best place to split it.
template <class Order>
void split_in_order(const SearchTask& task, const std::array<SplitSums, bin_count>& sums, const Order& order,
                    FeatureSplit& split) {
    SplitSums left;
    std::size_t best = 0;
    for (std::size_t i = 0; i + 1 < order.size(); ++i) {
        const SplitSums& bin = sums[order[i]];
        if (bin.weight == 0) continue;
        left += bin;
        const SplitSums right{task.total.weight - left.weight, task.total.response - left.response};
        if (right.weight <= 0) break;
        const double score = split_score(task.criterion, left, right);
        if (score <= split.score) continue;
        split.score = score;
        best = i + 1;
    }
    for (std::size_t i = 0; i < best; ++i) split.subset[order[i] / 32] |= 1U << (order[i] % 32);
}

void split_codes(const SearchTask& task, const std::array<SplitSums, bin_count>& sums, FeatureSplit& split) {
    std::vector<std::uint8_t> order;
    order.reserve(bin_count);
    for (int code = 0; code < bin_count; ++code) {
        if (sums[static_cast<std::size_t>(code)].weight > 0) order.push_back(static_cast<std::uint8_t>(code));
    }
    std::array<double, bin_count> means{};
    for (const std::uint8_t code : order)
        means[code] = static_cast<double>(sums[code].response) / static_cast<double>(sums[code].weight);
    std::sort(order.begin(), order.end(), [&](std::uint8_t a, std::uint8_t b) {
        return means[a] != means[b] ? means[a] < means[b] : a < b;
    });
    split_in_order(task, sums, order, split);
}

constexpr std::array<std::uint8_t, bin_count> rising_bins() {
    std::array<std::uint8_t, bin_count> order{};
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::uint8_t>(i);
    return order;
}

SearchTask task_of(std::span<const std::uint32_t> samples, std::span<const BoostWeight> weights,
                   std::size_t all, SplitCriterion criterion) {
    SearchTask task{samples, {}, samples.size() == all, {}, criterion};
    task.weights.reserve(weights.size());
    for (const BoostWeight& weight : weights) {
        task.weights.push_back(packed(weight));
        task.total += {weight.weight, weight.response};
    }
    return task;
}

/// Finds the best split of one feature; for one thread.
class FeatureSearch {
  public:
    FeatureSplit best(const FeatureBins& bins, const SearchTask& task, std::size_t feature) {
        static constexpr std::array<std::uint8_t, bin_count> rising = rising_bins();
        FeatureSplit split;
        split.feature = feature;
        histogram_.add(task, bins.of(feature, scratch_));
        if (bins.features().kind == Cascade::Feature::haar)
            split_in_order(task, histogram_.sums(), rising, split);
        else
            split_codes(task, histogram_.sums(), split);
        return split;
    }

  private:
    FeatureBins::Scratch scratch_;
    Histogram histogram_;
};

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

}  // namespace

std::vector<FeatureSplit> best_splits(const FeatureBins& bins, std::span<const std::uint32_t> samples,
                                      std::span<const BoostWeight> weights, SplitCriterion criterion,
                                      std::size_t most) {
    const SearchTask task = task_of(samples, weights, bins.samples().count(), criterion);
    tbb::enumerable_thread_specific<FeatureSearch> searches;
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
    std::vector<std::size_t> order(samples.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto value_of = [&](std::size_t place) { return values[samples[place]]; };
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return value_of(a) != value_of(b) ? value_of(a) < value_of(b) : a < b;
    });
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
