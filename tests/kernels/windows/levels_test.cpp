#include "kernels/windows/levels.hpp"

#include <catch2/catch.hpp>

using namespace fovea;

TEST_CASE("levels: an image smaller than the window has none", "[levels]") {
    CHECK(cascade_levels({23, 100}, {24, 24}, {}).empty());
    CHECK(cascade_levels({100, 23}, {24, 24}, {}).empty());
    CHECK(cascade_levels({24, 24}, {24, 24}, {}).size() == 1);
}

TEST_CASE("levels: scales, sizes and steps by hand", "[levels]") {
    // Window 20: 20, 40, 80, 160 fit 160 × 170.
    const auto levels = cascade_levels({160, 170}, {20, 20}, {2.0, {}, {}});
    REQUIRE(levels.size() == 4);
    CHECK(levels[0].size == Size{160, 170});
    CHECK(levels[0].step == 2);
    CHECK(levels[0].columns == 160 + 1 - 20);
    // Scale 2 exactly is scanned at every window.
    CHECK(levels[1].step == 1);
    CHECK(levels[1].size == Size{80, 85});
    CHECK(levels[1].box == Size{40, 40});
    CHECK(levels[3].size == Size{20, 21});
    CHECK(levels[3].columns == 1);
    CHECK(levels[3].windows_per_row() == 1);
}

TEST_CASE("levels: sizes are rounded half to even", "[levels]") {
    // 25 · 1.5 = 37.5 rounds to 38, 27 · 1.5 = 40.5 to 40; 75 / 1.5 = 50, 61 / 1.5 = 40.67.
    const auto levels = cascade_levels({75, 61}, {25, 27}, {1.5, {}, {}});
    REQUIRE(levels.size() == 3);
    CHECK(levels[1].box == Size{38, 40});
    CHECK(levels[1].size == Size{50, 41});
}

TEST_CASE("levels: the last row is left out when the stripes do not reach it", "[levels]") {
    // Window 6: 20 + 1 - 6 = 15 columns make one stripe; 10 + 1 - 6 = 5 rows: 5 / 2 = 2 steps of 2 rows.
    const auto odd = cascade_levels({20, 10}, {6, 6}, {10.0, {}, {}});
    REQUIRE(odd.size() == 1);
    CHECK(odd[0].rows == 4);
    CHECK(odd[0].window_rows() == 2);
    // One row more: 6 rows, all visited.
    CHECK(cascade_levels({20, 11}, {6, 6}, {10.0, {}, {}})[0].rows == 6);
    // 40 columns make two stripes of 2 steps each: 8 rows reach beyond 5.
    CHECK(cascade_levels({45, 10}, {6, 6}, {10.0, {}, {}})[0].rows == 4);
    CHECK(cascade_levels({45, 12}, {6, 6}, {10.0, {}, {}})[0].rows == 7);
}

TEST_CASE("levels: sizes outside the limits are left out", "[levels]") {
    const auto levels = cascade_levels({200, 200}, {20, 20}, {1.5, {40, 40}, {70, 70}});
    REQUIRE(levels.size() == 2);
    CHECK(levels[0].box == Size{45, 45});
    CHECK(levels[1].box == Size{68, 68});  // 67.5 rounds to even
    // A zero in either direction means the image's size.
    CHECK(cascade_levels({200, 200}, {20, 20}, {1.5, {}, {70, 0}}).size() ==
          cascade_levels({200, 200}, {20, 20}, {1.5, {}, {}}).size());
}

TEST_CASE("levels: where the limits exclude every size the nearest to the smallest is scanned", "[levels]") {
    // Windows 20, 30, 45, 68, ...: none in 50...60; 45 is nearer to 50 than 68.
    const auto levels = cascade_levels({200, 200}, {20, 20}, {1.5, {50, 50}, {60, 60}});
    REQUIRE(levels.size() == 1);
    CHECK(levels[0].box == Size{45, 45});
    // The smaller scale wins a tie: 25 lies between 20 and 30.
    const auto tie = cascade_levels({200, 200}, {20, 20}, {1.5, {25, 25}, {26, 26}});
    REQUIRE(tie.size() == 1);
    CHECK(tie[0].box == Size{20, 20});
}
