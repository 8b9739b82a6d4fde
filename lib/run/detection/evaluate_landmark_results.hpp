#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "lib/config/config.hpp"
#include "lib/evaluate/landmarks/landmarks.hpp"
#include "lib/files/input_files.hpp"
#include "lib/job/detection_job.hpp"
#include "lib/json/json.hpp"
#include "lib/report/page/late_report.hpp"
#include "lib/run/detection/evaluate_results.hpp"

namespace fovea {

/// Results are as read_landmark_results takes them.
struct LandmarkEvaluationRequest : ResultsRequest {
    LandmarkEvaluationOptions options;
    /// The accuracy gate, whose verdicts stand in the report; may be empty.
    std::function<std::vector<report::Verdict>(const Json& report, const std::vector<LandmarkEvaluation>&)>
        judge{};
};

struct LandmarkEvaluationResult {
    std::vector<LandmarkEvaluation> evaluations;  ///< parallel to the results
    LateReport report;                            ///< report.html
    bool interrupted = false;
};

/// Reads the results of landmarkers and evaluates each against the dataset's landmarks, without a report: the
/// request's folder is not used. \param skipped receives the images without a result. \throws what
/// read_landmark_results and evaluate_landmarks throw.
LandmarkEvaluationResult evaluate_landmark_files(const Dataset& dataset,
                                                 const LandmarkEvaluationRequest& request,
                                                 const JobHooks& hooks, std::vector<SkippedImage>& skipped);

/// Reads the results of landmarkers, evaluates each against the dataset's landmarks and writes the report,
/// whose failure the result keeps. \throws what read_landmark_results and evaluate_landmarks throw.
LandmarkEvaluationResult evaluate_landmark_results(const Dataset& dataset,
                                                   const LandmarkEvaluationRequest& request,
                                                   const JobHooks& hooks);

}  // namespace fovea
