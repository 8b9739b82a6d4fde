// Cases tagged [cuda-small] are few and small enough for compute-sanitizer.

#include "kernels/optical_flow/gpu_good_features.hpp"

#include <cstring>
#include <span>
#include <utility>

#include <catch2/catch.hpp>

#include "kernels/optical_flow/good_features.hpp"
#include "tests/kernels/optical_flow/corner_scenes.hpp"
#include "tests/support/gpu.hpp"
#include "tests/support/resident_images.hpp"

using namespace fovea;
using namespace fovea::test;
using cuda_backend::GpuGoodFeatures;

namespace {

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

/// \return the corners that were compared.
std::size_t compare_with_cpu(const Device& device, GpuGoodFeatures& gpu, const GreyImage& image,
                             std::span<const GoodFeaturesOptions> wanted) {
    REQUIRE(same_bits(gpu.min_eigenvalues(image.view(), ImageMemory::host), min_eigenvalues(image.view())));
    // In the GPU's memory: the image, then the masks, in rows with gaps.
    std::vector<GreyImage> images = corner_masks(image);
    images.insert(images.begin(), image);
    const ResidentImages resident(device, images, 1, 3);
    const auto& views = resident.batch().views;
    REQUIRE(same_bits(gpu.min_eigenvalues(views[0], ImageMemory::device), min_eigenvalues(image.view())));
    std::size_t corners = 0;
    for (const GoodFeaturesOptions& options : wanted) {
        INFO("at most " << options.max_corners << ", quality " << options.quality << ", distance "
                        << options.min_distance);
        const std::vector<FlowPoint> points = good_features(image.view(), options);
        REQUIRE(gpu.find(image.view(), ImageMemory::host, options) == points);
        corners += points.size();
        for (std::size_t i = 1; i < images.size(); ++i) {
            const ImageView<const std::uint8_t> mask = images[i].view();
            const std::vector<FlowPoint> masked = good_features(image.view(), options, mask);
            REQUIRE(gpu.find(image.view(), ImageMemory::host, options, mask) == masked);
            REQUIRE(gpu.find(views[0], ImageMemory::device, options, views[i]) == masked);
            corners += masked.size();
        }
    }
    return corners;
}

}  // namespace

TEST_CASE("good features: CUDA equals the CPU", "[optical-flow][good-features][cuda]") {
    const auto device = gpu();
    if (!device) return;
    GpuGoodFeatures features(*device);
    const std::vector<GoodFeaturesOptions> options = corner_options();
    std::size_t corners = 0;
    std::vector<NamedImage> images = corner_images();
    for (const Size size : {Size{1283, 719}, Size{641, 1081}}) {
        images.push_back({"large texture", smooth_noise(size.width, size.height, 2, 3)});
        images.push_back({"large noise", noise(size.width, size.height, 4)});
    }
    for (const auto& [name, image] : images) {
        INFO(name << ", " << image.width << "x" << image.height);
        corners += compare_with_cpu(*device, features, image, options);
    }
    CHECK(corners > 10000);
}

TEST_CASE("good features: CUDA equals the CPU on a few small images",
          "[optical-flow][good-features][cuda][cuda-small]") {
    const auto device = gpu();
    if (!device) return;
    GpuGoodFeatures features(*device);
    const std::vector<GoodFeaturesOptions> options = corner_options();
    std::size_t corners = 0;
    for (const auto& [name, image] : small_corner_images()) {
        INFO(name << ", " << image.width << "x" << image.height);
        corners += compare_with_cpu(*device, features, image, std::span(options).first(2));
    }
    CHECK(corners > 100);
}

TEST_CASE("good features: CUDA refuses what the CPU refuses", "[optical-flow][good-features][cuda]") {
    const auto device = gpu();
    if (!device) return;
    GpuGoodFeatures features(*device);
    const GreyImage image = noise(20, 10, 1), other = noise(10, 20, 1);
    const auto find = [&](const GoodFeaturesOptions& options,
                          const ImageView<const std::uint8_t>& mask = {}) {
        return features.find(image.view(), ImageMemory::host, options, mask);
    };
    CHECK_THROWS_AS(features.find({}, ImageMemory::host, {}), std::invalid_argument);
    CHECK_THROWS_AS(features.min_eigenvalues({}, ImageMemory::host), std::invalid_argument);
    CHECK_THROWS_AS(find({}, other.view()), std::invalid_argument);
    CHECK_THROWS_AS(find({0, 0, 1}), std::invalid_argument);
    CHECK_THROWS_AS(find({0, 0.1, -1}), std::invalid_argument);
    CHECK_THROWS_AS(find({-1, 0.1, 1}), std::invalid_argument);
    // Refused by its size, before a pixel is read.
    const ImageView<const std::uint8_t> huge{image.pixels.data(), 1 << 16, 1 << 16, 1 << 16};
    CHECK_THROWS_AS(features.find(huge, ImageMemory::device, {}), std::invalid_argument);
    // And it goes on.
    CHECK(find({}) == good_features(image.view(), {}));
}
