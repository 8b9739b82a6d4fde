#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lib/dataset/dataset.hpp"
#include "lib/evaluate/detection/detection.hpp"
#include "lib/evaluate/statistics/resample.hpp"

namespace fovea {

/// The kind of error behind a false positive, or behind a face that is not found.
enum class DetectionError {
    localisation,  ///< overlaps a face (IoU >= 0.1), but hits none
    duplicate,     ///< hits a face that another detection has
    background,    ///< overlaps no face (IoU < 0.1 with each)
    other,         ///< hits a face that no detection has; greedy protocols leave such behind
    missed,        ///< a face not found, which no localisation error overlaps best
};
constexpr double background_iou = 0.1;

/// The name in report.json: "localisation".
std::string error_name(DetectionError error);

/// One kind of error.
struct ErrorShare {
    DetectionError error = DetectionError::localisation;
    std::string definition;
    int count = 0;
    Number share;     ///< count / (false positives + missed, as this split counts them)
    Number delta_ap;  ///< average precision once these are put right, less the average precision
};

struct ErrorBreakdown {
    std::optional<double> threshold;  ///< only detections with at least this score; absent = all
    int faces = 0;
    int faces_not_found = 0;
    /// Faces not found that a localisation error overlaps best; they do not count as "missed".
    int faces_covered = 0;
    int false_positives = 0;
    Number average_precision;             ///< of the detections kept, as judged_detections() counts
    std::vector<ErrorShare> errors;       ///< in the order of the enumeration
    Number delta_ap_all_false_positives;  ///< once every false positive is removed
    Number delta_ap_all_faces_not_found;  ///< once no face that is not found counts any more
    int resamples = 0;                    ///< of the intervals
};

/// Splits a detector's errors by kind and tells what each kind costs.
///
/// One kind is put right at a time. Localisation: a face that is not found is found by the error with the
/// highest score among the errors that overlap it best, and all other such errors are removed. Duplicate,
/// background and other errors are removed. Missed faces no longer count as faces. Gains of different kinds
/// do not add up.
///
/// In strict mode average precision is TIDE's: the mean of the precision envelope at the recalls 0, 0.01 ...
/// 1, where every detection is a threshold, equal scores in the results' order, and a duplicate whose IoU is
/// just the threshold is a localisation error; in corrected mode it is the area under the envelope, where
/// equal scores enter together.
///
/// A detection overlaps "its" face: the counted one with the largest IoU (the first of equals). Hits are
/// is_hit()'s under the evaluation's options (for protocols with a program of their own: IoU >=
/// options.iou_threshold). Intervals: bootstrap over images.
///
/// Source: D. Bolya, S. Foley, J. Hays, J. Hoffman, "TIDE: A General Toolbox for Identifying Object Detection
/// Errors", ECCV 2020, section 2.2-2.3, for one class (no classification error); strict mode: tidecv 1.0.1.
ErrorBreakdown break_down_errors(const Dataset& dataset, const DetectionEvaluation& evaluation,
                                 std::optional<double> threshold = std::nullopt);

/// The number of resamples, at most `wanted`, that take 4·10^8 steps of work; at least 200, or `wanted`
/// if fewer.
int affordable_resamples(int wanted, std::size_t steps_per_resample);

}  // namespace fovea
