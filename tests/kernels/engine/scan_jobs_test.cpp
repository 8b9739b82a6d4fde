#include "kernels/engine/scan_jobs.hpp"

#include <catch2/catch.hpp>

using namespace fovea;
using namespace fovea::cuda_backend;

namespace {

// `windows` windows in one row.
PyramidLevel level_of(int windows) {
    PyramidLevel level;
    level.columns = windows;
    level.rows = 1;
    return level;
}

ScanJob job_of(std::initializer_list<int> windows_of_levels, int width = 1, int height = 1) {
    ScanJob job;
    job.image = {nullptr, width, height, width};
    for (const int windows : windows_of_levels) {
        job.level_numbers.push_back(static_cast<int>(job.levels.size()));
        job.levels.push_back(level_of(windows));
    }
    return job;
}

using Ranges = std::vector<IndexRange>;

}  // namespace

TEST_CASE("scan jobs: levels are worked out once for images of one size in a row", "[engine]") {
    const std::vector<ImageView<const std::uint8_t>> images{
        {nullptr, 20, 10, 20}, {nullptr, 20, 10, 32}, {nullptr, 10, 20, 10}, {nullptr, 20, 10, 20}};
    std::vector<Size> asked;
    const auto jobs = make_scan_jobs(images, [&](Size size) {
        asked.push_back(size);
        return std::vector{level_of(size.width), level_of(1)};
    });
    CHECK(asked == std::vector<Size>{{20, 10}, {10, 20}, {20, 10}});
    REQUIRE(jobs.size() == 4);
    CHECK(jobs[1].image.stride == 32);
    CHECK(jobs[1].level_numbers == std::vector<int>{0, 1});
    CHECK(window_count(jobs[1]) == 21);
    CHECK(window_count(jobs[2]) == 11);
    CHECK(make_scan_jobs({}, nullptr).empty());
}

TEST_CASE("scan jobs: windows and pixels of jobs without any", "[engine]") {
    CHECK(window_count(job_of({})) == 0);
    CHECK(window_count(job_of({0, 0})) == 0);
    CHECK(pixel_count(job_of({}, 0, 5)) == 0);
    CHECK(pixel_count(job_of({}, -1, -1)) == 0);
    CHECK(pixel_count(job_of({}, 100000, 100000)) == 10'000'000'000U);
}

TEST_CASE("scan jobs: parts by pixels and images", "[engine]") {
    CHECK(divide_by_pixels({}, 10, 10).empty());
    const std::vector<ScanJob> jobs{job_of({}, 4, 1), job_of({}, 6, 1), job_of({}, 1, 1), job_of({}, 50, 1),
                                    job_of({}, 2, 1)};
    // 4 + 6 fit exactly; 50 is larger than a part.
    CHECK(divide_by_pixels(jobs, 10, 10) == Ranges{{0, 2}, {2, 1}, {3, 1}, {4, 1}});
    CHECK(divide_by_pixels(jobs, 9, 10) == Ranges{{0, 1}, {1, 2}, {3, 1}, {4, 1}});
    CHECK(divide_by_pixels(jobs, 1000, 2) == Ranges{{0, 2}, {2, 2}, {4, 1}});
    CHECK(divide_by_pixels(jobs, 1000, 10) == Ranges{{0, 5}});
}

TEST_CASE("scan jobs: levels of one image go to the engine with the fewest windows", "[engine]") {
    const auto shares = divide_levels(job_of({10, 4, 3, 2, 9}, 7, 5), 2);
    REQUIRE(shares.size() == 2);
    // 10 | 4, 3, 2 make 9 | then 9 more to the second
    CHECK(shares[0].level_numbers == std::vector<int>{0});
    CHECK(shares[1].level_numbers == std::vector<int>{1, 2, 3, 4});
    CHECK(window_count(shares[1]) == 18);
    for (const ScanJob& share : shares) {
        CHECK(share.image.width == 7);
        CHECK(share.levels.size() == share.level_numbers.size());
    }
    const auto three = divide_levels(job_of({6, 6}), 3);
    CHECK(three[2].levels.empty());
}
