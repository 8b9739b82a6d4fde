#include "kernels/haar_lbp/trace.hpp"

#include <catch2/catch.hpp>

#include "kernels/haar_lbp/scan.hpp"
#include "kernels/windows/cascade_window.hpp"
#include "kernels/windows/window_trace.hpp"
#include "lib/detect/trace_comparison.hpp"
#include "tests/support/engines.hpp"
#include "tests/support/images.hpp"

using namespace fovea;
using namespace fovea::test;

namespace {

// The windows of a trace that passed all stages, as a scan lists them.
std::vector<CascadeWindow> passing(const WindowTrace& trace, const std::vector<PyramidLevel>& levels,
                                   std::size_t stages) {
    std::vector<CascadeWindow> windows;
    for (std::size_t l = 0; l < levels.size(); ++l) {
        const WindowTrace::Level& level = trace.levels.at(l);
        REQUIRE(level.windows_per_row == levels[l].windows_per_row());
        for (std::size_t i = 0; i < level.stages_passed.size(); ++i) {
            if (level.stages_passed[i] != static_cast<std::int16_t>(stages)) continue;
            const int column = static_cast<int>(i) % level.windows_per_row;
            const int row = static_cast<int>(i) / level.windows_per_row;
            windows.push_back(
                {static_cast<int>(l), column * levels[l].step, row * levels[l].step, level.last_sums[i]});
        }
    }
    return windows;
}

// 4x4 windows. Stage 0 asks whether the right half is darker than the left (leaves 1 and -1), stage 1
// whether the lower half is darker than the upper (leaves 2 and 0.5).
Cascade halves() {
    return made_cascade({4, 4}, {{0, {{"<_>0 0 4 4 -1.</_><_>2 0 2 4 2.</_>", 0, 1, -1}}},
                                 {1, {{"<_>0 0 4 4 -1.</_><_>0 2 4 2 2.</_>", 0, 2, 0.5}}}});
}

// One level of the image's own size, on which every window is visited.
PyramidLevel own_size(const GreyImage& image, int columns, int rows, int step = 1) {
    PyramidLevel level;
    level.size = {image.width, image.height};
    level.box = {4, 4};
    level.step = step;
    level.columns = columns;
    level.rows = rows;
    return level;
}

}  // namespace

TEST_CASE("trace: what became of windows, by hand", "[trace]") {
    // The columns' values in the upper and in the lower two rows. The window at x covers x to x + 3 and takes
    // its deviation over x + 1 and x + 2 of the middle rows:
    //   0, 1: the right half is darker, and so is the lower             pass both, sum 2
    //   2: 100 and 90 in its middle, σ = 5                              flat
    //   3, 5: the right half is brighter                                rejected by stage 0, sum -1
    //   4, 6: behind a rejected window                                  skipped
    //   7: the right half is darker, the lower brighter                 rejected by stage 1, sum 0.5
    const std::vector<std::uint8_t> upper{200, 200, 150, 100, 100, 150, 200, 250, 250, 50, 50};
    const std::vector<std::uint8_t> lower{160, 160, 110, 90, 90, 110, 160, 210, 210, 130, 130};
    GreyImage image{11, 4, {}};
    for (int y = 0; y < 4; ++y) {
        const auto& row = y < 2 ? upper : lower;
        image.pixels.insert(image.pixels.end(), row.begin(), row.end());
    }
    const auto trace_of = [&](const PyramidLevel& level) {
        const std::vector<PyramidLevel> levels{level};
        return trace_cascade(halves(), image.view(), levels).levels.at(0);
    };
    const WindowTrace::Level every = trace_of(own_size(image, 8, 1));
    CHECK(every.windows_per_row == 8);
    CHECK(every.window_rows == 1);
    CHECK(every.stages_passed == std::vector<std::int16_t>{2, 2, -1, 0, -2, 0, -2, 1});
    CHECK(every.last_sums == std::vector<double>{2, 2, 0, -1, 0, -1, 0, 0.5});
    // Every second one: now 4 is evaluated, as the flat window before it rejects nothing, and 6 skipped.
    const WindowTrace::Level second = trace_of(own_size(image, 8, 1, 2));
    CHECK(second.stages_passed == std::vector<std::int16_t>{2, -1, 0, -2});
    CHECK(second.last_sums == std::vector<double>{2, 0, -1, 0});
    // Not one window.
    CHECK(trace_of(own_size(image, 0, 1)).stages_passed.empty());
    CHECK(trace_of(own_size(image, 8, 0)).stages_passed.empty());
    CHECK(trace_cascade(halves(), image.view(), {}).levels.empty());
}

TEST_CASE("trace: the windows that pass are those of the scan, with their sums", "[trace]") {
    for (const char* name : {"haarcascade_frontalface_alt", "haarcascade_lefteye_2splits",
                             "haarcascade_frontalcatface_extended", "lbpcascade_frontalface"}) {
        const Cascade cascade = first_stages(named_cascade(name), 3);
        std::size_t total = 0;
        for (const Size size : {Size{1, 1}, Size{24, 24}, Size{25, 24}, Size{97, 64}, Size{150, 113}}) {
            INFO(name << ", " << size.width << "x" << size.height);
            const GreyImage image = smooth_noise(size.width, size.height, 4, 21);
            const auto levels = cascade_levels(size, cascade.window, {1.2, {}, {}});
            const WindowTrace trace = trace_cascade(cascade, image.view(), levels);
            const auto expected = scan_cascade(cascade, merged_patterns(cascade), image.view(), levels);
            REQUIRE(passing(trace, levels, cascade.stages.size()) == expected);
            total += expected.size();
        }
        INFO(name);
        CHECK(total > 50);
    }
}

TEST_CASE("trace: a comparison finds what differs, and where", "[trace]") {
    const GreyImage image = smooth_noise(60, 50, 2, 22);
    const Cascade cascade = halves();
    const auto levels = cascade_levels({60, 50}, cascade.window, {2, {}, {}});
    const WindowTrace trace = trace_cascade(cascade, image.view(), levels);
    const TraceComparison same = compare_traces(trace, trace, levels, 5);
    CHECK(same.equal());
    CHECK(same.differences.empty());
    std::size_t windows = 0;
    for (const PyramidLevel& level : levels) {
        windows +=
            static_cast<std::size_t>(level.windows_per_row()) * static_cast<std::size_t>(level.window_rows());
    }
    CHECK(same.windows == windows);
    CHECK(same.evaluated > windows / 4);
    CHECK(same.evaluated < windows);

    // One sum by its last bit, one stage, and a zero by its sign.
    WindowTrace other = trace;
    const int per_row = levels[1].windows_per_row();
    const std::size_t at = static_cast<std::size_t>(2 * per_row + 3);
    other.levels[1].stages_passed[at] = 17;
    other.levels[1].last_sums[at] = 0.125;
    other.levels[0].last_sums[0] = std::nextafter(trace.levels[0].last_sums[0], 100);
    other.levels[1].last_sums[at + 1] = trace.levels[1].last_sums[at + 1] == 0 ? -0.0 : 0.0;
    const TraceComparison comparison = compare_traces(trace, other, levels, 2);
    CHECK(comparison.differing == 3);
    CHECK_FALSE(comparison.equal());
    REQUIRE(comparison.differences.size() == 2);
    CHECK(comparison.differences[0].level == 0);
    const TraceDifference& second = comparison.differences[1];
    CHECK(second.level == 1);
    CHECK(second.scale == 2);
    CHECK(second.x == 3 * levels[1].step);
    CHECK(second.y == 2 * levels[1].step);
    CHECK(second.first_stages == trace.levels[1].stages_passed[at]);
    CHECK(second.second_stages == 17);
    CHECK(second.second_sum == 0.125);

    other.levels.pop_back();
    CHECK_FALSE(compare_traces(trace, other, levels, 2).equal());
    other = trace;
    other.levels[0].last_sums.pop_back();
    CHECK(compare_traces(trace, other, levels, 2).different_shape != "");

    CHECK(describe_window(WindowTrace::skipped, 0) == "skipped");
    CHECK(describe_window(WindowTrace::flat, 0) == "flat");
    CHECK(describe_window(3, 0.1) == "passed 3 stages, last sum 0.10000000000000001");
}
