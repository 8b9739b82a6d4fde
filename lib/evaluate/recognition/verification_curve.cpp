#include "lib/evaluate/recognition/verification_curve.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <tbb/parallel_sort.h>

#include "lib/core/error.hpp"
#include "lib/core/splitmix.hpp"
#include "lib/core/text.hpp"
#include "lib/evaluate/recognition/score_curve.hpp"
#include "lib/evaluate/statistics/rates.hpp"

namespace fovea {
namespace {

double mean_of(const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) sum += value;
    return values.empty() ? undefined : sum / static_cast<double>(values.size());
}

// For a sample: divided by n - 1.
double standard_deviation(const std::vector<double>& values) {
    if (values.size() < 2) return undefined;
    const double mean = mean_of(values);
    double squares = 0;
    for (const double value : values) squares += (value - mean) * (value - mean);
    return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

}  // namespace

const std::vector<double> reported_far{0.0001, 0.001, 0.01, 0.1};

std::string far_key(const std::string& prefix, double rate) {
    return prefix + rate_text(rate);
}

// Chooses for every fold the threshold that is best on all others. A genuine pair becomes a correct answer
// and an impostor pair a wrong one when the threshold falls past their score; only a strictly better
// threshold replaces an earlier one, so that of equally good ones the strictest is taken, and it is always a
// score of the other folds.
class VerificationCurve::FoldChoice {
  public:
    explicit FoldChoice(std::size_t folds)
        : correct_(folds), all_(folds), best_elsewhere_(folds), correct_at_best_(folds), place_(folds) {}

    void begin(const Event& event, double weight) {
        all_[event.fold] += weight;
        if (!event.same) correct_[event.fold] += weight;
    }
    void settle_start() {
        for (const double correct : correct_) total_ += correct;
        for (std::size_t f = 0; f < correct_.size(); ++f) best_elsewhere_[f] = total_ - correct_[f];
        correct_at_best_ = correct_;
    }
    void accept(const Event& event, double weight) {
        const double gain = event.same ? weight : -weight;
        correct_[event.fold] += gain;
        total_ += gain;
    }
    void at_score(std::size_t place) {
        for (std::size_t f = 0; f < correct_.size(); ++f) {
            if (total_ - correct_[f] > best_elsewhere_[f]) {
                best_elsewhere_[f] = total_ - correct_[f];
                correct_at_best_[f] = correct_[f];
                place_[f] = place;
            }
        }
    }

    /// Only folds that hold pairs.
    std::vector<double> accuracies() const {
        std::vector<double> values;
        for (std::size_t f = 0; f < all_.size(); ++f) {
            if (all_[f] > 0) values.push_back(correct_at_best_[f] / all_[f]);
        }
        return values;
    }
    double pairs(std::size_t fold) const { return all_[fold]; }
    std::optional<std::size_t> place(std::size_t fold) const { return place_[fold]; }

  private:
    std::vector<double> correct_;  // by fold, at the threshold that the walk has reached
    double total_ = 0;
    std::vector<double> all_;
    std::vector<double> best_elsewhere_;  // correct answers on the other folds
    std::vector<double> correct_at_best_;
    std::vector<std::optional<std::size_t>> place_;
};

VerificationCurve::VerificationCurve(const std::vector<VerificationPair>& pairs,
                                     std::optional<double> fixed_threshold)
    : has_fixed_(fixed_threshold.has_value()) {
    struct Scored {
        double score;
        std::uint32_t pair;
    };
    if (pairs.size() > std::numeric_limits<std::uint32_t>::max()) {
        throw Error("There are " + std::to_string(pairs.size()) +
                    " pairs, and no more than 4,294,967,295 can be evaluated at once.");
    }
    std::vector<Scored> order;
    order.reserve(pairs.size());
    std::map<std::int32_t, std::uint16_t> fold_index;
    double sum = 0;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        if (fold_index.emplace(pairs[i].fold, 0).second && fold_index.size() > 65535) {
            throw Error("There are more than 65,535 folds; is the column of folds one of numbers?");
        }
        if (!std::isfinite(pairs[i].score)) continue;
        order.push_back({pairs[i].score, static_cast<std::uint32_t>(i)});
        sum += pairs[i].score;
    }
    for (auto& [fold, index] : fold_index) {
        index = static_cast<std::uint16_t>(folds_.size());
        folds_.push_back(fold);
    }
    tbb::parallel_sort(order.begin(), order.end(), [](const Scored& a, const Scored& b) {
        return a.score != b.score ? a.score > b.score : a.pair < b.pair;
    });
    scored_ = order.size();
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        if (!std::isfinite(pairs[i].score)) order.push_back({pairs[i].score, static_cast<std::uint32_t>(i)});
    }
    const double mean = scored_ == 0 ? 0 : sum / static_cast<double>(scored_);
    moments_.resize(std::min(pairs.size(), max_units));
    events_.reserve(order.size());
    scores_.reserve(scored_);
    for (std::size_t i = 0; i < order.size(); ++i) {
        const VerificationPair& pair = pairs[order[i].pair];
        Event event;
        event.unit = pairs.size() <= max_units ? order[i].pair
                                               : static_cast<std::uint32_t>(mixed(order[i].pair) % max_units);
        event.fold = fold_index.at(pair.fold);
        event.same = pair.same;
        impostors_ += pair.same ? 0 : 1;
        if (i < scored_) {
            event.ends_score = i + 1 == scored_ || order[i + 1].score != order[i].score;
            distinct_scores_ += event.ends_score ? 1 : 0;
            scores_.push_back(pair.score);
            if (has_fixed_ && pair.score >= *fixed_threshold) above_fixed_ = i + 1;
            Moments& moments = moments_[event.unit];
            const double centred = pair.score - mean;
            moments.count[pair.same] += 1;
            moments.sum[pair.same] += centred;
            moments.squares[pair.same] += centred * centred;
        }
        events_.push_back(event);
    }
    band_far_ = false_rate_grid(impostors_);
    add_statistics();
}

void VerificationCurve::add_statistics() {
    const auto add = [&](const std::string& key, const std::string& name, const std::string& definition,
                         Better better, Unit unit) {
        quantities_.push_back({key, name, definition, better, unit});
        Quantity& added = quantities_.back();
        const auto impostors = static_cast<double>(impostors_);
        const auto pairs = static_cast<double>(events_.size());
        if (key.ends_with("accuracy") || key == "accuracy_at_threshold") added.trials = pairs;
        if (key.find("tar_at_far_") != std::string::npos || key.starts_with("fnmr"))
            added.trials = pairs - impostors;
        if (key.starts_with("fmr")) added.trials = impostors;
        added.headline = key == "accuracy" || key == "eer" || key == "auc" || key.starts_with("tar_at_far_");
    };
    add("accuracy", "Accuracy",
        "mean over the folds of the share of a fold's pairs judged rightly at the threshold that judges most "
        "pairs of all other folds rightly, in [0, 1]",
        Better::higher, Unit::share);
    add("accuracy_std", "Standard deviation of the accuracy",
        "of the folds' accuracies (sum of squares divided by the number of folds less one)", Better::neither,
        Unit::share);
    add("accuracy_standard_error", "Standard error of the accuracy",
        "accuracy_std divided by the square root of the number of folds", Better::neither, Unit::share);
    add("eer", "Equal error rate",
        "FMR = FNMR on the polyline through the points of the ROC, interpolated linearly, in [0, 1]",
        Better::lower, Unit::share);
    add("auc", "Area under the ROC",
        "probability that a genuine pair scores higher than an impostor pair, ties half; pairs without score "
        "are below all others; in [0, 1]",
        Better::higher, Unit::number);
    add("d_prime", "d'",
        "(mean genuine - mean impostor score) / square root of the mean of both variances, of the pairs with "
        "a score; negative if impostors are more alike",
        Better::higher, Unit::number);
    add("best_accuracy", "Best accuracy",
        "share of pairs judged rightly at the threshold chosen on the same pairs: optimistic, in [0, 1]",
        Better::higher, Unit::share);
    for (const double far : reported_far) {
        const std::string rate = rate_text(far);
        add(far_key("tar_at_far_", far), "TAR at FAR " + rate,
            "share of genuine pairs accepted at the loosest threshold that accepts at most " + rate +
                " of the impostor pairs; undefined with fewer than " + shortest_number(std::round(1 / far)) +
                " impostor pairs; in [0, 1]",
            Better::higher, Unit::share);
    }
    if (has_fixed_) {
        add("fmr_at_threshold", "FMR at the threshold",
            "share of impostor pairs accepted at the given threshold, in [0, 1]", Better::lower, Unit::share);
        add("fnmr_at_threshold", "FNMR at the threshold",
            "share of genuine pairs rejected at the given threshold, those without score included, in [0, 1]",
            Better::lower, Unit::share);
        add("hter_at_threshold", "HTER at the threshold", "mean of FMR and FNMR at the given threshold",
            Better::lower, Unit::share);
        add("accuracy_at_threshold", "Accuracy at the threshold",
            "share of all pairs judged rightly at the given threshold, in [0, 1]", Better::higher,
            Unit::share);
    }
    for (const double far : band_far_) {
        add(far_key("band_tar_at_far_", far), "TAR at FAR " + rate_text(far), "a place of the ROC",
            Better::higher, Unit::share);
    }
}

VerificationCurve::Totals VerificationCurve::totals(Weights weights) const {
    Totals totals;
    for (const Event& event : events_)
        (event.same ? totals.genuine : totals.impostors) += weights[event.unit];
    return totals;
}

template <class AtScore>
void VerificationCurve::walk(Weights weights, AtScore&& at_score) const {
    double genuine = 0;
    double impostors = 0;
    for (std::size_t i = 0; i < scored_; ++i) {
        const Event& event = events_[i];
        (event.same ? genuine : impostors) += weights[event.unit];
        if (event.ends_score) at_score(i, genuine, impostors);
    }
}

double VerificationCurve::d_prime(Weights weights) const {
    double count[2] = {0, 0};
    double sum[2] = {0, 0};
    double squares[2] = {0, 0};
    for (std::size_t unit = 0; unit < moments_.size(); ++unit) {
        for (int same = 0; same < 2; ++same) {
            count[same] += weights[unit] * moments_[unit].count[same];
            sum[same] += weights[unit] * moments_[unit].sum[same];
            squares[same] += weights[unit] * moments_[unit].squares[same];
        }
    }
    if (count[0] == 0 || count[1] == 0) return undefined;
    const double means[2] = {sum[0] / count[0], sum[1] / count[1]};
    double variance = 0;
    for (int same = 0; same < 2; ++same) {
        variance += std::max(0.0, squares[same] / count[same] - means[same] * means[same]) / 2;
    }
    return variance > 0 ? (means[1] - means[0]) / std::sqrt(variance) : undefined;
}

void VerificationCurve::evaluate(Weights weights, std::span<double> values) const {
    std::fill(values.begin(), values.end(), undefined);
    const Totals all = totals(weights);
    EqualErrorRate equal_error(all.genuine, all.impostors);
    AcceptedAtFalseRates reported(reported_far, all.impostors);
    AcceptedAtFalseRates band(band_far_, all.impostors);
    double area = 0;
    double last_genuine = 0;
    double last_impostors = 0;
    double fixed_genuine = 0;
    double fixed_impostors = 0;
    double best_correct = all.impostors;
    walk(weights, [&](std::size_t place, double genuine, double impostors) {
        equal_error.point(genuine, impostors, place);
        reported.point(genuine, impostors, place);
        band.point(genuine, impostors, place);
        area += (impostors - last_impostors) * (last_genuine + genuine) / 2;
        best_correct = std::max(best_correct, genuine + all.impostors - impostors);
        if (place < above_fixed_) {
            fixed_genuine = genuine;
            fixed_impostors = impostors;
        }
        last_genuine = genuine;
        last_impostors = impostors;
    });
    reported.finish();
    band.finish();
    area += (all.impostors - last_impostors) * (last_genuine + all.genuine) / 2;

    const bool both = all.genuine > 0 && all.impostors > 0;
    if (folds_.size() > 1) {
        const std::vector<double> accuracies = choose_folds(weights).accuracies();
        values[0] = mean_of(accuracies);
        values[1] = standard_deviation(accuracies);
        values[2] = values[1] / std::sqrt(static_cast<double>(accuracies.size()));
    }
    if (both) {
        values[3] = equal_error.value().value_or(undefined);
        values[4] = area / (all.genuine * all.impostors);
        values[5] = d_prime(weights);
    }
    if (all.genuine + all.impostors > 0) values[6] = best_correct / (all.genuine + all.impostors);
    std::size_t next = 7;
    for (std::size_t i = 0; i < reported_far.size(); ++i, ++next) {
        // Whether there are enough impostors is a matter of the set of pairs, not of a resample.
        const bool enough = within_rate(1, static_cast<double>(impostors_), reported_far[i]);
        if (both && enough) values[next] = reported.accepted()[i] / all.genuine;
    }
    if (has_fixed_) {
        const double fmr = defined_rate(fixed_impostors, all.impostors);
        const double fnmr = all.genuine > 0 ? 1 - fixed_genuine / all.genuine : undefined;
        values[next++] = fmr;
        values[next++] = fnmr;
        values[next++] = (fmr + fnmr) / 2;
        values[next++] = (fixed_genuine + all.impostors - fixed_impostors) / (all.genuine + all.impostors);
    }
    for (std::size_t i = 0; i < band_far_.size(); ++i, ++next) {
        if (both) values[next] = band.accepted()[i] / all.genuine;
    }
}

VerificationCurve::FoldChoice VerificationCurve::choose_folds(Weights weights) const {
    FoldChoice choice(folds_.size());
    for (const Event& event : events_) choice.begin(event, weights[event.unit]);
    choice.settle_start();
    for (std::size_t i = 0; i < scored_; ++i) {
        choice.accept(events_[i], weights[events_[i].unit]);
        if (events_[i].ends_score) choice.at_score(i);
    }
    return choice;
}

OperatingThresholds VerificationCurve::thresholds() const {
    const std::vector<std::uint16_t> ones(units(), 1);
    const Totals all = totals(ones);
    EqualErrorRate equal_error(all.genuine, all.impostors);
    AcceptedAtFalseRates reported(reported_far, all.impostors);
    walk(ones, [&](std::size_t place, double genuine, double impostors) {
        equal_error.point(genuine, impostors, place);
        reported.point(genuine, impostors, place);
    });
    reported.finish();
    const auto score_at = [&](std::optional<std::size_t> place) {
        return place ? std::optional(scores_[*place]) : std::nullopt;
    };
    OperatingThresholds thresholds;
    if (all.genuine > 0 && all.impostors > 0) thresholds.at_eer = score_at(equal_error.place());
    for (std::size_t i = 0; i < reported_far.size(); ++i) {
        const bool enough = within_rate(1, all.impostors, reported_far[i]);
        thresholds.at_far.push_back(enough ? score_at(reported.places()[i]) : std::nullopt);
    }
    return thresholds;
}

std::vector<FoldResult> VerificationCurve::folds() const {
    if (folds_.size() < 2) return {};
    const std::vector<std::uint16_t> ones(units(), 1);
    const FoldChoice choice = choose_folds(ones);
    const std::vector<double> accuracies = choice.accuracies();
    std::vector<FoldResult> outcomes;
    for (std::size_t f = 0; f < folds_.size(); ++f) {
        const std::optional<std::size_t> place = choice.place(f);
        outcomes.push_back({folds_[f], static_cast<std::size_t>(choice.pairs(f)),
                            place ? std::optional(scores_[*place]) : std::nullopt, accuracies[f]});
    }
    return outcomes;
}

std::vector<VerificationPoint> VerificationCurve::points() const {
    constexpr double visible = 0.005;
    constexpr double of_all = 1.0 / 2000;
    const std::vector<std::uint16_t> ones(units(), 1);
    const double all_genuine = totals(ones).genuine;
    std::vector<VerificationPoint> points;
    double kept_genuine = 0;
    double kept_impostors = 0;
    walk(ones, [&](std::size_t place, double genuine, double impostors) {
        const double gained = genuine - kept_genuine;
        const bool differs = impostors - kept_impostors > visible * kept_impostors ||
                             gained > visible * (all_genuine - kept_genuine) || gained > of_all * all_genuine;
        if (!differs && place + 1 < scored_) return;
        points.push_back(
            {scores_[place], static_cast<std::size_t>(genuine), static_cast<std::size_t>(impostors)});
        kept_genuine = genuine;
        kept_impostors = impostors;
    });
    return points;
}

}  // namespace fovea
