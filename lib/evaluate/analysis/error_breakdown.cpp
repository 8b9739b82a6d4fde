#include "lib/evaluate/analysis/error_breakdown.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <tbb/parallel_for.h>

#include "lib/core/overlap.hpp"
#include "lib/evaluate/detection/judged_detections.hpp"
#include "lib/evaluate/detection/match.hpp"
#include "lib/evaluate/statistics/rates.hpp"

namespace fovea {
namespace {

// The counts that a detection adds to; a localisation error is told from one that finds a face once it is put
// right.
enum Kind : std::uint8_t { hit, rescue, localisation, duplicate, background, other, kinds };
using Counts = std::array<std::int32_t, kinds>;

struct Step {
    double score = 0;
    std::uint32_t image = 0;
    Kind kind = hit;
    bool ends_score = false;
};

struct ImageErrors {
    std::vector<Step> steps;
    int faces = 0;
    int not_found = 0;
    int missed = 0;
};

// The kinds of the false positives in one image.
class ErrorKinds {
  public:
    ErrorKinds(const std::vector<Face>& faces, const ImageEvaluation& outcome,
               const DetectionEvaluationOptions& options)
        : faces_(faces), outcome_(outcome), options_(options), hits_(faces, options), overlaps_(faces) {}

    // Also, in `overlapped`, the face that a localisation error overlaps best.
    Kind kind_of(const Box& box, int& overlapped) const {
        bool hits_found_face = false;
        bool hits_other_face = false;
        hits_.visit_hits(box, [&](std::size_t i) {
            if (is_ignored(outcome_, i)) return;
            (outcome_.face_match[i] >= 0 ? hits_found_face : hits_other_face) = true;
        });
        overlapped = -1;
        double largest = 0;
        overlaps_.visit_touching(box, [&](std::size_t i) {
            if (is_ignored(outcome_, i)) return;
            const double iou = intersection_over_union(faces_[i].box, box);
            if (iou <= largest) return;
            overlapped = static_cast<int>(i);
            largest = iou;
        });
        if (!is_only_just_a_hit(largest)) {
            if (hits_found_face) return duplicate;
            if (hits_other_face) return other;
        }
        return largest >= background_iou ? localisation : background;
    }

  private:
    // TIDE asks for a localisation error first, and from 0.1 up to the threshold of hits, that one included.
    bool is_only_just_a_hit(double iou) const {
        return options_.mode != ProtocolMode::corrected && options_.protocol != DetectionProtocol::mit_cmu &&
               iou == options_.iou_threshold;
    }

    const std::vector<Face>& faces_;
    const ImageEvaluation& outcome_;
    const DetectionEvaluationOptions& options_;
    HitIndex hits_;
    BoxIndex overlaps_;
};

ImageErrors errors_of(const Sample& sample, const ImageEvaluation& outcome,
                      const ImageEvaluation& at_threshold, const std::vector<CurveDetection>& judged,
                      double threshold, const DetectionEvaluationOptions& options, std::uint32_t image) {
    ImageErrors errors;
    std::vector<char> is_covered(sample.faces.size(), 0);
    const ErrorKinds error_kinds(sample.faces, at_threshold, options);
    for (const CurveDetection& detection : judged) {
        if (detection.score < threshold) break;
        if (detection.outcome == DetectionMatch::ignored) continue;
        Step step{detection.score, image, hit, false};
        if (detection.outcome == DetectionMatch::false_positive) {
            int face = -1;
            step.kind = error_kinds.kind_of(outcome.detections[detection.detection].box, face);
            if (step.kind == localisation) {
                const auto index = static_cast<std::size_t>(face);
                // The first is the one with the highest score; a found face needs no rescue.
                if (is_covered[index] == 0 && at_threshold.face_match[index] < 0) {
                    is_covered[index] = 1;
                    step.kind = rescue;
                }
            }
        }
        errors.steps.push_back(step);
    }
    for (std::size_t i = 0; i < sample.faces.size(); ++i) {
        if (is_ignored(at_threshold, i)) continue;
        ++errors.faces;
        if (at_threshold.face_match[i] >= 0) continue;
        ++errors.not_found;
        errors.missed += is_covered[i] == 0 ? 1 : 0;
    }
    return errors;
}

std::vector<Quantity> make_quantities(ProtocolMode mode) {
    std::vector<Quantity> list{
        {"average_precision", "Average precision",
         mode == ProtocolMode::corrected
             ? "Area under the monotone precision envelope over recall."
             : "Mean of the precision envelope at the recalls 0, 0.01 ... 1, as by TIDE.",
         Better::higher, Unit::number}};
    for (int i = 0; i <= static_cast<int>(DetectionError::missed); ++i) {
        const std::string name = error_name(static_cast<DetectionError>(i));
        list.push_back({name + "_share", "Share " + name,
                        "Errors of this kind / all false positives and missed faces.", Better::lower,
                        Unit::share});
        list.push_back({name + "_delta_ap", "dAP " + name,
                        "Average precision gained once errors of this kind are put right.", Better::lower,
                        Unit::number});
    }
    list.push_back({"false_positives_delta_ap", "dAP false positives",
                    "Average precision gained once there is no false positive.", Better::lower,
                    Unit::number});
    list.push_back({"faces_not_found_delta_ap", "dAP faces not found",
                    "Average precision gained once faces that are not found do not count.", Better::lower,
                    Unit::number});
    return list;
}

// The largest precision at a recall or above, walked from the lowest threshold up.
class PrecisionEnvelope {
  public:
    explicit PrecisionEnvelope(double faces) : faces_(faces) {}

    // The counts at a threshold, and the faces found at the next higher one.
    void add(double judged, double found, double found_above) {
        // Recalls beyond what this threshold reaches are those of lower thresholds, which are behind us.
        for (; recall_ >= 0 && static_cast<double>(recall_) / last_recall > found / faces_; --recall_) {
            at_recall_[static_cast<std::size_t>(recall_)] = envelope_;
        }
        envelope_ = std::max(envelope_, found / judged);
        area_ += envelope_ * (found - found_above);
    }

    double area() const { return area_ / faces_; }

    // Source: tidecv 1.0.1, ap.py.
    double mean_at_recalls() const {
        double sum = 0;
        for (int k = 0; k <= last_recall; ++k) {
            sum += k <= recall_ ? envelope_ : at_recall_[static_cast<std::size_t>(k)];
        }
        return sum / static_cast<double>(at_recall_.size());
    }

  private:
    static constexpr int last_recall = 100;

    double faces_;
    double envelope_ = 0;
    double area_ = 0;
    int recall_ = last_recall;
    std::array<double, last_recall + 1> at_recall_{};
};

class ErrorCurve : public BootstrapStatistics {
  public:
    ErrorCurve(std::vector<ImageErrors> images, ProtocolMode mode)
        : images_(std::move(images)),
          is_corrected_(mode == ProtocolMode::corrected),
          quantities_(make_quantities(mode)) {
        for (ImageErrors& image : images_) {
            steps_.insert(steps_.end(), image.steps.begin(), image.steps.end());
            image.steps = {};
        }
        // Stable: images stay in their order within a score.
        std::stable_sort(steps_.begin(), steps_.end(),
                         [](const Step& a, const Step& b) { return a.score > b.score; });
        for (std::size_t i = 0; i < steps_.size(); ++i) {
            steps_[i].ends_score =
                !is_corrected_ || i + 1 == steps_.size() || steps_[i + 1].score != steps_[i].score;
        }
        double wrong = 0;
        for (const Step& step : steps_) wrong += step.kind == hit ? 0 : 1;
        for (const ImageErrors& image : images_) wrong += image.missed;
        for (Quantity& statistic : quantities_) {
            if (statistic.is_share()) statistic.trials = wrong;
        }
    }

    std::size_t units() const override { return images_.size(); }
    std::size_t work() const { return images_.size() + steps_.size(); }
    const std::vector<Quantity>& quantities() const override { return quantities_; }

    Counts totals() const {
        Counts counts{};
        for (const Step& step : steps_) ++counts[step.kind];
        return counts;
    }

    void evaluate(Weights weights, std::span<double> values) const override {
        double faces = 0;
        double not_found = 0;
        double missed = 0;
        for (std::size_t i = 0; i < images_.size(); ++i) {
            faces += weights[i] * images_[i].faces;
            not_found += weights[i] * images_[i].not_found;
            missed += weights[i] * images_[i].missed;
        }
        thread_local std::vector<Counts> curve;
        curve.clear();
        Counts counts{};
        bool changed = false;
        for (const Step& step : steps_) {
            const std::int32_t weight = weights[step.image];
            counts[step.kind] += weight;
            changed |= weight != 0;
            if (step.ends_score && changed) {
                curve.push_back(counts);
                changed = false;
            }
        }
        const double ap = precision_without(curve, kinds, faces);
        const double wrong = counts[rescue] + counts[localisation] + counts[duplicate] + counts[background] +
                             counts[other] + missed;
        std::size_t next = 0;
        values[next++] = ap;
        const auto add = [&](double count, double fixed) {
            values[next++] = defined_rate(count, wrong);
            values[next++] = fixed - ap;
        };
        const auto without = [&](Kind kind) { return precision_without(curve, kind, faces); };
        add(counts[rescue] + counts[localisation], without(localisation));
        for (const Kind kind : {duplicate, background, other}) {
            add(counts[kind], counts[kind] == 0 ? ap : without(kind));
        }
        add(missed, precision_without(curve, kinds, faces - missed));
        values[next++] = precision_of_hits(counts[hit], faces) - ap;
        values[next++] = precision_without(curve, kinds, faces - not_found) - ap;
    }

  private:
    // Average precision over so many faces once errors of a kind are put right (`kinds`: none).
    double precision_without(const std::vector<Counts>& curve, Kind right, double faces) const {
        if (faces <= 0) return undefined;
        const auto found = [&](const Counts& c) {
            return right == localisation ? c[hit] + c[rescue] : c[hit];
        };
        PrecisionEnvelope envelope(faces);
        for (std::size_t i = curve.size(); i-- > 0;) {
            const Counts& c = curve[i];
            const double true_positives = found(c);
            double judged = true_positives;
            if (right != localisation) judged += c[rescue] + c[localisation];
            for (const Kind kind : {duplicate, background, other}) judged += kind == right ? 0 : c[kind];
            if (judged > 0) envelope.add(judged, true_positives, i > 0 ? found(curve[i - 1]) : 0);
        }
        return is_corrected_ ? envelope.area() : envelope.mean_at_recalls();
    }

    // The same without any false positive.
    double precision_of_hits(double hits, double faces) const {
        if (faces <= 0) return undefined;
        PrecisionEnvelope envelope(faces);
        if (hits > 0) envelope.add(hits, hits, 0);
        return is_corrected_ ? envelope.area() : envelope.mean_at_recalls();
    }

    std::vector<ImageErrors> images_;
    bool is_corrected_;
    std::vector<Step> steps_;
    std::vector<Quantity> quantities_;
};

std::string error_definition(DetectionError error, const DetectionEvaluationOptions& options) {
    switch (error) {
        case DetectionError::localisation:
            return "False positives that overlap a face (IoU at least 0.1) but hit none.";
        case DetectionError::duplicate:
            return "False positives on a face that another detection has.";
        case DetectionError::background:
            return "False positives that overlap no face (IoU below 0.1).";
        case DetectionError::other:
            return options.protocol == DetectionProtocol::iou ||
                           options.protocol == DetectionProtocol::mit_cmu
                       ? "None: the matching is optimal."
                       : "False positives on a face that no detection has: the protocol's matching left it.";
        case DetectionError::missed:
            return "Faces not found, except those that a localisation error overlaps best.";
    }
    return {};
}

}  // namespace

std::string error_name(DetectionError error) {
    switch (error) {
        case DetectionError::localisation:
            return "localisation";
        case DetectionError::duplicate:
            return "duplicate";
        case DetectionError::background:
            return "background";
        case DetectionError::other:
            return "other";
        case DetectionError::missed:
            return "missed";
    }
    return {};
}

int affordable_resamples(int wanted, std::size_t steps_per_resample) {
    constexpr std::size_t max_steps = 400'000'000;
    constexpr int least = 200;
    const std::size_t affordable = max_steps / std::max<std::size_t>(1, steps_per_resample);
    if (affordable >= static_cast<std::size_t>(std::max(0, wanted))) return wanted;
    return std::min(wanted, std::max(least, static_cast<int>(affordable)));
}

ErrorBreakdown break_down_errors(const Dataset& dataset, const DetectionEvaluation& evaluation,
                                 std::optional<double> threshold) {
    const double lowest = threshold.value_or(-std::numeric_limits<double>::infinity());
    const std::vector<std::vector<CurveDetection>> judged = judged_detections(dataset, evaluation);
    const std::vector<ImageEvaluation> kept = outcomes_at(dataset, evaluation, lowest);
    std::vector<ImageErrors> images(kept.size());
    tbb::parallel_for(std::size_t{0}, images.size(), [&](std::size_t i) {
        const ImageEvaluation& outcome = evaluation.image_outcomes[i];
        images[i] = errors_of(dataset.samples.at(outcome.sample), outcome, kept[i], judged[i], lowest,
                              evaluation.options, static_cast<std::uint32_t>(i));
    });

    ErrorBreakdown breakdown;
    breakdown.threshold = threshold;
    int missed = 0;
    for (const ImageErrors& image : images) {
        breakdown.faces += image.faces;
        breakdown.faces_not_found += image.not_found;
        missed += image.missed;
    }
    breakdown.faces_covered = breakdown.faces_not_found - missed;
    const ErrorCurve curve(std::move(images), evaluation.options.mode);
    const Counts counts = curve.totals();
    for (int kind = rescue; kind < kinds; ++kind) {
        breakdown.false_positives += counts[static_cast<std::size_t>(kind)];
    }
    breakdown.resamples = affordable_resamples(evaluation.options.bootstrap_resamples, curve.work());
    const Numbers estimates =
        bootstrap_estimates(curve, breakdown.resamples, evaluation.options.bootstrap_seed);
    breakdown.average_precision = estimates[0];
    const std::array<int, 5> count_of{counts[rescue] + counts[localisation], counts[duplicate],
                                      counts[background], counts[other], missed};
    for (std::size_t i = 0; i < count_of.size(); ++i) {
        const auto error = static_cast<DetectionError>(i);
        breakdown.errors.push_back({error, error_definition(error, evaluation.options), count_of[i],
                                    estimates[1 + 2 * i], estimates[2 + 2 * i]});
    }
    breakdown.delta_ap_all_false_positives = estimates[estimates.size() - 2];
    breakdown.delta_ap_all_faces_not_found = estimates[estimates.size() - 1];
    return breakdown;
}

}  // namespace fovea
