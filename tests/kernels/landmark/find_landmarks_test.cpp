#include "kernels/landmark/find_landmarks.hpp"

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
