#pragma once

#include <vector>

#include "lib/core/job_hooks.hpp"
#include "lib/core/types.hpp"
#include "lib/files/input_files.hpp"
#include "lib/json/json.hpp"
#include "lib/train/mct/mine.hpp"
#include "lib/train/mct/patch.hpp"
#include "lib/train/mct/train_config.hpp"

namespace fovea {

/// A validation image: one with faces at known places, or one without faces.
struct ValidationImage {
    GreyImage image;
    std::vector<Box> faces;  ///< boxes of mit_cmu_face_box; empty = a background
};

/// The patches that a training learns from, and other patches and images that validate it. Nothing is
/// in both.
struct TrainingData {
    std::vector<MctPatch> faces;  ///< jittered copies of a face stand together
    /// For thresholds; from other tiles and images than `faces`.
    std::vector<MctPatch> validation_faces;
    std::vector<Background> backgrounds;
    std::vector<ValidationImage> validation_images;
    Json manifest;  ///< sources with counts and SHA-256
    std::size_t unreadable = 0;
    InputFiles inputs;  ///< the files of the sources
};

/// The place of a face's window: the box of mit_cmu_face_box, `window_over_face` times as large, turned as
/// the eyes are. The mouth is taken from 68 points (Multi-PIE: 52 and 58) or MIT+CMU's six. Without a mouth,
/// the distance from eyes to mouth is taken to be 1.18 eye distances, the mean of HELEN.
/// \throws Error naming `image` if the face has no eyes.
FacePlace face_place(const Face& face, double window_over_face, const std::string& image);

/// Reads everything that a configuration names. The tiles 900-999 of every 1,000 of a strip validate, because
/// near-copies stand together, and every validation_every-th image of datasets and backgrounds. Images of
/// validation faces are scaled so that boxes are 20 to 40 pixels wide, as on the benchmarks.
///
/// \param progress called with the images read so far and all of them; may throw to stop.
/// \throws Error if a strip does not fit its tiles, faces have no eyes, too few faces (100) or no background
/// is left; UsageError for datasets that cannot be read.
TrainingData load_training_data(const TrainConfig& config, const CountProgress& progress = {});

}  // namespace fovea
