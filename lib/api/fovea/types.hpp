#pragma once

#include <optional>
#include <vector>

#include <fovea/error.hpp>

/// Other programs may rely on these names, and nothing else of Fovea.
namespace fovea::api {

/// Every failure is one of these, with a sentence for people: what failed, where, what to do. A lack of
/// memory is std::bad_alloc.
using fovea::Error;
/// A wish that cannot be met: an option, a name, a file that is not there. It is an Error.
using fovea::UsageError;

/// A point in image pixels; (0, 0) is the centre of the top left pixel, x to the right, y down.
struct Point {
    double x = 0;
    double y = 0;

    friend bool operator==(const Point&, const Point&) = default;
};

/// A rectangle in image pixels: the half-open ranges [x, x + w) × [y, y + h).
struct Box {
    double x = 0;
    double y = 0;
    double w = 0;
    double h = 0;

    friend bool operator==(const Box&, const Box&) = default;
};

/// Width and height, pixels.
struct Size {
    int width = 0;
    int height = 0;

    friend bool operator==(const Size&, const Size&) = default;
};

/// A face that was found.
struct Detection {
    Box box;
    /// Higher is more certain; the scale is the detector's own. Those of `wild` and `mct` are confidences, 0
    /// to 1.
    double score = 0;
    /// In the order of the landmark model; empty where none were asked for.
    std::vector<Point> landmarks{};
    /// Windows that were grouped into this detection; cascades alone have them.
    std::optional<int> neighbors{};
    /// The number of this face through the frames of a video, from 1; trackers alone give it.
    std::optional<int> track{};
    /// Frames from the detection that the face was followed from; absent: it was detected in this frame.
    std::optional<int> followed{};

    friend bool operator==(const Detection&, const Detection&) = default;
};

}  // namespace fovea::api
