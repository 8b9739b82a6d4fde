#include "kernels/group/group.hpp"

#include <algorithm>
#include <random>
#include <tuple>

#include <catch2/catch.hpp>
#include <opencv2/objdetect.hpp>

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

TEST_CASE("group: no windows, no groups", "[group]") {
    CHECK(group_rects({}, 1).empty());
}
