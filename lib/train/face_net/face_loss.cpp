#include "lib/train/face_net/face_loss.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lib/detect/face_net_cells.hpp"

namespace fovea {
namespace {

/// Faces that are smaller are not learned, √(w·h) in pixels.
constexpr double min_learned = 9;
/// Sizes of each head, from and below.
constexpr std::array<std::array<double, 2>, 3> head_sizes{
    {{0, 40}, {28, 110}, {80, std::numeric_limits<double>::infinity()}}};
/// A cell learns a face if its centre is as near to the face's, in widths and heights or in strides.
constexpr double near_share = 0.18, near_strides = 0.75;
constexpr double ignored_ring = 1.8;  // times as far
constexpr double ignored_margin = 2;  // pixels about ignored boxes
constexpr double surroundings = 0.5;  // widths and heights about a face
constexpr double min_iou_target = 0.1;
constexpr double background_weight = 0.75;

struct Edges {
    double left, top, right, bottom;
    double area() const { return (right - left) * (bottom - top); }
};

Edges edges_of(const Box& box) {
    return {box.x, box.y, box.x + box.w, box.y + box.h};
}

bool is_inside(double x, double y, const Box& box, double margin_x, double margin_y) {
    return x > box.x - margin_x && y > box.y - margin_y && x < box.x + box.w + margin_x &&
           y < box.y + box.h + margin_y;
}

double size_of(const Box& box) {
    return std::sqrt(std::max(box.w * box.h, 1e-3));
}

/// 1 − generalised IoU of two boxes, its gradient by the first one's edges, and the IoU.
struct BoxLoss {
    double loss = 0, iou = 0;
    Edges gradient{};
};

BoxLoss box_loss(const Edges& p, const Edges& t) {
    const double w = std::min(p.right, t.right) - std::max(p.left, t.left);
    const double h = std::min(p.bottom, t.bottom) - std::max(p.top, t.top);
    const bool do_overlap = w > 0 && h > 0;
    const double common = do_overlap ? w * h : 0;
    const double either = p.area() + t.area() - common;
    const double hull_w = std::max(p.right, t.right) - std::min(p.left, t.left);
    const double hull_h = std::max(p.bottom, t.bottom) - std::min(p.top, t.top);
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

}  // namespace

Box head_box(const float* numbers, std::size_t head, std::size_t row, std::size_t column) {
    return cell_box({static_cast<int>(head), static_cast<int>(row), static_cast<int>(column), numbers[0],
                     numbers[1], numbers[2], numbers[3], numbers[4]});
}

std::vector<CellTarget> cell_targets(const CropTruth& truth, std::size_t head, std::size_t side) {
    const std::size_t cells = side / head_strides[head];
    const auto stride = static_cast<double>(head_strides[head]);
    std::vector<CellTarget> targets(cells * cells);
    for (std::size_t cell = 0; cell < targets.size(); ++cell) {
        const double x = (static_cast<double>(cell % cells) + 0.5) * stride;
        const double y = (static_cast<double>(cell / cells) + 0.5) * stride;
        CellTarget& target = targets[cell];
        bool is_left_out = std::any_of(truth.ignored.begin(), truth.ignored.end(), [&](const Box& box) {
            return is_inside(x, y, box, ignored_margin, ignored_margin);
        });
        bool is_near = truth.is_complete;
        for (const Box& face : truth.faces) {
            const double size = size_of(face);
            if (size < min_learned) {
                is_left_out = is_left_out || is_inside(x, y, face, ignored_margin, ignored_margin);
                continue;
            }
            is_near = is_near || is_inside(x, y, face, surroundings * face.w, surroundings * face.h);
            if (size < head_sizes[head][0] || size >= head_sizes[head][1]) continue;
            const double dx =
                std::abs(x - face.x - face.w / 2) / std::max(near_share * face.w, near_strides * stride);
            const double dy =
                std::abs(y - face.y - face.h / 2) / std::max(near_share * face.h, near_strides * stride);
            const double distance = std::max(dx, dy);
            is_left_out = is_left_out || distance < ignored_ring;
            if (distance >= 1) continue;
            if (target.kind == CellTarget::Kind::face && size_of(target.face) <= size) continue;
            target = {CellTarget::Kind::face, face};
        }
        if (target.kind != CellTarget::Kind::face && (is_left_out || !is_near))
            target.kind = CellTarget::Kind::ignored;
    }
    return targets;
}

LossSums head_loss(const std::vector<CellTarget>& targets, const float* numbers, std::size_t head,
                   std::size_t side, float* gradient) {
    const std::size_t cells = side / head_strides[head];
    const auto stride = static_cast<double>(head_strides[head]);
    std::fill_n(gradient, targets.size() * head_channels, 0.0F);
    LossSums sums;
    for (std::size_t cell = 0; cell < targets.size(); ++cell) {
        const CellTarget& target = targets[cell];
        if (target.kind == CellTarget::Kind::ignored) continue;
        const float* here = numbers + cell * head_channels;
        float* by_here = gradient + cell * head_channels;
        const auto logit = static_cast<double>(here[0]);
        const double odds = 1 / (1 + std::exp(-logit));
        double wanted = 0, weight = background_weight * odds * odds;
        if (target.kind == CellTarget::Kind::face) {
            const Box box = head_box(here, head, cell / cells, cell % cells);
            const BoxLoss loss = box_loss(edges_of(box), edges_of(target.face));
            sums.boxes += loss.loss;
            ++sums.faces;
            wanted = std::clamp(loss.iou, min_iou_target, 1.0);
            weight = 1;
            const Edges& by = loss.gradient;
            by_here[1] = static_cast<float>(box_weight * (by.left + by.right) * stride);
            by_here[2] = static_cast<float>(box_weight * (by.top + by.bottom) * stride);
            if (std::abs(static_cast<double>(here[3])) < face_net_max_log)
                by_here[3] = static_cast<float>(box_weight * (by.right - by.left) / 2 * box.w);
            if (std::abs(static_cast<double>(here[4])) < face_net_max_log)
                by_here[4] = static_cast<float>(box_weight * (by.bottom - by.top) / 2 * box.h);
        }
        // log(1 + exp(x)) − wanted · x, without overflow.
        sums.odds +=
            weight * (std::max(logit, 0.0) + std::log1p(std::exp(-std::abs(logit))) - wanted * logit);
        by_here[0] = static_cast<float>(weight * (odds - wanted));
    }
    return sums;
}

}  // namespace fovea
