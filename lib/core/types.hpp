#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/core/rare.hpp"

namespace fovea {

/// A point in image pixels; (0, 0) is the centre of the top left pixel, x goes to the right, y down.
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

/// True if neither coordinate is infinite or NaN.
bool is_finite(const Point& point);

/// Width and height of an image in pixels.
struct ImageSize {
    int width = 0;
    int height = 0;

    friend bool operator==(const ImageSize&, const ImageSize&) = default;
};

/// An ellipse in image pixels, as FDDB annotates faces.
struct Ellipse {
    Point centre;
    double major_radius = 0;  ///< half the long axis
    double minor_radius = 0;  ///< half the short axis
    double angle_rad = 0;     ///< from the horizontal to the long axis, as the annotation states it

    friend bool operator==(const Ellipse&, const Ellipse&) = default;
};

/// Something that the annotation says of a face or an image beside its place: {"occlusion", "heavy"}.
struct Attribute {
    std::string name;
    std::string value;

    friend bool operator==(const Attribute&, const Attribute&) = default;
};

/// The value of the first attribute of this name; nullptr if there is none.
const std::string* find_attribute(const std::vector<Attribute>& attributes, std::string_view name);

/// A landmark of a face as COCO annotates it.
struct Keypoint {
    enum class Visibility : std::uint8_t { unlabelled, hidden, visible };  ///< COCO's 0, 1 and 2

    Point point;  ///< meaningless if the landmark is not labelled
    Visibility visibility = Visibility::visible;

    friend bool operator==(const Keypoint&, const Keypoint&) = default;
};

/// A face as annotated (ground truth).
struct Face {
    Box box;
    bool ignore = false;  ///< counts neither as a face nor, when detected, as a false positive
    bool crowd = false;   ///< COCO's iscrowd: a region of many faces; is ignored, too
    std::optional<Eyes> eyes;
    std::vector<Point> landmarks;  ///< in the dataset's own order; empty unless all are labelled
    /// The landmarks with their visibility (COCO), if some of them are hidden or not labelled.
    Rare<std::vector<Keypoint>> keypoints{};
    std::optional<Ellipse> ellipse;     ///< the annotated shape if it is an ellipse; `box` encloses it
    std::optional<double> area;         ///< COCO's "area" if it differs from the box's
    std::vector<Attribute> attributes;  ///< in the dataset's own order
};

/// Lower and upper bound of a confidence interval.
using Interval = std::array<double, 2>;

/// A subject that a face may show, with the subject's nearest face in the gallery.
struct IdentityCandidate {
    std::string identity;  ///< the subject; empty = unknown
    std::string image;     ///< the name of the nearest face's image in its dataset
    double distance = 0;   ///< to the nearest face; smaller is more alike; the recogniser's own scale

    friend bool operator==(const IdentityCandidate&, const IdentityCandidate&) = default;
};

/// The rare members of a detection: most have a box and a score alone.
struct DetectionDetails {
    std::optional<int> neighbors;     ///< raw windows grouped into this detection
    std::optional<int> stage;         ///< raw windows only: stages passed
    std::optional<double> stage_sum;  ///< raw windows only: sum of the last stage evaluated
    std::vector<Point> landmarks;
    /// How far the head is turned, in degrees: positive towards the image's right; see yaw_of_landmarks().
    std::optional<double> yaw;
    /// Small where the face is blurred: see face_sharpness().
    std::optional<double> sharpness;
    std::optional<Ellipse> ellipse;  ///< the shape found if it is an ellipse; `box` encloses it
    std::optional<int> person;       ///< number of the person that the face was grouped with, from 1
    /// Why the face was not grouped: small, blurred, turned, unsure or alone; empty if it was.
    std::string apart;
    std::string identity;                       ///< the subject that a recogniser found; empty = unknown
    std::optional<double> distance;             ///< to the nearest face of the gallery
    std::vector<IdentityCandidate> candidates;  ///< by rising distance
    std::optional<int> track;  ///< the number of the face's track through the frames of a video, from 0
    /// The number of frames from the detection that the place was followed from; absent: detected here.
    std::optional<int> followed;
};

/// A face as found by a detector (of this program or any other). Evaluations hold millions of them, so rare
/// members stand apart.
struct Detection {
    Box box;
    double score = 0;  ///< higher is more certain; the scale is the detector's own
    Rare<DetectionDetails> details{};
};

/// How far a face is from the middle of its image, where one of several faces counts: the least counts, of
/// faces equally near the larger one.
/// \return the squared distance of the face's centre from the middle in pixels, and the area below 0.
std::pair<double, double> distance_from_middle(const Point& centre, double area, const ImageSize& image);

/// The smallest upright box that holds an ellipse: for radii a and b and angle t, half its width is sqrt(a²
/// cos² t + b² sin² t), half its height sqrt(a² sin² t + b² cos² t).
Box bounding_box(const Ellipse& ellipse);

}  // namespace fovea
