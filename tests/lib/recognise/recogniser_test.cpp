#include "lib/recognise/recogniser.hpp"

#include <algorithm>

#include <catch2/catch.hpp>

#include "kernels/lbp/lbp_histograms.hpp"
#include "kernels/lbp/mirror.hpp"
#include "tests/support/gpu.hpp"
#include "tests/support/images.hpp"
#include "tests/support/resident_images.hpp"

using namespace fovea;
using namespace fovea::test;

namespace {

RecogniserConfig small_recogniser(bool mirror) {
    RecogniserConfig config;
    config.geometry = {{40, 44}, {{12, 16}, {28, 16}}};
    config.normalisation.ellipse = {20, 20, 19, 30};
    config.mirror = mirror;
    config.features = {{{8, 2, true}, regions_by_count({40, 44}, 4, 3)},
                       {{16, 3, true}, regions_by_count({40, 44}, 1, 1)}};
    return config;
}

// Faces at many places, angles and sizes, some of them partly outside.
std::vector<CropTask> faces_in(std::size_t images, std::size_t count, const CropGeometry& geometry) {
    std::vector<CropTask> tasks;
    for (std::size_t i = 0; i < count; ++i) {
        const double x = 10.0 + static_cast<double>(i * 13 % 70), y = 5.0 + static_cast<double>(i * 7 % 50);
        const CropEyes eyes{{x, y}, {x + 8 + static_cast<double>(i % 9), y + static_cast<double>(i % 5) - 2}};
        tasks.push_back({static_cast<std::uint32_t>(i % images), crop_transform(eyes, geometry)});
    }
    return tasks;
}

}  // namespace

TEST_CASE("a mirrored recogniser counts a face and its mirror image", "[recognise]") {
    const GreyImage image = smooth_noise(90, 70, 2, 5);
    const std::vector<ImageView<const std::uint8_t>> views{image.view()};
    const Recogniser plain(small_recogniser(false), DetectionDevice::cpu());
    const Recogniser mirrored(small_recogniser(true), DetectionDevice::cpu());
    const auto tasks = faces_in(1, 9, plain.config().geometry);
    const FaceFeatures features = mirrored.features(views, tasks);
    REQUIRE(features.size() == tasks.size());
    REQUIRE(features.length == 12 * 59 + 243);

    // Expected: the normalised faces, mirrored row by row, described by the other recogniser's histograms.
    const std::vector<GreyImage> faces = plain.normalised(views, tasks);
    const FaceFeatures straight = plain.features(views, tasks);
    const LbpHistograms histograms(Device::cpu(), {40, 44}, plain.config().features);
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        std::vector<std::uint8_t> turned = faces[i].pixels;
        for (std::size_t y = 0; y < 44; ++y) {
            std::reverse(turned.begin() + static_cast<std::ptrdiff_t>(y * 40),
                         turned.begin() + static_cast<std::ptrdiff_t>((y + 1) * 40));
        }
        std::vector<std::uint16_t> expected(features.length);
        histograms.compute(turned.data(), 1, expected.data());
        for (std::size_t b = 0; b < features.length; ++b) {
            expected[b] = static_cast<std::uint16_t>(expected[b] + straight.of(i)[b]);
        }
        CHECK(std::equal(expected.begin(), expected.end(), features.of(i)));
    }
    // Left and right are alike: the columns of regions 0 3, 1 2 have as many pixels in every bin of
    // non-uniform codes.
    CHECK(features.of(0)[0 * 59 + 58] == features.of(0)[3 * 59 + 58]);
    CHECK(features.of(0)[1 * 59 + 58] == features.of(0)[2 * 59 + 58]);
}

TEST_CASE("recognisers describe alike on the CPU and on GPUs", "[recognise][cuda]") {
    if (!gpu()) return;
    std::vector<GreyImage> images;
    std::vector<ImageView<const std::uint8_t>> views;
    for (std::uint32_t i = 0; i < 5; ++i)
        images.push_back(smooth_noise(60 + 11 * static_cast<int>(i), 64, 2, i));
    for (const GreyImage& image : images) views.push_back(image.view());
    for (const bool mirror : {false, true}) {
        const RecogniserConfig config = small_recogniser(mirror);
        const Recogniser cpu(config, DetectionDevice::cpu());
        std::vector<std::vector<int>> lists = sharing_gpus();
        lists.push_back({0});
        for (const std::vector<int>& gpus : lists) {
            const Recogniser gpu(config, DetectionDevice{gpus, false});
            for (const std::size_t count : {0, 1, 31, 4097}) {
                CAPTURE(mirror, gpus, count);
                const auto tasks = faces_in(images.size(), count, config.geometry);
                CHECK(gpu.features(views, tasks).words == cpu.features(views, tasks).words);
            }
            const auto tasks = faces_in(images.size(), 7, config.geometry);
            const auto on_cpu = cpu.normalised(views, tasks), on_gpu = gpu.normalised(views, tasks);
            for (std::size_t i = 0; i < tasks.size(); ++i) CHECK(on_gpu[i].pixels == on_cpu[i].pixels);
        }
    }
}

TEST_CASE("recognisers describe faces in images that are on the GPU already",
          "[recognise][cuda][cuda-small]") {
    const auto device = gpu();
    if (!device) return;
    std::vector<GreyImage> images;
    for (std::uint32_t i = 0; i < 5; ++i)
        images.push_back(smooth_noise(60 + 11 * static_cast<int>(i), 64, 2, i));
    std::vector<ImageView<const std::uint8_t>> views;
    for (const GreyImage& image : images) views.push_back(image.view());
    const RecogniserConfig config = small_recogniser(true);
    const Recogniser cpu(config, DetectionDevice::cpu());
    const Recogniser gpu(config, DetectionDevice{{0}, false});
    for (const int gap : {0, 1, 64}) {
        const ResidentImages resident(*device, images, gap % 3, gap);
        for (const std::size_t count : {0, 1, 31, 70}) {
            CAPTURE(gap, count);
            const auto tasks = faces_in(images.size(), count, config.geometry);
            const FaceFeatures found = gpu.features(resident.batch(), tasks);
            CHECK(found.length == cpu.metric().length);
            CHECK(found.words == cpu.features(views, tasks).words);
            // Between them the same from the host.
            CHECK(found.words == gpu.features(views, tasks).words);
        }
    }
}

TEST_CASE("recognisers on the CPU have no images on a GPU", "[recognise]") {
    const Recogniser cpu(small_recogniser(false), DetectionDevice::cpu());
    CHECK_THROWS_AS(cpu.features({std::vector<ImageView<const std::uint8_t>>{}, 0}, {}), std::logic_error);
}
