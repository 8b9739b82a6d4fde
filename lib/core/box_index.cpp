#include "lib/core/box_index.hpp"

#include <cmath>

namespace fovea {
namespace {

constexpr std::size_t few = 16;
constexpr double largest = 1e100;

std::vector<Box> boxes_of(std::span<const Face> faces) {
    std::vector<Box> boxes;
    boxes.reserve(faces.size());
    for (const Face& face : faces) boxes.push_back(face.box);
    return boxes;
}

}  // namespace

// No sum of two coordinates overflows, and none is NaN.
bool BoxIndex::is_ordinary(const Box& box) {
    return std::abs(box.x) <= largest && std::abs(box.y) <= largest && std::abs(box.w) <= largest &&
           std::abs(box.h) <= largest;
}

BoxIndex::BoxIndex(std::span<const Box> boxes) : count_(boxes.size()) {
    if (count_ <= few) return;
    std::vector<PointTree<4>::Point> points;
    for (std::size_t i = 0; i < count_; ++i) {
        const Box& box = boxes[i];
        if (is_ordinary(box)) {
            ordinary_.push_back(i);
            points.push_back({box.x, box.y, box.x + box.w, box.y + box.h});
        } else {
            extraordinary_.push_back(i);
        }
    }
    tree_.emplace(points);
}

BoxIndex::BoxIndex(std::span<const Face> faces) : BoxIndex(boxes_of(faces)) {}

std::vector<std::size_t> BoxIndex::touching(const Box& box) const {
    const double margin = 1e-9 * (std::abs(box.x) + std::abs(box.y) + std::abs(box.w) + std::abs(box.h));
    const double left = box.x - margin;
    const double top = box.y - margin;
    const double right = box.x + box.w + margin;
    const double bottom = box.y + box.h + margin;
    using Tree = PointTree<4>;
    std::vector<std::size_t> found = extraordinary_;
    tree_->visit(
        [&](const Tree::Node& node) {
            return node.low[0] <= right && node.low[1] <= bottom && node.high[2] >= left &&
                   node.high[3] >= top;
        },
        [&](Tree::Index item) {
            const Tree::Point& at = tree_->point(item);
            if (at[0] <= right && at[1] <= bottom && at[2] >= left && at[3] >= top) {
                found.push_back(ordinary_[item]);
            }
        });
    std::sort(found.begin(), found.end());
    return found;
}

}  // namespace fovea
