#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/core/image_batch.hpp"
#include "kernels/landmark/face_box.hpp"
#include "lib/core/types.hpp"
#include "lib/landmark/landmarker.hpp"

namespace fovea {

/// How the faces of one detector (or dataset) get landmarks.
struct LandmarkStage {
    const Landmarker* landmarker = nullptr;
    BoxTransform edges;  ///< edges of the model's box in the detector's boxes: see model_edges()
};

/// Finds the landmarks of every detection that has none, in its box. \param detections one list per image.
/// \throws what Landmarker::find throws.
void add_landmarks(const LandmarkStage& stage, const ImageBatch& images,
                   std::span<std::vector<Detection>> detections);

}  // namespace fovea
