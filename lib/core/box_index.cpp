#include "lib/core/box_index.hpp"

#include <cmath>
#include <limits>
#include <utility>

namespace fovea {
namespace {

/// Up to so many boxes are compared one by one: a search in a tree allocates and sorts what it finds.
constexpr std::size_t few = 64;
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

BoxIndex::Edges BoxIndex::reach_of(const Box& box) {
    const double margin = 1e-9 * (std::abs(box.x) + std::abs(box.y) + std::abs(box.w) + std::abs(box.h));
    return {box.x - margin, box.y - margin, box.x + box.w + margin, box.y + box.h + margin};
}

BoxIndex::BoxIndex(std::span<const Box> boxes) : count_(boxes.size()) {
    constexpr double everywhere = std::numeric_limits<double>::infinity();
    std::vector<Edges> edges;
    edges.reserve(count_);
    for (std::size_t i = 0; i < count_; ++i) {
        const Box& box = boxes[i];
        const bool is_in_tree = is_ordinary(box);
        if (is_in_tree) {
            edges.push_back({box.x, box.y, box.x + box.w, box.y + box.h});
        } else if (count_ <= few) {
            edges.push_back({-everywhere, -everywhere, everywhere, everywhere});
        }
        if (count_ > few) (is_in_tree ? ordinary_ : extraordinary_).push_back(i);
    }
    if (count_ > few) {
        tree_.emplace(edges);
    } else {
        few_ = std::move(edges);
    }
}

BoxIndex::BoxIndex(std::span<const Face> faces) : BoxIndex(boxes_of(faces)) {}

std::vector<std::size_t> BoxIndex::touching(const Edges& reach) const {
    using Tree = PointTree<4>;
    std::vector<std::size_t> found = extraordinary_;
    tree_->visit(
        [&](const Tree::Node& node) {
            return touch({node.low[0], node.low[1], node.high[2], node.high[3]}, reach);
        },
        [&](Tree::Index item) {
            if (touch(tree_->point(item), reach)) found.push_back(ordinary_[item]);
        });
    std::sort(found.begin(), found.end());
    return found;
}

}  // namespace fovea
