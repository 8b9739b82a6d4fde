#include "kernels/luma/grey.hpp"

#include <cmath>

#include <catch2/catch.hpp>
#include <opencv2/imgproc.hpp>

using namespace fovea;

TEST_CASE("grey of a colour equals OpenCV's COLOR_BGR2GRAY", "[image]") {
    cv::Mat colours(1, 8 * 8 * 8 + 200000, CV_8UC3);
    int i = 0;
    const int corners[] = {0, 1, 127, 128, 129, 200, 254, 255};
    for (const int b : corners)
        for (const int g : corners)
            for (const int r : corners)
                colours.at<cv::Vec3b>(i++) =
                    cv::Vec3b(static_cast<uchar>(b), static_cast<uchar>(g), static_cast<uchar>(r));
    cv::RNG random(12345);
    random.fill(colours.colRange(i, colours.cols), cv::RNG::UNIFORM, 0, 256);
    cv::Mat grey;
    cv::cvtColor(colours, grey, cv::COLOR_BGR2GRAY);
    int different = 0;
    for (int x = 0; x < colours.cols; ++x) {
        const cv::Vec3b c = colours.at<cv::Vec3b>(x);
        different += grey_of_rgb(c[2], c[1], c[0]) != grey.at<uchar>(x);
    }
    CHECK(different == 0);
}

TEST_CASE("grey formulas at known values", "[image]") {
    // 9798 * 255 = 2498490; + 16384 = 2514874; / 32768 = 76.7
    CHECK(grey_of_rgb(255, 0, 0) == 76);
    CHECK(grey_of_rgb(0, 255, 0) == 150);
    CHECK(grey_of_rgb(0, 0, 255) == 29);
    int not_kept = 0;
    for (std::uint32_t v = 0; v < 256; ++v) not_kept += grey_of_rgb(v, v, v) != v;
    CHECK(not_kept == 0);
    // No ink is white, full black ink is black, full cyan leaves green and blue.
    CHECK(grey_of_inverted_cmyk(255, 255, 255, 255) == 255);
    CHECK(grey_of_inverted_cmyk(255, 255, 255, 0) == 0);
    CHECK(grey_of_inverted_cmyk(0, 255, 255, 255) == grey_of_rgb(0, 255, 255));
    CHECK(grey_of_inverted_cmyk(128, 128, 128, 128) == 64);  // 16384 / 255 = 64.25
}

TEST_CASE("16-bit samples become the nearest 8-bit value", "[image]") {
    int different = 0;
    for (std::uint32_t v = 0; v < 65536; ++v) {
        const auto nearest = static_cast<int>(std::lround(v * 255.0 / 65535.0));
        different += byte_of_16_bits(v) != nearest || byte_of_sample(v, 65535) != nearest;
    }
    CHECK(different == 0);
    CHECK(byte_of_16_bits(128) == 0);
    CHECK(byte_of_16_bits(129) == 1);
}

TEST_CASE("samples of any maximum fill 0 to 255", "[image]") {
    CHECK(byte_of_sample(7, 15) == 119);
    CHECK(byte_of_sample(1023, 1023) == 255);
    CHECK(byte_of_sample(512, 1023) == 128);  // 127.6
    CHECK(byte_of_sample(1, 2) == 128);       // 127.5, the half goes up
    CHECK(byte_of_sample(300, 255) == 255);
    for (std::uint32_t v = 0; v < 256; ++v) REQUIRE(byte_of_sample(v, 255) == v);
}
