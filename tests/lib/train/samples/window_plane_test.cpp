#include "lib/train/samples/window_plane.hpp"

#include <catch2/catch.hpp>
#include <opencv2/imgproc.hpp>

#include "lib/train/samples/sample_blur.hpp"
#include "tests/support/images.hpp"

using namespace fovea;
using namespace fovea::test;

namespace {

using Pixels = std::vector<std::uint8_t>;

Pixels cut(const GreyImage& image, const Box& box, Size window, Resampling resampling = Resampling::area) {
    return rounded(resampled(image.view(), box, window, resampling));
}

}  // namespace

TEST_CASE("Windows: a box of the window's size is the image's own pixels", "[samples][window]") {
    const GreyImage image{4, 3, {0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23}};
    CHECK(cut(image, {1, 0, 2, 3}, {2, 3}) == Pixels{1, 2, 11, 12, 21, 22});
    // The border is continued.
    CHECK(cut(image, {-2, -1, 3, 2}, {3, 2}) == Pixels{0, 0, 0, 0, 0, 0});
    CHECK(cut(image, {3, 2, 2, 2}, {2, 2}) == Pixels{23, 23, 23, 23});
    CHECK(cut(image, {-1, 2, 3, 2}, {3, 2}) == Pixels{20, 20, 21, 20, 20, 21});
    CHECK(cut(image, {1e7, -1e7, 2, 1}, {2, 1}) == Pixels{3, 3});
}

TEST_CASE("Windows: twice as large", "[samples][window]") {
    const GreyImage image{2, 2, {0, 100, 200, 40}};
    // Columns at -0.25, 0.25, 0.75, 1.25: the rows are 0 25 75 100 and 200 160 80 40, and between them lie
    // 50, 58.75, 76.25, 85 and 150, 126.25, 78.75, 55.
    const Pixels expected{0, 25, 75, 100, 50, 59, 76, 85, 150, 126, 79, 55, 200, 160, 80, 40};
    CHECK(cut(image, {0, 0, 2, 2}, {4, 4}) == expected);
    CHECK(cut(image, {0, 0, 2, 2}, {4, 4}, Resampling::linear) == expected);
}

TEST_CASE("Windows: means over whole and broken pixels", "[samples][window]") {
    const GreyImage image{6, 3, {1, 2, 3, 10, 20, 30, 4, 5, 6, 40, 50, 60, 7, 8, 9, 70, 80, 90}};
    CHECK(cut(image, {0, 0, 6, 3}, {2, 1}) == Pixels{5, 50});
    CHECK(cut(image, {0, 0, 6, 3}, {2, 1}, Resampling::linear) == Pixels{5, 50});  // the centres
    const GreyImage row{4, 1, {10, 40, 70, 100}};
    // (0.5 · 10 + 40) / 1.5 and (70 + 0.5 · 100) / 1.5.
    CHECK(cut(row, {0.5, 0, 3, 1}, {2, 1}) == Pixels{30, 80});
    // Beyond the border: (3 · 10 + 40) / 4 and (70 + 3 · 100) / 4, rounded half up.
    CHECK(cut(row, {-2, 0, 8, 1}, {2, 1}) == Pixels{18, 93});
    CHECK(cut(row, {-8, 0, 8, 1}, {2, 1}) == Pixels{10, 10});
    CHECK(cut(row, {4, 0, 8, 1}, {2, 1}) == Pixels{100, 100});
}

TEST_CASE("Windows: the same as OpenCV's area resize", "[samples][window]") {
    const GreyImage image = noise(97, 61, 3);
    const cv::Mat source(image.height, image.width, CV_8U, const_cast<std::uint8_t*>(image.pixels.data()));
    for (const Size window : {Size{20, 20}, Size{24, 13}, Size{97, 61}, Size{1, 1}, Size{90, 60}}) {
        cv::Mat expected;
        cv::resize(source, expected, {window.width, window.height}, 0, 0, cv::INTER_AREA);
        const Pixels pixels = cut(image, {0, 0, 97, 61}, window);
        int most = 0;
        for (std::size_t i = 0; i < pixels.size(); ++i) {
            most = std::max(most, std::abs(pixels[i] - expected.data[i]));
        }
        CHECK(most <= 1);  // OpenCV rounds floats of 32 bits, half to even
    }
}

TEST_CASE("Windows: mirrored and rounded", "[samples][window]") {
    WindowPlane plane{1.5, 2, 3, -4, 254.5, 300};
    mirror(plane, {3, 2});
    CHECK(rounded(plane) == Pixels{3, 2, 2, 255, 255, 0});
    Pixels pixels{1, 2, 3, 4};
    mirror(pixels, {2, 2});
    CHECK(pixels == Pixels{2, 1, 4, 3});
}

TEST_CASE("Windows: a blur spreads a point by its variance", "[samples][window]") {
    constexpr int side = 61, centre = 30;
    for (const double sigma : {0.3, 1.0, 2.5, 4.0}) {
        WindowPlane plane(side * side);
        plane[side * centre + centre] = 1;
        blur(plane, {side, side}, sigma);
        double sum = 0, variance_x = 0, variance_y = 0, mean_x = 0;
        for (int y = 0; y < side; ++y) {
            for (int x = 0; x < side; ++x) {
                const double value = plane[static_cast<std::size_t>(y * side + x)];
                sum += value;
                mean_x += value * (x - centre);
                variance_x += value * (x - centre) * (x - centre);
                variance_y += value * (y - centre) * (y - centre);
            }
        }
        CHECK(sum == Approx(1));
        CHECK(mean_x == Approx(0).margin(1e-12));
        CHECK(variance_x == Approx(sigma * sigma));
        CHECK(variance_y == Approx(sigma * sigma));
    }
    WindowPlane plane{1, 5, 9};
    blur(plane, {3, 1}, 0);
    CHECK(plane == WindowPlane{1, 5, 9});
    WindowPlane constant(6, 7.0);
    blur(constant, {2, 3}, 5);  // wider than the window
    for (const double value : constant) CHECK(value == Approx(7));
}

TEST_CASE("Windows: noise has its deviation", "[samples][window]") {
    WindowPlane plane(100'000);
    CounterRandom random(3);
    add_noise(plane, 8, random);
    double sum = 0, squares = 0;
    for (const double value : plane) {
        sum += value;
        squares += value * value;
        REQUIRE(std::abs(value) <= 8 * 3.5);
    }
    CHECK(sum / 1e5 == Approx(0).margin(0.1));
    CHECK(squares / 1e5 == Approx(64).epsilon(0.02));
}
