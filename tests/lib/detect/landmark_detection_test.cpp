#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "lib/detect/detector.hpp"
#include "lib/files/find_model.hpp"
#include "lib/image/read_grey.hpp"
#include "lib/landmark/add_landmarks.hpp"
#include "tests/support/gpu.hpp"
#include "tests/support/images.hpp"
#include "tests/support/landmark_models.hpp"
#include "tests/support/resident_images.hpp"

using namespace fovea;

namespace {

constexpr BoxTransform edges{-0.1, 0.05, 1.2, 1.1};

struct Photographs {
    std::vector<GreyImage> images;
    std::vector<ImageView<const std::uint8_t>> views;
};

// A photograph's left upper part again and again: more faces than an engine brings along with the first copy.
GreyImage mosaic_of(const GreyImage& image, int times) {
    const int width = image.width / 2, height = image.height / 2;
    GreyImage mosaic{width * times, height * times, {}};
    mosaic.pixels.resize(static_cast<std::size_t>(mosaic.width) * mosaic.height);
    for (int y = 0; y < mosaic.height; ++y) {
        for (int x = 0; x < mosaic.width; ++x) {
            mosaic.pixels[static_cast<std::size_t>(y) * mosaic.width + x] =
                image.view()(2 * (x % width), 2 * (y % height));
        }
    }
    return mosaic;
}

Photographs photographs() {
    Photographs result;
    for (const std::string& file : test::debian_photographs()) {
        if (result.images.size() == 4) break;
        result.images.push_back(read_grey_image(file));
    }
    if (result.images.empty()) {
        WARN("not run: Debian's photographs are not installed");
        return result;
    }
    result.images.push_back(mosaic_of(result.images[0], 6));
    result.images.push_back(test::noise(3, 2, 1));
    for (const GreyImage& image : result.images) result.views.push_back(image.view());
    return result;
}

bool same(const std::vector<std::vector<Detection>>& a, const std::vector<std::vector<Detection>>& b) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (a[i].size() != b[i].size()) return false;
        for (std::size_t k = 0; k < a[i].size(); ++k) {
            if (a[i][k].box != b[i][k].box || a[i][k].score != b[i][k].score ||
                a[i][k].details->landmarks != b[i][k].details->landmarks) {
                return false;
            }
        }
    }
    return true;
}

std::vector<DetectorOptions> option_sets() {
    DetectorOptions max_groups;
    max_groups.min_neighbors = 1;
    max_groups.scale_factor = 1.1;
    DetectorOptions windows;
    windows.min_neighbors = 0;
    windows.min_size = {60, 60};
    DetectorOptions strong;
    strong.min_neighbors = 4;
    strong.min_score = 0.5;
    return {max_groups, windows, strong};
}

std::vector<std::vector<Detection>> detect_with(const Detector& detector, const Photographs& set,
                                                const DetectorOptions& options,
                                                const LandmarkStage& landmarks) {
    return detector.detect(set.views, options, &landmarks);
}

}  // namespace

TEST_CASE("detection with landmarks: those of the boxes that are reported", "[landmark][detect]") {
    const Photographs set = photographs();
    if (set.images.empty()) return;
    const Landmarker landmarker(test::random_landmark_model({68, 4, 3, 30, 60, true, 4}, 3),
                                DetectionDevice::cpu(), "random");
    for (const char* model : {"mct", "haarcascade_frontalface_alt2"}) {
        const auto detector = load_detector(find_model(model), DetectionDevice::cpu());
        for (const DetectorOptions& options : option_sets()) {
            auto expected = detector->detect(set.views, options);
            std::size_t faces = 0;
            for (std::size_t i = 0; i < expected.size(); ++i) {
                for (Detection& detection : expected[i]) {
                    const Box& box = detection.box;
                    const LandmarkTask task{static_cast<std::uint32_t>(i),
                                            rect_of_edges({box.x, box.y, box.w, box.h}, edges)};
                    detection.details.edit().landmarks = landmarker.find(set.views, {&task, 1})[0];
                    ++faces;
                }
            }
            CAPTURE(model, faces);
            REQUIRE(faces > 0);
            CHECK(same(detect_with(*detector, set, options, {&landmarker, edges}), expected));
        }
    }
}

TEST_CASE("detection with landmarks: equal on a GPU", "[landmark][detect][cuda]") {
    const auto device = test::gpu();
    if (!device) return;
    const Photographs set = photographs();
    if (set.images.empty()) return;
    const LandmarkModel model = test::random_landmark_model({68, 4, 3, 30, 60, false, 1}, 4);
    std::vector<std::vector<int>> lists = test::sharing_gpus();
    lists.push_back({device->index()});
    const DetectionDevice gpu{GENERATE_COPY(from_range(lists)), false};
    CAPTURE(gpu.name());
    const Landmarker on_cpu(model, DetectionDevice::cpu(), "random"), on_gpu(model, gpu, "random");
    for (const char* name : {"mct", "haarcascade_frontalface_alt2", "lbpcascade_frontalface"}) {
        const auto host = load_detector(find_model(name), DetectionDevice::cpu());
        const auto cuda = load_detector(find_model(name), gpu);
        for (const DetectorOptions& options : option_sets()) {
            const auto expected = detect_with(*host, set, options, {&on_cpu, edges});
            CAPTURE(name, expected[4].size());
            // Thrice, so that graphs are captured and replayed; then with other edges, which a replay must
            // not miss.
            for (int i = 0; i < 3; ++i) {
                CHECK(same(detect_with(*cuda, set, options, {&on_gpu, edges}), expected));
            }
            const BoxTransform others{0, 0, 1, 1};
            CHECK(same(detect_with(*cuda, set, options, {&on_gpu, others}),
                       detect_with(*host, set, options, {&on_cpu, others})));
            CHECK(same(detect_with(*cuda, set, options, {&on_cpu, edges}), expected));
        }
    }
}

TEST_CASE("detection with landmarks: refused in a GPU's memory where there is none", "[landmark][detect]") {
    const std::vector<ImageView<const std::uint8_t>> no_images;
    const auto detector = load_detector(find_model("mct"), DetectionDevice::cpu());
    CHECK_THROWS_AS(detector->detect({no_images, 0}, {}), std::logic_error);
    const Landmarker landmarker(test::still_landmark_model(), DetectionDevice::cpu(), "still");
    CHECK_THROWS_WITH(landmarker.find({no_images, 3}, {}), Catch::Matchers::Contains("cuda:3"));
}

TEST_CASE("detection with landmarks: equal in images that are on the GPU already",
          "[landmark][detect][cuda]") {
    const auto device = test::gpu();
    if (!device) return;
    const Photographs set = photographs();
    if (set.images.empty()) return;
    const DetectionDevice gpu{{device->index()}, false};
    const Landmarker landmarker(test::random_landmark_model({68, 4, 3, 30, 60, false, 1}, 4), gpu, "random");
    const LandmarkStage stage{&landmarker, edges};
    for (const char* name : {"mct", "haarcascade_frontalface_alt2", "lbpcascade_frontalface"}) {
        const auto detector = load_detector(find_model(name), gpu);
        for (const DetectorOptions& options : option_sets()) {
            const auto expected = detector->detect(set.views, options, &stage);
            CAPTURE(name, expected[4].size());
            for (const int gap : {0, 4, 5}) {
                const test::ResidentImages resident(*device, set.images, gap % 3, gap);
                CHECK(same(detector->detect(resident.batch(), options, &stage), expected));
                CHECK(
                    same(detector->detect(resident.batch(), options), detector->detect(set.views, options)));
            }
        }
    }
}
