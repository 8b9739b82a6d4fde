#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "lib/core/error.hpp"
#include "lib/pipeline/detection_job.hpp"
#include "lib/pipeline/evaluate_results.hpp"

namespace fovea {

/// What a run did and where it left its files.
struct PipelineOutcome {
    ExitCode exit_code = ExitCode::done;  ///< done, inputs_skipped or interrupted
    DetectionJobOutcome detection;
    std::filesystem::path manifest;
    std::vector<DetectionEvaluation> evaluations;  ///< one per detector, or none
    std::string why_no_evaluation;                 ///< a sentence; empty if there are evaluations
    std::optional<std::filesystem::path> report;
};

/// The main job: reads the dataset, detects with every detector, writes results.jsonl (results-NAME.jsonl if
/// there are several) and run.json, and where there is ground truth evaluates the files just written and
/// writes the report.
///
/// \throws UsageError if the configuration is incomplete; Error and DeviceError as the parts do.
PipelineOutcome run_pipeline(const RunConfig& config, const RunHooks& hooks);

}  // namespace fovea
