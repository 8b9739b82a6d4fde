#pragma once

#include <optional>
#include <vector>

#include <fovea/error.hpp>

/// The names that other programs may rely on; everything else of Fovea may change.
namespace fovea::api {

/// The base of all failures but a lack of memory, which is std::bad_alloc. It has a sentence for people: what
/// failed, where, what to do.
using fovea::Error;
/// An Error of the caller: a wrong option or name, a file that is not there.
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
    /// Higher is more certain; the scale is the detector's own. Scores of `wild` and `mct` are confidences, 0
    /// to 1.
    double score = 0;
    /// In the order of the landmark model; empty if none were asked for.
    std::vector<Point> landmarks{};
    /// The number of windows that were grouped into this detection; only cascades give it.
    std::optional<int> neighbors{};
    /// The number of the face's track through the frames of a video, from 1; only trackers give it.
    std::optional<int> track{};
    /// The number of frames from the detection that the face was followed from; absent: it was detected in
    /// this frame.
    std::optional<int> followed{};

    friend bool operator==(const Detection&, const Detection&) = default;
};

}  // namespace fovea::api
