#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/core/view.hpp"
#include "lib/core/types.hpp"
#include "lib/train/samples/window_plane.hpp"

namespace fovea {

/// How an object is seen in its window.
struct SamplePose {
    /// About the x axis (the object nods), the y axis (it turns its side to the viewer) and the line of sight
    /// (clockwise on the screen), in this order; degrees.
    double angle_x_deg = 0, angle_y_deg = 0, angle_z_deg = 0;
    double scale = 1;                 ///< 2 = the object is twice as large; above 0
    double shift_x = 0, shift_y = 0;  ///< in widths and heights of the window

    bool is_plain() const {
        return angle_x_deg == 0 && angle_y_deg == 0 && angle_z_deg == 0 && scale == 1 && shift_x == 0 &&
               shift_y == 0;
    }
};

/// From a place in a window to the place in the image that is seen there: the object is a flat picture, seen
/// from four times its longer side, measured in pixels of the window.
class SampleProjection {
  public:
    /// \param box  of the object in its image, as resampled() takes it.
    SampleProjection(const Box& box, Size window, const SamplePose& pose);

    /// Coordinates of the image in which the pixel i covers [i, i + 1), for such of the window; limited to
    /// ±10^8.
    Point image_place(double x, double y) const;

    /// Pixels of the image, along the longer one of both sides, that a pixel of the window covers.
    double pixels_per_pixel() const { return pixels_per_pixel_; }

  private:
    Box box_;
    Size window_;
    SamplePose pose_;
    double viewer_;
    double pixels_per_pixel_;
    std::array<double, 9> to_object_;  // row by row
};

/// Which pixels of an image are not of the object.
struct Transparency {
    std::optional<int> background_colour;  ///< grey level
    int threshold = 0;                     ///< levels no further from it are background
    /// what lies beyond the image is not of the object; else its border is continued
    bool beyond_image = false;
};

/// The part of an object that a window shows, and how.
struct SeenObject {
    /// of each pixel, the sum over the object's part of it, as a share of the whole pixel
    WindowPlane levels;
    WindowPlane cover;  ///< share of each pixel that the object covers, 0 to 1
};

/// Means over n×n bilinear samples of each pixel of the window, n the image's pixels in it rounded up. Where
/// these are more than four, the image is reduced by a whole factor first.
SeenObject seen_object(ImageView<const std::uint8_t> image, const SampleProjection& projection, Size window,
                       const Transparency& transparency);

}  // namespace fovea
