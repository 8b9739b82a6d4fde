// The scan in vectors against the trace, one window after the other.

#include "kernels/mct/scan_mct.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

#include <catch2/catch.hpp>
#include <tbb/task_arena.h>

#include "kernels/mct/pyramid.hpp"
#include "tests/support/images.hpp"
#include "tests/support/mct_cascades.hpp"
#include "tests/support/simd_targets.hpp"

using namespace fovea;

namespace {

std::vector<CascadeWindow> traced_windows(const MctCascade& cascade, ImageView<const std::uint8_t> image,
                                          const std::vector<PyramidLevel>& levels) {
    const WindowTrace trace = trace_mct(cascade, image, levels);
    const double last = cascade.lookups.empty() ? 0 : cascade.lookups.back().reject_above;
    std::vector<CascadeWindow> windows;
    for (std::size_t l = 0; l < levels.size(); ++l) {
        const WindowTrace::Level& level = trace.levels[l];
        for (std::size_t i = 0; i < level.stages_passed.size(); ++i) {
            if (level.stages_passed[i] != static_cast<int>(cascade.lookups.size())) continue;
            const int x = static_cast<int>(i) % level.windows_per_row * levels[l].step;
            const int y = static_cast<int>(i) / level.windows_per_row * levels[l].step;
            windows.push_back({static_cast<int>(l), x, y, last - level.last_sums[i]});
        }
    }
    return windows;
}

// Scans with every instruction set. Returns how many windows pass.
std::size_t compare(const MctCascade& cascade, const GreyImage& image, const ScanParameters& parameters) {
    const auto levels = mct_levels({image.width, image.height}, parameters);
    const auto expected = traced_windows(cascade, image.view(), levels);
    for (const std::string& target : test::all_simd_targets()) {
        const test::ForcedSimdTarget forced(target);
        INFO("instruction set '" << target << "', " << image.width << "x" << image.height << ", "
                                 << cascade.coarse_lookups() << " of " << cascade.lookups.size()
                                 << " look-ups coarse, step " << parameters.step << ", start scale "
                                 << parameters.start_scale);
        const auto found = scan_mct(cascade, image.view(), levels);
        REQUIRE(found.size() == expected.size());
        REQUIRE(found == expected);
    }
    return expected.size();
}

void calibrate(MctCascade& cascade, const GreyImage& image, test::Survival survival) {
    const auto levels = mct_levels({image.width, image.height}, {});
    test::calibrate_mct(cascade, image.view(), levels, survival, 4000, 5);
}

ScanParameters with(int step, double start_scale) {
    ScanParameters parameters;
    parameters.scale_factor = 1.3;
    parameters.step = step;
    parameters.start_scale = start_scale;
    return parameters;
}

const std::vector<std::tuple<int, int>> edge_sizes{{24, 24},  {25, 24},  {24, 25},  {26, 26},   {63, 31},
                                                   {64, 40},  {65, 33},  {86, 87},  {87, 86},   {88, 25},
                                                   {89, 151}, {90, 152}, {91, 153}, {151, 154}, {215, 64}};

}  // namespace

TEST_CASE("scan_mct: one bright pixel, known windows and margins", "[mct][scan]") {
    GreyImage image{40, 30, std::vector<std::uint8_t>(40 * 30, 10)};
    image.pixels[17 * 40 + 20] = 90;
    MctCascade cascade;
    cascade.lookups.push_back({MctPlane::pixel, 11, 5, false, -2});
    cascade.weights.assign(MctCascade::codes, 3);
    cascade.weights[16] = -7;   // the pixel in the middle
    cascade.weights[256] = -2;  // in the top left corner
    const auto levels = mct_levels({40, 30}, with(1, 1));
    REQUIRE(levels.size() == 1);
    for (const std::string& target : test::all_simd_targets()) {
        const test::ForcedSimdTarget forced(target);
        INFO(target);
        // The pixel would have to be in a neighbourhood of a window whose top edge is at 11 or 12, but the
        // last one's is at 6.
        CHECK(scan_mct(cascade, image.view(), levels).empty());
        cascade.lookups[0].y = 14;
        // Neighbourhoods at (19, 16) and (20, 17).
        CHECK(scan_mct(cascade, image.view(), levels) ==
              std::vector<CascadeWindow>{{0, 8, 2, 5}, {0, 9, 3, 0}});
        cascade.lookups[0].y = 5;
    }
}

TEST_CASE("scan_mct: a sum that would come back is rejected all the same", "[mct][scan]") {
    const GreyImage image{24, 24, std::vector<std::uint8_t>(24 * 24, 50)};
    const auto levels = mct_levels({24, 24}, {});
    MctCascade cascade = test::random_mct_cascade(2, 2, 1);
    std::fill(cascade.weights.begin(), cascade.weights.end(), std::int8_t{0});
    // Code 0 everywhere: sums 10, -20, 30, -40.
    const std::vector<int> weights{10, -30, 50, -70};
    const std::vector<int> sums{10, -20, 30, -40};
    for (int i = 0; i < 4; ++i) {
        cascade.weights[i * MctCascade::codes] = static_cast<std::int8_t>(weights[i]);
        cascade.lookups[i].reject_above = sums[i];
    }
    for (const std::string& target : test::all_simd_targets()) {
        const test::ForcedSimdTarget forced(target);
        INFO(target);
        CHECK(scan_mct(cascade, image.view(), levels) == std::vector<CascadeWindow>{{0, 0, 0, 0}});
        for (int i = 0; i < 4; ++i) {
            --cascade.lookups[i].reject_above;
            INFO("look-up " << i);
            CHECK(scan_mct(cascade, image.view(), levels).empty());
            ++cascade.lookups[i].reject_above;
        }
    }
}

TEST_CASE("scan_mct: vectors of windows give what single windows give", "[mct][scan]") {
    std::size_t total = 0;
    for (const auto& [coarse, fine] : {std::tuple{10, 40}, std::tuple{0, 30}, std::tuple{25, 0},
                                       std::tuple{3, 1}, std::tuple{1, 0}, std::tuple{0, 1}}) {
        MctCascade cascade = test::random_mct_cascade(coarse, fine, 10 + coarse);
        calibrate(cascade, test::smooth_noise(120, 100, 3, 9), test::even_survival);
        for (const auto& [width, height] : edge_sizes) {
            total += compare(cascade, test::smooth_noise(width, height, 3, 31), with(1, 1));
        }
    }
    CHECK(total > 10000);
}

TEST_CASE("scan_mct: cascades that reject as a trained one does", "[mct][scan]") {
    const GreyImage image = test::smooth_noise(300, 220, 3, 31);
    MctCascade cascade = test::random_mct_cascade(20, 200, 3);
    calibrate(cascade, image, test::trained_survival);
    CHECK(compare(cascade, image, with(1, 1)) > 3);
    // Thresholds that rise and fall: loose ones between tight ones, and some that reject nothing at all.
    for (std::size_t i = 0; i < cascade.lookups.size(); i += 3) cascade.lookups[i].reject_above += 90;
    for (std::size_t i = 0; i < cascade.lookups.size(); i += 7) {
        cascade.lookups[i].reject_above = std::numeric_limits<std::int32_t>::max();
    }
    CHECK(compare(cascade, image, with(1, 1)) > 3);
}

TEST_CASE("scan_mct: staged cascades", "[mct][scan]") {
    const GreyImage image = test::smooth_noise(160, 130, 2, 12);
    MctCascade cascade = test::staged_mct_cascade({10, 20, 40, 80, 484}, 6);
    calibrate(cascade, image, test::even_survival);
    CHECK(compare(cascade, image, with(1, 1)) > 100);
    // A stage that starts among the coarse look-ups, and one with the first fine one.
    MctCascade mixed = test::random_mct_cascade(9, 12, 8);
    for (int i : {0, 4, 9, 15}) mixed.lookups[i].starts_stage = true;
    for (int i : {3, 8, 14, 20}) mixed.lookups[i].reject_above = 60;
    CHECK(compare(mixed, image, with(1, 1)) > 100);
}

TEST_CASE("scan_mct: steps and start scales", "[mct][scan]") {
    MctCascade soft = test::random_mct_cascade(6, 20, 14);
    MctCascade fine_only = test::random_mct_cascade(0, 20, 15);
    const GreyImage image = test::smooth_noise(230, 170, 3, 7);
    calibrate(soft, image, test::even_survival);
    calibrate(fine_only, image, test::even_survival);
    for (int step : {1, 2, 3, 4, 5, 7, 64, 1000}) {
        INFO("step " << step);
        CHECK(compare(soft, image, with(step, 1)) + compare(fine_only, image, with(step, 1)) > 0);
    }
    for (double start : {0.4, 0.75, 1.3, 2.0, 4.1}) {
        compare(soft, image, with(1, start));
        compare(soft, image, with(3, start));
    }
}

TEST_CASE("scan_mct: without a rejection all windows pass", "[mct][scan]") {
    const GreyImage image = test::smooth_noise(100, 80, 3, 7);
    const std::size_t windows = 77 * 57;
    ScanParameters one_level;
    one_level.scale_factor = 10;
    CHECK(compare({}, image, one_level) == windows);
    CHECK(compare(test::random_mct_cascade(5, 40, 1), image, one_level) == windows);
    CHECK(compare(test::random_mct_cascade(128, 0, 1), image, one_level) == windows);
    CHECK(compare(test::random_mct_cascade(0, 40, 1), image, one_level) == windows);
    MctCascade none = test::random_mct_cascade(5, 40, 1);
    none.lookups[30].reject_above = std::numeric_limits<std::int32_t>::min();
    CHECK(compare(none, image, one_level) == 0);
}

TEST_CASE("scan_mct: sums beyond 16 bits", "[mct][scan]") {
    const GreyImage image = test::smooth_noise(90, 70, 3, 7);
    ScanParameters one_level;
    one_level.scale_factor = 10;
    for (int coarse : {0, 128}) {
        for (int weight : {-128, 127}) {
            MctCascade cascade = test::random_mct_cascade(coarse, 1400, 1);
            // Random tables last, so that thresholds at large sums tell windows apart.
            std::fill(cascade.weights.begin(), cascade.weights.end() - 10 * MctCascade::codes,
                      static_cast<std::int8_t>(weight));
            const std::int32_t sum = weight * (coarse + 1390);
            cascade.lookups[coarse + 260].reject_above = weight * (coarse + 261);
            for (int i = coarse + 1390; i < coarse + 1400; ++i) cascade.lookups[i].reject_above = sum + 150;
            const std::size_t passed = compare(cascade, image, one_level);
            CHECK(passed > 0);
            CHECK(passed < 67 * 47);
            // One less rejects them all, at a sum that 16 bits do not hold.
            --cascade.lookups[coarse + 260].reject_above;
            CHECK(compare(cascade, image, one_level) == 0);
        }
    }
}

TEST_CASE("scan_mct: levels of several tiles, on any number of threads", "[mct][scan]") {
    MctCascade cascade = test::random_mct_cascade(4, 12, 2);
    const GreyImage image = test::smooth_noise(2300, 160, 2, 3);
    calibrate(cascade, image, test::even_survival);
    const auto levels = mct_levels({image.width, image.height}, with(1, 1));
    const auto expected = traced_windows(cascade, image.view(), levels);
    REQUIRE(expected.size() > 1000);
    CHECK(std::any_of(expected.begin(), expected.end(), [](const auto& w) { return w.x >= 2048; }));
    CHECK(std::any_of(expected.begin(), expected.end(), [](const auto& w) { return w.y >= 128; }));
    for (int threads : {1, 2, 5}) {
        tbb::task_arena arena(threads);
        const auto found = arena.execute([&] { return scan_mct(cascade, image.view(), levels); });
        INFO(threads << " threads");
        CHECK(found == expected);
    }
}

TEST_CASE("scan_mct: rows of an image may lie apart", "[mct][scan]") {
    const GreyImage wide = test::smooth_noise(200, 90, 3, 3);
    const ImageView<const std::uint8_t> part{wide.pixels.data() + 5 * 200 + 31, 101, 77, 200};
    GreyImage copy{101, 77, {}};
    for (int y = 0; y < 77; ++y) copy.pixels.insert(copy.pixels.end(), part.row(y), part.row(y) + 101);
    MctCascade cascade = test::random_mct_cascade(4, 12, 2);
    calibrate(cascade, copy, test::even_survival);
    const auto levels = mct_levels({101, 77}, {});
    const auto found = scan_mct(cascade, part, levels);
    CHECK(found.size() > 100);
    CHECK(found == scan_mct(cascade, copy.view(), levels));
}

TEST_CASE("scan_mct: no level, no window", "[mct][scan]") {
    const MctCascade cascade = test::random_mct_cascade(4, 12, 2);
    CHECK(scan_mct(cascade, {}, {}).empty());
    transform_levels(cascade, {}, {});
    const GreyImage image = test::smooth_noise(50, 50, 3, 3);
    transform_levels(cascade, image.view(), mct_levels({50, 50}, {}));
}
