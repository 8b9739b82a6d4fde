#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "kernels/core/point_tree.hpp"
#include "lib/core/types.hpp"

namespace fovea {

/// Finds the boxes that may touch a given one, without comparing it with all of them. Boxes are copied.
class BoxIndex {
  public:
    explicit BoxIndex(std::span<const Box> boxes);
    /// Indexes the boxes of faces.
    explicit BoxIndex(std::span<const Face> faces);

    /// Calls visit(i) for every box i that shares a point with `box`, edges included; i rises. Other boxes
    /// may be visited, too: all if there are at most 16, boxes with coordinates beyond 1e100, and boxes that
    /// are less than 1e-9 of the coordinates away.
    template <class Visit>
    void visit_touching(const Box& box, const Visit& visit) const {
        if (!tree_ || !is_ordinary(box)) {
            for (std::size_t i = 0; i < count_; ++i) visit(i);
            return;
        }
        for (const std::size_t i : touching(box)) visit(i);
    }

  private:
    static bool is_ordinary(const Box& box);
    std::vector<std::size_t> touching(const Box& box) const;

    std::size_t count_ = 0;
    std::vector<std::size_t> ordinary_;       // the boxes in the tree
    std::vector<std::size_t> extraordinary_;  // boxes that are always visited
    std::optional<PointTree<4>> tree_;        // left, top, right and bottom; none where there are few boxes
};

/// The box with `margin` pixels more on each side.
inline Box grown(const Box& box, double margin) {
    return {box.x - margin, box.y - margin, box.w + 2 * margin, box.h + 2 * margin};
}

}  // namespace fovea
