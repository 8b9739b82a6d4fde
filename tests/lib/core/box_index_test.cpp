#include "lib/core/box_index.hpp"

#include <cmath>
#include <random>

#include <catch2/catch.hpp>

using namespace fovea;

namespace {

bool touch(const Box& a, const Box& b) {
    return a.x <= b.x + b.w && b.x <= a.x + a.w && a.y <= b.y + b.h && b.y <= a.y + a.h;
}

std::vector<std::size_t> visited(const BoxIndex& index, const Box& box) {
    std::vector<std::size_t> list;
    index.visit_touching(box, [&](std::size_t i) { list.push_back(i); });
    return list;
}

// Every box that touches is visited, by rising number and once; of the others at most `max_others`.
void check(const std::vector<Box>& boxes, const Box& query, std::size_t max_others) {
    const std::vector<std::size_t> list = visited(BoxIndex(boxes), query);
    REQUIRE(std::is_sorted(list.begin(), list.end()));
    REQUIRE(std::adjacent_find(list.begin(), list.end()) == list.end());
    std::size_t touching = 0;
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        if (!touch(boxes[i], query)) continue;
        ++touching;
        REQUIRE(std::binary_search(list.begin(), list.end(), i));
    }
    REQUIRE(list.size() - touching <= max_others);
}

}  // namespace

TEST_CASE("an index of boxes visits those that touch, edges included", "[box_index]") {
    // A row of 40 boxes [10 i, 10 i + 10): the query [95, 100] touches numbers 9 and, by its edge, 10.
    std::vector<Box> boxes;
    for (int i = 0; i < 40; ++i) boxes.push_back({10.0 * i, 0, 10, 10});
    CHECK(visited(BoxIndex(boxes), {95, 5, 5, 1}) == std::vector<std::size_t>{9, 10});
    CHECK(visited(BoxIndex(boxes), {95, 10, 5, 1}) == std::vector<std::size_t>{9, 10});
    CHECK(visited(BoxIndex(boxes), {95, 11, 5, 1}).empty());
    CHECK(visited(BoxIndex(boxes), {400, 0, 0, 0}) == std::vector<std::size_t>{39});
    CHECK(visited(BoxIndex(boxes), {401, 0, 0, 0}).empty());
    // Three boxes, which make no tree: the first one touches by its corner, the last one is beyond 1e100.
    const BoxIndex few(std::vector<Box>{{0, 0, 1, 1}, {0, 0, 1, 0.5}, {1e200, 0, 1, 1}});
    CHECK(visited(few, {1, 1, 5, 5}) == std::vector<std::size_t>{0, 2});
    CHECK(visited(few, {1, 1, 1e200, 5}).size() == 3);
    CHECK(visited(BoxIndex(std::vector<Box>()), {500, 500, 1, 1}).empty());
}

TEST_CASE("an index of boxes agrees with a look at all of them", "[box_index]") {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> place(0, 1000);
    std::uniform_real_distribution<double> size(0, 60);
    std::uniform_real_distribution<double> exponent(-320, 308);
    const int kind = GENERATE(range(0, 5));
    for (int run = 0; run < 40; ++run) {
        const auto any_box = [&]() -> Box {
            switch (kind) {
                case 0:
                    return {place(random), place(random), size(random), size(random)};
                case 1:  // many at one spot, many equal, some without area
                    return {double(random() % 4), double(random() % 4), double(random() % 3),
                            double(random() % 3)};
                case 2:
                    return {5, 5, 5, 5};
                case 3:  // negative sizes
                    return {place(random), place(random), size(random) - 30, size(random) - 30};
                default:
                    return {std::pow(10, exponent(random)), -std::pow(10, exponent(random)),
                            std::pow(10, exponent(random)), std::pow(10, exponent(random))};
            }
        };
        std::vector<Box> boxes(random() % 300);
        for (Box& box : boxes) box = any_box();
        // A box beyond 1e100 is always visited, and visits all.
        const std::size_t max_others = kind == 4 ? boxes.size() : 0;
        for (int query = 0; query < 20; ++query) check(boxes, any_box(), max_others);
    }
}
