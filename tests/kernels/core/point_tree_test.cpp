#include "kernels/core/point_tree.hpp"

#include <limits>
#include <random>
#include <set>

#include <catch2/catch.hpp>

using namespace fovea;

namespace {

using Tree = PointTree<2>;

std::set<Tree::Index> points_in(const Tree& tree, double left, double top, double right, double bottom) {
    std::set<Tree::Index> found;
    tree.visit(
        [&](const Tree::Node& node) {
            return node.low[0] <= right && node.low[1] <= bottom && node.high[0] >= left &&
                   node.high[1] >= top;
        },
        [&](Tree::Index item) {
            const Tree::Point& p = tree.point(item);
            if (p[0] >= left && p[0] <= right && p[1] >= top && p[1] <= bottom) {
                REQUIRE(found.insert(item).second);
            }
        });
    return found;
}

double square(double value) {
    return value * value;
}

double nearest_distance(const Tree& tree, const Tree::Point& from, int& visits) {
    double nearest = std::numeric_limits<double>::infinity();
    tree.visit_nearest(
        [&](const Tree::Node& node) {
            return square(std::max({node.low[0] - from[0], from[0] - node.high[0], 0.0})) +
                   square(std::max({node.low[1] - from[1], from[1] - node.high[1], 0.0}));
        },
        [&](Tree::Index item) {
            ++visits;
            nearest = std::min(nearest,
                               square(tree.point(item)[0] - from[0]) + square(tree.point(item)[1] - from[1]));
        },
        nearest);
    return nearest;
}

}  // namespace

TEST_CASE("a tree of points finds what a look at all points finds, while points come and go",
          "[point_tree]") {
    std::mt19937 random(3);
    const int distinct = GENERATE(1, 5, 1000);  // 1: all points are equal
    const auto coordinate = [&] { return static_cast<double>(random() % static_cast<unsigned>(distinct)); };
    std::vector<Tree::Point> points(500);
    for (Tree::Point& point : points) point = {coordinate(), coordinate()};
    Tree tree(points);
    std::vector<char> is_in(points.size(), 1);
    for (int step = 0; step < 400; ++step) {
        const auto item = static_cast<Tree::Index>(random() % points.size());
        if (step % 4 == 0) {
            points.push_back({coordinate(), coordinate()});
            is_in.push_back(1);
            REQUIRE(tree.add(points.back()) == points.size() - 1);
        } else if (is_in[item] != 0) {
            tree.remove(item);
            is_in[item] = 0;
        } else {
            tree.put_back(item);
            is_in[item] = 1;
        }
        const double left = coordinate();
        const double top = coordinate();
        std::set<Tree::Index> expected;
        double nearest = std::numeric_limits<double>::infinity();
        for (Tree::Index i = 0; i < points.size(); ++i) {
            if (is_in[i] == 0) continue;
            nearest = std::min(nearest, square(points[i][0] - left) + square(points[i][1] - top));
            const bool is_inside = points[i][0] >= left && points[i][0] <= left + 30 && points[i][1] >= top &&
                                   points[i][1] <= top + 30;
            if (is_inside) expected.insert(i);
        }
        REQUIRE(points_in(tree, left, top, left + 30, top + 30) == expected);
        int visits = 0;
        REQUIRE(nearest_distance(tree, {left, top}, visits) == nearest);
    }
}

TEST_CASE("a tree of points without points, or with infinite ones", "[point_tree]") {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    Tree empty{std::span<const Tree::Point>()};
    CHECK(points_in(empty, -infinity, -infinity, infinity, infinity).empty());
    CHECK(empty.add({2, 3}) == 0);
    CHECK(points_in(empty, 0, 0, 5, 5) == std::set<Tree::Index>{0});
    std::vector<Tree::Point> points(20, Tree::Point{-infinity, infinity});
    points.resize(40, Tree::Point{1e308, -1e308});
    points.push_back({1, 1});
    CHECK(points_in(Tree(points), 0, 0, 5, 5) == std::set<Tree::Index>{40});
    CHECK(points_in(Tree(points), -infinity, -infinity, infinity, infinity).size() == 41);
}

TEST_CASE("a search for the nearest point looks at few others", "[point_tree]") {
    std::vector<Tree::Point> points;
    for (int i = 0; i < 10000; ++i) points.push_back({double(i % 100), double(i / 100)});
    const Tree tree(points);
    int visits = 0;
    CHECK(nearest_distance(tree, {41.25, 17}, visits) == 0.0625);
    CHECK(visits <= 64);
}
