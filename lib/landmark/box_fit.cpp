#include "lib/landmark/box_fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "lib/core/error.hpp"
#include "lib/core/overlap.hpp"
#include "lib/core/text.hpp"
#include "lib/evaluate/landmarks/landmark_points.hpp"

namespace fovea {
namespace {

Point mean_of(std::span<const Point> points) {
    Point mean;
    for (const Point& point : points) {
        mean.x += point.x;
        mean.y += point.y;
    }
    return {mean.x / static_cast<double>(points.size()), mean.y / static_cast<double>(points.size())};
}

double median_of(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    if (values.size() % 2 == 1) return *middle;
    return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

double deviation_of(const std::vector<double>& values) {
    double mean = 0, squares = 0;
    for (const double value : values) mean += value / static_cast<double>(values.size());
    for (const double value : values) squares += (value - mean) * (value - mean);
    return std::sqrt(squares / static_cast<double>(values.size()));
}

}  // namespace

Box fitted_box(std::span<const Point> shape, std::span<const Point> landmarks) {
    const Point from = mean_of(shape), to = mean_of(landmarks);
    double along = 0, squares = 0;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        const double x = shape[i].x - from.x, y = shape[i].y - from.y;
        along += x * (landmarks[i].x - to.x) + y * (landmarks[i].y - to.y);
        squares += x * x + y * y;
    }
    if (!(along > 0 && squares > 0)) return {};
    const double scale = along / squares;
    const Box tight = tight_box(shape);
    return {to.x + scale * (tight.x - from.x), to.y + scale * (tight.y - from.y), scale * tight.w,
            scale * tight.h};
}

BoxConvention fit_convention(const std::string& name, std::span<const Point> shape,
                             std::span<const BoxedFace> faces) {
    std::array<std::vector<double>, 4> edges;
    for (const BoxedFace& face : faces) {
        const Box fitted = fitted_box(shape, face.landmarks);
        const double width = face.box.w - 1, height = face.box.h - 1;
        if (!(fitted.area() > 0 && width > 0 && height > 0)) continue;
        edges[0].push_back((fitted.x - face.box.x) / width);
        edges[1].push_back((fitted.y - face.box.y) / height);
        edges[2].push_back((fitted.x + fitted.w - face.box.x) / width);
        edges[3].push_back((fitted.y + fitted.h - face.box.y) / height);
    }
    if (edges[0].size() < 10) {
        throw Error("The box convention of " + name + " cannot be fitted to " +
                    counted(edges[0].size(), "face") + "; give it at least 10.");
    }
    BoxConvention convention;
    convention.name = name;
    convention.landmarks = {median_of(edges[0]), median_of(edges[1]), median_of(edges[2]),
                            median_of(edges[3])};
    for (std::size_t i = 0; i < edges.size(); ++i) convention.spread[i] = deviation_of(edges[i]);
    convention.faces = edges[0].size();
    return convention;
}

int detection_of_face(std::span<const Point> landmarks, std::span<const Detection> detections) {
    const Box tight = tight_box(landmarks);
    double best = 0.2;
    int found = -1;
    for (std::size_t i = 0; i < detections.size(); ++i) {
        const double iou = intersection_over_union(tight, detections[i].box);
        if (iou < best || (iou == best && found >= 0)) continue;
        best = iou;
        found = static_cast<int>(i);
    }
    return found;
}

}  // namespace fovea
