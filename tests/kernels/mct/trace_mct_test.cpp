// The trace of an MCT cascade: outcomes worked out by hand.

#include <catch2/catch.hpp>

#include "kernels/mct/pyramid.hpp"
#include "kernels/mct/scan_mct.hpp"
#include "tests/support/images.hpp"
#include "tests/support/mct_cascades.hpp"

using namespace fovea;

namespace {

// Look-ups at (0, 0) of plane pixel that give `dark` on code 0 and `bright` on all others.
MctCascade two_valued(const std::vector<std::pair<int, int>>& weights) {
    MctCascade cascade;
    for (const auto& [dark, bright] : weights) {
        cascade.lookups.emplace_back();
        cascade.weights.insert(cascade.weights.end(), MctCascade::codes, static_cast<std::int8_t>(bright));
        cascade.weights[cascade.weights.size() - MctCascade::codes] = static_cast<std::int8_t>(dark);
    }
    return cascade;
}

}  // namespace

TEST_CASE("trace_mct: look-ups passed and sums, by hand", "[mct][trace]") {
    // Windows at x = 0, 1, 2; only the neighbourhood of the last one sees the bright pixel.
    GreyImage image{26, 24, std::vector<std::uint8_t>(26 * 24, 20)};
    image.pixels[4] = 30;
    MctCascade cascade = two_valued({{-5, 1}, {3, 4}, {-9, 100}});
    cascade.lookups[0].reject_above = 0;
    cascade.lookups[1].reject_above = 7;
    cascade.lookups[2].reject_above = -10;
    const auto levels = mct_levels({26, 24}, {});
    REQUIRE(levels.size() == 1);
    WindowTrace trace = trace_mct(cascade, image.view(), levels);
    REQUIRE(trace.levels.size() == 1);
    CHECK(trace.levels[0].windows_per_row == 3);
    CHECK(trace.levels[0].window_rows == 1);
    // -5, -2, -11 passes; 1 is rejected at once.
    CHECK(trace.levels[0].stages_passed == std::vector<std::int16_t>{3, 3, 0});
    CHECK(trace.levels[0].last_sums == std::vector<double>{-11, -11, 1});

    cascade.lookups[0].reject_above = 1;
    trace = trace_mct(cascade, image.view(), levels);
    // 1, 5, 105.
    CHECK(trace.levels[0].stages_passed == std::vector<std::int16_t>{3, 3, 2});
    CHECK(trace.levels[0].last_sums == std::vector<double>{-11, -11, 105});

    cascade.lookups[2].starts_stage = true;
    cascade.lookups[2].reject_above = -9;
    trace = trace_mct(cascade, image.view(), levels);
    CHECK(trace.levels[0].stages_passed == std::vector<std::int16_t>{3, 3, 2});
    CHECK(trace.levels[0].last_sums == std::vector<double>{-9, -9, 100});
}

TEST_CASE("trace_mct: windows of a cell share coarse look-ups, others do not", "[mct][trace]") {
    const GreyImage image = test::noise(61, 47, 3);
    const auto levels = mct_levels({61, 47}, {});
    const WindowTrace coarse = trace_mct(test::random_mct_cascade(3, 0, 4), image.view(), levels);
    const WindowTrace fine = trace_mct(test::random_mct_cascade(0, 3, 4), image.view(), levels);
    const int columns = coarse.levels[0].windows_per_row;
    REQUIRE(columns == 38);
    int differ = 0;
    for (int y = 0; y < coarse.levels[0].window_rows; ++y) {
        for (int x = 0; x < columns; ++x) {
            const int at = y * columns + x;
            const int cell = (y & ~1) * columns + (x & ~1);
            REQUIRE(coarse.levels[0].last_sums[at] == coarse.levels[0].last_sums[cell]);
            differ += fine.levels[0].last_sums[at] != fine.levels[0].last_sums[cell];
        }
    }
    CHECK(differ > 500);
}

TEST_CASE("trace_mct: steps leave windows out", "[mct][trace]") {
    const GreyImage image = test::noise(61, 47, 3);
    ScanParameters parameters;
    parameters.scale_factor = 10;
    const MctCascade cascade = test::random_mct_cascade(2, 3, 4);
    const WindowTrace all = trace_mct(cascade, image.view(), mct_levels({61, 47}, parameters));
    parameters.step = 5;
    const WindowTrace some = trace_mct(cascade, image.view(), mct_levels({61, 47}, parameters));
    REQUIRE(some.levels[0].windows_per_row == 8);
    REQUIRE(some.levels[0].window_rows == 5);
    for (int y = 0; y < 5; ++y) {
        for (int x = 0; x < 8; ++x) {
            REQUIRE(some.levels[0].last_sums[y * 8 + x] == all.levels[0].last_sums[5 * y * 38 + 5 * x]);
        }
    }
}
