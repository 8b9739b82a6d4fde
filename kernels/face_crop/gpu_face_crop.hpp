#pragma once

#include "kernels/face_crop/face_crop.hpp"

namespace fovea::cuda_backend {

/// The launches behind fovea::crop_faces and fovea::make_crop_tasks; all memory lies on the device.
void crop_faces(const Device& device, const ImageView<const std::uint8_t>* images, const CropTask* tasks,
                std::size_t count, Size size, std::uint8_t* crops);
void make_crop_tasks(const Device& device, const LandmarkTask* faces, const std::int32_t* positions,
                     std::size_t count, int points, int subpixels, const CropGeometry& geometry,
                     CropTask* tasks);

}  // namespace fovea::cuda_backend
