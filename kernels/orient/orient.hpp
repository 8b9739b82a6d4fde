#pragma once

#include <cstdint>
#include <span>

#include "kernels/core/device.hpp"
#include "kernels/core/view.hpp"

namespace fovea {

/// An image to be turned.
struct OrientTask {
    ImageView<const std::uint8_t> stored;
    /// Has the size of `stored`, width and height exchanged for orientations 5 to 8; must not overlap it.
    ImageView<std::uint8_t> displayed;
    int orientation = 1;  ///< EXIF's, 1 to 8: see lib/image/formats/orientation.hpp
};

/// Brings images into the orientation in which they are displayed: an exact permutation of the pixels. Images
/// without pixels are left out.
///
/// \param device where the images lie; asynchronous on CUDA, 32 images a launch. \param tasks host memory,
/// not used after the call.
/// \throws std::invalid_argument for an orientation outside 1 to 8 or sizes that do not fit, before anything
/// is done; DeviceError if a launch fails.
void orient_images(const Device& device, std::span<const OrientTask> tasks);

/// Orients one image; on the CPU in the calling thread alone. Errors as orient_images.
void orient_image(const Device& device, ImageView<const std::uint8_t> stored, int orientation,
                  ImageView<std::uint8_t> displayed);

}  // namespace fovea
