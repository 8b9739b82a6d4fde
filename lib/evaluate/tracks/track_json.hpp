#pragma once

#include <string>
#include <vector>

#include "lib/evaluate/tracks/tracks.hpp"
#include "lib/json/json_fwd.hpp"

namespace fovea {

/// The evaluation as "tracks" of report.json: counts, every number with its "…_ci95", the numbers by IoU
/// threshold, those of the other mode and of motmetrics, and those of each video. Numbers that are undefined
/// are null.
Json track_evaluation_to_json(const TrackEvaluation& evaluation);

/// Two sentences for people say what is paired and whose arithmetic it is.
std::string track_protocol_description(const TrackEvaluation& evaluation);

/// The differences between two trackers on the same units.
struct TrackComparison {
    std::string first;   ///< names
    std::string second;  ///< the difference is second - first
    std::vector<PairedNumber> numbers;
};

/// Compares the first tracker with each of the others, by the paired bootstrap over the same videos or
/// blocks; nothing where a single video is too short. \param evaluations of one dataset, with equal options.
std::vector<TrackComparison> compare_trackers(const std::vector<TrackEvaluation>& evaluations,
                                              const std::vector<std::string>& names);

/// "differences" of report.json.
Json track_comparisons_to_json(const std::vector<TrackComparison>& comparisons);

}  // namespace fovea
