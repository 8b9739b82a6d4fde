#include "kernels/group/group.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <tuple>

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

}  // namespace

std::vector<RectGroup> group_rects(std::span<const ScoredRect> windows, int min_neighbors, double eps,
                                   GroupScore score) {
    // Sorted by x, the windows similar to one lie within its own largest tolerance to the right.
    std::vector<ScoredRect> sorted(windows.begin(), windows.end());
    std::sort(sorted.begin(), sorted.end(),
              [](const ScoredRect& a, const ScoredRect& b) { return a.rect.x < b.rect.x; });
    DisjointSets sets(sorted.size());
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        const Rect& a = sorted[i].rect;
        const double reach = eps * (a.width + a.height) * 0.5;
        for (std::size_t j = i + 1; j < sorted.size() && sorted[j].rect.x - a.x <= reach; ++j) {
            if (similar_rects(a, sorted[j].rect, eps)) sets.join(i, j);
        }
    }

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
    std::vector<RectGroup> groups;
    for (std::size_t i = 0; i < large.size(); ++i) {
        bool nested = false;
        for (std::size_t j = 0; j < large.size() && !nested; ++j) {
            nested = j != i &&
                     nested_in(large[i].rect, large[i].neighbors, large[j].rect, large[j].neighbors, eps);
        }
        if (!nested) groups.push_back(large[i]);
    }
    std::sort(groups.begin(), groups.end(), [](const RectGroup& a, const RectGroup& b) {
        return std::tie(b.neighbors, a.rect.y, a.rect.x, a.rect.height, a.rect.width, b.score) <
               std::tie(a.neighbors, b.rect.y, b.rect.x, b.rect.height, b.rect.width, a.score);
    });
    return groups;
}

}  // namespace fovea
