#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lib/evaluate/detection/detection.hpp"
#include "lib/evaluate/detection/trace_steps.hpp"

namespace fovea {

/// One image's detections by falling score, and their gains of the counts. Images do not influence each
/// other, so the curve of a dataset is the merge of its images' traces.
struct ImageTrace {
    struct Change {
        std::uint32_t face = 0;
        double iou = 0;  ///< with the detection now matched
    };
    /// Sorted by falling score, then by box (y, x, w, h): independent of the order in the file.
    TraceSteps steps;
    std::vector<Change> changes;  ///< faces matched anew or to another detection
    ImageEvaluation outcome;      ///< after the last step
    /// Parallel to the sample's faces, after the last step; 0 if missed.
    std::vector<double> face_iou;
    /// Parallel to the steps, where the protocol's continuous score counts pairs that are no true positives,
    /// too (FDDB): what the sum of the IoU of all pairs gains, in 1 / units_per_one (optimal_trace.hpp).
    /// Else empty.
    std::vector<std::int64_t> pair_iou;

    /// The next step, with the changes that came since the last one.
    void add_step(double score, int true_positives, int false_positives);
    /// `face` is matched with this IoU from the next step on.
    void change(std::size_t face, double iou);
};

/// Checks the boxes and scores of an image. \throws Error if a box or score is not finite, with the
/// image's name.
void check_finite(const Sample& sample, std::span<const Detection> detections);

/// The order in which the detections of an image are taken: by falling score. Equal scores keep the order of
/// the results (strict, as in most reference programs) or are sorted by box (y, x, w, h; corrected).
std::vector<std::size_t> order_by_falling_score(std::span<const Detection> detections, ProtocolMode mode);

/// A trace before its first step: every detection ignored, no face found, best_iou known. The shorter one
/// takes the IoU of the boxes.
ImageTrace start_trace(const Sample& sample, std::size_t sample_index, std::span<const Detection> detections,
                       const std::vector<double>& best_iou);
ImageTrace start_trace(const Sample& sample, std::size_t sample_index, std::span<const Detection> detections);

/// The trace of an image under the options' protocol iou or mit_cmu. \throws Error if a box or score is
/// not finite.
ImageTrace trace_image(const Sample& sample, std::size_t sample_index, std::span<const Detection> detections,
                       const DetectionEvaluationOptions& options);

}  // namespace fovea
