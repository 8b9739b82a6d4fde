// The rules of OpenCV's scan that photographs rarely exercise, each on a cascade and an image made so that
// breaking the rule changes the result. Expected windows are worked out by hand and held against the linked
// OpenCV too.

#include <algorithm>
#include <set>

#include <catch2/catch.hpp>

#include "kernels/haar_lbp/scan_band.hpp"
#include "lib/detect/cascade_detector.hpp"
#include "lib/detect/cascade_xml.hpp"
#include "lib/detect/opencv_reference.hpp"
#include "tests/support/cascade_files.hpp"
#include "tests/support/images.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;

namespace {

using Corners = std::set<std::pair<int, int>>;

/// A stump that looks at two rectangles of a 6×6 window and always answers `leaf`.
test::Stump constant(double leaf) {
    return {"<_>0 0 6 6 -1.</_><_>0 0 6 3 2.</_>", 0, leaf, leaf};
}

/// Runs a cascade at scale 1 only, here and in OpenCV; requires equal results and returns the windows'
/// corners. A last stage that passes everything is added: with outputRejectLevels, OpenCV takes the -1 of a
/// window that was not valid for "passed all stages" of a cascade of one stage.
Corners windows_at_scale_one(std::vector<test::Stage> stages, const GreyImage& image) {
    stages.push_back({-1, {constant(1)}});
    const test::TempDir folder;
    const auto path = folder.write("cascade.xml", test::haar_cascade_xml({6, 6}, stages));
    const CascadeDetector detector(read_cascade(path));
    OpenCvReference opencv(path);
    DetectorOptions options;
    options.scale_factor = 100;
    options.raw = true;
    const auto view = image.view();
    const auto found = detector.detect(view, options)[0];
    REQUIRE(compare_detections(found, opencv.raw_windows(view, options), ComparedValues::box_and_stage_sum)
                .empty());
    Corners corners;
    for (const Detection& d : found) corners.emplace(static_cast<int>(d.box.x), static_cast<int>(d.box.y));
    return corners;
}

/// Rows alternate between two values: every window of even height has the standard deviation |a - b| / 2.
GreyImage striped(int width, int height, int a, int b) {
    GreyImage image{width, height, std::vector<std::uint8_t>(static_cast<std::size_t>(width) * height)};
    for (std::size_t i = 0; i < image.pixels.size(); ++i) {
        image.pixels[i] = static_cast<std::uint8_t>(i / static_cast<std::size_t>(width) % 2 == 0 ? a : b);
    }
    return image;
}

const std::vector<test::Stage> accept_all{{-1, {constant(1)}}};

}  // namespace

TEST_CASE("rule: the last row of windows is not visited when the stripes end before it", "[detect][rules]") {
    // 20 × 10 pixels: 15 columns, one stripe; 5 rows, of which the stripe covers 2 steps of 2: rows 0 and 2,
    // not 4.
    Corners expected;
    for (int x = 0; x < 15; x += 2) {
        for (const int y : {0, 2}) expected.emplace(x, y);
    }
    CHECK(windows_at_scale_one(accept_all, striped(20, 10, 0, 200)) == expected);
    // One row of pixels more, and row 4 is visited.
    for (int x = 0; x < 15; x += 2) expected.emplace(x, 4);
    CHECK(windows_at_scale_one(accept_all, striped(20, 11, 0, 200)) == expected);
}

TEST_CASE("rule: windows of a standard deviation of up to 10 grey levels are left out", "[detect][rules]") {
    // The deviation is taken over the inner 4 × 4 pixels: |a - b| / 2. In float 16 / sqrt(16 · Σx² - (Σx)²)
    // of exactly 10 levels is 0.1 rounded; 21 levels apart pass.
    CHECK(windows_at_scale_one(accept_all, striped(20, 12, 100, 119)).empty());
    CHECK_FALSE(windows_at_scale_one(accept_all, striped(20, 12, 100, 121)).empty());
    windows_at_scale_one(accept_all,
                         striped(20, 12, 100, 120));  // equality: as OpenCV, whichever way it rounds
    CHECK(windows_at_scale_one(accept_all, striped(20, 12, 100, 100)).empty());
}

TEST_CASE("rule: a window left out for its deviation does not make the next one skipped", "[detect][rules]") {
    // Flat on the left, striped on the right: the windows on the left are not valid, and all on the right are
    // found.
    GreyImage image = striped(40, 12, 0, 200);
    for (int y = 0; y < 12; ++y) std::fill_n(image.pixels.begin() + 40L * y, 17, std::uint8_t{50});
    // Valid windows begin where the inner 4 columns x + 1 ... x + 4 reach column 17: one striped column of
    // four.
    Corners expected;
    for (int x = 14; x < 35; x += 2) {
        for (int y = 0; y < 7; y += 2) expected.emplace(x, y);
    }
    CHECK(windows_at_scale_one(accept_all, image) == expected);
}

TEST_CASE("rule: after a window that the first stage rejects the next one is skipped", "[detect][rules]") {
    // The stump accepts where the left half is darker than the right; columns of 8 pixels dark, 8 light.
    const std::vector<test::Stage> stages{{0.5, {{"<_>0 0 6 6 -1.</_><_>3 0 3 6 2.</_>", 0, 0, 1}}}};
    GreyImage image{60, 12, std::vector<std::uint8_t>(60 * 12)};
    for (int i = 0; i < 60 * 12; ++i)
        image.pixels[i] = static_cast<std::uint8_t>(i % 60 / 8 % 2 == 0 ? 20 : 220);
    const Corners found = windows_at_scale_one(stages, image);
    // Rejected at x = 0? Windows 0 and 2 lie in the dark column, flat, and are not valid: no skip. 4, 6: dark
    // | light, accepted, until 8 + ...: the window at 12 sees light | dark, is rejected, and 14 is skipped.
    CHECK(found.count({4, 0}) == 1);
    CHECK(found.count({12, 0}) == 0);
    CHECK(found.count({20, 0}) == 1);
    // The machine itself, bit by bit: rejected 0, 1, 2, 4, 7 -> visited 0, 2, 4, 6, 7 and a skip carried
    // over.
    int state = 0;
    CHECK(visited_windows(0b10010111, state) == 0b11010101);
    CHECK(state == 1);
    CHECK(visited_windows(0b00000000, state) == 0b11111110);
    CHECK(state == 0);
}

TEST_CASE("rule: stage sums are added in double", "[detect][rules]") {
    // Leaves of 3e-8 vanish one by one beside 1 in float (half a unit there is 6e-8), but not in double.
    // The threshold is chosen so that OpenCV's margin of 1e-5 brings it to just above 1.
    const float leaf = 3e-8F;
    float threshold = 1.00001F;
    while (threshold - 1e-5F <= 1.0F) threshold = std::nextafterf(threshold, 2);
    const float effective = threshold - 1e-5F;
    const int needed = static_cast<int>(std::ceil((effective - 1.0) / leaf));
    REQUIRE(needed >= 2);
    const auto found = [&](int small_leaves) {
        std::vector<test::Stump> stumps{constant(1)};
        for (int i = 0; i < small_leaves; ++i) stumps.push_back(constant(leaf));
        return !windows_at_scale_one({{threshold, stumps}}, striped(20, 12, 0, 200)).empty();
    };
    CHECK(found(needed));
    CHECK_FALSE(found(needed - 1));
}

TEST_CASE("rule: stage thresholds are lowered by 1e-5", "[detect][rules]") {
    const GreyImage image = striped(20, 12, 0, 200);
    const auto found = [&](double threshold) {
        return !windows_at_scale_one({{threshold, {constant(0.5)}}}, image).empty();
    };
    CHECK(found(0.5));
    CHECK(found(0.500009));
    CHECK_FALSE(found(0.500011));
}

TEST_CASE("rule: a value equal to a stump's threshold goes right", "[detect][rules]") {
    // Both halves alike: the feature is exactly 0.
    const test::Stump zero{"<_>0 0 6 6 -1.</_><_>0 0 3 6 2.</_>", 0, 0, 1};
    const GreyImage image = striped(20, 12, 0, 200);
    CHECK_FALSE(windows_at_scale_one({{0.5, {zero}}}, image).empty());
}

TEST_CASE("rule: later stages see only what earlier ones passed, and the last sum is reported",
          "[detect][rules]") {
    const std::string xml =
        test::haar_cascade_xml({6, 6}, {{0, {constant(1)}}, {0, {constant(2), constant(0.25)}}});
    const test::TempDir folder;
    const CascadeDetector detector(read_cascade(folder.write("cascade.xml", xml)));
    const GreyImage image = striped(20, 12, 0, 200);
    DetectorOptions options;
    options.scale_factor = 100;
    options.raw = true;
    const auto view = image.view();
    const auto found = detector.detect(view, options)[0];
    REQUIRE_FALSE(found.empty());
    CHECK(found[0].details->stage_sum == 2.25);
    CHECK(found[0].score == 2.25);
    CHECK(found[0].details->stage == 2);
}

TEST_CASE("rule: windows at the border are clipped to the image", "[detect][rules]") {
    // At factor 1.26 the window of 6 grows to 8 (7.56) while the level of 20 shrinks to 16: places round
    // outwards.
    const test::TempDir folder;
    const auto path =
        folder.write("cascade.xml", test::haar_cascade_xml({6, 6}, {accept_all[0], accept_all[0]}));
    const CascadeDetector detector(read_cascade(path));
    OpenCvReference opencv(path);
    const GreyImage image = test::noise(33, 31, 8);
    const auto view = image.view();
    for (const double factor : {1.05, 1.13, 1.26, 1.41}) {
        DetectorOptions options;
        options.scale_factor = factor;
        options.raw = true;
        const auto found = detector.detect(view, options)[0];
        REQUIRE(
            compare_detections(found, opencv.raw_windows(view, options), ComparedValues::box_and_stage_sum)
                .empty());
        for (const Detection& d : found) {
            REQUIRE(d.box.x + d.box.w <= 33);
            REQUIRE(d.box.y + d.box.h <= 31);
        }
        for (const ScoreKind score : {ScoreKind::neighbors, ScoreKind::stage_sum}) {
            options.raw = false;
            options.score = score;
            REQUIRE(compare_detections(detector.detect(view, options)[0], opencv.grouped(view, options),
                                       ComparedValues::box_and_score)
                        .empty());
        }
    }
}

TEST_CASE("rule: no grouping means every window, with one neighbour", "[detect][rules]") {
    const test::TempDir folder;
    const CascadeDetector detector(
        read_cascade(folder.write("cascade.xml", test::haar_cascade_xml({6, 6}, accept_all))));
    const GreyImage image = striped(20, 11, 0, 200);
    const auto view = image.view();
    DetectorOptions options;
    options.scale_factor = 100;
    options.min_neighbors = 0;
    const auto found = detector.detect(view, options)[0];
    CHECK(found.size() == 8 * 3);
    CHECK(found[0].details->neighbors == 1);
    CHECK_FALSE(found[0].details->stage_sum.has_value());
}
