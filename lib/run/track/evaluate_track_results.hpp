#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "lib/config/config.hpp"
#include "lib/evaluate/tracks/tracks.hpp"
#include "lib/files/input_files.hpp"
#include "lib/job/detection_job.hpp"
#include "lib/json/json.hpp"
#include "lib/run/detection/evaluate_results.hpp"

namespace fovea {

struct TrackEvaluationRequest {
    std::vector<NamedResults> results;  ///< as read_results takes them
    TrackEvaluationOptions options;
    ReportConfig report;
    /// The accuracy gate, whose verdicts stand in the report; may be empty.
    report::Judge judge{};
    DecodeOptions decode;
    /// The report's folder; none: no report is written. The dataset and the results are added to its inputs.
    std::optional<OutputFolder> folder;
    Json configuration;  ///< shown in the report
};

struct TrackEvaluationResult {
    std::vector<TrackEvaluation> evaluations;     ///< parallel to the results
    std::optional<std::filesystem::path> report;  ///< report.html
    bool interrupted = false;
};

/// Reads the results of trackers, evaluates each against the dataset's tracks and writes the report.
/// \throws what read_results, evaluate_tracks and write_track_report throw.
TrackEvaluationResult evaluate_track_results(const Dataset& dataset, const TrackEvaluationRequest& request,
                                             const JobHooks& hooks);

}  // namespace fovea
