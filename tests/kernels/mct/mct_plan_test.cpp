// The tables of the GPU's MCT scan, checked without one: two codes in a word, taps made alone, a
// batch divided into blocks' tasks, a cascade packed for shared memory.

#include "kernels/mct/mct_plan.hpp"

#include <algorithm>
#include <cstring>

#include <catch2/catch.hpp>

#include "kernels/mct/area_tap_body.hpp"
#include "kernels/mct/code_pair_body.hpp"
#include "kernels/mct/mct_tables.hpp"
#include "kernels/mct/pyramid.hpp"
#include "tests/support/mct_cascades.hpp"

using namespace fovea;
using namespace fovea::cuda_backend;
using fovea::test::random_mct_cascade;
using fovea::test::staged_mct_cascade;

namespace {

constexpr bool all_planes[mct_plane_count] = {true, true, true, true, true};

ScanJob job_of(int width, int height, const ScanParameters& parameters) {
    // Planning looks at sizes, not at pixels.
    ScanJob job;
    job.image = {nullptr, width, height, width};
    job.levels = mct_levels({width, height}, parameters);
    for (std::size_t i = 0; i < job.levels.size(); ++i) job.level_numbers.push_back(static_cast<int>(i));
    return job;
}

}  // namespace

TEST_CASE("mct plan: two codes in a word are those of the halves", "[mct_plan]") {
    std::uint32_t state = 7;
    const auto next = [&state] { return state = state * 1664525U + 1013904223U; };
    // Sums of 1×1, 2×2 and 4×4 pixels; at random, and at the ends of their range.
    for (const int most : {1, 255, 1020, 4080}) {
        for (int round = 0; round < 20000; ++round) {
            int low[9];
            int high[9];
            std::uint32_t words[9];
            for (int k = 0; k < 9; ++k) {
                const std::uint32_t random = next() >> 8;
                const auto pick = [&](std::uint32_t bits) {
                    if (round % 3 == 0) return (bits & 1U) != 0 ? most : 0;
                    return static_cast<int>(bits % static_cast<std::uint32_t>(most + 1));
                };
                low[k] = pick(random & 0xFFFU);
                high[k] = pick(random >> 12);
                words[k] = static_cast<std::uint32_t>(low[k]) | static_cast<std::uint32_t>(high[k]) << 16;
            }
            const std::uint32_t codes = mct_code_pair(words);
            REQUIRE((codes & 0xFFFFU) == static_cast<std::uint32_t>(mct_code(low)));
            REQUIRE(codes >> 16 == static_cast<std::uint32_t>(mct_code(high)));
            const std::uint32_t contrasts = contrast_pair(words);
            REQUIRE((contrasts & 0xFFFFU) == static_cast<std::uint32_t>(contrast_code(low)));
            REQUIRE(contrasts >> 16 == static_cast<std::uint32_t>(contrast_code(high)));
        }
    }
    // One lies above the rest, and one below: 9 · 4080 - 4080 is what must still fit.
    const std::uint32_t extremes[9] = {4080U,       4080U << 16, 4080U << 16, 4080U << 16, 4080U << 16,
                                       4080U << 16, 4080U << 16, 4080U << 16, 4080U << 16};
    CHECK(mct_code_pair(extremes) == (0x0FFU << 16 | 0x100U));
}

TEST_CASE("mct plan: a tap made alone is an element of area_taps", "[mct_plan]") {
    for (const double ratio :
         {1.0, 1.15, 1.3225, 1.5, 1.999, static_cast<double>(1.1F), 1.75, 0.5, 0.93, 0.1}) {
        for (const int source : {1, 2, 24, 97, 1921}) {
            const int count = std::max(1, static_cast<int>(source / ratio));
            const std::vector<AreaTap> taps = area_taps(count, ratio, source);
            for (int i = 0; i < count; ++i) {
                const AreaTap tap = area_tap(i, ratio, source);
                INFO("ratio " << ratio << ", " << i << " of " << count);
                REQUIRE(tap.first == taps[i].first);
                REQUIRE(std::equal(tap.weights, tap.weights + 3, taps[i].weights));
            }
        }
    }
}

TEST_CASE("mct plan: tasks and planes by hand", "[mct_plan]") {
    // Scales 1 and 2: 250×130, and 125×65 from the first octave.
    const std::vector<ScanJob> jobs{job_of(250, 130, {2, {}, {48, 48}})};
    REQUIRE(jobs[0].levels.size() == 2);
    const MctBatchPlan plan = make_mct_plan(jobs, all_planes);
    REQUIRE(plan.levels.size() == 2);
    CHECK(plan.images[0].octaves == 1);
    CHECK(plan.octave_bytes == 128 * 65);
    // Blocks of 64×64 pixels: 4 × 3. No image has a seventh octave.
    CHECK(plan.first_octave_blocks[0] == std::vector<int>{0, 12});
    CHECK(plan.first_octave_blocks[1] == std::vector<int>{0, 0});
    // Tiles of 116×54 pixels: 3 × 3 and 2 × 2; of 64×32 windows: 227 × 107 give 4 × 4, 102 × 42 give 2 × 2.
    CHECK(plan.first_level_tiles == std::vector<int>{0, 9, 13});
    CHECK(plan.first_scan_tiles == std::vector<int>{0, 16, 20});
    CHECK(plan.windows == 227 * 107 + 102 * 42);
    CHECK(plan.levels[1].first_window == 227 * 107);
    CHECK(plan.levels[0].pitch == 256);
    CHECK(plan.levels[0].cell_pitch == 128);
    CHECK(plan.levels[1].pitch == 128);
    CHECK(plan.levels[1].cell_pitch == 64);
    // Both levels are octaves themselves: no taps.
    CHECK(plan.taps == 0);
    const std::size_t first = 2 * 256 * 130 + 3 * 128 * 65;
    CHECK(plan.levels[0].planes[1] == 256 * 130);
    CHECK(plan.levels[0].planes[2] == 2 * 256 * 130);
    CHECK(plan.levels[1].planes[0] == first);
    CHECK(plan.codes == first + 2 * 128 * 65 + 3 * 64 * 33);
}

TEST_CASE("mct plan: an image is planned alike wherever it stands in a batch", "[mct_plan]") {
    constexpr bool some_planes[mct_plane_count] = {true, false, true, true, false};
    ScanJob fewer = job_of(250, 130, {1.2, {}, {}});
    fewer.levels.erase(fewer.levels.begin());
    fewer.level_numbers.erase(fewer.level_numbers.begin());
    const std::vector<ScanJob> jobs{job_of(250, 130, {1.2, {}, {}}),
                                    job_of(130, 250, {1.2, {}, {}}),
                                    job_of(250, 130, {1.2, {}, {}}),
                                    job_of(10, 10, {1.2, {}, {}}),
                                    fewer,
                                    job_of(250, 130, {1.2, {}, {}}),
                                    job_of(250, 130, {1.2, {}, {}, 1, 2})};
    const MctBatchPlan batch = make_mct_plan(jobs, some_planes);
    REQUIRE(batch.images.size() == jobs.size());
    // The space of all images before one.
    MctBatchPlan before = make_mct_plan({}, some_planes);
    std::size_t next = 0;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        INFO("image " << i);
        const MctBatchPlan alone = make_mct_plan({&jobs[i], 1}, some_planes);
        CHECK(batch.image_offsets[i] == before.image_bytes);
        CHECK(batch.images[i].pixels == before.image_bytes);
        CHECK(batch.images[i].size == alone.images[0].size);
        REQUIRE(batch.images[i].octaves == alone.images[0].octaves);
        for (int k = 0; k < alone.images[0].octaves; ++k) {
            CHECK(batch.images[i].octave_offsets[k] ==
                  alone.images[0].octave_offsets[k] + before.octave_bytes);
        }
        for (int launch = 0; launch < octave_launches; ++launch) {
            const std::vector<int>& first = batch.first_octave_blocks[launch];
            CHECK(first[i + 1] - first[i] == alone.octave_blocks(launch));
        }
        for (std::size_t l = 0; l < alone.levels.size(); ++l, ++next) {
            const MctGpuLevel &level = batch.levels.at(next), &expected = alone.levels[l];
            CHECK(level.image == static_cast<int>(i));
            CHECK(level.level == expected.level);
            CHECK(level.size == expected.size);
            CHECK(level.step == expected.step);
            CHECK(level.scale == expected.scale);
            CHECK(level.taps == expected.taps + before.taps);
            CHECK(level.first_window == expected.first_window + before.windows);
            for (int p = 0; p < mct_plane_count; ++p) {
                CHECK(level.planes[p] == (some_planes[p] ? expected.planes[p] + before.codes : 0));
            }
            CHECK(batch.first_level_tiles[next + 1] - batch.first_level_tiles[next] ==
                  alone.first_level_tiles[l + 1] - alone.first_level_tiles[l]);
            CHECK(batch.first_scan_tiles[next + 1] - batch.first_scan_tiles[next] ==
                  alone.first_scan_tiles[l + 1] - alone.first_scan_tiles[l]);
        }
        before = make_mct_plan({jobs.data(), i + 1}, some_planes);
    }
    CHECK(next == batch.levels.size());
}

TEST_CASE("mct plan: planes that no look-up reads take no memory", "[mct_plan]") {
    const std::vector<ScanJob> jobs{job_of(64, 48, {1.5, {}, {24, 24}})};
    REQUIRE(jobs[0].levels.size() == 1);
    constexpr bool pixel_only[mct_plane_count] = {true, false, false, false, false};
    CHECK(make_mct_plan(jobs, pixel_only).codes == 64 * 48);
    constexpr bool coarse_only[mct_plane_count] = {false, false, true, true, false};
    CHECK(make_mct_plan(jobs, coarse_only).codes == 2 * 32 * 24);
}

TEST_CASE("mct plan: batches of any sizes", "[mct_plan]") {
    std::vector<ScanJob> jobs;
    for (const Size size : {Size{1, 1}, Size{24, 24}, Size{25, 23}, Size{63, 64}, Size{65, 129},
                            Size{24, 4097}, Size{3300, 3250}}) {
        jobs.push_back(job_of(size.width, size.height, {1.15, {}, {}}));
    }
    const MctBatchPlan plan = make_mct_plan(jobs, all_planes);
    REQUIRE(plan.images.size() == jobs.size());
    CHECK(plan.octave_blocks(1) == 1);  // 3300×3250 has a seventh octave: 51×50 pixels of the sixth
    std::int64_t windows = 0;
    std::size_t codes = 0;
    std::size_t level = 0;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        CHECK(plan.image_offsets[i] % 16 == 0);
        for (const PyramidLevel& expected : jobs[i].levels) {
            INFO("image " << i << ", scale " << expected.scale);
            const MctGpuLevel& found = plan.levels.at(level);
            CHECK(found.image == static_cast<int>(i));
            CHECK(found.first_window == windows);
            CHECK(found.pitch >= expected.size.width);
            CHECK(2 * found.cell_pitch >= expected.size.width);
            for (int p = 0; p < mct_plane_count; ++p) {
                CHECK(found.planes[p] == codes);
                CHECK(found.planes[p] % 8 == 0);
                CHECK(found.plane_pitch(p) % 8 == 0);
                codes += static_cast<std::size_t>(found.plane_pitch(p)) * found.plane_rows(p);
            }
            windows += static_cast<std::int64_t>(expected.windows_per_row()) * expected.window_rows();
            ++level;
        }
    }
    CHECK(level == plan.levels.size());
    CHECK(windows == plan.windows);
    CHECK(codes == plan.codes);

    std::vector<std::byte> tables(plan.offsets().bytes);
    plan.write_tables(tables.data());
    const MctTableOffsets at = plan.offsets();
    MctGpuLevel last;
    std::memcpy(&last, tables.data() + at.levels + (plan.levels.size() - 1) * sizeof last, sizeof last);
    CHECK(last.first_window == plan.levels.back().first_window);
    int tiles = 0;
    std::memcpy(&tiles, tables.data() + at.scan_tiles + plan.levels.size() * sizeof tiles, sizeof tiles);
    CHECK(tiles == plan.scan_tiles());
}

TEST_CASE("mct plan: more pixels than a batch may have", "[mct_plan]") {
    const std::vector<ScanJob> jobs{job_of(70000, 70000, {1.5, {60000, 60000}, {}})};
    CHECK_THROWS_AS(make_mct_plan(jobs, all_planes), std::length_error);
}

TEST_CASE("mct tables: places in shared memory by hand", "[mct_plan]") {
    MctCascade cascade;
    cascade.lookups = {{MctPlane::coarse2, 18, 4, false, 100},
                       {MctPlane::coarse4, 12, 12, false, 90},
                       {MctPlane::pixel, 21, 20, true, 80},
                       {MctPlane::block2, 18, 18, false, 70}};
    cascade.weights.resize(4 * MctCascade::codes);
    const MctScanTables tables = make_mct_tables(cascade, 57000);
    const MctScanMemory& memory = tables.memory;
    // Pixels: 53 rows of 88; 2×2: 50. Cells: 25 and 22 rows of 48. Elements have two bytes.
    CHECK(memory.planes[0] == 0);
    CHECK(memory.planes[1] == 53 * 88 * 2);
    CHECK(memory.window_queues[0] == (53 + 50) * 88 * 2);
    CHECK(memory.planes[2] == (53 + 50) * 88 * 2 + 2048 * 4);
    CHECK(memory.planes[3] == memory.planes[2] + 25 * 48 * 2);
    CHECK(memory.window_queues[1] == memory.planes[2]);
    CHECK(memory.cell_queues[0] == memory.planes[3] + 22 * 48 * 2);
    CHECK(memory.cell_queues[1] == memory.cell_queues[0] + 512 * 4);
    CHECK(memory.tables == memory.cell_queues[1] + 512 * 4);
    CHECK(memory.bytes == memory.tables + 4 * 512);
    REQUIRE(tables.lookups.size() == 4);
    CHECK(tables.coarse == 2);
    CHECK(tables.last_threshold == 70);
    CHECK(tables.lookups[0].offset() == memory.planes[2] + (2 * 48 + 9) * 2);
    CHECK(tables.lookups[1].offset() == memory.planes[3] + (6 * 48 + 6) * 2);
    CHECK(tables.lookups[2].offset() == (20 * 88 + 21) * 2);
    CHECK(tables.lookups[3].offset() == memory.planes[1] + (18 * 88 + 18) * 2);
    CHECK(tables.lookups[2].keep() == 0);
    CHECK(tables.lookups[3].keep() == 1);
    CHECK(tables.lookups[1].reject_above == 90);

    std::swap(cascade.lookups[1], cascade.lookups[2]);
    CHECK_THROWS_AS(make_mct_tables(cascade, 57000), std::invalid_argument);
    CHECK_THROWS_AS(make_mct_tables({}, 8000), std::invalid_argument);
}

TEST_CASE("mct tables: what a block reads and writes stays in its memory", "[mct_plan]") {
    constexpr int shared_bytes = 57000;
    for (const MctCascade& cascade :
         {random_mct_cascade(20, 300, 1), random_mct_cascade(0, 40, 2, true), random_mct_cascade(30, 0, 3),
          random_mct_cascade(128, 1500, 4), staged_mct_cascade({10, 20, 40, 80, 484}, 5), MctCascade{}}) {
        const MctScanTables tables = make_mct_tables(cascade, shared_bytes);
        const MctScanMemory& memory = tables.memory;
        INFO(cascade.lookups.size() << " look-ups, " << tables.coarse << " coarse");
        CHECK(memory.bytes <= shared_bytes);
        CHECK(memory.shared_coarse <= tables.coarse);
        CHECK(memory.shared_coarse + memory.shared_fine <= static_cast<int>(cascade.lookups.size()));
        CHECK(memory.tables >= memory.window_queues[1] + MctScanTile::windows * 4);
        for (std::size_t i = 0; i < cascade.lookups.size(); ++i) {
            const MctLookup& lookup = cascade.lookups[i];
            const int plane = static_cast<int>(lookup.plane);
            const MctTilePlane shape = mct_tile_plane(plane);
            // The last window or cell of the tile.
            const bool coarse = mct_is_coarse(lookup.plane);
            const int last = ((coarse ? MctScanTile::cell_rows : MctScanTile::rows) - 1) * shape.pitch +
                             (coarse ? MctScanTile::cell_columns : MctScanTile::columns) - 1;
            const int begin = memory.planes[plane];
            const int end = begin + shape.pitch * shape.rows * 2;
            REQUIRE(begin >= 0);
            CHECK(tables.lookups[i].offset() >= begin);
            CHECK(tables.lookups[i].offset() + 2 * last + 2 <= end);
        }
    }
    // Both kinds have a part of the room if tables are many.
    const MctScanMemory memory = make_mct_tables(random_mct_cascade(128, 1500, 4), shared_bytes).memory;
    CHECK(memory.shared_coarse > 10);
    CHECK(memory.shared_fine > 10);
}
