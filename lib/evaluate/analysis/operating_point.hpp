#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "lib/dataset/dataset.hpp"
#include "lib/evaluate/detection/detection.hpp"
#include "lib/evaluate/detection/judged_detections.hpp"

namespace fovea {

/// Counts of samples by truth and verdict (Andargie 2019, table 5.1).
struct ConfusionCounts {
    int true_positives = 0;
    int false_positives = 0;
    int false_negatives = 0;
    int true_negatives = 0;

    // In [0, 1]; absent where there is nothing to divide by. Andargie's equations 5.1 to 5.4:
    std::optional<double> accuracy() const;   ///< (TP + TN) / (TP + TN + FP + FN)
    std::optional<double> precision() const;  ///< TP / (TP + FP)
    std::optional<double> recall() const;     ///< TP / (TP + FN)
    /// Harmonic mean of precision and recall: 2 TP / (2 TP + FP + FN).
    std::optional<double> f1() const;
};

/// Which detections are kept.
struct OperatingPointChoice {
    enum class Kind {
        every_detection,
        score,  ///< those with score >= `score`
        /// Among the thresholds with at most `false_positives`, the highest that finds most faces.
        false_positives,
        precision,  ///< of the thresholds with a precision >= `share`, the highest that finds most faces
        recall,     ///< the highest threshold that finds a share of the faces >= `share`
        best_f1     ///< the highest threshold that reaches the largest F1
    };
    Kind kind = Kind::best_f1;
    double score = 0;
    int false_positives = 0;
    double share = 0;
};

/// Reads "best-f1" (or "best_f1"), "all", "16fp", "precision>=0.95", "recall>=0.9", or a score; nothing for
/// other texts. Every flag for an operating point takes these texts.
std::optional<OperatingPointChoice> find_operating_point(const std::string& text);
/// The forms of these texts, for the help of such flags.
inline constexpr const char* operating_point_forms = "best-f1|all|Nfp|precision>=P|recall>=R|SCORE";
/// Does find_operating_point(). \throws UsageError for other texts.
OperatingPointChoice operating_point_choice(const std::string& text);

/// The default point at which detectors are compared. For a single detector it is the best F1. For several it
/// is a number of false positives: the median (the lower one of two) of their numbers at the best F1.
OperatingPointChoice common_point(const std::vector<DetectionEvaluation>& evaluations);

/// The lowest score that is kept, by the curve and the best F1 of an evaluation; absent where no threshold
/// reaches the point, or there are no detections.
std::optional<double> operating_threshold(const DetectionEvaluation& evaluation,
                                          const OperatingPointChoice& choice);

/// A detector at a score threshold.
struct OperatingPoint {
    OperatingPointChoice choice;
    /// Detections with at least this score are kept; absent if none is (there are none, or even the strictest
    /// threshold has more false positives than allowed).
    std::optional<double> threshold;
    /// Counts faces and detections: TP faces found, FP, FN faces not found. A detector that looks at every
    /// window of an image has no countable true negatives: TN is 0, so that accuracy is TP / (TP + FP + FN).
    ConfusionCounts detections;
    /// Counts whole images, which is how Andargie's table 5.2 counts (307 positive and 307 negative images):
    /// an image with a counted face is TP if a face in it is found, else FN; one without is FP if it has a
    /// false positive, else TN. Source: F. A. Andargie, "Acceleration and Energy Reduction of Object
    /// Detection on Mobile Graphics Processing Unit", Addis Ababa University, 2019, section 5, equations
    /// 5.1-5.4 and tables 5.1 and 5.2.
    ConfusionCounts images;
};

/// The choice in words: "best F1", "no more than 16 false positives".
std::string describe(const OperatingPointChoice& choice);

/// The point with its counts in words: "best F1: score of at least 0.53, 12 false positives".
std::string describe(const OperatingPoint& point);

/// The counts of a detector at the chosen point. \param scores image_scores() of the evaluation.
/// \throws UsageError if the number of false positives is negative or the score not finite.
OperatingPoint operating_point(const DetectionEvaluation& evaluation, const std::vector<ImageScores>& scores,
                               const OperatingPointChoice& choice);

/// An image with errors.
struct WorstImage {
    std::size_t sample = 0;  ///< index in Dataset::samples
    int faces = 0;           ///< counted ones
    int misses = 0;
    int false_positives = 0;

    int errors() const { return misses + false_positives; }
};

/// At most `limit` images with errors (misses, and false positives with score >= threshold), most errors
/// first, then by name. \param threshold absent: no detection is kept. \param scores image_scores() of
/// the evaluation.
std::vector<WorstImage> worst_images(const Dataset& dataset, const DetectionEvaluation& evaluation,
                                     const std::vector<ImageScores>& scores, std::optional<double> threshold,
                                     std::size_t limit);

}  // namespace fovea
