#include "kernels/landmark/find_landmarks.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <tbb/task_arena.h>

#include "kernels/landmark/landmark_body.hpp"
#include "lib/dataset/dataset.hpp"
#include "lib/dataset/formats/read_dataset.hpp"
#include "lib/image/read_grey.hpp"
#include "lib/landmark/landmark_file.hpp"
#include "tests/reference/dlib_landmarks.hpp"
#include "tests/support/images.hpp"
#include "tests/support/simd_targets.hpp"

using namespace fovea;

namespace {

struct Faces {
    std::vector<GreyImage> images;
    std::vector<LandmarkTask> tasks;

    std::vector<ImageView<const std::uint8_t>> views() const {
        std::vector<ImageView<const std::uint8_t>> result;
        for (const GreyImage& image : images) result.push_back(image.view());
        return result;
    }
};

// The boxes of a dataset's faces, and each shifted and stretched `variations` times.
Faces faces_of(const std::string& specification, int variations) {
    Faces faces;
    for (const Sample& sample : read_dataset(specification).samples) {
        faces.images.push_back(read_grey_image(sample.path));
        for (const Face& face : sample.faces) {
            for (int i = 0; i <= variations; ++i) {
                const Rect box{static_cast<int>(face.box.x) + 5 * i, static_cast<int>(face.box.y) - 7 * i,
                               static_cast<int>(face.box.w) + 3 * i, static_cast<int>(face.box.h) + i};
                faces.tasks.push_back({static_cast<std::uint32_t>(faces.images.size() - 1), box});
            }
        }
    }
    return faces;
}

std::vector<std::int32_t> found(const LandmarkModel& model, const Faces& faces) {
    std::vector<std::int32_t> positions(faces.tasks.size() * model.initial_shape.size());
    find_landmarks(model, make_landmark_tables(model), faces.views(), faces.tasks, positions.data());
    return positions;
}

const LandmarkModel* debian_model() {
    static const std::optional<LandmarkModel> model = []() -> std::optional<LandmarkModel> {
        if (!std::filesystem::exists(test::debian_landmark_model())) return std::nullopt;
        return read_landmark_model(test::debian_landmark_model());
    }();
    if (!model) WARN("not run: Debian's libdlib-data is not installed");
    return model ? &*model : nullptr;
}

void require_dlibs_points(const LandmarkModel& model, const Faces& faces) {
    static const test::DlibLandmarks dlib(test::debian_landmark_model());
    REQUIRE(!faces.tasks.empty());
    const std::vector<std::int32_t> ours = found(model, faces);
    std::vector<test::DlibImage> images;
    for (const auto& view : faces.views()) images.emplace_back(view);
    for (std::size_t i = 0; i < faces.tasks.size(); ++i) {
        const LandmarkTask& task = faces.tasks[i];
        CAPTURE(i, task.image, task.box.x, task.box.y, task.box.width, task.box.height);
        const auto first = ours.begin() + static_cast<std::ptrdiff_t>(i * model.initial_shape.size());
        REQUIRE(std::vector<std::int32_t>(first,
                                          first + static_cast<std::ptrdiff_t>(model.initial_shape.size())) ==
                dlib.find(images[task.image], task.box));
    }
}

}  // namespace

TEST_CASE("landmarks: dlib's points in dlib's examples", "[landmark]") {
    const LandmarkModel* const model = debian_model();
    if (model == nullptr) return;
    REQUIRE(model->points == 68);
    REQUIRE(model->cascades.size() == 15);
    REQUIRE(model->trees() == 7500);
    REQUIRE(model->depth == 4);
    for (const char* list : {"training", "testing"}) {
        require_dlibs_points(*model, faces_of(std::string("dlib:/usr/share/doc/libdlib19.1/examples/faces/") +
                                                  list + "_with_face_landmarks.xml",
                                              3));
    }
}

TEST_CASE("landmarks: dlib's points in boxes whose sizes are powers of two", "[landmark]") {
    // There, positions half-way between two pixels are frequent.
    const LandmarkModel* const model = debian_model();
    if (model == nullptr) return;
    Faces faces;
    faces.images.push_back(test::smooth_noise(640, 480, 5, 7));
    for (int i = 0; i < 24; ++i) {
        for (const int size : {2, 33, 65, 129, 257}) {
            faces.tasks.push_back({0, {10 * i - 20, 9 * i - 30, size, size}});
        }
    }
    require_dlibs_points(*model, faces);
}

TEST_CASE("landmarks: dlib's points in HELEN", "[landmark]") {
    const char* const data = std::getenv("FOVEA_DATA");
    if (data == nullptr) {
        WARN("not run: FOVEA_DATA is not set");
        return;
    }
    const LandmarkModel* const model = debian_model();
    if (model == nullptr) return;
    require_dlibs_points(*model, faces_of("pts:" + std::string(data) + "/benchmark/helen-test", 1));
}

TEST_CASE("landmarks: a box is fitted anew where the first cascades have found the face", "[landmark]") {
    // Five points in a box of 80×40 pixels, turned by 30°, half as large again as in a square of 40, moved.
    const std::vector<float> initial{0.25F, 0.25F, 0.75F, 0.25F, 0.5F, 0.5F, 0.25F, 0.75F, 0.625F, 0.875F};
    LandmarkModel model;
    model.points = 5;
    model.subpixels = 256;
    model.initial_shape = initial;
    const Rect box{7, 11, 81, 41};
    const double cosine = 60 * std::cos(0.5235987755982988), sine = 60 * std::sin(0.5235987755982988);
    const auto place = [&](std::size_t i) {
        const double x = double{initial[2 * i]}, y = double{initial[2 * i + 1]};
        return Point{9 + cosine * x - sine * y, -4 + sine * x + cosine * y};
    };
    // A cascade of one tree of one leaf, which moves the points there.
    LandmarkCascade there;
    there.pixels = {{0, 0, 0}};
    there.trees = 1;
    there.leaves.resize(model.leaf_stride());
    for (std::size_t i = 0; i < 5; ++i) {
        there.leaves[2 * i] = static_cast<float>(place(i).x / 80) - initial[2 * i];
        there.leaves[2 * i + 1] = static_cast<float>(place(i).y / 40) - initial[2 * i + 1];
    }
    // Another one moves point 1 by a tenth of the box to the right.
    LandmarkCascade on = there;
    std::fill(on.leaves.begin(), on.leaves.end(), 0.0F);
    on.leaves[2] = 0.1F;
    model.cascades = {there, on};
    const GreyImage image = test::noise(100, 80, 1);
    const auto find = [&] {
        std::vector<std::int32_t> positions(10);
        const std::vector<ImageView<const std::uint8_t>> images{image.view()};
        const std::vector<LandmarkTask> tasks{{0, box}};
        find_landmarks(model, make_landmark_tables(model), images, tasks, positions.data());
        return positions;
    };
    const auto check = [&](const std::vector<std::int32_t>& positions, double dx, double dy) {
        for (std::size_t i = 0; i < 5; ++i) {
            CAPTURE(i);
            const double x = 7 + place(i).x + (i == 1 ? dx : 0), y = 11 + place(i).y + (i == 1 ? dy : 0);
            CHECK(positions[2 * i] / 256.0 == Approx(x).margin(0.01));
            CHECK(positions[2 * i + 1] / 256.0 == Approx(y).margin(0.01));
        }
    };
    check(find(), 8, 0);
    model.refit_after = 1;
    // Along the turned square's side of 60 pixels.
    check(find(), 0.1 * cosine, 0.1 * sine);
    // The shape begins anew: what a similarity cannot do is forgotten.
    model.cascades[0].leaves[2] += 0.125F;
    model.cascades[0].leaves[0] -= 0.125F;
    const std::vector<std::int32_t> positions = find();
    const auto distance = [&](std::size_t a, std::size_t b) {
        return std::hypot(positions[2 * a] - positions[2 * b], positions[2 * a + 1] - positions[2 * b + 1]);
    };
    // Points 0, 2 and 3: sides of 1/4·√2, 1/4·√2 and 1/2.
    CHECK(distance(0, 2) == Approx(distance(2, 3)).margin(2));
    CHECK(distance(0, 3) == Approx(distance(0, 2) * std::sqrt(2)).margin(2));
    // It is never fitted anew after as many cascades as there are.
    model.refit_after = 2;
    const std::vector<std::int32_t> last = find();
    model.refit_after = 0;
    CHECK(find() == last);
}
