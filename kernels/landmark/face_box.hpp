#pragma once

#include <cmath>

#include "kernels/core/view.hpp"

// How a detector's box becomes the box of a landmark model, host and device alike.
namespace fovea {

/// A rectangle of real numbers in image pixels: [x, x + width) × [y, y + height).
struct FaceBox {
    double x = 0;
    double y = 0;
    double width = 0;
    double height = 0;
};

/// The place of the reported face in the window that a detector found; the window measures `window` units
/// in both directions.
struct WindowFace {
    FaceBox face{0, 0, 1, 1};
    double window = 1;
};

/// The face of a window, in image pixels.
FOVEA_HOST_DEVICE inline FaceBox face_of_window(const WindowFace& rule, const Rect& window) {
    const double across = window.width / rule.window;
    const double down = window.height / rule.window;
    return {window.x + rule.face.x * across, window.y + rule.face.y * down, rule.face.width * across,
            rule.face.height * down};
}

/// The part of a box inside an image; its width or height is 0 or negative if there is none.
FOVEA_HOST_DEVICE inline FaceBox inside_image(const FaceBox& box, int width, int height) {
    const double left = box.x > 0 ? box.x : 0;
    const double top = box.y > 0 ? box.y : 0;
    const double right = box.x + box.width < width ? box.x + box.width : width;
    const double bottom = box.y + box.height < height ? box.y + box.height : height;
    return {left, top, right - left, bottom - top};
}

/// Edges of a box in another box's coordinates: 0 is the centre of that box's first pixel, 1 the centre of
/// its last. The default is the identity.
struct BoxTransform {
    double left = 0;
    double top = 0;
    double right = 1;
    double bottom = 1;

    friend bool operator==(const BoxTransform&, const BoxTransform&) = default;
};

/// The rectangle of whole pixels with these edges of a box: from the pixel nearest to left and top to the
/// pixel nearest to right and bottom (halves to the right and down). Edges are limited to ±2^28, and the
/// rectangle has at least one pixel.
FOVEA_HOST_DEVICE inline Rect rect_of_edges(const FaceBox& box, const BoxTransform& edges) {
    constexpr double limit = 1 << 28;
    const auto pixel = [&](double from, double length, double edge) {
        const double place = floor(from + edge * (length - 1) + 0.5);
        if (!(place > -limit)) return -(1 << 28);
        return static_cast<int>(place < limit ? place : limit);
    };
    const int left = pixel(box.x, box.width, edges.left), right = pixel(box.x, box.width, edges.right);
    const int top = pixel(box.y, box.height, edges.top), bottom = pixel(box.y, box.height, edges.bottom);
    return {left, top, right >= left ? right - left + 1 : 1, bottom >= top ? bottom - top + 1 : 1};
}

}  // namespace fovea
