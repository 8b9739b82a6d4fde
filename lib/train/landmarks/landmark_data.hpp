#pragma once

#include <string>
#include <vector>

#include "kernels/landmark/landmark_model.hpp"
#include "lib/core/job_hooks.hpp"
#include "lib/core/types.hpp"
#include "lib/files/input_files.hpp"
#include "lib/image/formats/image.hpp"
#include "lib/json/json.hpp"
#include "lib/train/landmarks/landmark_config.hpp"

namespace fovea {

/// How far a box is from the box in which the mean face fits best (fitted_box).
struct BoxError {
    double dx = 0;  ///< of the centre, in widths of the best box
    double dy = 0;  ///< in heights
    double dw = 0;  ///< logarithm of the ratio of the widths
    double dh = 0;
};

/// A source of boxes, and the errors of its boxes on the training faces.
struct BoxErrorSource {
    std::string name;  ///< the detector's, or "tight": the tight boxes of the landmarks themselves
    std::vector<BoxError> errors;
};

struct LandmarkTrainingFace {
    std::size_t image = 0;         ///< in LandmarkTrainingData::images
    std::vector<Point> landmarks;  ///< pixels of that image
    double normaliser = 0;         ///< pixels, that errors are divided by: the first of normalisers_for()
    /// Validation: the model's box by each source; of no width if it has none.
    std::vector<Rect> boxes;
};

/// The faces that a training of landmarks learns from, and other faces that validate it. No image is in both.
struct LandmarkTrainingData {
    std::vector<GreyImage> images;  ///< whole, or large ones cropped around a face
    std::vector<LandmarkTrainingFace> faces;
    std::vector<LandmarkTrainingFace> validation_faces;
    /// The mean training face in the model's box: x0 y0 x1 y1 ...
    std::vector<float> initial_shape;
    std::vector<BoxErrorSource> sources;  ///< the detectors in their order, then "tight"
    Json manifest;                        ///< sources with counts and SHA-256, and the boxes' errors
    std::size_t unreadable = 0;
    InputFiles inputs;  ///< the files of the datasets and detectors
};

/// For each of 68 points (Multi-PIE, iBUG), the landmark that takes its place in a mirrored image.
const std::vector<std::size_t>& mirrored_landmarks();

/// A box with an error of `widening` times its size.
Box displaced_box(const Box& best, const BoxError& error, double widening);
/// The reverse of displaced_box with a widening of 1. Both boxes must have an extent.
BoxError box_error(const Box& best, const Box& box);

/// The model's box for the tight box of the mean face: of whole pixels, as rect_of_edges makes it.
Rect model_box(const LandmarkModel& model, const Box& tight);

/// Reads the faces, fits the mean face, and runs the detectors on the training images for the errors of
/// their boxes.
///
/// The seed decides which images validate. Faces without landmarks or extent, and ignored faces, are
/// left out.
/// \param progress called with the images done so far and all of them; may throw to stop.
/// \throws UsageError for datasets and models that cannot be read; Error for faces of different numbers of
/// points, fewer than 10 training faces, or a detector that finds fewer than 10 of them.
LandmarkTrainingData load_landmark_training_data(const LandmarkTrainConfig& config,
                                                 const CountProgress& progress = {});

}  // namespace fovea
