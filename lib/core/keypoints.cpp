#include "lib/core/keypoints.hpp"

#include <algorithm>
#include <utility>

namespace fovea {

std::size_t keypoints_of(const Face& face) {
    return face.keypoints.is_set() ? face.keypoints->size() : face.landmarks.size();
}

std::size_t labelled_keypoints(const Face& face) {
    if (!face.keypoints.is_set()) return face.landmarks.size();
    return static_cast<std::size_t>(std::count_if(
        face.keypoints->begin(), face.keypoints->end(),
        [](const Keypoint& keypoint) { return keypoint.visibility != Keypoint::Visibility::unlabelled; }));
}

Keypoint keypoint(const Face& face, std::size_t i) {
    if (face.keypoints.is_set()) return (*face.keypoints)[i];
    return {face.landmarks[i], Keypoint::Visibility::visible};
}

bool set_keypoints(Face& face, std::vector<Keypoint> points) {
    const auto labelled = std::count_if(points.begin(), points.end(), [](const Keypoint& point) {
        return point.visibility != Keypoint::Visibility::unlabelled;
    });
    const auto visible = std::count_if(points.begin(), points.end(), [](const Keypoint& point) {
        return point.visibility == Keypoint::Visibility::visible;
    });
    const auto all = static_cast<std::ptrdiff_t>(points.size());
    if (labelled == all) {
        for (const Keypoint& point : points) face.landmarks.push_back(point.point);
    }
    if (labelled > 0 && visible < all) face.keypoints.edit() = std::move(points);
    return labelled == 0 || labelled == all;
}

Keypoint::Visibility visibility_from(double number) {
    using enum Keypoint::Visibility;
    if (number <= 0) return unlabelled;
    return number <= 1 ? hidden : visible;
}

int visibility_number(Keypoint::Visibility visibility) {
    return static_cast<int>(visibility);
}

}  // namespace fovea
