#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/core/view.hpp"

// The arithmetic of aligned face crops, host and device alike: +, -, *, / and floor of IEEE numbers in the
// order written here, and integers.
namespace fovea {

/// A place in an image in pixels; (0, 0) is the centre of the top left pixel.
struct CropPoint {
    double x = 0;
    double y = 0;

    friend bool operator==(const CropPoint&, const CropPoint&) = default;
};

/// The centres of both eyes; `left` is the eye on the image's left.
struct CropEyes {
    CropPoint left;
    CropPoint right;

    friend bool operator==(const CropEyes&, const CropEyes&) = default;
};

/// The size of a crop and where the eyes lie in it. The default is from the CSU Face Identification
/// Evaluation System (csuPreprocessNormalize, version 5).
struct CropGeometry {
    Size size{130, 150};
    CropEyes eyes{{30, 45}, {100, 45}};

    friend bool operator==(const CropGeometry&, const CropGeometry&) = default;
};

/// The similarity transform from a crop to its image: x' = a·x - b·y + x0, y' = b·x + a·y + y0. It turns,
/// scales and moves, but cannot mirror.
struct CropTransform {
    double a = 0;
    double b = 0;
    double x0 = 0;
    double y0 = 0;

    FOVEA_HOST_DEVICE bool exists() const { return a != 0 || b != 0; }
    friend bool operator==(const CropTransform&, const CropTransform&) = default;
};

/// The transform that takes the eyes of the crop's geometry to the eyes in the image. If these are at the
/// same place, not finite or too far away, exists() is false, and the crop is black.
FOVEA_HOST_DEVICE inline CropTransform crop_transform(const CropEyes& eyes, const CropGeometry& geometry) {
    // From eye to eye in the image, divided by the same vector in the crop, as complex numbers.
    const double x = eyes.right.x - eyes.left.x, y = eyes.right.y - eyes.left.y;
    const double u = geometry.eyes.right.x - geometry.eyes.left.x;
    const double v = geometry.eyes.right.y - geometry.eyes.left.y;
    const double squares = u * u + v * v;
    const double a = (x * u + y * v) / squares, b = (y * u - x * v) / squares;
    const double middle_u = (geometry.eyes.left.x + geometry.eyes.right.x) / 2;
    const double middle_v = (geometry.eyes.left.y + geometry.eyes.right.y) / 2;
    const CropTransform transform{a, b, (eyes.left.x + eyes.right.x) / 2 - (a * middle_u - b * middle_v),
                                  (eyes.left.y + eyes.right.y) / 2 - (b * middle_u + a * middle_v)};
    constexpr double largest = 1e15;
    const double reach = fabs(a) + fabs(b) + fabs(transform.x0) + fabs(transform.y0);
    if (!(transform.exists() && reach < largest)) return {0, 0, -largest, -largest};
    return transform;
}

/// Which landmarks of a model outline the eyes.
struct EyeLandmarks {
    int left = 0;   ///< first landmark of the eye on the image's left
    int right = 0;  ///< first landmark of the eye on the image's right
    int count = 0;  ///< landmarks of each eye; 0 if no eye is known

    friend bool operator==(const EyeLandmarks&, const EyeLandmarks&) = default;
};

/// The eyes among Multi-PIE's 68 points and dlib's 5 (corners of the eyes, and the nose).
FOVEA_HOST_DEVICE inline EyeLandmarks eye_landmarks(int points) {
    if (points == 68) return {36, 42, 6};
    if (points == 5) return {2, 0, 2};
    return {};
}

/// The mean of each eye's landmarks.
/// \param positions x0 y0 x1 y1 ... in units of 1 / subpixels pixel, as find_landmarks gives them.
FOVEA_HOST_DEVICE inline CropEyes eyes_of_positions(const std::int32_t* positions, const EyeLandmarks& which,
                                                    int subpixels) {
    const double units = static_cast<double>(which.count) * subpixels;
    const auto centre = [&](int first) {
        std::int64_t x = 0, y = 0;
        for (int i = first; i < first + which.count; ++i) {
            x += positions[2 * i];
            y += positions[2 * i + 1];
        }
        return CropPoint{static_cast<double>(x) / units, static_cast<double>(y) / units};
    };
    return {centre(which.left), centre(which.right)};
}

/// Pixel (x, y) of a crop: interpolated bilinearly between the four pixels about its place in the image,
/// which is rounded to 1/2048 pixel; rounded half up. Pixels outside the image are 0.
FOVEA_HOST_DEVICE inline std::uint8_t crop_pixel(ImageView<const std::uint8_t> image,
                                                 const CropTransform& to_image, int x, int y) {
    constexpr int bits = 11;
    constexpr int one = 1 << bits;
    const double place_x = to_image.a * x - to_image.b * y + to_image.x0;
    const double place_y = to_image.b * x + to_image.a * y + to_image.y0;
    if (!(place_x > -1 && place_x < image.width && place_y > -1 && place_y < image.height)) return 0;
    const auto units_x = static_cast<std::int64_t>(floor(place_x * one + 0.5));
    const auto units_y = static_cast<std::int64_t>(floor(place_y * one + 0.5));
    const int left = static_cast<int>(units_x >> bits), top = static_cast<int>(units_y >> bits);
    const int right_weight = static_cast<int>(units_x & (one - 1));
    const int bottom_weight = static_cast<int>(units_y & (one - 1));
    const auto value = [&](int column, int row) {
        const bool inside = column >= 0 && column < image.width && row >= 0 && row < image.height;
        return inside ? static_cast<int>(image(column, row)) : 0;
    };
    // At most 255 · 2^22: it fits.
    const int above = value(left, top) * (one - right_weight) + value(left + 1, top) * right_weight;
    const int below = value(left, top + 1) * (one - right_weight) + value(left + 1, top + 1) * right_weight;
    const int sum = above * (one - bottom_weight) + below * bottom_weight;
    return static_cast<std::uint8_t>((sum + (1 << (2 * bits - 1))) >> (2 * bits));
}

}  // namespace fovea
