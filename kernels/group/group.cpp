#include "kernels/group/group.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <tuple>

#include "kernels/core/point_tree.hpp"
#include "kernels/group/group_body.hpp"

namespace fovea {
namespace {

// Disjoint sets with path halving; the smaller index is the root.
class DisjointSets {
  public:
    explicit DisjointSets(std::size_t size) : parent_(size) { std::iota(parent_.begin(), parent_.end(), 0); }

    std::size_t find(std::size_t item) {
        while (parent_[item] != item) item = parent_[item] = parent_[parent_[item]];
        return item;
    }
    void join(std::size_t a, std::size_t b) {
        a = find(a);
        b = find(b);
        if (a != b) parent_[std::max(a, b)] = std::min(a, b);
    }

  private:
    std::vector<std::size_t> parent_;
};

// Joins the sets of all windows that are similar. Two nodes of the tree whose windows are all similar, cannot
// be, or are joined already need no look at their pairs, which dense windows have by the million.
class SimilarWindows {
  public:
    SimilarWindows(const std::vector<ScoredRect>& windows, double eps, DisjointSets& sets)
        : windows_(windows), eps_(eps), sets_(sets), tree_(points_of(windows)), state_(tree_.nodes()) {}

    void join() {
        if (!windows_.empty()) join_within(Tree::root);
    }

  private:
    enum Coordinate { left, top, right, bottom, width, height, coordinates };
    using Tree = PointTree<coordinates>;

    struct State {
        std::size_t first = 0;   // one of the node's windows
        bool is_joined = false;  // all of them are in one set
    };

    static std::vector<Tree::Point> points_of(const std::vector<ScoredRect>& windows) {
        std::vector<Tree::Point> points;
        points.reserve(windows.size());
        for (const ScoredRect& window : windows) {
            const Rect& r = window.rect;
            points.push_back({double(r.x), double(r.y), double(r.x + r.width), double(r.y + r.height),
                              double(r.width), double(r.height)});
        }
        return points;
    }

    // The tolerances of similar_rects are between these.
    double min_delta(const Tree::Node& a, const Tree::Node& b) const {
        return eps_ * (std::min(a.low[width], b.low[width]) + std::min(a.low[height], b.low[height])) * 0.5;
    }
    double largest_delta(const Tree::Node& a, const Tree::Node& b) const {
        return eps_ * (std::min(a.high[width], b.high[width]) + std::min(a.high[height], b.high[height])) *
               0.5;
    }

    bool may_be_similar(const Tree::Node& a, const Tree::Node& b) const {
        const double delta = largest_delta(a, b);
        const auto gap = [&](int i) { return std::max({a.low[i] - b.high[i], b.low[i] - a.high[i], 0.0}); };
        return gap(left) <= delta && gap(top) <= delta && gap(right) <= delta && gap(bottom) <= delta &&
               gap(width) <= 2 * delta && gap(height) <= 2 * delta;
    }

    bool are_all_similar(const Tree::Node& a, const Tree::Node& b) const {
        const double delta = min_delta(a, b);
        const auto reach = [&](int i) { return std::max(a.high[i] - b.low[i], b.high[i] - a.low[i]); };
        return reach(left) <= delta && reach(top) <= delta && reach(right) <= delta && reach(bottom) <= delta;
    }

    void join_within(Tree::Index index) {
        const Tree::Node& node = tree_.node(index);
        if (node.child == 0) {
            state_[index].first = node.items.front();
        } else {
            join_within(node.child);
            join_within(node.child + 1);
            state_[index].first = state_[node.child].first;
        }
        if (are_all_similar(node, node)) {
            join_all(index, state_[index].first);
        } else if (node.child == 0) {
            join_pairs(node.items, node.items);
        } else {
            join_between(node.child, node.child + 1);
        }
    }

    void join_between(Tree::Index a, Tree::Index b) {
        const Tree::Node& first = tree_.node(a);
        const Tree::Node& second = tree_.node(b);
        if (!may_be_similar(first, second)) return;
        if (is_joined(a) && is_joined(b) && sets_.find(state_[a].first) == sets_.find(state_[b].first))
            return;
        if (are_all_similar(first, second)) {
            join_all(a, state_[b].first);
            join_all(b, state_[b].first);
        } else if (first.child == 0 && second.child == 0) {
            join_pairs(first.items, second.items);
        } else if (second.child == 0 || (first.child != 0 && first.count >= second.count)) {
            join_between(first.child, b);
            join_between(first.child + 1, b);
        } else {
            join_between(a, second.child);
            join_between(a, second.child + 1);
        }
    }

    void join_pairs(const std::vector<Tree::Index>& first, const std::vector<Tree::Index>& second) {
        for (const Tree::Index i : first) {
            for (const Tree::Index k : second) {
                if (similar_rects(windows_[i].rect, windows_[k].rect, eps_)) sets_.join(i, k);
            }
        }
    }

    void join_all(Tree::Index index, std::size_t with) {
        sets_.join(state_[index].first, with);
        if (is_joined(index)) return;
        state_[index].is_joined = true;
        const Tree::Node& node = tree_.node(index);
        for (const Tree::Index item : node.items) sets_.join(item, with);
        if (node.child == 0) return;
        join_all(node.child, with);
        join_all(node.child + 1, with);
    }

    // Says yes only where it is easily seen: a node of which nothing is known says no.
    bool is_joined(Tree::Index index) {
        State& state = state_[index];
        if (state.is_joined) return true;
        const Tree::Node& node = tree_.node(index);
        const std::size_t set = sets_.find(state.first);
        if (node.child == 0) {
            state.is_joined = std::all_of(node.items.begin(), node.items.end(),
                                          [&](Tree::Index item) { return sets_.find(item) == set; });
        } else {
            state.is_joined = state_[node.child].is_joined && state_[node.child + 1].is_joined &&
                              sets_.find(state_[node.child + 1].first) == set;
        }
        return state.is_joined;
    }

    const std::vector<ScoredRect>& windows_;
    double eps_;
    DisjointSets& sets_;
    Tree tree_;
    std::vector<State> state_;  // of the nodes
};

// The groups that are not dropped in favour of another.
std::vector<RectGroup> without_nested(const std::vector<RectGroup>& groups, double eps) {
    // How far the outer group's rectangle reaches, and its windows.
    enum Coordinate { left, top, right, bottom, neighbors, coordinates };
    using Tree = PointTree<coordinates>;
    std::vector<Tree::Point> points;
    for (const RectGroup& group : groups) {
        const Rect& r = group.rect;
        const Rect reach = nesting_reach(r, eps);
        points.push_back({double(reach.x), double(reach.y), double(reach.x + reach.width),
                          double(reach.y + reach.height), double(group.neighbors)});
    }
    const Tree tree(points);
    std::vector<RectGroup> kept;
    for (std::size_t i = 0; i < groups.size(); ++i) {
        const RectGroup& inner = groups[i];
        const Rect& r = inner.rect;
        const int least = inner.neighbors < 3 ? 0 : std::max(3, inner.neighbors) + 1;
        bool is_nested = false;
        tree.visit(
            [&](const Tree::Node& node) {
                return !is_nested && node.high[neighbors] >= least && node.low[left] <= r.x &&
                       node.low[top] <= r.y && node.high[right] >= r.x + r.width &&
                       node.high[bottom] >= r.y + r.height;
            },
            [&](Tree::Index k) {
                is_nested |=
                    k != i && nested_in(r, inner.neighbors, groups[k].rect, groups[k].neighbors, eps);
            });
        if (!is_nested) kept.push_back(inner);
    }
    return kept;
}

}  // namespace

std::vector<RectGroup> group_rects(std::span<const ScoredRect> windows, int min_neighbors, double eps,
                                   GroupScore score) {
    const std::vector<ScoredRect> sorted(windows.begin(), windows.end());
    DisjointSets sets(sorted.size());
    SimilarWindows(sorted, eps, sets).join();

    struct Sums {
        // OpenCV adds in int, which 10^5 windows at coordinates of 20000 would overflow; wider here.
        std::int64_t x = 0, y = 0, width = 0, height = 0;
        int count = 0;
        double score = 0;
    };
    std::vector<Sums> sums;
    std::vector<std::size_t> class_of(sorted.size());
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        const std::size_t root = sets.find(i);
        if (root == i) {
            class_of[i] = sums.size();
            sums.emplace_back();
            if (score == GroupScore::maximum) sums.back().score = sorted[i].score;
        }
        Sums& sum = sums[class_of[root]];
        sum.x += sorted[i].rect.x;
        sum.y += sorted[i].rect.y;
        sum.width += sorted[i].rect.width;
        sum.height += sorted[i].rect.height;
        sum.score =
            score == GroupScore::sum ? sum.score + sorted[i].score : std::max(sum.score, sorted[i].score);
        ++sum.count;
    }

    std::vector<RectGroup> large;
    for (const Sums& sum : sums) {
        if (sum.count <= min_neighbors) continue;
        const float scale = 1.0F / static_cast<float>(sum.count);
        const auto mean = [scale](std::int64_t total) { return group_mean(total, scale); };
        large.push_back(
            {{mean(sum.x), mean(sum.y), mean(sum.width), mean(sum.height)}, sum.count, sum.score});
    }
    std::vector<RectGroup> groups = without_nested(large, eps);
    std::sort(groups.begin(), groups.end(), [](const RectGroup& a, const RectGroup& b) {
        return std::tie(b.neighbors, a.rect.y, a.rect.x, a.rect.height, a.rect.width, b.score) <
               std::tie(a.neighbors, b.rect.y, b.rect.x, b.rect.height, b.rect.width, a.score);
    });
    return groups;
}

}  // namespace fovea
