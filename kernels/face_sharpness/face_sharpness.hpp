#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/core/device.hpp"
#include "kernels/core/view.hpp"
#include "kernels/face_sharpness/face_sharpness_body.hpp"

namespace fovea {

/// A face whose sharpness is measured.
struct SharpnessTask {
    std::uint32_t image = 0;  ///< index of its image
    Rect face;                ///< within the image, at least 1×1
};

/// Sums over the Laplacian of a face: exact, and so equal on every device.
struct LaplacianSums {
    std::int64_t sum = 0;
    std::int64_t squares = 0;

    friend bool operator==(const LaplacianSums&, const LaplacianSums&) = default;
};

/// Resizes each face to 64×64 cells, whatever its shape (by area, linearly where it has fewer pixels), and
/// adds up the Laplacian of the 62×62 inner ones.
///
/// \param device where images, tasks and sums lie; asynchronous on CUDA. \param images 8-bit grey.
/// \param tasks [count]; that their images and rectangles are there is not checked. \param sums [count].
/// \throws DeviceError if the launch fails.
void sum_laplacians(const Device& device, const ImageView<const std::uint8_t>* images,
                    const SharpnessTask* tasks, std::size_t count, LaplacianSums* sums);

/// The variance of the Laplacian, in squared grey levels: small for blurred faces, whatever their size.
/// Source: J. L. Pech-Pacheco et al., "Diatom autofocusing in brightfield microscopy: a comparative study",
/// ICPR 2000 (LAPV).
double laplacian_variance(const LaplacianSums& sums);

}  // namespace fovea
