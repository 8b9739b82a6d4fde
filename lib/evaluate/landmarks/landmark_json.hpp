#pragma once

#include <cstddef>
#include <string>

#include "lib/evaluate/landmarks/landmarks.hpp"
#include "lib/json/json_fwd.hpp"

namespace fovea {

/// The evaluation as "landmarks" of report.json: counts, nme.NORMALISER with every number and its "…_ci95",
/// points, regions and slices. Numbers that are undefined or infinite are null. \param max_curve_points of
/// each CED; a CED with more points keeps evenly spaced ones and the last.
Json landmark_evaluation_to_json(const LandmarkEvaluation& evaluation, std::size_t max_curve_points = 1000);

/// Two sentences for people say what is measured and what counts as missed.
std::string landmark_protocol_description(const LandmarkEvaluation& evaluation);

}  // namespace fovea
