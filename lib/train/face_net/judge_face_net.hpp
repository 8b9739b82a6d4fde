#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lib/core/job_hooks.hpp"
#include "lib/dataset/dataset.hpp"
#include "lib/detect/face_net_model.hpp"
#include "lib/evaluate/analysis/detection_analysis.hpp"
#include "lib/evaluate/detection/detection.hpp"
#include "lib/results/tally.hpp"

namespace fovea {

/// How a network does on a dataset.
struct FaceNetJudgement {
    Dataset dataset;
    DetectionEvaluation evaluation;  ///< a hit has an IoU of 0.5
    DetectionAnalysis analysis;      ///< at the score `kept_score`
    std::vector<UnreadableImage> unreadable;
};

/// The score from which `fovea detect` keeps a face.
inline constexpr double kept_score = 0.5;

/// Runs a network on datasets that it was not trained on, and fits its score to the probability of being
/// right there: fit_logistic_curve() of all detections that are right or wrong; without any, the score stays.
/// \param progress called with the images done and all; may throw to stop. \throws what read_dataset and
/// evaluate_detection throw.
std::vector<FaceNetJudgement> judge_face_net(FaceNetModel& model, const std::vector<std::string>& datasets,
                                             int threads, const CountProgress& progress);

/// Numbers of photographs, faces and detections, average precision, and at kept_score precision and recall.
Json face_net_judgement_to_json(const FaceNetJudgement& judgement);

}  // namespace fovea
