#pragma once

#include <cmath>
#include <vector>

#include "kernels/core/view.hpp"

namespace fovea {

/// Which windows of an image are scanned.
struct ScanParameters {
    double scale_factor = 1.1;  ///< > 1
    Size min_size{0, 0};        ///< smallest window; 0 = no limit
    Size max_size{0, 0};        ///< largest window; a 0 in either = the image's size
    double start_scale = 1;     ///< scale of the first level, > 0; MCT cascades only
    int step = 1;               ///< between windows, level pixels, >= 1; MCT cascades only

    friend bool operator==(const ScanParameters&, const ScanParameters&) = default;
};

/// One level of the pyramid and the windows that are visited on it.
struct PyramidLevel {
    float scale = 1;  ///< original pixels per level pixel
    Size size;        ///< the resized image
    Size box;         ///< the window in original pixels
    int step = 1;     ///< between windows, both directions, level pixels
    int columns = 0;  ///< windows' left edges: x = 0, step, ... < columns
    int rows = 0;     ///< windows' top edges: y = 0, step, ... < rows

    int windows_per_row() const { return columns > 0 ? (columns + step - 1) / step : 0; }
    int window_rows() const { return columns > 0 && rows > 0 ? (rows + step - 1) / step : 0; }
};

/// The levels that cv::CascadeClassifier::detectMultiScale of OpenCV 4.6 scans, with its rounding and its
/// rules: scales are kept as float; below scale 2 every second window is visited in both directions; a
/// level's rows are divided into as many stripes as the first level has columns/32, rounded up, and rows
/// beyond the last stripe are never visited; if min_size and max_size exclude every level, the level whose
/// window is nearest to min_size is scanned. Empty if the image is smaller than the window.
std::vector<PyramidLevel> cascade_levels(Size image, Size window, const ScanParameters& parameters);

/// A window of a level in image pixels; it may reach over the image's border. Its place is computed in float
/// as OpenCV does: level coordinate times scale, rounded half to even. \param box of the window's level.
FOVEA_HOST_DEVICE inline Rect window_rect(int x, int y, float scale, Size box) {
    return {static_cast<int>(rintf(static_cast<float>(x) * scale)),
            static_cast<int>(rintf(static_cast<float>(y) * scale)), box.width, box.height};
}

}  // namespace fovea
