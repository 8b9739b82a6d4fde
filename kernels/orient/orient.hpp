#pragma once

#include <cstdint>
#include <span>

#include "kernels/core/device.hpp"
#include "kernels/core/view.hpp"

namespace fovea {

/// An image to be turned.
struct OrientTask {
    ImageView<const std::uint8_t> stored;
    ImageView<std::uint8_t> displayed;  ///< apart from `stored`, as large, with the sides exchanged from 5 on
    int orientation = 1;                ///< EXIF's, 1 to 8: see lib/image/formats/orientation.hpp
};

/// Brings images into the orientation in which they are displayed: an exact permutation of the pixels.
///
/// \param device where the images lie; asynchronous on CUDA, 32 images a launch. \param tasks host memory,
/// not used after the call. Images of no pixels are left out.
/// \throws std::invalid_argument for an orientation that is none or sizes that do not fit, before anything is
/// done; DeviceError if a launch fails.
void orient_images(const Device& device, std::span<const OrientTask> tasks);

/// One image. On the CPU in the calling thread alone. Errors as orient_images.
void orient_image(const Device& device, ImageView<const std::uint8_t> stored, int orientation,
                  ImageView<std::uint8_t> displayed);

}  // namespace fovea
