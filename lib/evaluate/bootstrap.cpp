#include "lib/evaluate/bootstrap.hpp"

#include <algorithm>
#include <random>
#include <vector>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

namespace fovea {
namespace {

// Resamples computed side by side: the steps are read once for all of them, and the compiler makes vectors of
// them.
constexpr std::size_t lanes = 16;
using Counts = std::array<std::int32_t, lanes>;
using Values = std::array<double, lanes>;

struct Batch {
    Values detection_rate{};
    Values average_precision{};
    std::vector<Values> rates_at_false_positives;
    Counts faces{};
};

std::uint64_t draw_below(std::mt19937_64& generator, std::uint64_t bound) {
    // Rejects the incomplete last multiple of `bound`, so that every image is equally likely.
    const std::uint64_t limit = ~std::uint64_t{0} - ~std::uint64_t{0} % bound;
    std::uint64_t value = generator();
    while (value >= limit) value = generator();
    return value % bound;
}

// How often each lane's resample holds each image.
std::vector<Counts> draw_images(std::size_t images, std::size_t first, std::size_t count,
                                std::uint64_t seed) {
    std::vector<Counts> weights(images, Counts{});
    for (std::size_t lane = 0; lane < count; ++lane) {
        // A generator for every resample, so that they can be made in any order.
        std::seed_seq sequence{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32),
                               static_cast<std::uint32_t>(first + lane)};
        std::mt19937_64 generator(sequence);
        for (std::size_t i = 0; i < images; ++i) {
            ++weights[static_cast<std::size_t>(draw_below(generator, images))][lane];
        }
    }
    return weights;
}

// The most faces found by any threshold of at most `allowed` false positives; both only grow as it falls.
Values rate_at(int allowed, std::span<const CurveStep> steps, const std::vector<Counts>& weights,
               const Counts& faces) {
    Counts true_positives{};
    Counts false_positives{};
    Counts found{};
    for (const CurveStep& step : steps) {
        const Counts& weight = weights[step.image];
        const std::int32_t is_true = step.adds == DetectionOutcome::true_positive ? 1 : 0;
        const std::int32_t is_false = step.adds == DetectionOutcome::false_positive ? 1 : 0;
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            true_positives[lane] += is_true * weight[lane];
            false_positives[lane] += is_false * weight[lane];
        }
        if (!step.ends_score) continue;
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            if (false_positives[lane] <= allowed) found[lane] = true_positives[lane];
        }
    }
    Values rates{};
    for (std::size_t lane = 0; lane < lanes; ++lane) {
        if (faces[lane] > 0) rates[lane] = static_cast<double>(found[lane]) / faces[lane];
    }
    return rates;
}

Batch evaluate_batch(std::span<const CurveStep> steps, std::span<const int> faces,
                     const std::vector<Counts>& weights, std::span<const int> false_positive_points) {
    Batch batch;
    for (std::size_t image = 0; image < faces.size(); ++image) {
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            batch.faces[lane] += weights[image][lane] * faces[image];
        }
    }
    for (const int allowed : false_positive_points) {
        batch.rates_at_false_positives.push_back(rate_at(allowed, steps, weights, batch.faces));
    }
    Counts true_positives{};
    Counts positives{};  // true and false
    for (const CurveStep& step : steps) {
        if (step.adds == DetectionOutcome::ignored) continue;
        const Counts& weight = weights[step.image];
        const std::int32_t is_true = step.adds == DetectionOutcome::true_positive ? 1 : 0;
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            positives[lane] += weight[lane];
            true_positives[lane] += is_true * weight[lane];
        }
    }
    for (std::size_t lane = 0; lane < lanes; ++lane) {
        if (batch.faces[lane] > 0) {
            batch.detection_rate[lane] = static_cast<double>(true_positives[lane]) / batch.faces[lane];
        }
    }
    // From the lowest threshold up, where the precision's envelope is a running maximum. Only scores at which
    // a true positive enters are looked at: below one, further false positives only lower the precision.
    Values envelope{};
    Values area{};
    std::size_t end = steps.size();
    while (end > 0) {
        std::size_t begin = end - 1;
        while (begin > 0 && !steps[begin - 1].ends_score) --begin;
        const bool any_true =
            std::any_of(steps.begin() + static_cast<std::ptrdiff_t>(begin),
                        steps.begin() + static_cast<std::ptrdiff_t>(end),
                        [](const CurveStep& step) { return step.adds == DetectionOutcome::true_positive; });
        if (any_true) {
            for (std::size_t lane = 0; lane < lanes; ++lane) {
                if (positives[lane] == 0) continue;
                envelope[lane] =
                    std::max(envelope[lane], static_cast<double>(true_positives[lane]) / positives[lane]);
            }
        }
        for (std::size_t i = begin; i < end; ++i) {
            if (steps[i].adds == DetectionOutcome::ignored) continue;
            const Counts& weight = weights[steps[i].image];
            for (std::size_t lane = 0; lane < lanes; ++lane) positives[lane] -= weight[lane];
            if (steps[i].adds == DetectionOutcome::true_positive) {
                for (std::size_t lane = 0; lane < lanes; ++lane) {
                    true_positives[lane] -= weight[lane];
                    area[lane] += envelope[lane] * weight[lane];
                }
            }
        }
        end = begin;
    }
    for (std::size_t lane = 0; lane < lanes; ++lane) {
        if (batch.faces[lane] > 0) batch.average_precision[lane] = area[lane] / batch.faces[lane];
    }
    return batch;
}

Interval central_95_percent(std::vector<double>& values) {
    std::sort(values.begin(), values.end());
    // Nearest ranks; symmetric: as many values lie below the interval as above it.
    const std::size_t outside = values.size() * 25 / 1000;
    return {values[outside], values[values.size() - 1 - outside]};
}

}  // namespace

DetectionIntervals bootstrap_intervals(std::span<const CurveStep> steps, std::span<const int> faces,
                                       int resamples, std::uint64_t seed,
                                       std::span<const int> false_positive_points) {
    const bool any_face = std::any_of(faces.begin(), faces.end(), [](int count) { return count > 0; });
    if (resamples < 1 || faces.size() < 2 || !any_face) return {};

    const auto total = static_cast<std::size_t>(resamples);
    std::vector<Batch> batches((total + lanes - 1) / lanes);
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, batches.size(), 1),
                      [&](const tbb::blocked_range<std::size_t>& range) {
                          for (std::size_t i = range.begin(); i < range.end(); ++i) {
                              const std::size_t first = i * lanes;
                              const std::size_t count = std::min(lanes, total - first);
                              batches[i] =
                                  evaluate_batch(steps, faces, draw_images(faces.size(), first, count, seed),
                                                 false_positive_points);
                          }
                      });

    std::vector<double> rates;
    std::vector<double> precisions;
    std::vector<std::vector<double>> rates_at(false_positive_points.size());
    for (const Batch& batch : batches) {
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            if (batch.faces[lane] == 0) continue;  // lanes beyond the last resample have no faces either
            rates.push_back(batch.detection_rate[lane]);
            precisions.push_back(batch.average_precision[lane]);
            for (std::size_t i = 0; i < rates_at.size(); ++i) {
                rates_at[i].push_back(batch.rates_at_false_positives[i][lane]);
            }
        }
    }
    if (rates.empty()) return {};
    DetectionIntervals intervals{central_95_percent(rates), central_95_percent(precisions), {}};
    for (std::vector<double>& values : rates_at) {
        intervals.rates_at_false_positives.push_back(central_95_percent(values));
    }
    return intervals;
}

}  // namespace fovea
