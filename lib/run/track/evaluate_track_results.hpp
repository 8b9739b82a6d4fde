#pragma once

#include <vector>

#include "lib/evaluate/tracks/tracks.hpp"
#include "lib/run/detection/evaluate_results.hpp"

namespace fovea {

struct TrackEvaluationRequest : ResultsRequest {
    TrackEvaluationOptions options;
    /// The accuracy gate, whose verdicts stand in the report; may be empty.
    report::Judge judge{};
};

struct TrackEvaluationResult {
    std::vector<TrackEvaluation> evaluations;  ///< parallel to the results
    LateReport report;                         ///< report.html
    bool interrupted = false;
};

/// Reads the results of trackers, evaluates each against the dataset's tracks and writes the report,
/// whose failure the result keeps. \throws what read_results and evaluate_tracks throw.
TrackEvaluationResult evaluate_track_results(const Dataset& dataset, const TrackEvaluationRequest& request,
                                             const JobHooks& hooks);

}  // namespace fovea
