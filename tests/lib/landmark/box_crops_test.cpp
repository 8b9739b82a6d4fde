#include "lib/landmark/box_crops.hpp"

#include <limits>

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"

using namespace fovea;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// The value of a pixel is 10 y + x.
cv::Mat ramp(int width, int height) {
    cv::Mat picture(height, width, CV_8UC1);
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x)
            picture.at<std::uint8_t>(y, x) = static_cast<std::uint8_t>(10 * y + x);
    }
    return picture;
}

int value(const cv::Mat& picture, int x, int y) {
    return picture.at<std::uint8_t>(y, x);
}

CropOptions boxes(int size, double margin) {
    return {CropKind::box, size, margin, false};
}

}  // namespace

TEST_CASE("a box without a size keeps its pixels, cut off at the edges", "[landmark][face-crop]") {
    const cv::Mat picture = ramp(10, 8);
    const cv::Mat crop = box_crop(picture, {2, 3, 4, 2}, boxes(0, 0));
    REQUIRE((crop.cols == 4 && crop.rows == 2));
    CHECK((value(crop, 0, 0) == 32 && value(crop, 3, 1) == 45));
    const cv::Mat wide = box_crop(picture, {2, 3, 4, 2}, boxes(0, 0.5));
    REQUIRE((wide.cols == 8 && wide.rows == 4));
    CHECK((value(wide, 0, 0) == 20 && value(wide, 7, 3) == 57));
    const cv::Mat cut = box_crop(picture, {8, 6, 4, 4}, boxes(0, 0.25));
    REQUIRE((cut.cols == 3 && cut.rows == 3));
    CHECK(value(cut, 0, 0) == 57);
    // Rounded, and at least nothing.
    CHECK(box_crop(picture, {1.6, 1.4, 2, 2}, boxes(0, 0)).cols == 2);
    CHECK(box_crop(picture, {1.1, 1.1, 0.2, 0.2}, boxes(0, 0)).empty());
}

TEST_CASE("a box with a size becomes a square", "[landmark][face-crop]") {
    const cv::Mat picture = ramp(10, 8);
    const cv::Mat same = box_crop(picture, {2, 2, 4, 4}, boxes(4, 0));
    REQUIRE((same.cols == 4 && same.rows == 4));
    CHECK((value(same, 0, 0) == 22 && value(same, 3, 3) == 55));
    // The longer side counts, and the margin is added twice.
    const cv::Mat tall = box_crop(picture, {3, 2, 2, 4}, boxes(4, 0));
    CHECK((value(tall, 0, 0) == 22 && value(tall, 3, 3) == 55));
    CHECK(value(box_crop(picture, {3, 3, 2, 2}, boxes(4, 0.5)), 3, 0) == 25);
    // Shrunk by areas: the mean of 22, 23, 32 and 33.
    CHECK(value(box_crop(picture, {2, 2, 4, 4}, boxes(2, 0)), 0, 0) == 28);
    // The picture's edge goes on to the left and above.
    const cv::Mat corner = box_crop(picture, {-2, -2, 4, 4}, boxes(4, 0));
    CHECK((value(corner, 0, 0) == 0 && value(corner, 2, 2) == 0 && value(corner, 3, 3) == 11));
    const cv::Mat below = box_crop(picture, {8, 6, 4, 4}, boxes(4, 0));
    CHECK((value(below, 0, 0) == 68 && value(below, 3, 3) == 79));
    // Boxes that are far smaller or larger than anything.
    CHECK(box_crop(picture, {1.2, 1.2, 0.1, 0.1}, boxes(8, 0)).cols == 8);
    CHECK(box_crop(picture, {-1e9, -1e9, 2e9, 2e9}, boxes(8, 4)).rows == 8);
}

TEST_CASE("boxes without anything of the picture have no crop", "[landmark][face-crop]") {
    const cv::Mat picture = ramp(10, 8);
    for (const int size : {0, 16}) {
        for (const Box& box : {Box{1, 1, 0, 4}, Box{10, 1, 4, 4}, Box{1, -4, 4, 4}, Box{1, 1, infinity, 4},
                               Box{std::numeric_limits<double>::quiet_NaN(), 1, 4, 4}}) {
            CHECK(box_crop(picture, box, boxes(size, 0.5)).empty());
        }
        CHECK(box_crop({}, {1, 1, 4, 4}, boxes(size, 0)).empty());
    }
    CHECK_THROWS_AS(box_crop(picture, {1, 1, 2, 2}, boxes(-1, 0)), UsageError);
    CHECK_THROWS_AS(box_crop(picture, {1, 1, 2, 2}, boxes(4097, 0)), UsageError);
    CHECK_THROWS_AS(box_crop(picture, {1, 1, 2, 2}, boxes(4, 4.5)), UsageError);
    CHECK_THROWS_AS(box_crop(picture, {1, 1, 2, 2}, boxes(4, std::numeric_limits<double>::quiet_NaN())),
                    UsageError);
}

TEST_CASE("crops are written as PNG or JPEG", "[landmark][face-crop]") {
    const cv::Mat colour(8, 8, CV_8UC3, cv::Scalar(1, 2, 3));
    CHECK(crop_file(colour, boxes(0, 0)).starts_with("\x89PNG"));
    CropOptions jpeg = boxes(0, 0);
    jpeg.as_jpeg = true;
    CHECK(crop_file(colour, jpeg).starts_with("\xFF\xD8\xFF"));
    CHECK(crop_kind_of("aligned") == CropKind::aligned);
    CHECK(crop_kind_of(to_string(CropKind::box)) == CropKind::box);
    CHECK_FALSE(crop_kind_of("round").has_value());
}
