#include "kernels/lbp/staged_jobs.hpp"

#include <algorithm>

#include <catch2/catch.hpp>

#include "kernels/lbp/lbp_plan.hpp"

using namespace fovea;

namespace {

constexpr Size csu{130, 150};

// How many pixels with codes each region has, by its cells.
std::vector<int> pixels_of_regions(const std::vector<StagedJob>& jobs) {
    std::vector<int> pixels;
    for (const StagedJob& job : jobs) {
        CHECK(job.first_region == pixels.size());
        for (const RegionCells& cells : job.regions) {
            int count = 0;
            for (const std::uint16_t row : job.row_cells) {
                for (const std::uint16_t column : job.column_cells) {
                    count +=
                        row >= cells.top && row < cells.bottom && column >= cells.left && column < cells.right
                            ? 1
                            : 0;
                }
            }
            pixels.push_back(count);
        }
    }
    return pixels;
}

int overlap(int first, int length, int begin, int end) {
    return std::max(0, std::min(first + length, end) - std::max(first, begin));
}

}  // namespace

TEST_CASE("staged jobs: every region has its pixels, in the room that there is", "[lbp]") {
    std::vector<std::vector<Rect>> sets{
        regions_by_count(csu, 7, 7),
        regions_by_cell(csu, {11, 13}),
        regions_by_stride(csu, {18, 21}, {9, 7}),
        {{5, 7, 90, 3}, {100, 100, 30, 50}, {0, 0, 1, 1}, {64, 70, 9, 9}, {0, 149, 130, 1}}};
    for (const auto& regions : sets) {
        for (const int margin : {1, 2, 7}) {
            for (const std::size_t most : {13000U, 30000U, 60000U, 200000U}) {
                CAPTURE(regions.size(), margin, most);
                const auto jobs = staged_jobs(csu, regions, margin, 59, most);
                if (jobs.empty()) {
                    // One of the regions alone needs more.
                    const auto alone = [&](const Rect& region) {
                        return !staged_jobs(csu, {region}, margin, 59, most).empty();
                    };
                    CHECK_FALSE(std::all_of(regions.begin(), regions.end(), alone));
                    continue;
                }
                for (const StagedJob& job : jobs) {
                    CHECK(staged_bytes(job, 59) <= most);
                    CHECK(job.window.x >= 0);
                    CHECK(job.window.y >= 0);
                    CHECK(job.window.x + job.window.width <= csu.width);
                    CHECK(job.window.y + job.window.height <= csu.height);
                    CHECK(job.column_cells.size() == static_cast<std::size_t>(job.coded.width));
                    CHECK(job.row_cells.size() == static_cast<std::size_t>(job.coded.height));
                }
                const auto pixels = pixels_of_regions(jobs);
                REQUIRE(pixels.size() == regions.size());
                for (std::size_t i = 0; i < regions.size(); ++i) {
                    const Rect& region = regions[i];
                    CHECK(pixels[i] == overlap(region.x, region.width, margin, csu.width - margin) *
                                           overlap(region.y, region.height, margin, csu.height - margin));
                }
            }
        }
    }
}

TEST_CASE("staged jobs: neighbours go together, distant regions do not", "[lbp]") {
    // A row of 7×7 regions: 130 columns and 25 rows, and 7 histograms of 59 bins.
    const std::vector<Rect> grid = regions_by_count(csu, 7, 7);
    const std::size_t row_bytes = 4 * (132 * 26 + 7 * 59);
    CHECK(staged_jobs(csu, grid, 2, 59, row_bytes).size() == 7);
    CHECK(staged_jobs(csu, grid, 2, 59, 2 * row_bytes).size() == 4);
    // Three, three and one rows would fit as well, but are less alike.
    std::vector<std::size_t> sizes;
    for (const StagedJob& job : staged_jobs(csu, grid, 2, 59, 3 * row_bytes))
        sizes.push_back(job.regions.size());
    CHECK(sizes == std::vector<std::size_t>{21, 14, 14});
    const auto whole = staged_jobs(csu, grid, 2, 59, 200000);
    REQUIRE(whole.size() == 1);
    CHECK(whole[0].cells() == 49);
    CHECK(staged_bytes(whole[0], 59) == 4 * (132 * 150 + 49 * 59));
    CHECK(whole[0].window == Rect{0, 0, 130, 150});
    CHECK(whole[0].coded == Rect{2, 2, 126, 146});
    // A row that does not fit is divided into 3 and 4 regions, the latter of up to 77 columns and 26 rows.
    CHECK(staged_jobs(csu, grid, 2, 59, 4 * (80 * 26 + 4 * 59)).size() == 14);
    // Opposite corners of the face.
    CHECK(staged_jobs(csu, {{0, 0, 20, 20}, {110, 130, 20, 20}}, 2, 59, 200000).size() == 2);
    CHECK(staged_jobs(csu, grid, 2, 59, 100).empty());
    // A face without codes.
    const auto none = staged_jobs({4, 4}, {{0, 0, 4, 4}}, 2, 59, 100);
    REQUIRE(none.size() == 1);
    CHECK(none[0].cells() == 0);
    CHECK(none[0].regions == std::vector<RegionCells>{{0, 0, 0, 0}});
}
