#include "kernels/optical_flow/gpu_optical_flow.hpp"

#include <algorithm>
#include <cstdio>

#include <catch2/catch.hpp>

#include "kernels/optical_flow/good_features.hpp"
#include "tests/kernels/optical_flow/flow_scenes.hpp"
#include "tests/support/gpu.hpp"
#include "tests/support/resident_images.hpp"

using namespace fovea;
using namespace fovea::test;
using cuda_backend::GpuOpticalFlow;

namespace {

FlowResult followed_by(GpuOpticalFlow& flow, const FlowScene& scene, bool with_errors = true) {
    for (const GreyImage* image : {&scene.from, &scene.to}) {
        flow.add_image(image->view(), ImageMemory::host, scene.options.window, scene.options.max_level);
    }
    FlowResult result;
    result.moved = scene.guesses;
    result.found.resize(scene.points.size(), 9);
    result.errors.resize(with_errors ? scene.points.size() : 0, -1);
    flow.follow(scene.points, result.moved, result.found, result.errors, scene.options);
    return result;
}

}  // namespace

TEST_CASE("optical flow: CUDA equals the CPU", "[optical-flow][cuda]") {
    const auto device = gpu();
    if (!device) return;
    GpuOpticalFlow flow(*device);
    for (unsigned seed = 0; seed < 200; ++seed) {
        const FlowScene scene = flow_scene(seed, 200);
        INFO("scene " << seed << ": " << scene.from.width << "x" << scene.from.height << ", window "
                      << scene.options.window.width << "x" << scene.options.window.height);
        REQUIRE(differing_points(followed_by(flow, scene), followed(scene)) == 0);
        REQUIRE(differing_points(followed_by(flow, scene, false), followed(scene, follow_points, false)) ==
                0);
    }
}

TEST_CASE("optical flow: CUDA follows back as the CPU does, in images in its own memory",
          "[optical-flow][cuda]") {
    const auto device = gpu();
    if (!device) return;
    GpuOpticalFlow flow(*device);
    for (unsigned seed = 500; seed < 520; ++seed) {
        const FlowScene scene = flow_scene(seed, 200);
        const std::vector<GreyImage> images{scene.from, scene.to};
        const ResidentImages resident(*device, images, 1, 3);
        for (const auto& view : resident.batch().views) {
            flow.add_image(view, ImageMemory::device, scene.options.window, scene.options.max_level);
        }
        FlowPyramid from, to;
        from.build(scene.from.view(), scene.options.window, scene.options.max_level);
        to.build(scene.to.view(), scene.options.window, scene.options.max_level);
        const std::size_t count = scene.points.size();
        struct Results {
            std::vector<FlowPoint> moved, back;
            std::vector<std::uint8_t> found, found_back;
            std::vector<float> errors;
        };
        Results cpu{scene.guesses, std::vector<FlowPoint>(count), std::vector<std::uint8_t>(count),
                    std::vector<std::uint8_t>(count), std::vector<float>(count)};
        Results cuda = cpu;
        follow_points_and_back(from, to, scene.points, cpu.moved, cpu.found, cpu.errors, cpu.back,
                               cpu.found_back, scene.options);
        flow.follow(scene.points, cuda.moved, cuda.found, cuda.errors, scene.options, cuda.back,
                    cuda.found_back);
        INFO("scene " << seed);
        REQUIRE(differing_points({cuda.moved, cuda.found, cuda.errors}, {cpu.moved, cpu.found, cpu.errors}) ==
                0);
        REQUIRE(differing_points({cuda.back, cuda.found_back, {}}, {cpu.back, cpu.found_back, {}}) == 0);
    }
}

TEST_CASE("optical flow: CUDA refuses what does not fit", "[optical-flow][cuda]") {
    const auto device = gpu();
    if (!device) return;
    GpuOpticalFlow flow(*device);
    const GreyImage image = noise(300, 300, 1);
    std::vector<FlowPoint> points(1), moved(1);
    std::vector<std::uint8_t> found(1);
    FlowOptions options;
    CHECK_THROWS_AS(flow.follow(points, moved, found, {}, options), std::invalid_argument);
    options.window = {255, 255};
    flow.add_image(image.view(), ImageMemory::host, options.window, 0);
    flow.add_image(image.view(), ImageMemory::host, options.window, 0);
    CHECK_THROWS_WITH(flow.follow(points, moved, found, {}, options), Catch::Matchers::Contains("255x255"));
}

// Not run by default: scripts/run-tests.sh '[.million]'. On 16 threads the CPU's part takes less than a
// minute.
TEST_CASE("optical flow: a million points, CUDA equals the CPU", "[.million][cuda]") {
    const auto device = gpu();
    if (!device) return;
    GpuOpticalFlow flow(*device);
    MillionSummary seen;
    for (int number = 0; number < million_scenes; ++number) {
        const FlowScene scene = million_scene(number);
        seen.add(scene, followed(scene), followed_by(flow, scene));
        INFO("scene " << number);
        REQUIRE(seen.differing == 0);
    }
    check_million(seen);
}

// Not run by default: scripts/run-tests.sh '[flow-times]'
TEST_CASE("optical flow: times on a GPU", "[.][flow-times][cuda]") {
    const auto device = gpu();
    if (!device) return;
    GpuOpticalFlow flow(*device);
    const FlowOptions defaults;
    const GreyImage from = smooth_noise(1920, 1080, 2, 1);
    std::mt19937 random(1);
    const GreyImage to = shifted(from, 3, -2, 4, random);
    std::vector<FlowPoint> corners = good_features(from.view(), {5000, 0.0001, 3});
    REQUIRE(corners.size() == 5000);
    for (const int max_level : {2, 3}) {
        FlowOptions options = defaults;
        options.max_level = max_level;
        for (const GreyImage* image : {&from, &to}) {
            flow.add_image(image->view(), ImageMemory::host, options.window, options.max_level);
        }
        for (const std::size_t count :
             {std::size_t{68}, std::size_t{300}, std::size_t{1000}, corners.size()}) {
            for (const int pyramids : {0, 1, 2}) {
                for (const bool and_back : {false, true}) {
                    std::vector<double> times = flow.measure(
                        to.view(), pyramids, std::span(corners).first(count), and_back, options, 51);
                    std::nth_element(times.begin(), times.begin() + 25, times.end());
                    std::printf("1920x1080, max_level %d, %zu points, %d pyramids%s: median %.3f ms\n",
                                max_level, count, pyramids, and_back ? ", and back" : "", times[25]);
                }
            }
        }
    }
}
