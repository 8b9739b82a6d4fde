#include "tests/support/plain_suppression.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/face_net/cell_box_body.hpp"

namespace fovea::test {
namespace {

CellBox box_of(const SizedCell& cell) {
    const double scale = std::pow(4.0, cell.size);
    const CellBox box = box_of_cell(cell.cell);
    return {box.x * scale, box.y * scale, box.w * scale, box.h * scale};
}

double overlap_of(const CellBox& a, const CellBox& b) {
    const double width = std::min(a.x + a.w, b.x + b.w) - std::max(a.x, b.x);
    const double height = std::min(a.y + a.h, b.y + b.h) - std::max(a.y, b.y);
    const double shared_area = std::max(width, 0.0) * std::max(height, 0.0);
    return shared_area / (a.w * a.h + b.w * b.h - shared_area);
}

bool are_nested(const CellBox& a, const CellBox& b) {
    const CellBox &large = a.w * a.h >= b.w * b.h ? a : b, &small = &large == &a ? b : a;
    const double x = small.x + small.w / 2 - large.x, y = small.y + small.h / 2 - large.y;
    return large.w * large.h > 2 * small.w * small.h && x >= 0 && x < large.w && y >= 0 && y < large.h;
}

}  // namespace

std::vector<SizedCell> in_order(std::vector<SizedCell> cells) {
    std::sort(cells.begin(), cells.end(),
              [](const SizedCell& a, const SizedCell& b) { return place_of(a) < place_of(b); });
    return cells;
}

std::vector<SizedCell> in_order(const ImageCells& cells) {
    std::vector<SizedCell> list;
    for (std::uint32_t size = 0; size < cells.of_size.size(); ++size) {
        for (const NetCell& cell : cells.of_size[size]) list.push_back({size, cell});
    }
    return in_order(std::move(list));
}

std::vector<SizedCell> plainly_suppressed(std::vector<SizedCell> cells, const NetSuppression& rule) {
    const auto greedy = [](const std::vector<SizedCell>& ordered, const auto& suppresses) {
        std::vector<SizedCell> kept;
        for (const SizedCell& cell : ordered) {
            if (std::none_of(kept.begin(), kept.end(),
                             [&](const SizedCell& stronger) { return suppresses(stronger, cell); }))
                kept.push_back(cell);
        }
        return kept;
    };
    std::sort(cells.begin(), cells.end(), [](const SizedCell& a, const SizedCell& b) {
        return a.cell.logit != b.cell.logit ? a.cell.logit > b.cell.logit : is_before(a.cell, b.cell);
    });
    cells = greedy(cells, [&](const SizedCell& a, const SizedCell& b) {
        return a.size == b.size && overlap_of(box_of(a), box_of(b)) > rule.max_iou;
    });
    const auto score_of = [&](const SizedCell& cell) {
        return 1 / (1 + std::exp(-(rule.slope * double{cell.cell.logit} + rule.offset)));
    };
    std::sort(cells.begin(), cells.end(), [&](const SizedCell& a, const SizedCell& b) {
        const CellBox of_a = box_of(a), of_b = box_of(b);
        return std::tuple(-score_of(a), of_a.y, of_a.x) < std::tuple(-score_of(b), of_b.y, of_b.x);
    });
    return in_order(greedy(cells, [&](const SizedCell& a, const SizedCell& b) {
        return overlap_of(box_of(a), box_of(b)) > rule.max_iou || are_nested(box_of(a), box_of(b));
    }));
}

}  // namespace fovea::test
