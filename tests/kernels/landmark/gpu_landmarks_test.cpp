#include "kernels/landmark/gpu_landmarks.hpp"

#include <vector>

#include <catch2/catch.hpp>

#include "lib/landmark/landmark_file.hpp"
#include "tests/reference/dlib_landmarks.hpp"
#include "tests/support/gpu.hpp"
#include "tests/support/images.hpp"
#include "tests/support/landmark_models.hpp"

using namespace fovea;

namespace {

struct Scene {
    std::vector<GreyImage> images;
    std::vector<ImageView<const std::uint8_t>> views;
};

Scene scene() {
    Scene scene;
    scene.images.push_back(test::smooth_noise(320, 240, 4, 1));
    scene.images.push_back(test::smooth_noise(97, 131, 2, 2));
    scene.images.push_back(test::noise(1, 1, 3));
    for (const GreyImage& image : scene.images) scene.views.push_back(image.view());
    return scene;
}

// Boxes of all sizes, inside, at the border and outside.
std::vector<LandmarkTask> tasks_of(std::size_t count) {
    std::vector<LandmarkTask> tasks;
    for (std::size_t i = 0; i < count; ++i) {
        const int k = static_cast<int>(i);
        tasks.push_back({static_cast<std::uint32_t>(i % 3),
                         {k * 13 % 300 - 40, k * 7 % 220 - 30, 1 + k * 11 % 190, 1 + k * 5 % 170}});
    }
    return tasks;
}

void require_equal(const LandmarkModel& model, const Scene& scene, const std::vector<LandmarkTask>& tasks,
                   int device) {
    const LandmarkTables tables = make_landmark_tables(model);
    const std::size_t coordinates = model.initial_shape.size();
    constexpr std::int32_t guard = 0x5A5A5A5A;
    std::vector<std::int32_t> expected(tasks.size() * coordinates + 1, guard), found = expected;
    find_landmarks(model, tables, scene.views, tasks, expected.data());
    cuda_backend::GpuLandmarks gpu(model, tables, device);
    gpu.find(scene.views, tasks, found.data());
    REQUIRE(found == expected);
    REQUIRE(found.back() == guard);
}

}  // namespace

TEST_CASE("landmarks: a GPU finds the CPU's positions in small models of all kinds",
          "[landmark][cuda][cuda-small]") {
    const auto device = test::gpu();
    if (!device) return;
    const Scene images = scene();
    for (const test::LandmarkModelShape& shape :
         std::vector<test::LandmarkModelShape>{{68, 4, 3, 20, 40, false, 1},
                                               {68, 4, 2, 20, 40, true, 16},
                                               {1, 0, 1, 1, 1, false, 1},
                                               {5, 1, 2, 9, 3, false, 4},
                                               {7, 5, 2, 31, 300, true, 1},
                                               {194, 3, 2, 17, 50, false, 1},
                                               {33, 8, 1, 5, 50, false, 1}}) {
        CAPTURE(shape.points, shape.depth, shape.quantised);
        for (const std::size_t faces : {std::size_t{0}, std::size_t{1}, std::size_t{13}}) {
            CAPTURE(faces);
            LandmarkModel model = test::random_landmark_model(shape, 5);
            require_equal(model, images, tasks_of(faces), device->index());
            if (model.points == 1) continue;
            model.refit_after = 1;
            require_equal(model, images, tasks_of(faces), device->index());
        }
    }
}

TEST_CASE("landmarks: a GPU finds the CPU's positions at the kernel's limits", "[landmark][cuda]") {
    const auto device = test::gpu();
    if (!device) return;
    const Scene images = scene();
    // Trees of several rounds, more coordinates than a block has threads for, deep trees, many pixels.
    for (const test::LandmarkModelShape& shape :
         std::vector<test::LandmarkModelShape>{{68, 4, 2, 511, 500, false, 1},
                                               {68, 4, 2, 512, 500, true, 1},
                                               {68, 4, 2, 513, 500, false, 1},
                                               {68, 4, 2, 1300, 500, true, 1},
                                               {700, 3, 2, 600, 100, false, 1},
                                               {700, 3, 2, 600, 100, true, 1},
                                               {68, 11, 1, 20, 100, true, 1},
                                               {68, 4, 2, 20, 60000, false, 1}}) {
        CAPTURE(shape.points, shape.depth, shape.trees, shape.pixels, shape.quantised);
        require_equal(test::random_landmark_model(shape, 6), images, tasks_of(37), device->index());
    }
    for (const std::size_t faces : {7, 8, 9, 131, 132, 133, 1055, 1056, 1057, 4096, 9001}) {
        CAPTURE(faces);
        require_equal(test::random_landmark_model({}, 7), images, tasks_of(faces), device->index());
    }
}

TEST_CASE("landmarks: a GPU finds the CPU's positions with Debian's model", "[landmark][cuda]") {
    const auto device = test::gpu();
    if (!device) return;
    if (!std::filesystem::exists(test::debian_landmark_model())) {
        WARN("not run: Debian's libdlib-data is not installed");
        return;
    }
    const LandmarkModel model = read_landmark_model(test::debian_landmark_model());
    const Scene images = scene();
    for (const std::size_t faces : {1, 600}) {
        require_equal(model, images, tasks_of(faces), device->index());
    }
}
