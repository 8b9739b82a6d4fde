#include "kernels/integral/integral.hpp"

#include <catch2/catch.hpp>
#include <opencv2/imgproc.hpp>

#include "tests/support/images.hpp"
#include "tests/support/simd_targets.hpp"

using namespace fovea;

namespace {

void check_against_opencv(const GreyImage& image, bool split) {
    INFO(image.width << "x" << image.height << (split ? ", even and odd columns apart" : ""));
    const cv::Mat mat(image.height, image.width, CV_8UC1, const_cast<std::uint8_t*>(image.pixels.data()));
    cv::Mat sum;
    cv::Mat squared;
    cv::Mat tilted;
    cv::integral(mat, sum, squared, tilted, CV_32S, CV_32S);

    const IntegralLayout layout = make_integral_layout(image.width + 1, 16, split);
    RowResizer rows(image.view(), {image.width, image.height});
    IntegralBand band;
    band.reserve(layout, image.height + 3, true, true);
    band.compute(rows, image.width, 0, image.height, layout, true, true);
    const std::ptrdiff_t plane = IntegralBand::tilted_offset(layout, image.height + 3);
    for (int y = 0; y <= image.height; ++y) {
        for (int x = 0; x <= image.width; ++x) {
            const std::ptrdiff_t at = layout.offset(x, y);
            if (band.sum()[at] != sum.at<int>(y, x) ||
                static_cast<int>(band.squared()[at]) != squared.at<int>(y, x) ||
                band.sum()[plane + at] != tilted.at<int>(y, x)) {
                FAIL("differs at " << x << ", " << y);
            }
        }
    }
}

}  // namespace

TEST_CASE("integral: values computed by hand", "[integral]") {
    const GreyImage image{3, 2, {1, 2, 3, 4, 5, 6}};
    const IntegralLayout layout = make_integral_layout(4, 0, false);
    RowResizer rows(image.view(), {3, 2});
    IntegralBand band;
    band.reserve(layout, 2, true, true);
    band.compute(rows, 3, 0, 2, layout, true, true);
    CHECK(band.sum()[layout.offset(3, 2)] == 21);
    CHECK(band.sum()[layout.offset(2, 1)] == 3);
    CHECK(band.squared()[layout.offset(2, 2)] == 1 + 4 + 16 + 25);
    CHECK(band.sum()[layout.offset(0, 2)] == 0);
    // tilted(2, 2): row 1 only its tip, pixel (1, 1); row 0 the three pixels around it.
    const std::ptrdiff_t plane = IntegralBand::tilted_offset(layout, 2);
    CHECK(band.sum()[plane + layout.offset(2, 2)] == 5 + 1 + 2 + 3);
    CHECK(band.sum()[plane + layout.offset(3, 2)] == 6 + 2 + 3);
    CHECK(band.sum()[plane + layout.offset(0, 2)] == 1);
}

TEST_CASE("integral: equal to cv::integral, upright, squared and tilted", "[integral][opencv]") {
    for (const std::string& target : test::all_simd_targets()) {
        const test::ForcedSimdTarget forced(target);
        INFO(target);
        for (const int width : {1, 2, 3, 7, 8, 9, 15, 16, 17, 33, 130}) {
            for (const int height : {1, 2, 3, 16, 41}) {
                const GreyImage image = test::noise(width, height, 21);
                check_against_opencv(image, false);
                check_against_opencv(image, true);
            }
        }
    }
}

TEST_CASE("integral: the sum of squares wraps modulo 2^32 as OpenCV's", "[integral][opencv]") {
    // 300 × 300 × 255² is above 2^32.
    GreyImage white{300, 300, std::vector<std::uint8_t>(300 * 300, 255)};
    check_against_opencv(white, false);
    check_against_opencv(white, true);
}

TEST_CASE("integral: rectangles inside a band do not depend on where it begins", "[integral]") {
    const GreyImage image = test::noise(40, 50, 2);
    const IntegralLayout layout = make_integral_layout(41, 16, true);
    RowResizer rows(image.view(), {40, 50});
    IntegralBand whole;
    whole.reserve(layout, 50, true, true);
    whole.compute(rows, 40, 0, 50, layout, true, true);
    IntegralBand part;
    part.reserve(layout, 50, true, true);
    part.compute(rows, 40, 13, 24, layout, true, true);
    const std::ptrdiff_t plane = IntegralBand::tilted_offset(layout, 50);
    const auto upright = [&](const std::int32_t* at, int x, int y) {
        return at[layout.offset(x, y)] - at[layout.offset(x + 7, y)] - at[layout.offset(x, y + 9)] +
               at[layout.offset(x + 7, y + 9)];
    };
    // Top corner (x, y), 5 to the lower right, 4 to the lower left.
    const auto rotated = [&](const std::int32_t* at, int x, int y) {
        at += plane;
        return at[layout.offset(x, y)] - at[layout.offset(x - 4, y + 4)] - at[layout.offset(x + 5, y + 5)] +
               at[layout.offset(x + 1, y + 9)];
    };
    for (int y = 0; y + 9 <= 24; ++y) {
        for (int x = 4; x + 7 <= 40; ++x) {
            REQUIRE(upright(part.sum(), x, y) == upright(whole.sum(), x, y + 13));
            REQUIRE(rotated(part.sum(), x, y) == rotated(whole.sum(), x, y + 13));
        }
    }
}

TEST_CASE("integral: the stride is an odd number of cache lines and leaves the slack", "[integral]") {
    for (const int columns : {1, 16, 17, 100, 641, 1921}) {
        for (const bool split : {false, true}) {
            const IntegralLayout layout = make_integral_layout(columns, 16, split);
            CHECK(layout.stride % 32 == 16);
            CHECK(layout.column(columns - 1) + 16 < layout.stride);
            if (split && columns > 1) CHECK(layout.column((columns - 1) / 2 * 2) + 16 < layout.half);
        }
    }
}
