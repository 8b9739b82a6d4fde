#pragma once

#include <cstdint>
#include <vector>

#include "kernels/landmark/find_landmarks.hpp"
#include "kernels/landmark/landmark_body.hpp"
#include "lib/train/landmarks/landmark_data.hpp"

namespace fovea {

/// A copy of a face in a box of its own.
struct LandmarkSample {
    std::uint32_t image = 0;
    Rect box;  ///< that the copy began in
    /// From the unit square of the box to the image; mirrors and turns, if the copy is mirrored and turned.
    UnitToImage to_image;
    BoxSpan span;           ///< of the box of now, pixels
    double normaliser = 0;  ///< of the face, pixels
};

/// Faces on their way from the initial shape to their landmarks.
struct LandmarkSamples {
    std::size_t stride = 0;  ///< of rows: the model's leaf_stride()
    std::vector<LandmarkSample> samples;
    std::vector<float> targets;  ///< [sample][stride]: the landmarks in the unit square of the box
    std::vector<float> shapes;   ///< [sample][stride]: the present estimates of the landmarks

    std::size_t count() const { return samples.size(); }
};

/// Copies of the training faces, copies.count of each one after the other: boxes with errors drawn from the
/// sources', every second copy mirrored, each turned at random. The shapes are the initial one.
/// \param model with points and initial shape; its cascades are not needed.
LandmarkSamples make_training_samples(const LandmarkTrainConfig& config, const LandmarkTrainingData& data,
                                      const LandmarkModel& model);

/// The validation faces as they are, in the boxes of a source; faces that the source does not find are
/// left out.
LandmarkSamples make_validation_samples(const LandmarkTrainingData& data, const LandmarkModel& model,
                                        std::size_t source);

/// The grey values of a cascade's pixels as find_landmarks sees them: [pixel][sample].
std::vector<std::uint8_t> sample_pixels(const LandmarkModel& model, const LandmarkTables& tables,
                                        const std::vector<LandmarkPixel>& pixels,
                                        const std::vector<GreyImage>& images, const LandmarkSamples& samples);

/// Moves the shapes by a quantised cascade, equal in every bit to find_landmarks.
void advance_shapes(const LandmarkModel& model, const LandmarkTables& tables, const LandmarkCascade& cascade,
                    const std::vector<GreyImage>& images, LandmarkSamples& samples);

/// Gives the samples the boxes that find_landmarks fits to their shapes, equal in every bit, with the targets
/// in them. The shapes become the initial one. \param error of the boxes: each gets one at random; null:
/// none, as for validation.
void refit_boxes(const LandmarkModel& model, const LandmarkTables& tables, const RefitError* error,
                 std::uint64_t seed, LandmarkSamples& samples);

/// The mean over all samples of the landmarks' mean distance from their targets, divided by the normaliser.
double mean_error(const LandmarkModel& model, const LandmarkSamples& samples);

}  // namespace fovea
