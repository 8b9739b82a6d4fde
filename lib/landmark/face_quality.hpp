#pragma once

#include <optional>
#include <span>
#include <vector>

#include "kernels/core/device.hpp"
#include "kernels/core/scratch.hpp"
#include "kernels/core/view.hpp"
#include "kernels/face_sharpness/face_sharpness.hpp"
#include "lib/core/types.hpp"

namespace fovea {

/// The angle by which a head is turned about its upright axis, in degrees from -90 to 90: positive if the
/// face looks towards the image's right. It follows from the distance of the tip of the nose from the middle
/// of the eyes, along the line through the eyes, as a share of half the eyes' distance: 1.15 times the
/// tangent of the angle. That factor fits the 1,200 annotated faces of HELEN best, whose eyes come nearer to
/// each other, by the distance from eyes to mouth and chin, as the nose leaves the middle. Beyond 45 degrees
/// it is coarse. \param landmarks 68, of which it needs eyes and nose. \return nothing for other numbers of
/// landmarks, and for eyes at one place.
std::optional<double> yaw_of_landmarks(std::span<const Point> landmarks);

/// Measures the faces found on one device. For one thread at a time.
class FaceMeter {
  public:
    /// \param device must outlive this.
    explicit FaceMeter(const Device& device) : device_(device) {}

    /// Sets yaw (where landmarks tell it) and sharpness (where the box holds pixels) of all faces, each
    /// rounded to a tenth; the same numbers on every device. \param images 8-bit grey, on the device. \param
    /// faces one list per image. \throws DeviceError; std::bad_alloc.
    void measure(std::span<const ImageView<const std::uint8_t>> images,
                 std::span<std::vector<Detection>> faces);

  private:
    const Device& device_;
    Scratch<ImageView<const std::uint8_t>> images_;
    Scratch<SharpnessTask> tasks_;
    Scratch<LaplacianSums> sums_;
};

}  // namespace fovea
