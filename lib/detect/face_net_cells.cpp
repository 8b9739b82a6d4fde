#include "lib/detect/face_net_cells.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/face_net/cell_box_body.hpp"
#include "lib/core/overlap.hpp"
#include "lib/detect/detections.hpp"

namespace fovea {

Box cell_box(const NetCell& cell) {
    const CellBox box = box_of_cell(cell);
    return {box.x, box.y, box.w, box.h};
}

double FaceNetScore::of(double logit) const {
    return 1 / (1 + std::exp(-(slope * logit + offset)));
}

double FaceNetScore::logit_of(double score) const {
    return (std::log(score / (1 - score)) - offset) / slope;
}

void add_faces(std::span<const NetCell> cells, const FaceNetScore& score, double scale,
               std::vector<Detection>& faces) {
    faces.reserve(faces.size() + cells.size());
    for (const NetCell& cell : cells) {
        const Box box = cell_box(cell);
        faces.push_back(
            {{box.x * scale, box.y * scale, box.w * scale, box.h * scale}, score.of(double{cell.logit})});
    }
}

std::vector<NetCell> strongest_cells(std::span<const NetCell> cells, double max_iou) {
    std::vector<const NetCell*> order;
    for (const NetCell& cell : cells) order.push_back(&cell);
    std::sort(order.begin(), order.end(), [](const NetCell* a, const NetCell* b) {
        if (a->logit != b->logit) return a->logit > b->logit;
        return is_before(*a, *b);
    });
    std::vector<Box> boxes;
    for (const NetCell* cell : order) boxes.push_back(cell_box(*cell));
    std::vector<NetCell> kept;
    for (const std::size_t i : strongest(
             boxes, [&](const Box&a, const Box&b) { return intersection_over_union(a, b) > max_iou; })) {
        kept.push_back(*order[i]);
    }
    return kept;
}

std::vector<Detection> faces_of_cells(std::span<const NetCell> cells, const FaceNetScore& score,
                                      double max_iou) {
    std::vector<Detection> faces;
    add_faces(strongest_cells(cells, max_iou), score, 1, faces);
    return faces;
}

}  // namespace fovea
