#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "lib/core/box_offsets.hpp"
#include "lib/dataset/dataset.hpp"
#include "lib/json/json_fwd.hpp"
#include "lib/results/results.hpp"

namespace fovea {

/// The place of a dataset's ellipses in a detector's boxes.
struct EllipseOffsets {
    double centre_x = 0;      ///< from the box's centre, in box widths
    double centre_y = 0;      ///< in box heights
    double major_radius = 0;  ///< in box heights
    double minor_radius = 0;  ///< in box widths
    double angle_rad = 0;     ///< as Ellipse::angle_rad, in [0, pi)
};

/// The offsets that were learned for one fold from all others.
struct FoldCalibration {
    std::string fold;
    /// Pairs of a detection and a face; 0: there is nothing to learn from, and the fold is left as it is.
    int pairs = 0;
    BoxOffsets box;         ///< from a detector's boxes to the dataset's
    int ellipse_pairs = 0;  ///< of these: with a face annotated as an ellipse
    std::optional<EllipseOffsets> ellipse;
};

struct BoxCalibrationOptions {
    double min_iou = 0.3;  ///< of the pairs that are learned from: greater than this
};

/// The name of a detector's calibrated boxes in reports: "mct" -> "mct, calibrated".
inline std::string calibrated_name(const std::string& detector) {
    return detector + ", calibrated";
}

/// A detector's results in a dataset's convention of boxes.
struct CalibratedResults {
    /// Boxes are moved, and have an ellipse where the dataset's faces have one; names, order, scores and
    /// points are as they were.
    DetectionResults results;
    bool folds_stated = false;  ///< folds are the dataset's (folds_of)
    std::vector<FoldCalibration> folds;
};

/// Moves the edges of a detector's boxes to where the dataset's annotators put them, so that detectors are
/// compared by what they find and not by where they end a face. No image is changed by what was learned on
/// it: the offsets for a fold (folds_of) are learned on all others.
///
/// Pairs are detections and counted faces of one image with an IoU > min_iou, one to one with the largest
/// summed IoU. BoxOffsets are the means over the pairs of (face's edge - detection's edge) / detection's
/// width or height; EllipseOffsets the means of centre and radii, and half the direction of the mean of the
/// doubled angles, as an ellipse turned by pi is the same. Images that are not annotated, or not in the
/// dataset, stay as they are.
/// \throws Error as pair_images(); UsageError if min_iou is not in [0, 1).
CalibratedResults calibrated_results(const Dataset& dataset, const DetectionResults& results,
                                     const BoxCalibrationOptions& options = {});

/// The calibration for report.json: how folds were made, and the pairs and offsets of each.
Json box_calibration_to_json(const CalibratedResults& calibrated);

}  // namespace fovea
