#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "lib/core/error.hpp"
#include "lib/job/detection_job.hpp"
#include "lib/report/page/late_report.hpp"
#include "lib/run/detection/evaluate_run.hpp"
#include "lib/run/recognition/recognition_run.hpp"

namespace fovea {

/// The outcome of a run and where it left its files.
struct RunResult {
    ExitCode exit_code = ExitCode::done;  ///< done, inputs_skipped or interrupted
    DetectionJobResult detection;
    /// Pictures of the dataset's folder in formats that are not read, and pages of files after the
    /// first ones.
    std::size_t left_out = 0;
    std::filesystem::path manifest;
    std::vector<DetectionEvaluation> evaluations;  ///< one per detector, or none
    std::vector<LandmarkEvaluation> landmarks;     ///< see RunEvaluationResult
    std::string why_no_evaluation;  ///< a sentence; empty if there are evaluations of either kind
    std::string why_no_landmarks;   ///< see RunEvaluationResult
    LateReport report;
    std::optional<RecognitionResult> recognition;  ///< where the configuration wants it
};

/// Does a whole run. It reads the dataset, detects with every detector, finds landmarks, and writes
/// results.jsonl (results-NAME.jsonl if there are several detectors), results-truth.jsonl (landmarks in
/// annotated boxes) and run.json. If there is ground truth, it evaluates the files just written and
/// writes the report. Then, even if the report cannot be written, or instead if no dataset is named, it
/// recognises faces as the configuration says: see RecognitionJob.
///
/// \param existing replace_own or overwrite: a run does not resume an earlier one.
/// \throws UsageError if the configuration is incomplete, or finished results of other work would be lost;
/// Error and DeviceError from the parts of the run.
RunResult run_pipeline(const RunConfig& config, const JobHooks& hooks,
                       ExistingResults existing = ExistingResults::overwrite);

}  // namespace fovea
