#include "kernels/optical_flow/good_features.hpp"

#include <cstring>

#include <catch2/catch.hpp>
#include <opencv2/imgproc.hpp>

#include "kernels/optical_flow/good_features_body.hpp"
#include "lib/detect/opencv_flow.hpp"
#include "tests/kernels/optical_flow/corner_scenes.hpp"

using namespace fovea;
using namespace fovea::test;

namespace {

// The GPU's way: its functions, each column by itself.
std::vector<float> eigenvalues_by_columns(const ImageView<const std::uint8_t>& image) {
    std::vector<float> values(static_cast<std::size_t>(image.width * image.height));
    for (int x = 0; x < image.width; ++x) {
        RunningBlockSum xx, xy, yy;
        for (int y = -1; y <= image.height; ++y) {
            const CornerProducts sums =
                row_products(corner_gradient_at(image, x - 1, y), corner_gradient_at(image, x, y),
                             corner_gradient_at(image, x + 1, y));
            const float whole[] = {xx.add(sums.xx), xy.add(sums.xy), yy.add(sums.yy)};
            if (y < 1) continue;
            values[static_cast<std::size_t>((y - 1) * image.width + x)] =
                smaller_eigenvalue(whole[0], whole[1], whole[2]);
        }
    }
    return values;
}

}  // namespace

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
    std::size_t corners = 0;
    for (const auto& [name, image] : corner_images()) {
        INFO(name << ", " << image.width << "x" << image.height);
        const cv::Mat mat(image.height, image.width, CV_8UC1, const_cast<std::uint8_t*>(image.pixels.data()));
        cv::Mat values;
        cv::cornerMinEigenVal(mat, values, 3, 3);
        const std::vector<float> ours = min_eigenvalues(image.view());
        REQUIRE(values.isContinuous());
        REQUIRE(std::memcmp(ours.data(), values.data, ours.size() * sizeof(float)) == 0);
        for (const GoodFeaturesOptions& options : corner_options()) {
            const std::vector<FlowPoint> points = good_features(image.view(), options);
            REQUIRE(points == good_features_with_opencv(image.view(), options));
            for (const GreyImage& mask : corner_masks(image)) {
                REQUIRE(good_features(image.view(), options, mask.view()) ==
                        good_features_with_opencv(image.view(), options, mask.view()));
            }
            corners += points.size();
        }
    }
    CHECK(corners > 1000);
}

TEST_CASE("good features: sums over rows keep what was rounded away", "[optical-flow][good-features]") {
    const GreyImage image = image_with_residue();
    // No pixel around differs, and yet.
    CHECK(min_eigenvalues(image.view())[3 * 6 + 1] == -0x1p-64F);
}

TEST_CASE("good features: the GPU's order of work gives the same bits", "[optical-flow][good-features]") {
    for (const auto& [name, image] : corner_images()) {
        INFO(name << ", " << image.width << "x" << image.height);
        const std::vector<float> ours = min_eigenvalues(image.view());
        const std::vector<float> columns = eigenvalues_by_columns(image.view());
        REQUIRE(std::memcmp(ours.data(), columns.data(), ours.size() * sizeof(float)) == 0);
    }
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
