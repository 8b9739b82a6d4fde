#include "lib/detect/face_net_cells.hpp"

#include <algorithm>
#include <cmath>

#include "lib/core/overlap.hpp"
#include "lib/detect/detections.hpp"

namespace fovea {

Box cell_box(const NetCell& cell) {
    const double stride = face_net_stride(cell.level);
    const auto edge = [&](float logarithm) {
        return 2 * stride * std::exp(std::clamp(double{logarithm}, -face_net_max_log, face_net_max_log));
    };
    const double width = edge(cell.log_width), height = edge(cell.log_height);
    const double x = (cell.column + 0.5) * stride + double{cell.dx} * stride;
    const double y = (cell.row + 0.5) * stride + double{cell.dy} * stride;
    return {x - width / 2, y - height / 2, width, height};
}

double FaceNetScore::of(double logit) const {
    return 1 / (1 + std::exp(-(slope * logit + offset)));
}

double FaceNetScore::logit_of(double score) const {
    return (std::log(score / (1 - score)) - offset) / slope;
}

std::vector<Detection> faces_of_cells(std::span<const NetCell> cells, const FaceNetScore& score,
                                      double max_iou) {
    std::vector<const NetCell*> order;
    for (const NetCell& cell : cells) order.push_back(&cell);
    std::sort(order.begin(), order.end(), [](const NetCell* a, const NetCell* b) {
        if (a->logit != b->logit) return a->logit > b->logit;
        return is_before(*a, *b);
    });
    std::vector<Box> boxes;
    for (const NetCell* cell : order) boxes.push_back(cell_box(*cell));
    std::vector<Detection> faces;
    for (const std::size_t i : strongest(
             boxes, [&](const Box&a, const Box&b) { return intersection_over_union(a, b) > max_iou; })) {
        faces.push_back({boxes[i], score.of(double{order[i]->logit})});
    }
    return faces;
}

}  // namespace fovea
