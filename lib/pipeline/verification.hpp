#pragma once

#include <string>
#include <vector>

#include "lib/detect/opencv_reference.hpp"
#include "lib/pipeline/detection_job.hpp"

namespace fovea {

/// An image in which detector and reference differ.
struct DifferingImage {
    std::string image;            ///< as in Sample::image
    DetectionDifference raw;      ///< windows that pass, with their last stage sums
    DetectionDifference grouped;  ///< boxes with their scores
};

struct VerificationOutcome {
    std::size_t images = 0;  ///< compared
    std::size_t raw_windows = 0;
    std::size_t grouped_boxes = 0;
    std::vector<DifferingImage> differing;
    std::vector<UnreadableImage> unreadable;
    bool interrupted = false;  ///< cancelled before the last image
};

/// Compares a detector with OpenCV's on every image of a dataset, to the last bit: as sets, all windows that
/// pass the cascade with their last stage sums, and the grouped boxes with their scores.
///
/// \param threads of both; 0 = all cores. An image that cannot be decoded or scanned is recorded and left
/// out. \throws what OpenCvReference throws.
VerificationOutcome run_verification(const Dataset& dataset, const LoadedDetector& detector, int threads,
                                     const RunHooks& hooks);

}  // namespace fovea
