#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fovea/dataset.hpp>
#include <fovea/results.hpp>
#include <fovea/types.hpp>

namespace fovea::api {

/// The rules of an evaluation. Names and defaults are as for `fovea evaluate detection`.
struct EvaluationOptions {
    /// "iou", "mit-cmu", "fddb", "wider", "voc2007", "voc2010", "coco", "oks", "face-eval", ...; "auto": the
    /// protocol of the dataset's format, else iou.
    std::string protocol = "auto";
    /// "strict": as the official program computes; "corrected": without its errors; "port": as WIDER FACE's
    /// Python port computes.
    std::string mode = "strict";
    double iou_threshold = 0.5;  ///< for a hit, with iou; above 0, at most 1
    /// The numbers of false alarms at which the detection rate is given.
    std::vector<int> false_positive_points{5, 16, 32};
    int resamples = 1000;  ///< for the intervals, 0 to a million; 0: no intervals
    std::uint64_t seed = 1;
};

/// A number of an evaluation.
struct Number {
    std::string key;         ///< its name in report.json: "average_precision", "coco.ap_50"
    std::string name;        ///< for people: "Average precision"
    std::string definition;  ///< one sentence: what is divided by what, and its range
    bool is_share = false;   ///< people read it in percent
    /// True if higher values are better, false if lower ones are; absent if neither are.
    std::optional<bool> is_higher_better{};
    std::optional<double> value{};  ///< absent if it is undefined
    /// The 95 % interval by a bootstrap over images; absent without resamples or with fewer than 2 images.
    std::optional<std::array<double, 2>> interval{};
};

/// The counts for detections whose score is at least the threshold.
struct CurvePoint {
    double threshold = 0;
    int true_positives = 0;
    int false_positives = 0;
    double recall = 0;     ///< true positives / faces
    double precision = 0;  ///< true positives / (true + false positives)
};

/// The numbers of a detector on a dataset.
struct Evaluation {
    std::string protocol;
    int images = 0;             ///< annotated images
    int images_unreadable = 0;  ///< annotated images that were unreadable; their faces count as missed
    int images_missing = 0;     ///< annotated images without a result; their faces count as missed
    int faces = 0;              ///< faces that are not ignored
    int detections = 0;
    int true_positives = 0;   ///< among all detections
    int false_positives = 0;  ///< among all detections
    /// The numbers that all protocols share, then the protocol's own, as "PROTOCOL.KEY".
    std::vector<Number> numbers;
    std::vector<CurvePoint> curve;      ///< by falling threshold, a point for each distinct score
    std::vector<std::string> warnings;  ///< sentences

    /// The number with this key. \throws UsageError if there is none.
    const Number& number(std::string_view key) const;
};

/// Evaluates results on a dataset. The numbers do not depend on the number of threads. lib/evaluate/README.md
/// has the protocols and their sources.
/// \throws Error if the dataset holds no annotated image, or results and dataset have none in common;
/// UsageError for options out of range.
Evaluation evaluate(const Dataset& dataset, const Results& results, const EvaluationOptions& options = {});

}  // namespace fovea::api
