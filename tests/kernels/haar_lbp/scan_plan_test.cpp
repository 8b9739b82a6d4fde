// How a batch of images is divided into tiles for the scan on a GPU; needs none.

#include "kernels/haar_lbp/scan_plan.hpp"

#include <catch2/catch.hpp>

#include "kernels/resize/resize.hpp"

using namespace fovea;
using cuda_backend::make_scan_plan;
using cuda_backend::ScanJob;
using cuda_backend::ScanPlan;

namespace {

constexpr Size window{20, 20};

ScanJob job_of(int width, int height, double factor) {
    // Planning looks at sizes, not at pixels.
    ScanJob job;
    job.image = {nullptr, width, height, width};
    job.levels = cascade_levels({width, height}, window, {factor, {}, {}});
    for (std::size_t i = 0; i < job.levels.size(); ++i) job.level_numbers.push_back(static_cast<int>(i));
    return job;
}

}  // namespace

TEST_CASE("scan plan: tiles by hand", "[scan_plan]") {
    const TileLayout layouts[2] = {make_tile_layout(window, 1, 16, false),
                                   make_tile_layout(window, 2, 8, false)};
    // Level 0: 149 window columns and 39 rows, every second one: 75 × 20, so 2 tiles × 3. Level 1 (scale 2,
    // 84×29): 65 × 10, so 2 × 1.
    const std::vector<ScanJob> jobs{job_of(168, 58, 2)};
    REQUIRE(jobs[0].levels.size() == 2);
    const ScanPlan plan = make_scan_plan(jobs, layouts);
    REQUIRE(plan.levels.size() == 2);
    CHECK(plan.levels[0].windows_per_row == 75);
    CHECK(plan.levels[0].tiles_per_column == 3);
    CHECK(plan.levels[1].windows_per_row == 65);
    CHECK(plan.levels[1].tiles_per_column == 1);
    CHECK(plan.first_tiles == std::vector<int>{0, 6, 8});
    CHECK(plan.tiles == 8);
    CHECK(plan.levels[0].first_window == 0);
    CHECK(plan.levels[1].first_window == 75 * plan.levels[0].window_rows);
    CHECK(plan.levels[1].scale_x == resize_scale(168, 84));
}

TEST_CASE("scan plan: tiles cover every window of every image", "[scan_plan]") {
    const TileLayout layouts[2] = {make_tile_layout(window, 1, 24, false),
                                   make_tile_layout(window, 2, 12, false)};
    const std::vector<ScanJob> jobs{job_of(641, 427, 1.1), job_of(1, 1, 1.1), job_of(20, 20, 1.1),
                                    job_of(5000, 30, 1.3), job_of(33, 900, 1.2)};
    const ScanPlan plan = make_scan_plan(jobs, layouts);
    REQUIRE(plan.first_tiles.size() == plan.levels.size() + 1);
    std::int64_t windows = 0;
    for (std::size_t i = 0; i < plan.levels.size(); ++i) {
        const auto& level = plan.levels[i];
        const int tiles = plan.first_tiles[i + 1] - plan.first_tiles[i];
        const int columns = (level.windows_per_row + TileLayout::columns - 1) / TileLayout::columns;
        CHECK(tiles == columns * level.tiles_per_column);
        CHECK(level.tiles_per_column * level.tile_rows >= level.window_rows);
        CHECK((level.tiles_per_column - 1) * level.tile_rows < level.window_rows);
        CHECK(level.tile_rows <= layouts[level.step - 1].rows);
        CHECK(level.first_window == windows);
        CHECK(level.image_offset == plan.image_offsets[level.image]);
        windows += static_cast<std::int64_t>(level.windows_per_row) * level.window_rows;
    }
    CHECK(plan.windows == windows);
    CHECK(plan.first_tiles.back() == plan.tiles);
    // The image of one pixel has no level, but its place.
    CHECK(plan.image_offsets[2] == plan.image_offsets[1] + 16);
    CHECK(plan.image_bytes >= 641U * 427 + 1 + 400 + 150'000 + 33U * 900);
}

TEST_CASE("scan plan: nothing to do, and too much", "[scan_plan]") {
    const TileLayout layouts[2] = {make_tile_layout(window, 1, 16, false),
                                   make_tile_layout(window, 2, 8, false)};
    CHECK(make_scan_plan({}, layouts).tiles == 0);
    ScanJob huge;
    huge.image = {nullptr, 70'000, 70'000, 70'000};
    CHECK_THROWS_AS(make_scan_plan({&huge, 1}, layouts), std::length_error);
}
