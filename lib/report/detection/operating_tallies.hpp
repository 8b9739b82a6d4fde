#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "lib/report/detection/detection_content.hpp"
#include "lib/report/model/report.hpp"

namespace fovea::report {

// The counts that a threshold moves. A page's tables and plots name them by their places: all faces and
// detections, whole images, the slices in their order, the worst images in their order.

constexpr std::size_t tally_of_all = 0;
constexpr std::size_t tally_of_images = 1;
/// The place of a slice's counts. \param slice one of the analysis.
std::size_t tally_of(const DetectionAnalysis& analysis, const Slice& slice);
/// The place of the counts of a worst image. \param place among the worst images.
std::size_t tally_of_worst(const DetectionAnalysis& analysis, std::size_t place);

/// The worst images shown; the others are in report.json.
constexpr std::size_t max_worst_images = 20;

/// The threshold of a detector's own point; infinity where nothing is kept.
double threshold_of(const DetectionAnalysis& analysis);

/// The counts of every detector; empty where none detected anything.
std::vector<OperatingCurve> operating_curves(const DetectorsCompared& detectors);

/// The cell with a number that the threshold of a detector moves.
Cell followed(Cell cell, std::size_t detector, std::size_t tally, TallyNumber number);

}  // namespace fovea::report
