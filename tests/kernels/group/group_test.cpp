#include "kernels/group/group.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <random>
#include <tuple>

#include <catch2/catch.hpp>
#include <opencv2/objdetect.hpp>

#include "kernels/core/stopwatch.hpp"
#include "kernels/group/group_body.hpp"

using namespace fovea;

namespace {

using Key = std::tuple<int, int, int, int, int>;

std::vector<Key> keys(const std::vector<RectGroup>& groups) {
    std::vector<Key> result;
    for (const RectGroup& g : groups) {
        result.emplace_back(g.rect.x, g.rect.y, g.rect.width, g.rect.height, g.neighbors);
    }
    std::sort(result.begin(), result.end());
    return result;
}

std::vector<Key> opencv_keys(const std::vector<ScoredRect>& windows, int min_neighbors) {
    std::vector<cv::Rect> rects;
    for (const ScoredRect& w : windows) rects.emplace_back(w.rect.x, w.rect.y, w.rect.width, w.rect.height);
    std::vector<int> weights;
    cv::groupRectangles(rects, weights, min_neighbors, 0.2);
    std::vector<Key> result;
    for (std::size_t i = 0; i < rects.size(); ++i) {
        result.emplace_back(rects[i].x, rects[i].y, rects[i].width, rects[i].height, weights[i]);
    }
    std::sort(result.begin(), result.end());
    return result;
}

std::vector<ScoredRect> repeated(Rect rect, int count) {
    return {static_cast<std::size_t>(count), {rect, 1.0}};
}

std::vector<ScoredRect> joined(std::vector<ScoredRect> a, const std::vector<ScoredRect>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

// The classes by their definition: a window is joined with every similar one. Sorted by x, those lie within
// its tolerance.
std::vector<std::size_t> classes_by_all_pairs(const std::vector<ScoredRect>& windows, double eps) {
    std::vector<std::size_t> order(windows.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return windows[a].rect.x < windows[b].rect.x; });
    std::vector<std::size_t> parent(windows.size());
    std::iota(parent.begin(), parent.end(), std::size_t{0});
    const auto root = [&](std::size_t i) {
        while (parent[i] != i) i = parent[i] = parent[parent[i]];
        return i;
    };
    for (std::size_t i = 0; i < order.size(); ++i) {
        const Rect& a = windows[order[i]].rect;
        const double reach = eps * (a.width + a.height) * 0.5;
        for (std::size_t k = i + 1; k < order.size(); ++k) {
            const Rect& b = windows[order[k]].rect;
            if (b.x - a.x > reach) break;
            if (similar_rects(a, b, eps)) parent[root(order[i])] = root(order[k]);
        }
    }
    for (std::size_t i = 0; i < parent.size(); ++i) parent[i] = root(i);
    return parent;
}

// group_rects by its definition, with a look at all pairs of windows and of classes.
std::vector<RectGroup> groups_by_all_pairs(const std::vector<ScoredRect>& windows, int min_neighbors,
                                           double eps, GroupScore score) {
    const std::vector<std::size_t> class_of = classes_by_all_pairs(windows, eps);
    std::map<std::size_t, std::vector<ScoredRect>> classes;
    for (std::size_t i = 0; i < windows.size(); ++i) classes[class_of[i]].push_back(windows[i]);
    std::vector<RectGroup> means;
    for (const auto& [root, members] : classes) {
        if (static_cast<int>(members.size()) <= min_neighbors) continue;
        RectGroup group{{}, static_cast<int>(members.size()), members[0].score};
        std::array<std::int64_t, 4> sums{};
        double total = 0;
        for (const ScoredRect& member : members) {
            sums[0] += member.rect.x;
            sums[1] += member.rect.y;
            sums[2] += member.rect.width;
            sums[3] += member.rect.height;
            group.score = std::max(group.score, member.score);
            total += member.score;
        }
        if (score == GroupScore::sum) group.score = total;
        const float scale = 1.0F / static_cast<float>(members.size());
        group.rect = {group_mean(sums[0], scale), group_mean(sums[1], scale), group_mean(sums[2], scale),
                      group_mean(sums[3], scale)};
        means.push_back(group);
    }
    std::vector<RectGroup> groups;
    for (std::size_t i = 0; i < means.size(); ++i) {
        bool is_nested = false;
        for (std::size_t k = 0; k < means.size() && !is_nested; ++k) {
            is_nested = k != i &&
                        nested_in(means[i].rect, means[i].neighbors, means[k].rect, means[k].neighbors, eps);
        }
        if (!is_nested) groups.push_back(means[i]);
    }
    std::sort(groups.begin(), groups.end(), [](const RectGroup& a, const RectGroup& b) {
        return std::tie(b.neighbors, a.rect.y, a.rect.x, a.rect.height, a.rect.width, b.score) <
               std::tie(a.neighbors, b.rect.y, b.rect.x, b.rect.height, b.rect.width, a.score);
    });
    return groups;
}

// Every window that a cascade of `edge` pixels sees in an image: of each size, 1.2 times the last, one every
// step-th pixel, which grows with the size.
std::vector<ScoredRect> every_window(int width, int height, int edge) {
    std::vector<ScoredRect> windows;
    for (double scale = 1; scale * edge <= std::min(width, height); scale *= 1.2) {
        const int size = static_cast<int>(std::rint(scale * edge));
        const double step = std::max(1.0, scale);
        for (int row = 0; row * step + size <= height; ++row) {
            for (int column = 0; column * step + size <= width; ++column) {
                windows.push_back({{static_cast<int>(std::rint(column * step)),
                                    static_cast<int>(std::rint(row * step)), size, size},
                                   static_cast<double>(windows.size() % 100)});
            }
        }
    }
    return windows;
}

}  // namespace

TEST_CASE("group: a class must hold more windows than the minimum", "[group]") {
    const auto three = repeated({10, 20, 30, 30}, 3);
    CHECK(group_rects(three, 2).size() == 1);
    CHECK(group_rects(three, 3).empty());
    CHECK(keys(group_rects(three, 2)) == opencv_keys(three, 2));
    CHECK(opencv_keys(three, 3).empty());
}

TEST_CASE("group: the mean is rounded half to even", "[group]") {
    // x: (10 + 11) / 2 = 10.5 -> 10; y: (11 + 12) / 2 = 11.5 -> 12.
    const std::vector<ScoredRect> pair{{{10, 11, 30, 30}, 2.5}, {{11, 12, 30, 31}, 1.0}};
    const auto groups = group_rects(pair, 1);
    REQUIRE(groups.size() == 1);
    CHECK(groups[0].rect == Rect{10, 12, 30, 30});
    CHECK(groups[0].neighbors == 2);
    CHECK(groups[0].score == 2.5);
    CHECK(keys(groups) == opencv_keys(pair, 1));
}

TEST_CASE("group: similarity ends where an edge differs by more than eps times the mean of both sides",
          "[group]") {
    // 0.2 · (30 + 30) / 2 = 6.
    const std::vector<ScoredRect> near{{{0, 0, 30, 30}, 1}, {{6, 0, 30, 30}, 1}};
    const std::vector<ScoredRect> far{{{0, 0, 30, 30}, 1}, {{7, 0, 30, 30}, 1}};
    CHECK(group_rects(near, 1).size() == 1);
    CHECK(group_rects(far, 1).empty());
    // Chains join: 0 ~ 6 ~ 12, although 0 and 12 are not similar.
    const std::vector<ScoredRect> chain{{{0, 0, 30, 30}, 1}, {{12, 0, 30, 30}, 1}, {{6, 0, 30, 30}, 1}};
    REQUIRE(group_rects(chain, 2).size() == 1);
    CHECK(group_rects(chain, 2)[0].rect == Rect{6, 0, 30, 30});
}

TEST_CASE("group: small groups inside large ones", "[group]") {
    const Rect outer{0, 0, 100, 100};
    const Rect inner{30, 30, 30, 30};
    // Outer needs more windows than the inner and than 3, or the inner fewer than 3.
    for (const int inner_count : {2, 3, 4, 5, 6}) {
        for (const int outer_count : {2, 3, 4, 5, 6}) {
            const auto windows = joined(repeated(outer, outer_count), repeated(inner, inner_count));
            const bool dropped = outer_count > std::max(3, inner_count) || inner_count < 3;
            INFO(inner_count << " inside " << outer_count);
            CHECK(group_rects(windows, 1).size() == (dropped ? 1 : 2));
            CHECK(keys(group_rects(windows, 1)) == opencv_keys(windows, 1));
        }
    }
}

TEST_CASE("group: equal to cv::groupRectangles on random windows, in any order", "[group][opencv]") {
    std::mt19937 random(5);
    for (int run = 0; run < 60; ++run) {
        std::vector<ScoredRect> windows;
        const int count = run * 12;
        for (int i = 0; i < count; ++i) {
            const int size = 20 + static_cast<int>(random() % 60);
            windows.push_back({{static_cast<int>(random() % 200), static_cast<int>(random() % 150), size,
                                size + static_cast<int>(random() % 9)},
                               static_cast<double>(random() % 100)});
        }
        for (const int min_neighbors : {1, 2, 3, 5}) {
            INFO(count << " windows, more than " << min_neighbors);
            const auto groups = group_rects(windows, min_neighbors);
            REQUIRE(keys(groups) == opencv_keys(windows, min_neighbors));
            auto shuffled = windows;
            std::shuffle(shuffled.begin(), shuffled.end(), random);
            REQUIRE(group_rects(shuffled, min_neighbors) == groups);
        }
    }
}

TEST_CASE("group: as by a look at all pairs, however windows lie", "[group]") {
    std::mt19937 random(9);
    const auto below = [&](int bound) { return static_cast<int>(random() % static_cast<unsigned>(bound)); };
    const int kind = GENERATE(range(0, 6));
    for (int run = 0; run < 25; ++run) {
        std::vector<ScoredRect> windows;
        for (int i = below(700); i > 0; --i) {
            const int size = 20 + below(30);
            const int at = 60 * below(5);
            Rect rect;
            if (kind == 0) rect = {below(300), below(200), size, size + below(9)};  // scattered
            if (kind == 1) rect = {at + below(8), at + below(8), 24, 24};           // clusters
            if (kind == 2) rect = {3, 3, 40, 40};                                   // one spot
            if (kind == 3) rect = {5 * below(40), 5 * below(40), 24, 24};           // a lattice, just joined
            if (kind == 4) rect = {below(4), below(4), below(3), below(3)};         // without area
            if (kind == 5) rect = {-at * 9999, at * 9999, 1 + below(20000), 1 + below(20000)};
            windows.push_back({rect, static_cast<double>(below(100) - 50)});
        }
        for (const int min_neighbors : {1, 3}) {
            for (const double eps : {0.2, 0.0, 0.7}) {
                for (const GroupScore score : {GroupScore::maximum, GroupScore::sum}) {
                    INFO(windows.size() << " windows, more than " << min_neighbors << ", eps " << eps);
                    REQUIRE(group_rects(windows, min_neighbors, eps, score) ==
                            groups_by_all_pairs(windows, min_neighbors, eps, score));
                }
            }
        }
    }
}

TEST_CASE("group: 100,000 windows are grouped in little time, as by a look at all pairs", "[group]") {
    std::mt19937 random(2);
    const auto check = [&](const std::vector<ScoredRect>& windows, int min_neighbors) {
        std::vector<RectGroup> groups;
        // Looking at all pairs takes from 5 to 100 s.
        CHECK(host_seconds([&] { groups = group_rects(windows, min_neighbors); }) < 4);
        return groups;
    };
    SECTION("every window of an image passes") {
        const std::vector<ScoredRect> windows = every_window(236, 314, 20);
        REQUIRE(windows.size() > 100000);
        // They are one class: every window is similar to those beside it and to some of the next size.
        REQUIRE(check(windows, 3).size() == 1);
        CHECK(check(windows, 3)[0].neighbors == static_cast<int>(windows.size()));
    }
    SECTION("scattered windows") {
        std::vector<ScoredRect> windows;
        for (int i = 0; i < 100000; ++i) {
            const int size = 20 + static_cast<int>(random() % 40);
            windows.push_back(
                {{static_cast<int>(random() % 20000), static_cast<int>(random() % 2000), size, size},
                 static_cast<double>(random() % 100)});
        }
        const std::vector<RectGroup> groups = check(windows, 1);
        CHECK(groups.size() > 1000);
        CHECK(groups == groups_by_all_pairs(windows, 1, default_group_eps, GroupScore::maximum));
    }
    SECTION("50,000 classes of two, none in another") {
        std::vector<ScoredRect> windows;
        for (int i = 0; i < 50000; ++i) {
            const Rect rect{100 * (i % 250), 100 * (i / 250), 24, 24};
            windows.push_back({rect, 1.0});
            windows.push_back({rect, 2.0});
        }
        CHECK(check(windows, 1).size() == 50000);
    }
    SECTION("all windows at one spot") {
        CHECK(check(repeated({3, 4, 50, 50}, 100000), 3)[0].neighbors == 100000);
    }
}

TEST_CASE("group: no windows, no groups", "[group]") {
    CHECK(group_rects({}, 1).empty());
}
