#pragma once

#include <cstddef>
#include <vector>

#include "lib/dataset/dataset.hpp"
#include "lib/evaluate/detection/detection.hpp"

namespace fovea {

/// A detection as the curve counts it.
struct CurveDetection {
    double score = 0;
    DetectionMatch outcome = DetectionMatch::ignored;  ///< what the counts gain at its score
    std::size_t detection = 0;                         ///< index in ImageEvaluation::detections
    int face = -1;                                     ///< index of the face that it adds to those found
};

/// The detections of every image (parallel to evaluation.image_outcomes), by falling score, with what each
/// adds to the counts.
///
/// An optimal matching (iou, mit_cmu) may give a face to a better fitting detection of a lower score; then
/// ImageEvaluation calls the higher one false, while the curve counted a face found at the higher score and a
/// false positive at the lower one. Here outcomes are the curve's, so that those with a score >= t are the
/// counts of an evaluation of only these detections. All other protocols are taken as their outcomes state.
std::vector<std::vector<CurveDetection>> judged_detections(const Dataset& dataset,
                                                           const DetectionEvaluation& evaluation);

/// The faces and false positives of an image by score: a threshold keeps the ones with scores >= threshold.
struct ImageScores {
    std::vector<double> found;            ///< parallel to the sample's faces; -infinity: never found
    std::vector<double> false_positives;  ///< falling
    std::vector<std::size_t> alarms;      ///< parallel to these: index in ImageEvaluation::detections
};

/// The scores of every image, parallel to evaluation.image_outcomes. An optimal matching never loses a face
/// when a detection of a lower score is added; the counts are those of outcomes_at() at every threshold.
std::vector<ImageScores> image_scores(const Dataset& dataset, const DetectionEvaluation& evaluation);

/// The outcomes of single images when only detections with score >= threshold are kept (the others are
/// left out of ImageEvaluation::detections). iou and mit_cmu are matched anew. For all other
/// protocols, a detection of a lower score is taken not to change the outcome of a higher one, as in
/// their greedy matching.
std::vector<ImageEvaluation> outcomes_at(const Dataset& dataset, const DetectionEvaluation& evaluation,
                                         double threshold);

}  // namespace fovea
