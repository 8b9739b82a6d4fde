#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/core/view.hpp"
#include "kernels/face_net/cell_box_body.hpp"

// The loss of a cell, host and device alike.
namespace fovea {

/// The target that a cell of a head learns.
struct CellTarget {
    enum class Kind : std::int32_t { background, face, ignored };
    Kind kind = Kind::background;
    CellBox face;      ///< of a face: its box, pixels of the crop
    float taught = 0;  ///< the IoU that a teacher expects of its own box for the cell
    float trust = 0;  ///< share of `taught` in what the odds learn; 0: of an ignored cell, nothing is learned
};

/// The weight of boxes in the loss: (odds + box_weight · boxes) / faces.
inline constexpr double box_weight = 2;

/// A cell's part of a loss, and its gradient by the cell's numbers.
struct CellLoss {
    /// Cross entropy between odds and the IoU that the box has (0 for background).
    double odds = 0;
    double boxes = 0;  ///< 1 − generalised IoU (H. Rezatofighi et al., 2019)
    float gradient[face_net_outputs] = {};
};

/// Losses (see CellLoss) of several cells or steps, added up.
struct NetLosses {
    double odds = 0, boxes = 0;
};

constexpr double min_iou_target = 0.1;
constexpr double background_weight = 0.75;

struct BoxEdges {
    double left, top, right, bottom;
    FOVEA_HOST_DEVICE double area() const { return (right - left) * (bottom - top); }
};

FOVEA_HOST_DEVICE inline BoxEdges edges_of(const CellBox& box) {
    return {box.x, box.y, box.x + box.w, box.y + box.h};
}

FOVEA_HOST_DEVICE inline double smaller_of(double a, double b) {
    return b < a ? b : a;
}
FOVEA_HOST_DEVICE inline double larger_of(double a, double b) {
    return a < b ? b : a;
}

/// 1 − generalised IoU of two boxes, its gradient by the first one's edges, and the IoU.
struct BoxLoss {
    double loss = 0, iou = 0;
    BoxEdges gradient{};
};

FOVEA_HOST_DEVICE inline BoxLoss box_loss(const BoxEdges& p, const BoxEdges& t) {
    const double w = smaller_of(p.right, t.right) - larger_of(p.left, t.left);
    const double h = smaller_of(p.bottom, t.bottom) - larger_of(p.top, t.top);
    const bool do_overlap = w > 0 && h > 0;
    const double common = do_overlap ? w * h : 0;
    const double either = p.area() + t.area() - common;
    const double hull_w = larger_of(p.right, t.right) - smaller_of(p.left, t.left);
    const double hull_h = larger_of(p.bottom, t.bottom) - smaller_of(p.top, t.top);
    const double hull = hull_w * hull_h;
    BoxLoss result;
    result.iou = common / either;
    result.loss = 2 - result.iou - either / hull;
    // The loss's derivative by an edge, from those of the area, the common part and the hull.
    const auto slope = [&](double area, double part, double outer) {
        const double union_slope = area - part;
        return -(part * either - common * union_slope) / (either * either) -
               (union_slope * hull - either * outer) / (hull * hull);
    };
    const double width = p.right - p.left, height = p.bottom - p.top;
    const double part_w = do_overlap ? w : 0, part_h = do_overlap ? h : 0;
    result.gradient.left = slope(-height, p.left > t.left ? -part_h : 0, p.left < t.left ? -hull_h : 0);
    result.gradient.right = slope(height, p.right < t.right ? part_h : 0, p.right > t.right ? hull_h : 0);
    result.gradient.top = slope(-width, p.top > t.top ? -part_w : 0, p.top < t.top ? -hull_w : 0);
    result.gradient.bottom = slope(width, p.bottom < t.bottom ? part_w : 0, p.bottom > t.bottom ? hull_w : 0);
    return result;
}

/// The odds of a cell without a face have the weight 0.75 · (p − t)² for the target t (0 without a teacher),
/// so that easy ones count little.
FOVEA_HOST_DEVICE inline CellLoss cell_loss(const CellTarget& target, const NetCell& cell) {
    CellLoss result;
    const auto trust = static_cast<double>(target.trust);
    if (target.kind == CellTarget::Kind::ignored && !(trust > 0)) return result;
    const auto logit = static_cast<double>(cell.logit);
    const double odds = 1 / (1 + std::exp(-logit));
    double wanted = 0;
    const bool is_face = target.kind == CellTarget::Kind::face;
    if (is_face) {
        const double stride = face_net_stride(cell.level);
        const CellBox box = box_of_cell(cell);
        const BoxLoss loss = box_loss(edges_of(box), edges_of(target.face));
        result.boxes = loss.loss;
        wanted = smaller_of(larger_of(loss.iou, min_iou_target), 1.0);
        const BoxEdges& by = loss.gradient;
        result.gradient[1] = static_cast<float>(box_weight * (by.left + by.right) * stride);
        result.gradient[2] = static_cast<float>(box_weight * (by.top + by.bottom) * stride);
        if (std::abs(static_cast<double>(cell.log_width)) < face_net_max_log)
            result.gradient[3] = static_cast<float>(box_weight * (by.right - by.left) / 2 * box.w);
        if (std::abs(static_cast<double>(cell.log_height)) < face_net_max_log)
            result.gradient[4] = static_cast<float>(box_weight * (by.bottom - by.top) / 2 * box.h);
    }
    wanted += trust * (static_cast<double>(target.taught) - wanted);
    const double weight = is_face ? 1 : background_weight * (odds - wanted) * (odds - wanted);
    // log(1 + exp(x)) − wanted · x, without overflow.
    result.odds = weight * (larger_of(logit, 0.0) + std::log1p(std::exp(-std::abs(logit))) - wanted * logit);
    result.gradient[0] = static_cast<float>(weight * (odds - wanted));
    return result;
}

}  // namespace fovea
