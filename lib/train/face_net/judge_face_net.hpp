#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

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

/// Runs a network on datasets that it was not trained on, and gives it the score that tells the probability
/// of being right there: fit_logistic_curve() of all detections that are right or wrong. Without any the
/// score stays. \param progress images done and all. May throw to stop.
/// \throws as read_dataset and evaluate_detection
std::vector<FaceNetJudgement> judge_face_net(FaceNetModel& model, const std::vector<std::string>& datasets,
                                             int threads,
                                             const std::function<void(std::size_t, std::size_t)>& progress);

/// Numbers of photographs, faces and detections, average precision, and at kept_score precision and recall.
Json face_net_judgement_to_json(const FaceNetJudgement& judgement);

}  // namespace fovea
