#pragma once

#include <optional>
#include <string>
#include <vector>

namespace fovea {

/// A point in image pixels; (0, 0) is the centre of the top left pixel, x to the right, y down.
struct Point {
    double x = 0;
    double y = 0;

    friend bool operator==(const Point&, const Point&) = default;
};

/// A rectangle in image pixels: the half-open ranges [x, x + w) × [y, y + h), as OpenCV's cv::Rect.
struct Box {
    double x = 0;
    double y = 0;
    double w = 0;
    double h = 0;

    double area() const { return w > 0 && h > 0 ? w * h : 0; }
    Point centre() const { return {x + w / 2, y + h / 2}; }

    friend bool operator==(const Box&, const Box&) = default;
};

/// The centres of both eyes. "Left" is the eye on the image's left, as in the MIT+CMU and CSU lists.
struct Eyes {
    Point left;
    Point right;

    friend bool operator==(const Eyes&, const Eyes&) = default;
};

/// A face as annotated (ground truth).
struct Face {
    Box box;
    bool ignore = false;  ///< neither counted as a face nor as a false positive when detected
    std::optional<Eyes> eyes;
    std::vector<Point> landmarks;  ///< in the dataset's own order; empty if it has none
};

/// A face as found by a detector (of this program or any other).
struct Detection {
    Box box;
    double score = 0;                 ///< higher is more certain; the scale is the detector's own
    std::optional<int> neighbors;     ///< raw windows grouped into this detection
    std::optional<int> stage;         ///< raw windows only: stages passed
    std::optional<double> stage_sum;  ///< raw windows only: sum of the last stage evaluated
    std::vector<Point> landmarks;
};

}  // namespace fovea
