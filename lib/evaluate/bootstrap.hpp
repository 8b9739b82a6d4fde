#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "lib/evaluate/detection.hpp"

namespace fovea {

/// One detection as it enters the evaluation, by falling score.
struct CurveStep {
    std::uint32_t image = 0;                            ///< 0 ... number of images - 1
    DetectionOutcome adds = DetectionOutcome::ignored;  ///< what the counts gain
    bool ends_score = false;  ///< the last one of its score: here the curve has a point
};

struct DetectionIntervals {
    std::optional<Interval> detection_rate;
    std::optional<Interval> average_precision;
    std::vector<Interval> rates_at_false_positives;  ///< parallel to the points asked for, or empty
};

/// 95 % confidence intervals of the detection rate at the lowest threshold, of the average precision, and of the
/// detection rates at numbers of false positives (in all images of a resample together), by the percentile bootstrap over images: as many images as there are are drawn with replacement, an image
/// brings all its faces and detections, and the interval is from the 2.5 % to the 97.5 % quantile of the
/// resampled values (those with at least one face). It tells what another sample of images like these would
/// change, not what other faces, annotators or protocols would.
///
/// Deterministic: std::mt19937_64 seeded with `seed`, mapped to images by this function itself; the result
/// depends neither on the number of threads nor on the standard library. Absent with fewer than 2 images,
/// without faces or with no resamples.
///
/// \param steps in the order of falling score.
/// \param faces counted faces of every image.
/// Source: B. Efron, R. J. Tibshirani, "An Introduction to the Bootstrap", 1993, chapter 13.
DetectionIntervals bootstrap_intervals(std::span<const CurveStep> steps, std::span<const int> faces,
                                       int resamples, std::uint64_t seed,
                                       std::span<const int> false_positive_points = {});

}  // namespace fovea
