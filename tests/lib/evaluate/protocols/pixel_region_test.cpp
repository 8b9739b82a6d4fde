#include "lib/evaluate/protocols/pixel_region.hpp"

#include <numbers>
#include <random>

#include <catch2/catch.hpp>
#include <opencv2/imgproc.hpp>

#include "lib/core/error.hpp"

using namespace fovea;

namespace {

// The region as the reference program draws it: a whole image, OpenCV's own drawing.
cv::Mat drawn(const Box& box, const ImageSize& size) {
    cv::Mat mask = cv::Mat::zeros(size.height, size.width, CV_8U);
    const auto corner = [](double x, double y) {
        return cv::Point(cvRound(static_cast<float>(x)), cvRound(static_cast<float>(y)));
    };
    cv::rectangle(mask, corner(box.x, box.y), corner(box.x + box.w, box.y + box.h), cv::Scalar(255),
                  cv::FILLED);
    return mask;
}

cv::Mat drawn(const Ellipse& e, const ImageSize& size) {
    cv::Mat mask = cv::Mat::zeros(size.height, size.width, CV_8U);
    const cv::Point centre(cvRound(static_cast<float>(e.centre.x)), cvRound(static_cast<float>(e.centre.y)));
    const double angle = (std::numbers::pi - e.angle_rad) * 180 / std::numbers::pi;
    cv::ellipse(mask, centre, cv::Size(static_cast<int>(e.major_radius), static_cast<int>(e.minor_radius)),
                180 - angle, 0, 360, cv::Scalar(255), cv::FILLED);
    return mask;
}

}  // namespace

TEST_CASE("Pixel region: rectangles include both corners, rounded half to even", "[evaluate][fddb]") {
    CHECK(PixelRegion::of_box({0, 0, 9, 4}, {}).area() == 50);  // 10 x 5
    CHECK(PixelRegion::of_box({0, 0, 0, 0}, {}).area() == 1);
    CHECK(PixelRegion::of_box({0.5, 1.5, 9, 4}, {}).area() == 55);  // 0 to 10 (9.5 -> 10), 2 to 6 (5.5 -> 6)
    CHECK(PixelRegion::of_box({5, 5, -2, -3}, {}).area() == 12);    // corners in any order: 3 x 4
    CHECK(PixelRegion::of_box({-5, 0, 9, 9}, ImageSize{100, 5}).area() == 25);
    CHECK(PixelRegion::of_box({-50, 0, 9, 9}, ImageSize{100, 100}).area() == 0);
    CHECK(pixel_iou(PixelRegion::of_box({-50, 0, 9, 9}, ImageSize{9, 9}),
                    PixelRegion::of_box({50, 0, 9, 9}, ImageSize{9, 9})) == 0);  // 0 / 0
}

TEST_CASE("Pixel region: (0.5, 1.5) to (9.5, 5.5) is columns 0 to 10, rows 2 to 6", "[evaluate][fddb]") {
    // cvRound: 0.5 -> 0, 9.5 -> 10, 1.5 -> 2, 5.5 -> 6.
    const PixelRegion region = PixelRegion::of_box({0.5, 1.5, 9, 4}, {});
    CHECK(shared_pixels(region, PixelRegion::of_box({0, 2, 0, 0}, {})) == 1);
    CHECK(shared_pixels(region, PixelRegion::of_box({10, 6, 0, 0}, {})) == 1);
    CHECK(shared_pixels(region, PixelRegion::of_box({11, 6, 0, 0}, {})) == 0);
    CHECK(shared_pixels(region, PixelRegion::of_box({10, 1, 0, 0}, {})) == 0);
}

TEST_CASE("Pixel region: radii are cut, centres and degrees rounded", "[evaluate][fddb]") {
    const auto area = [](double major, double minor, double x, double degrees) {
        return PixelRegion::of_ellipse({{x, 50}, major, minor, degrees * std::numbers::pi / 180}, {});
    };
    const PixelRegion plain = area(30, 20, 50, 10);
    const auto is_same = [&](const PixelRegion& other) {
        return other.area() == plain.area() && shared_pixels(plain, other) == plain.area();
    };
    CHECK(is_same(area(30.999, 20.999, 50, 10)));
    CHECK(is_same(area(30, 20, 50.49, 10)));
    CHECK(is_same(area(30, 20, 50, 10.4)));
    CHECK_FALSE(is_same(area(31, 20, 50, 10)));
    CHECK_FALSE(is_same(area(30, 20, 50.51, 10)));
    CHECK_FALSE(is_same(area(30, 20, 50, 11)));
    CHECK(area(0.9, 0.9, 50, 0).area() == 1);
}

TEST_CASE("Pixel region: as OpenCV draws on a whole image", "[evaluate][fddb]") {
    std::mt19937 random(7);
    const auto number = [&](double low, double high) {
        return std::uniform_real_distribution<double>(low, high)(random);
    };
    for (int i = 0; i < 300; ++i) {
        // Large enough for every shape, or one that clips.
        const bool clips = i % 2 == 0;
        const ImageSize size = clips ? ImageSize{90, 70} : ImageSize{500, 500};
        const double low = clips ? -30 : 200;
        const double high = clips ? 110 : 300;
        const Ellipse ellipse{
            {number(low, high), number(low, high)}, number(0, 90), number(0, 60), number(-2, 4)};
        const Box box{number(low, high), number(low, high), number(0, 90), number(0, 90)};
        const cv::Mat a = drawn(ellipse, size);
        const cv::Mat b = drawn(box, size);
        const std::optional<ImageSize> clip = clips ? std::optional(size) : std::nullopt;
        const PixelRegion region_a = PixelRegion::of_ellipse(ellipse, clip);
        const PixelRegion region_b = PixelRegion::of_box(box, clip);
        INFO("shape " << i);
        REQUIRE(region_a.area() == cv::countNonZero(a));
        REQUIRE(region_b.area() == cv::countNonZero(b));
        REQUIRE(shared_pixels(region_a, region_b) == cv::countNonZero(a & b));
        REQUIRE(shared_pixels(region_b, region_a) == cv::countNonZero(a & b));
    }
}

TEST_CASE("Pixel region: what no image holds is an error", "[evaluate][fddb]") {
    CHECK_THROWS_WITH(PixelRegion::of_box({1e9, 0, 1, 1}, {}), Catch::Contains("lies beyond every image"));
    CHECK_THROWS_WITH(PixelRegion::of_ellipse({{0, 0}, 1e6, 1, 0}, {}),
                      Catch::Contains("larger than any face"));
}
