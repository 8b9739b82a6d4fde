#include "lib/evaluate/analysis/operating_point.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/evaluate/detection/metrics.hpp"
#include "lib/evaluate/statistics/rates.hpp"
#include "lib/numbers/number_text.hpp"

namespace fovea {
namespace {

/// The highest threshold that finds most faces among those that are allowed.
template <class IsAllowed>
std::optional<double> most_faces_of(const DetectionEvaluation& evaluation, IsAllowed&& is_allowed) {
    const RocPoint* best = nullptr;
    for (const RocPoint& point : evaluation.roc) {
        if (is_allowed(point) && (best == nullptr || point.true_positives > best->true_positives))
            best = &point;
    }
    if (best == nullptr) return std::nullopt;
    return best->threshold;
}

WorstImage count_errors(const ImageEvaluation& outcome, const ImageScores& scores,
                        const std::optional<double>& threshold) {
    const double lowest = threshold.value_or(std::numeric_limits<double>::infinity());
    WorstImage image;
    image.sample = outcome.sample;
    for (std::size_t i = 0; i < scores.found.size(); ++i) {
        if (is_ignored(outcome, i)) continue;
        ++image.faces;
        image.misses += scores.found[i] < lowest ? 1 : 0;
    }
    image.false_positives =
        static_cast<int>(std::count_if(scores.false_positives.begin(), scores.false_positives.end(),
                                       [&](double score) { return score >= lowest; }));
    return image;
}

}  // namespace

std::optional<double> ConfusionCounts::accuracy() const {
    const double right = static_cast<double>(true_positives) + true_negatives;
    return known_rate(right, right + false_positives + false_negatives);
}

std::optional<double> ConfusionCounts::precision() const {
    return known_rate(true_positives, static_cast<double>(true_positives) + false_positives);
}

std::optional<double> ConfusionCounts::recall() const {
    return known_rate(true_positives, static_cast<double>(true_positives) + false_negatives);
}

std::optional<double> ConfusionCounts::f1() const {
    return known_rate(2.0 * true_positives, 2.0 * true_positives + false_positives + false_negatives);
}

std::string describe(const OperatingPointChoice& choice) {
    switch (choice.kind) {
        case OperatingPointChoice::Kind::every_detection:
            return "every detection";
        case OperatingPointChoice::Kind::score:
            return "score of at least " + shortest_number(choice.score);
        case OperatingPointChoice::Kind::false_positives:
            return "no more than " +
                   counted(static_cast<std::size_t>(choice.false_positives), "false positive");
        case OperatingPointChoice::Kind::precision:
            return "precision of at least " + percent(choice.share);
        case OperatingPointChoice::Kind::recall:
            return "recall of at least " + percent(choice.share);
        case OperatingPointChoice::Kind::best_f1:
            return "best F1";
    }
    return {};
}

OperatingPointChoice common_point(const std::vector<DetectionEvaluation>& evaluations) {
    if (evaluations.size() < 2) return {};
    std::vector<int> counts;
    for (const DetectionEvaluation& evaluation : evaluations) {
        counts.push_back(0);
        for (const RocPoint& point : evaluation.roc) {
            if (point.threshold >= evaluation.best_f1_threshold) counts.back() = point.false_positives;
        }
    }
    std::sort(counts.begin(), counts.end());
    return {.kind = OperatingPointChoice::Kind::false_positives,
            .false_positives = counts[(counts.size() - 1) / 2]};
}

std::optional<double> operating_threshold(const DetectionEvaluation& evaluation,
                                          const OperatingPointChoice& choice) {
    if (evaluation.roc.empty()) return std::nullopt;
    switch (choice.kind) {
        case OperatingPointChoice::Kind::every_detection:
            return evaluation.roc.back().threshold;
        case OperatingPointChoice::Kind::score:
            return choice.score;
        case OperatingPointChoice::Kind::false_positives:
            return rate_at_false_positives(evaluation.roc, choice.false_positives).threshold;
        case OperatingPointChoice::Kind::precision:
            return most_faces_of(evaluation, [&](const RocPoint& point) {
                return point.true_positives + point.false_positives > 0 && point.precision >= choice.share;
            });
        case OperatingPointChoice::Kind::recall:
            for (const RocPoint& point : evaluation.roc) {
                if (point.detection_rate >= choice.share) return point.threshold;
            }
            return std::nullopt;
        case OperatingPointChoice::Kind::best_f1:
            return evaluation.best_f1_threshold;
    }
    return std::nullopt;
}

std::optional<OperatingPointChoice> find_operating_point(const std::string& text) {
    using Kind = OperatingPointChoice::Kind;
    if (text == "best-f1" || text == "best_f1") return OperatingPointChoice{};
    if (text == "all") return OperatingPointChoice{.kind = Kind::every_detection};
    const auto number = [](const std::string& digits) -> std::optional<double> {
        double value = 0;
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        const bool is_number = error == std::errc() && end == digits.data() + digits.size();
        return is_number && std::isfinite(value) ? std::optional(value) : std::nullopt;
    };
    for (const auto& [name, kind] : {std::pair("precision>=", Kind::precision), {"recall>=", Kind::recall}}) {
        if (!text.starts_with(name)) continue;
        const std::optional<double> share = number(text.substr(std::string(name).size()));
        if (share && *share >= 0 && *share <= 1) return OperatingPointChoice{.kind = kind, .share = *share};
    }
    if (text.size() > 2 && text.ends_with("fp")) {
        const std::optional<double> count = number(text.substr(0, text.size() - 2));
        if (count && *count >= 0 && *count <= 1e9 && *count == std::floor(*count))
            return OperatingPointChoice{.kind = Kind::false_positives,
                                        .false_positives = static_cast<int>(*count)};
    } else if (const std::optional<double> score = number(text)) {
        return OperatingPointChoice{.kind = Kind::score, .score = *score};
    }
    return std::nullopt;
}

OperatingPointChoice operating_point_choice(const std::string& text) {
    if (const std::optional<OperatingPointChoice> choice = find_operating_point(text)) return *choice;
    throw UsageError("the operating point '" + text +
                     "' is none of best-f1, all, Nfp (16fp), precision>=P, recall>=R and a score");
}

std::string describe(const OperatingPoint& point) {
    if (!point.threshold) return describe(point.choice) + ": no detection is kept";
    return describe(point.choice) + ": score of at least " + compact(*point.threshold) + ", " +
           counted(static_cast<std::size_t>(point.detections.false_positives), "false positive");
}

OperatingPoint operating_point(const DetectionEvaluation& evaluation, const std::vector<ImageScores>& scores,
                               const OperatingPointChoice& choice) {
    if (choice.kind == OperatingPointChoice::Kind::false_positives && choice.false_positives < 0) {
        throw UsageError("The operating point allows " + std::to_string(choice.false_positives) +
                         " false positives; give 0 or more.");
    }
    if (choice.kind == OperatingPointChoice::Kind::score && !std::isfinite(choice.score)) {
        throw UsageError(
            "The operating point's score is not a finite number; give the lowest score to keep.");
    }
    OperatingPoint point;
    point.choice = choice;
    point.threshold = operating_threshold(evaluation, choice);
    // The curve has the protocol's own counts; its last point at or above the threshold is the one.
    for (const RocPoint& at : evaluation.roc) {
        if (!point.threshold || at.threshold < *point.threshold) break;
        point.detections.true_positives = at.true_positives;
        point.detections.false_positives = at.false_positives;
    }
    point.detections.false_negatives = evaluation.faces - point.detections.true_positives;
    for (std::size_t i = 0; i < scores.size(); ++i) {
        const WorstImage image = count_errors(evaluation.image_outcomes[i], scores[i], point.threshold);
        if (image.faces > 0) {
            ++(image.misses < image.faces ? point.images.true_positives : point.images.false_negatives);
        } else {
            ++(image.false_positives > 0 ? point.images.false_positives : point.images.true_negatives);
        }
    }
    return point;
}

std::vector<WorstImage> worst_images(const Dataset& dataset, const DetectionEvaluation& evaluation,
                                     const std::vector<ImageScores>& scores, std::optional<double> threshold,
                                     std::size_t limit) {
    std::vector<WorstImage> images;
    for (std::size_t i = 0; i < scores.size(); ++i) {
        const WorstImage image = count_errors(evaluation.image_outcomes[i], scores[i], threshold);
        if (image.errors() > 0) images.push_back(image);
    }
    std::sort(images.begin(), images.end(), [&](const WorstImage& a, const WorstImage& b) {
        if (a.errors() != b.errors()) return a.errors() > b.errors();
        return dataset.samples[a.sample].image < dataset.samples[b.sample].image;
    });
    if (images.size() > limit) images.resize(limit);
    return images;
}

}  // namespace fovea
