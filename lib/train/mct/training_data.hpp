#pragma once

#include <functional>
#include <vector>

#include "lib/core/types.hpp"
#include "lib/files/input_files.hpp"
#include "lib/json/json.hpp"
#include "lib/train/mct/mine.hpp"
#include "lib/train/mct/patch.hpp"
#include "lib/train/mct/train_config.hpp"

namespace fovea {

/// A validation image: a face of a known place, or none at all.
struct ValidationImage {
    GreyImage image;
    std::vector<Box> faces;  ///< boxes of mit_cmu_face_box; empty = a background
};

/// The patches that a training learns from, and those that validate it. Nothing is in both.
struct TrainingData {
    std::vector<MctPatch> faces;             ///< jittered copies of a face stand together
    std::vector<MctPatch> validation_faces;  ///< for thresholds; of other tiles and images than `faces`
    std::vector<Background> backgrounds;
    std::vector<ValidationImage> validation_images;
    Json manifest;  ///< sources with counts and SHA-256
    std::size_t unreadable = 0;
    InputFiles inputs;  ///< the files of the sources
};

/// The place of a face's window: the box of mit_cmu_face_box, `window_over_face` times as large, turned as
/// the eyes are. The mouth is taken from 68 points (Multi-PIE: 52 and 58) or MIT+CMU's six; without one, the
/// face is held to be as long as 1.18 eye distances from eyes to mouth, the mean of HELEN.
/// \throws Error naming `image` if the face has no eyes.
FacePlace face_place(const Face& face, double window_over_face, const std::string& image);

/// Reads everything a configuration names. Validation: of strips the tiles 900-999 of every 1,000, as
/// near-copies stand together; of datasets and backgrounds every validation_every-th image. Images of
/// validation faces are scaled so that boxes are 20 to 40 pixels wide, as on the benchmarks.
///
/// \param progress called with the images read so far and all of them; may throw to stop.
/// \throws Error if a strip does not fit its tiles, faces have no eyes, too few faces (100) or no background
/// is left; UsageError for datasets that cannot be read.
TrainingData load_training_data(const TrainConfig& config,
                                const std::function<void(std::size_t, std::size_t)>& progress = {});

}  // namespace fovea
