#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "lib/evaluate/landmarks/landmarks.hpp"
#include "lib/report/page/late_report.hpp"
#include "lib/run/detection/evaluate_results.hpp"

namespace fovea {

/// The input of a run's evaluation: the files that it wrote, so that a later `fovea evaluate` of its results
/// gives the same numbers.
struct RunEvaluationRequest {
    RunConfig config;  ///< effective, with an output folder
    DetectionFiles files;
    const DetectionJobResult* job = nullptr;
    const LoadedLandmarker* landmarker = nullptr;  ///< null: no landmarks were found
    std::vector<RelatedReport> related{};          ///< reports that the run writes later
};

struct RunEvaluationResult {
    std::vector<DetectionEvaluation> detections;  ///< one per detector, or none
    /// One per detector with landmarks, then one for annotated boxes.
    std::vector<LandmarkEvaluation> landmarks;
    /// A sentence; empty if there are evaluations of landmarks, or none was wanted.
    std::string why_no_landmarks;
    LateReport report;
    bool interrupted = false;
};

/// Evaluates detections if detectors ran, and landmarks if the dataset has as many as the model. Writes one
/// report of all, whose failure the result keeps.
/// \throws what evaluate_detections and evaluate_landmark_files throw.
RunEvaluationResult evaluate_run(const Dataset& dataset, const RunEvaluationRequest& request,
                                 const JobHooks& hooks);

}  // namespace fovea
