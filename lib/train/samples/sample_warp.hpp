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

/// Maps a place in a window to the place in the image that is seen there. The object is a flat picture, seen
/// from a distance of four times its longer side, measured in pixels of the window.
class SampleProjection {
  public:
    /// \param box of the object in its image, as resampled() takes it.
    SampleProjection(const Box& box, Size window, const SamplePose& pose);

    /// Coordinates in the image for coordinates in the window; in both, the pixel i covers [i, i + 1).
    /// Limited to ±10^8.
    Point image_place(double x, double y) const;

    /// The number of image pixels that a pixel of the window covers, along the longer one of its sides.
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
    /// Places beyond the image are not of the object; else the image's border is continued.
    bool beyond_image = false;
};

/// The part of an object that a window shows, and how.
struct SeenObject {
    /// Grey levels, summed over the object's part of each pixel, as a share of the whole pixel.
    WindowPlane levels;
    WindowPlane cover;  ///< share of each pixel that the object covers, 0 to 1
};

/// Takes means over n×n bilinear samples of each pixel of the window, where n is pixels_per_pixel() rounded
/// up. If that is above four, the image is first reduced by a whole factor, and n counts its pixels.
SeenObject seen_object(ImageView<const std::uint8_t> image, const SampleProjection& projection, Size window,
                       const Transparency& transparency);

}  // namespace fovea
