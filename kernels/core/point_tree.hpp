#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace fovea {

/// Points of N coordinates in a tree of enclosing boxes, so that a search for near points looks at few.
///
/// A node's points are halved at the median of its widest coordinate until few are left. Coordinates may be
/// infinite, not NaN. Points can be added and removed later. The tree is not balanced anew, so added points
/// should lie among the others.
template <std::size_t N>
class PointTree {
  public:
    using Point = std::array<double, N>;
    using Index = std::uint32_t;

    struct Node {
        Point low{};  ///< the enclosing box, both bounds included; it does not shrink when points are removed
        Point high{};
        Index count = 0;  ///< points in and below the node that are not removed
        Index parent = 0;
        Index child = 0;           ///< the first of two children, child + 1 the other; 0 for a leaf
        std::vector<Index> items;  ///< numbers of a leaf's points
    };

    static constexpr Index root = 0;

    /// Points are numbered from 0 in their order.
    explicit PointTree(std::span<const Point> points) : points_(points.begin(), points.end()) {
        std::vector<Index> items(points_.size());
        std::iota(items.begin(), items.end(), Index{0});
        leaf_of_.resize(points_.size());
        nodes_.emplace_back();
        fill(root, items);
    }

    std::size_t nodes() const { return nodes_.size(); }
    const Node& node(Index index) const { return nodes_[index]; }
    const Point& point(Index item) const { return points_[item]; }

    /// \return the number of the new point: one more than the last one's.
    Index add(const Point& point) {
        const auto item = static_cast<Index>(points_.size());
        points_.push_back(point);
        leaf_of_.push_back(root);
        put_back(item);
        return item;
    }

    /// Adds a point that was removed.
    void put_back(Index item) {
        const Point& point = points_[item];
        Index index = root;
        while (true) {
            Node& node = nodes_[index];
            if (node.count++ == 0 && node.child == 0) node.low = node.high = point;
            for (std::size_t i = 0; i < N; ++i) {
                node.low[i] = std::min(node.low[i], point[i]);
                node.high[i] = std::max(node.high[i], point[i]);
            }
            if (node.child == 0) break;
            index = node.child;
            if (distance(nodes_[index + 1], point) < distance(nodes_[index], point)) ++index;
        }
        nodes_[index].items.push_back(item);
        leaf_of_[item] = index;
    }

    void remove(Index item) {
        Index index = leaf_of_[item];
        std::vector<Index>& items = nodes_[index].items;
        items.erase(std::find(items.begin(), items.end(), item));
        for (;; index = nodes_[index].parent) {
            --nodes_[index].count;
            if (index == root) return;
        }
    }

    /// Calls visit_item(item) for the points of the leaves below `index`, in no particular order. Nodes for
    /// which may_hold(node) is false are left out.
    template <class MayHold, class Visit>
    void visit(const MayHold& may_hold, const Visit& visit_item, Index index = root) const {
        const Node& here = nodes_[index];
        if (here.count == 0 || !may_hold(here)) return;
        for (const Index item : here.items) visit_item(item);
        if (here.child == 0) return;
        visit(may_hold, visit_item, here.child);
        visit(may_hold, visit_item, here.child + 1);
    }

    /// Looks for the nearest points: calls visit_item(item) as visit() does, but takes the child with the
    /// smaller bound(node) first, and leaves out children whose bound is above `limit`, which visit_item may
    /// lower. A bound of NaN rules nothing out.
    template <class Bound, class Visit>
    void visit_nearest(const Bound& bound, const Visit& visit_item, const double& limit,
                       Index index = root) const {
        const Node& here = nodes_[index];
        for (const Index item : here.items) visit_item(item);
        if (here.child == 0) return;
        std::array<Index, 2> order{here.child, here.child + 1};
        std::array<double, 2> bounds{bound(nodes_[order[0]]), bound(nodes_[order[1]])};
        if (bounds[1] < bounds[0]) {
            std::swap(order[0], order[1]);
            std::swap(bounds[0], bounds[1]);
        }
        for (std::size_t i = 0; i < order.size(); ++i) {
            if (nodes_[order[i]].count == 0 || bounds[i] > limit) continue;
            visit_nearest(bound, visit_item, limit, order[i]);
        }
    }

  private:
    static constexpr std::size_t max_in_leaf = 8;

    // How far the point lies outside the node's box, summed over the coordinates.
    static double distance(const Node& node, const Point& point) {
        double sum = 0;
        for (std::size_t i = 0; i < N; ++i) {
            sum += std::max({node.low[i] - point[i], point[i] - node.high[i], 0.0});
        }
        return sum;
    }

    void fill(Index index, std::span<Index> items) {
        nodes_[index].count = static_cast<Index>(items.size());
        const std::size_t widest = items.empty() ? N : enclose(nodes_[index], items);
        if (items.size() <= max_in_leaf || widest == N) {
            nodes_[index].items.assign(items.begin(), items.end());
            for (const Index item : items) leaf_of_[item] = index;
            return;
        }
        const std::size_t half = items.size() / 2;
        std::nth_element(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(half), items.end(),
                         [&](Index a, Index b) { return points_[a][widest] < points_[b][widest]; });
        const auto child = static_cast<Index>(nodes_.size());
        nodes_[index].child = child;
        nodes_.resize(nodes_.size() + 2);
        nodes_[child].parent = nodes_[child + 1].parent = index;
        fill(child, items.first(half));
        fill(child + 1, items.subspan(half));
    }

    // Sets the node's box; returns its widest coordinate, N if all points are equal.
    std::size_t enclose(Node& node, std::span<const Index> items) const {
        node.low = node.high = points_[items[0]];
        for (const Index item : items) {
            for (std::size_t i = 0; i < N; ++i) {
                node.low[i] = std::min(node.low[i], points_[item][i]);
                node.high[i] = std::max(node.high[i], points_[item][i]);
            }
        }
        std::size_t widest = N;
        double width = 0;
        for (std::size_t i = 0; i < N; ++i) {
            if (!(node.high[i] - node.low[i] > width)) continue;
            width = node.high[i] - node.low[i];
            widest = i;
        }
        return widest;
    }

    std::vector<Point> points_;
    std::vector<Node> nodes_;
    std::vector<Index> leaf_of_;
};

}  // namespace fovea
