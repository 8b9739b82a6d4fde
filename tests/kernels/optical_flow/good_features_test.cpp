#include "kernels/optical_flow/good_features.hpp"

#include <cstring>

#include <catch2/catch.hpp>
#include <opencv2/imgproc.hpp>

#include "lib/detect/opencv_flow.hpp"
#include "tests/support/images.hpp"
#include "tests/support/parity_images.hpp"

using namespace fovea;
using namespace fovea::test;

TEST_CASE("good features: the corners of a square, computed by hand", "[optical-flow][good-features]") {
    GreyImage image{24, 20, std::vector<std::uint8_t>(24 * 20)};
    for (int y = 6; y < 14; ++y) {
        for (int x = 5; x < 17; ++x) image.pixels[static_cast<std::size_t>(24 * y + x)] = 200;
    }
    const std::vector<float> values = min_eigenvalues(image.view());
    // Nothing changes there, or along an edge.
    CHECK(values[0] == 0);
    CHECK(values[24 * 10 + 5] == Approx(0).margin(1e-6));
    // The block around the corner's pixel (5, 6): derivatives in x are 1 1 0 / 3 3 0 / 4 4 0, in y 1 3 4 / 1
    // 3 4 / 0 0 0, times 200 / 3060. Σ x² = Σ y² = 52, Σ x y = 16.
    const double unit = 200.0 / 3060, smaller = 52 - 16;
    CHECK(values[24 * 6 + 5] == Approx(unit * unit * smaller));
    const std::vector<FlowPoint> points = good_features(image.view(), {0, 0.5, 3});
    REQUIRE(points.size() == 4);
    // Equal ones: the last in the image is the first.
    CHECK(points[0] == FlowPoint{16, 13});
    CHECK(points[3] == FlowPoint{5, 6});
}

TEST_CASE("good features: equal to OpenCV's in every bit", "[optical-flow][good-features][opencv]") {
    std::vector<NamedImage> images = parity_images();
    for (const Size size : {Size{7, 5}, Size{33, 9}, Size{1, 9}, Size{30, 1}, Size{2, 2}, Size{3, 3}}) {
        images.push_back({"noise", noise(size.width, size.height, 5)});
    }
    GreyImage steps = noise(90, 70, 3);
    for (std::uint8_t& pixel : steps.pixels) pixel = pixel < 128 ? 0 : 255;
    images.push_back({"black and white", steps});
    images.push_back({"grey", {40, 30, std::vector<std::uint8_t>(1200, 9)}});
    const GoodFeaturesOptions wanted[] = {{0, 0.01, 0},  {100, 0.001, 1},   {5, 0.1, 3},
                                          {0, 0.3, 7.5}, {1000, 0.05, 2.4}, {1, 1e-6, 0.7}};
    std::size_t corners = 0;
    for (const auto& [name, image] : images) {
        INFO(name << ", " << image.width << "x" << image.height);
        const cv::Mat mat(image.height, image.width, CV_8UC1, const_cast<std::uint8_t*>(image.pixels.data()));
        cv::Mat values;
        cv::cornerMinEigenVal(mat, values, 3, 3);
        const std::vector<float> ours = min_eigenvalues(image.view());
        REQUIRE(values.isContinuous());
        REQUIRE(std::memcmp(ours.data(), values.data, ours.size() * sizeof(float)) == 0);
        std::vector<std::uint8_t> mask(image.pixels.size());
        for (std::size_t i = 0; i < mask.size(); ++i) mask[i] = i % 97 < 60 ? 1 : 0;
        for (const GoodFeaturesOptions& options : wanted) {
            const std::vector<FlowPoint> points = good_features(image.view(), options);
            REQUIRE(points == good_features_with_opencv(image.view(), options));
            const ImageView<const std::uint8_t> masked{mask.data(), image.width, image.height, image.width};
            REQUIRE(good_features(image.view(), options, masked) ==
                    good_features_with_opencv(image.view(), options, masked));
            corners += points.size();
        }
    }
    CHECK(corners > 1000);
}

TEST_CASE("good features: what does not fit is refused", "[optical-flow][good-features]") {
    const GreyImage image = noise(20, 10, 1), other = noise(10, 20, 1);
    CHECK_THROWS_AS(good_features({}, {}), std::invalid_argument);
    CHECK_THROWS_AS(min_eigenvalues({}), std::invalid_argument);
    CHECK_THROWS_AS(good_features(image.view(), {}, other.view()), std::invalid_argument);
    CHECK_THROWS_AS(good_features(image.view(), {0, 0, 1}), std::invalid_argument);
    CHECK_THROWS_AS(good_features(image.view(), {0, 0.1, -1}), std::invalid_argument);
    CHECK_THROWS_AS(good_features(image.view(), {-1, 0.1, 1}), std::invalid_argument);
}
