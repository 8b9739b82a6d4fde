#pragma once

#include <cstddef>
#include <vector>

#include "lib/dataset/dataset.hpp"
#include "lib/evaluate/detection/detection.hpp"
#include "lib/evaluate/statistics/mcnemar.hpp"

namespace fovea {

/// The differences in one image between two detectors, A and B.
struct ImageChange {
    std::size_t image = 0;                  ///< index in image_outcomes of both evaluations
    std::vector<std::size_t> faces_gained;  ///< found by B alone: indices of the sample's faces
    std::vector<std::size_t> faces_lost;    ///< found by A alone
    /// B's false positives that A does not raise: indices of B's detections.
    std::vector<std::size_t> alarms_gained;
    std::vector<std::size_t> alarms_lost;  ///< A's that B does not raise: indices of A's detections

    std::size_t size() const {
        return faces_gained.size() + faces_lost.size() + alarms_gained.size() + alarms_lost.size();
    }
};

/// Two evaluations of the same images, face by face.
struct DetectionChanges {
    McNemar faces;  ///< counted faces found with every detection of the evaluations
    int alarms_gained = 0;
    int alarms_lost = 0;
    int alarms_common = 0;  ///< raised by both: paired one to one
    /// Images that changed, largest change first; equals in dataset order.
    std::vector<ImageChange> images;
};

/// Compares what two evaluations of one dataset found.
///
/// False positives of A and B are the same if their IoU is at least 0.5; they are paired one to one by
/// falling IoU (among equals by their order in the results), and what is left over was gained or lost.
/// \throws Error if the evaluations are not of the same images.
DetectionChanges detection_changes(const Dataset& dataset, const DetectionEvaluation& first,
                                   const DetectionEvaluation& second);

/// The results without detections of a lower score.
DetectionResults results_from_threshold(const DetectionResults& results, double threshold);

}  // namespace fovea
