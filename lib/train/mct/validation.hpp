#pragma once

#include <memory>
#include <vector>

#include "lib/core/job_hooks.hpp"
#include "lib/detect/mct_detector.hpp"
#include "lib/train/mct/training_data.hpp"

namespace fovea {

/// The validation faces found and the false positives at a threshold.
struct ValidationPoint {
    double threshold = 0;  ///< of a group's summed margins
    int true_positives = 0;
    int false_positives = 0;
};

/// How a model performs on the images that were kept from its training.
struct ValidationCurve {
    int faces = 0;
    int images = 0;
    int backgrounds = 0;
    std::vector<ValidationPoint> points;  ///< by falling threshold, one a distinct score

    double rate_at(int false_positives) const;
};

/// Detects in all validation images (factor 1.1) and matches by the mit-cmu protocol. Only detections in
/// backgrounds are false positives: portraits show people who are not annotated.
/// \param progress images done; may throw to stop.
ValidationCurve validate_model(const MctDetector& detector, const std::vector<ValidationImage>& images,
                               const CountProgress& progress = {});

/// Odds of a face by summed margins, from a validation's hits and false positives: up to 12 ranges of equal
/// numbers of both together, (hits + 1/2) / (false positives + 1/2) in each, made monotone by pooling
/// adjacent violators (Zadrozny and Elkan 2002). The odds are those of the validation set, whose images are
/// half backgrounds.
std::vector<ConfidenceKnot> calibrate(const ValidationCurve& curve);

Json validation_to_json(const ValidationCurve& curve);

}  // namespace fovea
