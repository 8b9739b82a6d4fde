#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lib/evaluate/detection.hpp"

namespace fovea {

/// What the detections of one image add to the counts, one after the other by falling score. Images do not
/// influence each other, so the curve of a dataset is the merge of its images' traces.
struct ImageTrace {
    struct Step {
        double score = 0;
        int true_positives =
            0;  ///< what the counts gain: 1 or 0 where detections are added one by one; where a
        int false_positives = 0;      ///< protocol matches anew at every score (FDDB), more, and less than 0
        std::size_t changes_end = 0;  ///< the step's changes are those up to here from the previous step's
    };
    struct Change {
        std::size_t face = 0;
        double iou = 0;  ///< with the detection now matched
    };
    std::vector<Step> steps;  ///< by falling score, then by box (y, x, w, h): free of the order in the file
    std::vector<Change> changes;   ///< faces matched anew or to another detection
    ImageOutcome outcome;          ///< after the last step
    std::vector<double> face_iou;  ///< parallel to the sample's faces, after the last step; 0 if missed
    /// Parallel to the steps, where the protocol's continuous score counts pairs that are no true positives, too (FDDB): what
    /// the sum of the IoU of all pairs gains, in 1 / units_per_one (optimal_trace.hpp). Else empty.
    std::vector<std::int64_t> pair_iou;
    /// Parallel to the sample's faces: not 0 for those that count; empty where it is those not marked ignore.
    /// WIDER FACE's levels count some of the faces only.
    std::vector<char> counted;
};

/// \throws Error if a box or score is not finite, with the image's name.
void check_finite(const Sample& sample, const std::vector<Detection>& detections);

/// The order in which the detections of an image are taken: by falling score. Of equal scores comes first what stands
/// first in the results (strict, as in most reference programs), or what is first by box (y, x, w, h; corrected).
std::vector<std::size_t> order_by_falling_score(const std::vector<Detection>& detections, ProtocolMode mode);

/// A trace before its first step: every detection ignored, no face found, best_iou known.
ImageTrace start_trace(const Sample& sample, std::size_t sample_index,
                       const std::vector<Detection>& detections);

/// \throws Error if a box or score is not finite.
ImageTrace trace_image(const Sample& sample, std::size_t sample_index,
                       const std::vector<Detection>& detections, const DetectionEvaluationOptions& options);

}  // namespace fovea
