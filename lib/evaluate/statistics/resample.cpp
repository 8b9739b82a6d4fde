#include "lib/evaluate/statistics/resample.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include "lib/core/error.hpp"
#include "lib/evaluate/statistics/random_draw.hpp"
#include "lib/evaluate/statistics/wilson_interval.hpp"

namespace fovea {
namespace {

void draw(std::size_t index, std::uint64_t seed, std::vector<std::uint16_t>& weights) {
    std::mt19937_64 generator = repetition_generator(seed, index);
    std::fill(weights.begin(), weights.end(), std::uint16_t{0});
    for (std::size_t i = 0; i < weights.size(); ++i) {
        ++weights[static_cast<std::size_t>(draw_below(generator, weights.size()))];
    }
}

std::vector<double> evaluate_once(const BootstrapStatistics& evaluation) {
    const std::vector<std::uint16_t> ones(evaluation.units(), 1);
    std::vector<double> values(evaluation.quantities().size());
    evaluation.evaluate(ones, values);
    return values;
}

std::optional<double> defined(double value) {
    return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

// Row after row, the values of one resample; NaN where a resample leaves a statistic undefined.
class Resamples {
  public:
    template <class Evaluate>
    Resamples(std::size_t units, std::size_t columns, int resamples, std::uint64_t seed, Evaluate&& evaluate,
              const ShareProgress& progress = {})
        : columns_(columns), rows_(units < 2 ? 0 : static_cast<std::size_t>(std::max(0, resamples))) {
        values_.resize(columns_ * rows_);
        tbb::enumerable_thread_specific<std::vector<std::uint16_t>> buffers(
            [units] { return std::vector<std::uint16_t>(units); });
        tbb::parallel_for(std::size_t{0}, rows_, [&](std::size_t row) {
            std::vector<std::uint16_t>& weights = buffers.local();
            draw(row, seed, weights);
            evaluate(Weights(weights), std::span(values_).subspan(row * columns_, columns_));
            if (!progress) return;
            const std::lock_guard lock(progress_mutex_);
            progress(static_cast<double>(++done_) / static_cast<double>(rows_));
        });
    }

    std::vector<double> defined_values(std::size_t column) const {
        std::vector<double> values;
        values.reserve(rows_);
        for (std::size_t row = 0; row < rows_; ++row) {
            const double value = values_[row * columns_ + column];
            if (std::isfinite(value)) values.push_back(value);
        }
        return values;
    }

  private:
    std::size_t columns_;
    std::size_t rows_;
    std::vector<double> values_;
    std::mutex progress_mutex_;
    std::size_t done_ = 0;  // of the rows
};

double two_sided_p(const std::vector<double>& differences) {
    // The original counts as one of the resamples under the null hypothesis: p is never 0.
    std::size_t at_most = 1;
    std::size_t at_least = 1;
    for (const double difference : differences) {
        at_most += difference <= 0 ? 1 : 0;
        at_least += difference >= 0 ? 1 : 0;
    }
    const double share =
        static_cast<double>(std::min(at_most, at_least)) / static_cast<double>(differences.size() + 1);
    return std::min(1.0, 2 * share);
}

}  // namespace

Numbers bootstrap_estimates(const BootstrapStatistics& evaluation, int resamples, std::uint64_t seed,
                            const ShareProgress& progress) {
    const std::vector<Quantity>& statistics = evaluation.quantities();
    const std::vector<double> values = evaluate_once(evaluation);
    const Resamples samples(
        evaluation.units(), statistics.size(), resamples, seed,
        [&](Weights weights, std::span<double> row) { evaluation.evaluate(weights, row); }, progress);
    Numbers estimates;
    estimates.reserve(statistics.size());
    for (std::size_t i = 0; i < statistics.size(); ++i) {
        Number estimate{statistics[i], defined(values[i]), std::nullopt};
        if (estimate.value) estimate.ci95 = central_95_percent(samples.defined_values(i));
        const double trials = statistics[i].trials;
        if (trials > 0 && estimate.ci95 && (*estimate.ci95)[0] == (*estimate.ci95)[1]) {
            estimate.ci95 = wilson_interval(*estimate.value * trials, trials);
        }
        estimates.push_back(std::move(estimate));
    }
    return estimates;
}

std::vector<PairedNumber> paired_bootstrap(const BootstrapStatistics& first,
                                           const BootstrapStatistics& second, int resamples,
                                           std::uint64_t seed) {
    if (first.units() != second.units()) {
        throw Error("A paired comparison needs the same images on both sides: there are " +
                    std::to_string(first.units()) + " and " + std::to_string(second.units()) + ".");
    }
    const std::size_t first_count = first.quantities().size();
    const std::size_t both = first_count + second.quantities().size();
    const auto evaluate = [&](Weights weights, std::span<double> row) {
        first.evaluate(weights, row.first(first_count));
        second.evaluate(weights, row.subspan(first_count));
    };
    std::vector<std::pair<std::size_t, std::size_t>> common;
    for (std::size_t i = 0; i < first_count; ++i) {
        for (std::size_t k = 0; k < second.quantities().size(); ++k) {
            if (first.quantities()[i].key == second.quantities()[k].key) common.emplace_back(i, k);
        }
    }
    const std::vector<double> first_values = evaluate_once(first);
    const std::vector<double> second_values = evaluate_once(second);
    // Resampled are the differences: what is undefined on either side is NaN.
    std::vector<PairedNumber> estimates;
    const Resamples samples(first.units(), common.size(), resamples, seed,
                            [&](Weights weights, std::span<double> row) {
                                std::vector<double> values(both);
                                evaluate(weights, values);
                                for (std::size_t i = 0; i < common.size(); ++i) {
                                    row[i] = values[first_count + common[i].second] - values[common[i].first];
                                }
                            });
    for (std::size_t i = 0; i < common.size(); ++i) {
        PairedNumber estimate;
        estimate.quantity = first.quantities()[common[i].first];
        estimate.first = defined(first_values[common[i].first]);
        estimate.second = defined(second_values[common[i].second]);
        if (estimate.first && estimate.second) {
            estimate.difference = *estimate.second - *estimate.first;
            const std::vector<double> differences = samples.defined_values(i);
            estimate.ci95 = central_95_percent(differences);
            if (!differences.empty()) estimate.p_value = two_sided_p(differences);
        }
        estimates.push_back(std::move(estimate));
    }
    return estimates;
}

}  // namespace fovea
