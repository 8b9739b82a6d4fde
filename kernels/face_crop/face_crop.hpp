#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/core/device.hpp"
#include "kernels/core/view.hpp"
#include "kernels/face_crop/face_crop_body.hpp"
#include "kernels/landmark/find_landmarks.hpp"

namespace fovea {

/// A face that is to be cropped.
struct CropTask {
    std::uint32_t image = 0;  ///< index of its image
    CropTransform to_image;

    friend bool operator==(const CropTask&, const CropTask&) = default;
};

/// \throws std::invalid_argument if the size is not 1×1 to 4096×4096, if both eyes are at the same place, or
/// if a coordinate of an eye is beyond ±1,000,000 pixels or NaN.
void check_crop_geometry(const CropGeometry& geometry);

/// Cuts faces out of images: each is turned, scaled and moved by its transform, and interpolated bilinearly.
/// Every pixel is crop_pixel(), equal in every bit on every device.
///
/// \param device where pixels and arrays lie; asynchronous on CUDA. \param images 8-bit grey.
/// \param tasks [count]; that each image is among `images` is not checked.
/// \param size of every crop, 1×1 to 4096×4096. \param crops receives [face][height][width].
/// \throws std::invalid_argument for another size; DeviceError if the launch fails.
void crop_faces(const Device& device, const ImageView<const std::uint8_t>* images, const CropTask* tasks,
                std::size_t count, Size size, std::uint8_t* crops);

/// Makes the tasks of faces whose landmarks find_landmarks found, so that nothing leaves the device between
/// finding and cropping: tasks[i] = {faces[i].image, crop_transform(eyes_of_positions(...), geometry)}.
///
/// \param device where all memory lies; asynchronous on CUDA.
/// \param positions [face][2 · points] in units of 1 / subpixels pixel. \param points 68 or 5.
/// \throws std::invalid_argument for other points and as check_crop_geometry; DeviceError if a launch fails.
void make_crop_tasks(const Device& device, const LandmarkTask* faces, const std::int32_t* positions,
                     std::size_t count, int points, int subpixels, const CropGeometry& geometry,
                     CropTask* tasks);

}  // namespace fovea
