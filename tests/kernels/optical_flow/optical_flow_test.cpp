#include <limits>

#include <catch2/catch.hpp>
#include <opencv2/video/tracking.hpp>
#include <tbb/task_arena.h>

#include "kernels/optical_flow/flow.hpp"
#include "tests/kernels/optical_flow/flow_scenes.hpp"
#include "tests/support/simd_targets.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

// A blob that is symmetric about its centre: 4 · (radius² - distance²), not below 0.
GreyImage blob(int size, int centre_x, int centre_y) {
    GreyImage image{size, size, std::vector<std::uint8_t>(static_cast<std::size_t>(size * size))};
    for (int y = 0; y < size; ++y) {
        for (int x = 0; x < size; ++x) {
            const int value = 4 * (49 - (x - centre_x) * (x - centre_x) - (y - centre_y) * (y - centre_y));
            image.pixels[static_cast<std::size_t>(y * size + x)] =
                static_cast<std::uint8_t>(std::clamp(value, 0, 196));
        }
    }
    return image;
}

// grey = 4 x + 64 for every x that a byte can hold.
GreyImage ramp(int width, int height, int shift) {
    GreyImage image{width, height, {}};
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x)
            image.pixels.push_back(static_cast<std::uint8_t>(4 * (x - shift) + 64 + (y % 2)));
    }
    return image;
}

}  // namespace

TEST_CASE("optical flow: values computed by hand", "[optical-flow]") {
    FlowPyramid pyramid;
    // A column of 1 in a field of 0, next level: 6/16 where it is, 1/16 two to the side; both directions.
    GreyImage column{9, 9, std::vector<std::uint8_t>(81)};
    for (int y = 0; y < 9; ++y) column.pixels[static_cast<std::size_t>(9 * y + 4)] = 160;
    pyramid.build(column.view(), {3, 3}, 1);
    REQUIRE(pyramid.level_count() == 2);
    const ImageView<const std::uint8_t> half = pyramid.level(1);
    CHECK(half.width == 5);
    for (int y = 0; y < 5; ++y) {
        CHECK(half(2, y) == 60);
        CHECK(half(1, y) == 10);
        CHECK(half(0, y) == 0);
    }
    // The mirror around level 0: column -1 is column 1, row -2 is row 2.
    const GreyImage numbers{3, 3, {1, 2, 3, 4, 5, 6, 7, 8, 9}};
    pyramid.build(numbers.view(), {3, 3}, 0);
    const ImageView<const std::uint8_t> level = pyramid.level(0);
    CHECK(level(-1, 0) == 2);
    CHECK(level(3, 0) == 2);
    CHECK(level(0, -2) == 7);
    CHECK(level(-4, 0) == 1);

    SECTION("a blob is found where it went") {
        FlowScene scene{blob(40, 18, 19), blob(40, 20, 18), {{18, 19}}, {{0, 0}}, {}};
        scene.options.window = {15, 15};
        scene.options.max_level = 1;
        const FlowResult result = followed(scene);
        CHECK(result.found[0] == 1);
        CHECK(result.moved[0].x == Approx(20).margin(0.02));
        CHECK(result.moved[0].y == Approx(18).margin(0.02));
        CHECK(result.errors[0] == Approx(0).margin(0.1));
    }
    SECTION("an edge does not say where along it a point goes, and a plain area nothing at all") {
        GreyImage edge{32, 32, {}};
        for (int i = 0; i < 32 * 32; ++i) edge.pixels.push_back(i % 32 < 16 ? 0 : 200);
        FlowScene scene{edge, edge, {{16, 16}, {4, 4}}, {{0, 0}, {0, 0}}, {}};
        scene.options.window = {7, 7};
        scene.options.max_level = 0;
        const FlowResult result = followed(scene);
        CHECK(result.found == std::vector<std::uint8_t>{0, 0});
        CHECK(result.moved == scene.points);
    }
    SECTION("the eigenvalue of an edge that is none across") {
        // Ix = 32 · 4 everywhere, Iy = 0: the smaller eigenvalue is 0.
        const GreyImage flat = ramp(40, 40, 0);
        GreyImage even = flat;
        for (std::size_t i = 0; i < even.pixels.size(); ++i) even.pixels[i] &= 0xFC;
        FlowScene scene{even, even, {{20, 20}}, {{0, 0}}, {}};
        scene.options.window = {7, 7};
        scene.options.max_level = 0;
        scene.options.errors_are_eigenvalues = true;
        const FlowResult result = followed(scene);
        CHECK(result.errors[0] == 0);
        CHECK(result.found[0] == 0);
    }
}

TEST_CASE("optical flow: equal to OpenCV's calcOpticalFlowPyrLK in every bit", "[optical-flow][opencv]") {
    int found = 0, lost = 0;
    for (unsigned seed = 0; seed < 120; ++seed) {
        const FlowScene scene = flow_scene(seed, 150);
        const FlowResult expected = follow_points_with_opencv(scene.from.view(), scene.to.view(),
                                                              scene.points, scene.guesses, scene.options);
        INFO("scene " << seed << ": " << scene.from.width << "x" << scene.from.height << ", window "
                      << scene.options.window.width << "x" << scene.options.window.height << ", levels to "
                      << scene.options.max_level);
        REQUIRE(differing_points(followed(scene), expected) == 0);
        REQUIRE(differing_points(followed(scene, follow_points_plainly), expected) == 0);
        for (const std::uint8_t one : expected.found) (one != 0 ? found : lost) += 1;
    }
    // Both kinds are there.
    CHECK(found > 4000);
    CHECK(lost > 2000);
}

// Not run by default: scripts/run-tests.sh '[.million]'
TEST_CASE("optical flow: a million points, equal to OpenCV's in every bit", "[.million][opencv]") {
    MillionSummary seen;
    for (int number = 0; number < million_scenes; ++number) {
        const FlowScene scene = million_scene(number);
        const FlowResult expected = follow_points_with_opencv(scene.from.view(), scene.to.view(),
                                                              scene.points, scene.guesses, scene.options);
        seen.add(scene, expected, followed(scene));
        INFO("scene " << number);
        REQUIRE(seen.differing == 0);
    }
    check_million(seen);
}

TEST_CASE("optical flow: without errors OpenCV leaves out the last look, and so do we",
          "[optical-flow][opencv]") {
    for (unsigned seed = 300; seed < 330; ++seed) {
        FlowScene scene = flow_scene(seed, 120);
        const auto mat = [](const GreyImage& image) {
            return cv::Mat(image.height, image.width, CV_8UC1,
                           const_cast<std::uint8_t*>(image.pixels.data()));
        };
        scene.options.starts_at_guess = false;
        scene.options.max_iterations = 30;
        scene.options.epsilon = 0.01;
        std::vector<cv::Point2f> points, moved;
        for (const FlowPoint& point : scene.points) points.emplace_back(point.x, point.y);
        std::vector<std::uint8_t> found;
        cv::calcOpticalFlowPyrLK(mat(scene.from), mat(scene.to), points, moved, found, cv::noArray(),
                                 {scene.options.window.width, scene.options.window.height},
                                 scene.options.max_level, {3, 30, 0.01}, 0, scene.options.min_eigenvalue);
        const FlowResult ours = followed(scene, follow_points, false);
        REQUIRE(ours.found == found);
        for (std::size_t i = 0; i < moved.size(); ++i) {
            REQUIRE(ours.moved[i] == FlowPoint{moved[i].x, moved[i].y});
        }
    }
}

TEST_CASE("optical flow: every instruction set and any number of threads give the same bits",
          "[optical-flow][simd]") {
    for (unsigned seed = 400; seed < 440; ++seed) {
        const FlowScene scene = flow_scene(seed, 100);
        const FlowResult expected = followed(scene, follow_points_plainly);
        for (const std::string& target : all_simd_targets()) {
            const ForcedSimdTarget forced(target);
            INFO("scene " << seed << ", " << target);
            REQUIRE(differing_points(followed(scene), expected) == 0);
        }
        for (const int threads : {1, 3}) {
            tbb::task_arena arena(threads);
            arena.execute([&] { REQUIRE(differing_points(followed(scene), expected) == 0); });
        }
    }
}

TEST_CASE("optical flow: a pyramid that is built anew has nothing of the one before", "[optical-flow]") {
    FlowPyramid used, fresh;
    const GreyImage large = noise(200, 150, 1), small = noise(61, 47, 2);
    used.build(large.view(), {21, 21}, 3);
    used.build(small.view(), {5, 5}, 2);
    fresh.build(small.view(), {5, 5}, 2);
    REQUIRE(used.level_count() == 3);
    REQUIRE(fresh.level_count() == 3);
    for (int l = 0; l < 3; ++l) {
        const auto a = used.level(l), b = fresh.level(l);
        for (int y = -6; y < b.height + 6; ++y) {
            for (int x = -6; x < b.width + 6; ++x) REQUIRE(a(x, y) == b(x, y));
        }
    }
}

TEST_CASE("optical flow: pyramids whose rows are made on demand give the same bits", "[optical-flow]") {
    for (unsigned seed = 600; seed < 680; ++seed) {
        const FlowScene scene = flow_scene(seed, 60);
        const FlowResult expected = followed(scene);
        // The rows of an earlier image must not show.
        FlowPyramid from, to;
        const GreyImage other = noise(scene.from.width, scene.from.height, seed);
        for (FlowPyramid* pyramid : {&from, &to}) {
            pyramid->build(other.view(), scene.options.window, scene.options.max_level);
        }
        from.build_on_demand(scene.from.view(), scene.options.window, scene.options.max_level);
        to.build_on_demand(scene.to.view(), scene.options.window, scene.options.max_level);
        CHECK(from.is_on_demand());
        FlowResult result = expected;
        INFO("scene " << seed);
        // Point by point, then all on several threads.
        for (std::size_t i = 0; i < scene.points.size(); ++i) {
            FlowPoint moved = scene.guesses[i];
            follow_points(from, to, {&scene.points[i], 1}, {&moved, 1}, {&result.found[i], 1},
                          {&result.errors[i], 1}, scene.options);
            result.moved[i] = moved;
        }
        REQUIRE(differing_points(result, expected) == 0);
        from.build_on_demand(scene.from.view(), scene.options.window, scene.options.max_level);
        to.build_on_demand(scene.to.view(), scene.options.window, scene.options.max_level);
        result.moved = scene.guesses;
        follow_points(from, to, scene.points, result.moved, result.found, result.errors, scene.options);
        REQUIRE(differing_points(result, expected) == 0);
        // All rows, asked for in small pieces from the bottom up, are those of a pyramid built at once.
        FlowPyramid whole;
        whole.build(scene.to.view(), scene.options.window, scene.options.max_level);
        to.build_on_demand(scene.to.view(), scene.options.window, scene.options.max_level);
        const Size border = whole.readable_border();
        for (int l = whole.level_count() - 1; l >= 0; --l) {
            const auto a = whole.level(l), b = to.level(l);
            for (int y = a.height + border.height - 1; y >= -border.height; --y) {
                to.make_rows(l, y, y + 1);
                REQUIRE(std::equal(a.row(y) - border.width, a.row(y) + a.width + border.width,
                                   b.row(y) - border.width));
            }
        }
    }
}

TEST_CASE("optical flow: there and back", "[optical-flow]") {
    const GreyImage from = smooth_noise(120, 90, 3, 7);
    std::mt19937 random(1);
    const GreyImage to = shifted(from, 3, -2, 0, random);
    FlowPyramid first, second;
    const FlowOptions options;
    first.build(from.view(), options.window, options.max_level);
    second.build(to.view(), options.window, options.max_level);
    const std::vector<FlowPoint> points{{40, 40}, {60.5F, 30.25F}, {-500, 3}};
    std::vector<FlowPoint> moved(3), back(3);
    std::vector<std::uint8_t> found(3), found_back(3);
    std::vector<float> errors(3);
    follow_points_and_back(first, second, points, moved, found, errors, back, found_back, options);
    for (const std::size_t i : {0, 1}) {
        CHECK(found[i] == 1);
        CHECK(found_back[i] == 1);
        CHECK(distance_of(moved[i], {points[i].x + 3, points[i].y - 2}) < 0.05F);
        CHECK(distance_of(back[i], points[i]) < 0.05F);
    }
    CHECK(found[2] == 0);
    CHECK(distance_of({0, 0}, {3, 4}) == 5);
    // The way back is follow_points from where the points went.
    std::vector<FlowPoint> again(3);
    std::vector<std::uint8_t> again_found(3);
    follow_points(second, first, moved, again, again_found, {}, options);
    CHECK(again == back);
    CHECK(again_found == found_back);
}

TEST_CASE("optical flow: what does not fit is refused with a sentence", "[optical-flow]") {
    const GreyImage image = noise(40, 30, 1);
    FlowPyramid pyramid, other, unbuilt;
    CHECK_THROWS_WITH(pyramid.build({}, {21, 21}, 3), Contains("not empty"));
    CHECK_THROWS_WITH(pyramid.build(image.view(), {2, 21}, 3), Contains("2x21") && Contains("3x3"));
    CHECK_THROWS_WITH(pyramid.build(image.view(), {21, 21}, -1), Contains("-1"));
    FlowOptions options;
    pyramid.build(image.view(), options.window, 3);
    std::vector<FlowPoint> points(2), moved(2);
    std::vector<std::uint8_t> found(2);
    std::vector<float> errors(2);
    const auto follow = [&](const FlowPyramid& from, const FlowPyramid& to) {
        follow_points(from, to, points, moved, found, errors, options);
    };
    CHECK_THROWS_WITH(follow(pyramid, unbuilt), Contains("not built"));
    other.build(noise(41, 30, 1).view(), options.window, 3);
    CHECK_THROWS_WITH(follow(pyramid, other), Contains("40x30") && Contains("41x30"));
    other.build(image.view(), {7, 9}, 3);
    CHECK_THROWS_WITH(follow(pyramid, other), Contains("7x9") && Contains("21x21"));
    moved.resize(1);
    CHECK_THROWS_WITH(follow(pyramid, pyramid), Contains("2 points"));
    // No points, and points that are no numbers.
    follow_points(pyramid, pyramid, {}, {}, {}, {}, options);
    moved.resize(2);
    const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
    points = {{nan, 3}, {3, inf}};
    follow(pyramid, pyramid);
    CHECK(found == std::vector<std::uint8_t>{0, 0});
    CHECK(errors == std::vector<float>{0, 0});
}
