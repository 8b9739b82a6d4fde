#pragma once

#include "lib/evaluate/detection/detection.hpp"

namespace fovea {

/// The numbers that every detection protocol shares, with their intervals: average precision, the rates at
/// numbers of false positives, best F1, then those with every detection kept. An undefined one (a precision
/// without detections) has no value.
Numbers detection_numbers(const DetectionEvaluation& evaluation);

}  // namespace fovea
