#include "lib/evaluate/eye_distance.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <queue>
#include <tuple>

#include "lib/evaluate/image_trace.hpp"

namespace fovea {
namespace {

double distance(const Point& a, const Point& b) {
    return std::hypot(a.x - b.x, a.y - b.y);
}

Point mean_of(const std::vector<Point>& points, std::size_t first, std::size_t last) {
    Point sum;
    for (std::size_t i = first; i <= last; ++i) {
        sum.x += points[i].x;
        sum.y += points[i].y;
    }
    const auto count = static_cast<double>(last - first + 1);
    return {sum.x / count, sum.y / count};
}

// A detection or an average of some.
struct Window {
    Box box;
    Eyes eyes;
    double score = 0;
    double weight = 1;
    bool is_merged = false;  // into a later one
};

Window average(const Window& a, const Window& b, ProtocolMode mode) {
    const double share = mode == ProtocolMode::strict ? 0.5 : b.weight / (a.weight + b.weight);
    const auto mix = [share](double x, double y) { return x + share * (y - x); };
    const auto mix_points = [&](const Point& p, const Point& q) {
        return Point{mix(p.x, q.x), mix(p.y, q.y)};
    };
    Window result;
    result.box = {mix(a.box.x, b.box.x), mix(a.box.y, b.box.y), mix(a.box.w, b.box.w), mix(a.box.h, b.box.h)};
    result.eyes = {mix_points(a.eyes.left, b.eyes.left), mix_points(a.eyes.right, b.eyes.right)};
    result.score = std::max(a.score, b.score);
    result.weight = a.weight + b.weight;
    return result;
}

}  // namespace

Eyes eyes_in_box(const Box& box) {
    const double y = box.y + eye_y * box.h;
    return {{box.x + eye_left_x * box.w, y}, {box.x + eye_right_x * box.w, y}};
}

std::optional<Eyes> eyes_of_landmarks(const std::vector<Point>& landmarks) {
    if (landmarks.size() == 68) return Eyes{mean_of(landmarks, 36, 41), mean_of(landmarks, 42, 47)};
    if (landmarks.size() == 5 || landmarks.size() == 2) return Eyes{landmarks[0], landmarks[1]};
    return std::nullopt;
}

Eyes eyes_of(const Face& face) {
    if (face.eyes) return *face.eyes;
    return eyes_of_landmarks(face.landmarks).value_or(eyes_in_box(face.box));
}

Eyes eyes_of(const Detection& detection) {
    return eyes_of_landmarks(detection.landmarks).value_or(eyes_in_box(detection.box));
}

double s_eyes(const Eyes& a, const Eyes& b) {
    const double smaller = std::min(distance(a.left, a.right), distance(b.left, b.right));
    if (!(smaller > 0)) return std::numeric_limits<double>::infinity();
    return (distance(a.left, b.left) + distance(a.right, b.right)) / smaller;
}

std::vector<Detection> average_overlapping(const std::vector<Detection>& detections, ProtocolMode mode) {
    std::vector<Window> windows;
    for (const std::size_t i : order_by_falling_score(detections, ProtocolMode::corrected)) {
        windows.push_back({detections[i].box, eyes_of(detections[i]), detections[i].score, 1, false});
    }
    // Pairs that overlap, the closest first; of equally close ones the one of the best detections.
    using Pair = std::tuple<double, std::size_t, std::size_t>;
    std::priority_queue<Pair, std::vector<Pair>, std::greater<>> pairs;
    const auto add_pairs_of = [&](std::size_t last) {
        for (std::size_t i = 0; i < last; ++i) {
            if (windows[i].is_merged) continue;
            const double closeness = s_eyes(windows[i].eyes, windows[last].eyes);
            if (closeness < s_eyes_border) pairs.emplace(closeness, i, last);
        }
    };
    for (std::size_t i = 1; i < windows.size(); ++i) add_pairs_of(i);
    while (!pairs.empty()) {
        const auto [closeness, i, k] = pairs.top();
        pairs.pop();
        if (windows[i].is_merged || windows[k].is_merged) continue;
        windows[i].is_merged = windows[k].is_merged = true;
        windows.push_back(average(windows[i], windows[k], mode));
        add_pairs_of(windows.size() - 1);
    }
    std::vector<Detection> averages;
    for (const Window& window : windows) {
        if (window.is_merged) continue;
        Detection& detection = averages.emplace_back();
        detection.box = window.box;
        detection.score = window.score;
        detection.landmarks = {window.eyes.left, window.eyes.right};
    }
    const std::vector<std::size_t> order = order_by_falling_score(averages, ProtocolMode::corrected);
    std::vector<Detection> sorted;
    for (const std::size_t i : order) sorted.push_back(averages[i]);
    return sorted;
}

}  // namespace fovea
