#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/core/view.hpp"
#include "kernels/landmark/face_box.hpp"
#include "lib/core/types.hpp"
#include "lib/landmark/landmarker.hpp"

namespace fovea {

/// How the faces of one detector (or dataset) get landmarks.
struct LandmarkStage {
    const Landmarker* landmarker = nullptr;
    BoxEdges edges;  ///< of the model's box in the detector's boxes: see model_edges()
};

/// Finds the landmarks of every detection that has none, all images in one batch. \param detections one list an image;
/// their boxes decide. Errors as Landmarker::find.
void add_landmarks(const LandmarkStage& stage, std::span<const ImageView<const std::uint8_t>> images,
                   std::span<std::vector<Detection>> detections);

/// The same in images that lie in the memory of a GPU. Errors as Landmarker::find_resident.
void add_landmarks_resident(const LandmarkStage& stage, std::span<const ImageView<const std::uint8_t>> images,
                            int gpu, std::span<std::vector<Detection>> detections);

}  // namespace fovea
