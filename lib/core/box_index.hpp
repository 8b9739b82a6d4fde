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
    /// may be visited, too: boxes with coordinates beyond 1e100, and boxes that are less than 1e-9 of the
    /// coordinates away.
    template <class Visit>
    void visit_touching(const Box& box, const Visit& visit) const {
        if (!is_ordinary(box)) {
            for (std::size_t i = 0; i < count_; ++i) visit(i);
            return;
        }
        const Edges reach = reach_of(box);
        if (tree_) {
            for (const std::size_t i : touching(reach)) visit(i);
            return;
        }
        for (std::size_t i = 0; i < count_; ++i) {
            if (touch(few_[i], reach)) visit(i);
        }
    }

  private:
    /// Left, top, right and bottom.
    using Edges = PointTree<4>::Point;

    static bool is_ordinary(const Box& box);
    /// The edges of a box, moved out by what rounding may hide.
    static Edges reach_of(const Box& box);
    /// All four are compared, without a branch for each: most boxes are apart.
    static bool touch(const Edges& a, const Edges& b) {
        return static_cast<int>(a[0] <= b[2]) & static_cast<int>(a[1] <= b[3]) &
               static_cast<int>(a[2] >= b[0]) & static_cast<int>(a[3] >= b[1]);
    }
    std::vector<std::size_t> touching(const Edges& reach) const;

    std::size_t count_ = 0;
    std::vector<Edges> few_;                  // of all boxes, where they are few
    std::vector<std::size_t> ordinary_;       // the boxes in the tree
    std::vector<std::size_t> extraordinary_;  // boxes that are always visited
    std::optional<PointTree<4>> tree_;        // none where there are few boxes
};

/// The box with `margin` pixels more on each side.
inline Box grown(const Box& box, double margin) {
    return {box.x - margin, box.y - margin, box.w + 2 * margin, box.h + 2 * margin};
}

}  // namespace fovea
