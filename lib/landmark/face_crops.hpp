#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/face_crop/face_crop.hpp"
#include "lib/core/types.hpp"
#include "lib/image/formats/image.hpp"

namespace fovea {

/// The centres of the eyes: the mean of the landmarks about each eye; nothing unless there are 68 or 5
/// landmarks (eye_landmarks). Equal to eyes_of_positions() in every bit for landmarks in units of a power
/// of two.
std::optional<CropEyes> eyes_of_landmarks(std::span<const Point> landmarks);

/// The eyes of a shape, carried into the image by the similarity transform that fits the shape to the
/// landmarks best (least squares). Sums run over the points in their order. \param shape, landmarks parallel,
/// not empty. \return nothing if all points of the shape are at one place.
std::optional<CropEyes> carried_eyes(std::span<const Point> shape, std::span<const Point> landmarks,
                                     const CropEyes& eyes);

/// The eyes of a mean shape, carried into the image by the similarity transform that fits the shape to the
/// landmarks best: steadier than the few points about the eyes alone.
/// \param mean_shape x0 y0 x1 y1 ...: a landmark model's initial shape.
/// \return the centres of the eyes as eyes_of_landmarks(); nothing if the shape has another number of points.
std::optional<CropEyes> fitted_eyes(std::span<const Point> landmarks, std::span<const float> mean_shape);

/// The faces of an image, each turned, scaled and moved so that its eyes lie where the geometry has them:
/// crop_faces() on the CPU.
/// \param image 8-bit grey. \return one crop for each detection, in their order; an empty one for a detection
/// without landmarks of the eyes or with both eyes at one place.
/// \throws std::invalid_argument as check_crop_geometry.
std::vector<GreyImage> face_crops(ImageView<const std::uint8_t> image, std::span<const Detection> detections,
                                  const CropGeometry& geometry = {});

/// A grey image as a PNG file.
std::string png_of(const GreyImage& image);
/// A grey image as a JPEG file of quality 85, which takes a third of the bytes.
std::string jpeg_of(const GreyImage& image);

/// For every image of a dataset, the relative path with which its crops' names begin: the image's own path
/// without extension (with it if another image would get an equal one), and without anything that leads out
/// of a folder ("..", a root, a drive). Control characters become '_', and parts longer than 200 bytes are
/// cut off and end in a hash. No two are equal, also after "-1", "-2", ... is appended.
std::vector<std::string> crop_stems(const std::vector<std::string>& images);

}  // namespace fovea
