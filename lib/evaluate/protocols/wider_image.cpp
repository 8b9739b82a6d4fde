#include "lib/evaluate/protocols/wider_image.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "lib/core/box_index.hpp"
#include "lib/core/overlap.hpp"

namespace fovea {
namespace {

constexpr double wider_min_overlap = 0.5;

// The port's overlap: corners at x + w and y + h, taken as pixels that belong to the box.
double overlap_with_pixel_added(const Box& a, const Box& b) {
    const double width = std::min(a.x + a.w, b.x + b.w) - std::max(a.x, b.x) + 1;
    const double height = std::min(a.y + a.h, b.y + b.h) - std::max(a.y, b.y) + 1;
    if (!(width > 0) || !(height > 0)) return 0;
    const auto area = [](const Box& box) {
        return (box.x + box.w - box.x + 1) * (box.y + box.h - box.y + 1);
    };
    return width * height / (area(a) + area(b) - width * height);
}

// MATLAB's int32: rounded, halves away from zero, and held within its range. It rounds as std::round() does,
// without a call.
double to_int32(double value) {
    constexpr double least = -2147483648.0, most = 2147483647.0;
    if (!(value > least && value < most)) return std::clamp(std::round(value), least, most);
    const auto whole = static_cast<std::int32_t>(value);
    const double rest = value - whole;
    return whole + (rest >= 0.5 ? 1.0 : rest <= -0.5 ? -1.0 : 0.0);
}

// The official program's overlap of a face, whose box is of int32 as in the .mat files, and a detection,
// whose box is of double. int32 and double give int32, and so does a quotient.
double overlap_of_int32(const Box& face, const Box& detection) {
    const double left = to_int32(face.x);
    const double top = to_int32(face.y);
    const double right = to_int32(left + to_int32(face.w));
    const double bottom = to_int32(top + to_int32(face.h));
    const double detection_right = detection.x + detection.w;
    const double detection_bottom = detection.y + detection.h;
    const auto extent = [](double from, double to) { return to_int32(to_int32(to - from) + 1); };
    const double width =
        extent(std::max(left, to_int32(detection.x)), std::min(right, to_int32(detection_right)));
    const double height =
        extent(std::max(top, to_int32(detection.y)), std::min(bottom, to_int32(detection_bottom)));
    if (width <= 0 || height <= 0) return 0;
    const double shared = to_int32(width * height);
    const double face_area = to_int32(extent(left, right) * extent(top, bottom));
    const double detection_area = (detection_right - detection.x + 1) * (detection_bottom - detection.y + 1);
    return to_int32(shared / to_int32(to_int32(face_area + detection_area) - shared));
}

bool is_yes(const Face& face, std::string_view level) {
    const std::string* value = find_attribute(face.attributes, level);
    return value != nullptr && *value == "yes";
}

// Sets the step's face and overlap.
void find_face(ProtocolMode mode, const Box& box, const std::vector<Face>& faces, const BoxIndex& index,
               WiderStep& step) {
    double largest = 0;
    const auto take_larger = [&](std::size_t face, double overlap, double iou) {
        if (overlap <= largest) return;
        largest = overlap;
        step.iou = iou;
        step.face = static_cast<int>(face);
    };
    double largest_iou = 0;
    // Rounding and the pixel added let boxes overlap that lie apart.
    index.visit_touching(grown(box, mode == ProtocolMode::corrected ? 0 : 2), [&](std::size_t f) {
        switch (mode) {
            case ProtocolMode::strict: {
                const double iou = intersection_over_union(box, faces[f].box);
                largest_iou = std::max(largest_iou, iou);
                take_larger(f, overlap_of_int32(faces[f].box, box), iou);
                break;
            }
            case ProtocolMode::port: {
                const double overlap = overlap_with_pixel_added(box, faces[f].box);
                take_larger(f, overlap, overlap);
                break;
            }
            case ProtocolMode::corrected: {
                const double iou = intersection_over_union(box, faces[f].box);
                take_larger(f, iou, iou);
                break;
            }
        }
    });
    if (largest >= wider_min_overlap) return;
    step.face = -1;
    step.iou = std::max(step.iou, largest_iou);
}

}  // namespace

bool has_wider_level(const Face& face) {
    return std::any_of(wider_levels.begin(), wider_levels.end(), [&](std::string_view level) {
        return find_attribute(face.attributes, level) != nullptr;
    });
}

bool counts_in_wider(const Face& face, bool has_levels, std::size_t level) {
    return has_levels ? is_yes(face, wider_levels[level]) : !face.ignore;
}

std::vector<WiderStep> match_wider_image(const ProtocolImage& image, ProtocolMode mode, bool has_levels) {
    const std::vector<Face>& faces = image.sample->faces;
    const std::span<const Detection> detections = image.detections;
    std::vector<WiderStep> steps;
    if (mode != ProtocolMode::corrected && faces.empty()) return steps;
    std::vector<std::size_t> order(detections.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (mode != ProtocolMode::port) order = order_by_falling_score(detections, mode);

    const std::size_t levels = has_levels ? wider_levels.size() : 1;
    std::array<std::vector<char>, wider_levels.size()> found;
    for (std::vector<char>& of_level : found) of_level.assign(faces.size(), 0);
    const BoxIndex face_index(faces);
    steps.reserve(order.size());
    for (const std::size_t index : order) {
        WiderStep step;
        step.detection = index;
        step.score = detections[index].score;
        find_face(mode, detections[index].box, faces, face_index, step);
        for (std::size_t level = 0; level < levels && step.face >= 0; ++level) {
            const auto face = static_cast<std::size_t>(step.face);
            if (!counts_in_wider(faces[face], has_levels, level)) {
                step.outcomes[level] = WiderMatch::ignored;
            } else if (found[level][face] == 0) {
                found[level][face] = 1;
                step.outcomes[level] = WiderMatch::match;
            }
        }
        steps.push_back(step);
    }
    // At a threshold the program counts up to the last detection that reaches it: a detection before a better
    // one counts with that one.
    for (std::size_t i = steps.size(); i-- > 1;) {
        steps[i - 1].score = std::max(steps[i - 1].score, steps[i].score);
    }
    return steps;
}

ImageTrace trace_wider_image(const ProtocolImage& image, std::size_t index,
                             const std::vector<WiderStep>& steps, std::size_t level) {
    std::vector<double> best_iou(image.detections.size());
    for (const WiderStep& step : steps) best_iou[step.detection] = step.iou;
    ImageTrace trace = start_trace(*image.sample, index, image.detections, best_iou);
    trace.steps.reserve(steps.size());
    for (const WiderStep& step : steps) {
        const WiderMatch outcome = step.outcomes[level];
        if (outcome == WiderMatch::match) {
            const auto face = static_cast<std::size_t>(step.face);
            trace.outcome.outcomes[step.detection] = DetectionMatch::true_positive;
            trace.outcome.face_match[face] = static_cast<int>(step.detection);
            trace.face_iou[face] = step.iou;
            trace.change(face, step.iou);
        } else if (outcome == WiderMatch::proposal) {
            trace.outcome.outcomes[step.detection] = DetectionMatch::false_positive;
        }
        trace.add_step(step.score, outcome == WiderMatch::match ? 1 : 0,
                       outcome == WiderMatch::proposal ? 1 : 0);
    }
    return trace;
}

}  // namespace fovea
