#pragma once

#include <cstddef>

#include "lib/evaluate/detection/detection.hpp"
#include "lib/json/json_fwd.hpp"

namespace fovea {

/// The `detection` object of report.json: every number of the evaluation but the outcomes of single images.
///
/// Rates are in [0, 1] and finite; what is undefined (a threshold that does not exist, an interval that was
/// not computed) is left out. The curve is given by falling threshold and thinned by thin_roc to
/// `max_roc_points` ("roc_thresholds" is the number of points before); all others come from the whole curve.
Json detection_evaluation_to_json(const DetectionEvaluation& evaluation, std::size_t max_roc_points = 5000);

/// The protocol's own numbers by key, each with "KEY_ci95" and, where another mode gives another value,
/// "KEY_strict", "KEY_port" or "KEY_corrected" beside it; what is undefined is left out.
Json protocol_numbers_to_json(const DetectionEvaluation& evaluation);

}  // namespace fovea
