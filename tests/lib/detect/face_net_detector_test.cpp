#include "lib/detect/face_net_detector.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <catch2/catch.hpp>
#include <tbb/parallel_for.h>

#include "kernels/core/image_batch.hpp"
#include "lib/core/error.hpp"
#include "lib/core/threads.hpp"
#include "lib/detect/detections.hpp"
#include "lib/detect/face_net_cells.hpp"
#include "tests/support/face_nets.hpp"
#include "tests/support/gpu.hpp"
#include "tests/support/images.hpp"
#include "tests/support/resident_images.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

FaceNetModel model() {
    return {"random", random_face_net({16, 16, 16}, 7), {}, {}};
}

DetectorOptions all_scores() {
    DetectorOptions options;
    options.min_score = 1e-6;
    return options;
}

std::string refusal_of(const DetectorOptions& options) {
    try {
        resolve_options(options, FaceNetDetector::traits_of_kind());
    } catch (const UsageError& error) {
        return error.what();
    }
    return "accepted";
}

}  // namespace

TEST_CASE("face net detector: the faces of a small image are those of its cells", "[face-net]") {
    const FaceNetDetector detector(model());
    const GreyImage image = smooth_noise(150, 110, 6, 3);
    const std::vector<Detection> found = detector.detect({{image.view()}}, all_scores())[0];
    std::vector<Detection> wanted;
    std::vector<Detection> faces = faces_of_cells(run_face_net(model().net, image.view(), -13.8156F));
    suppress_overlaps(faces, face_net_max_iou);
    for (const Detection& face : faces) {
        Detection* const inside = add_inside(face.box, {150, 110}, wanted);
        if (inside != nullptr) inside->score = face.score;
    }
    sort_detections(wanted);
    REQUIRE(found.size() > 3);
    REQUIRE(found.size() == wanted.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
        CHECK(found[i].box == wanted[i].box);
        CHECK(found[i].score == wanted[i].score);
        CHECK(found[i].box.x >= 0);
        CHECK(found[i].box.x + found[i].box.w <= 150);
    }
    CHECK(detector.counters().images == 1);
    CHECK(detector.device_name() == "cpu");
}

TEST_CASE("face net detector: large images are seen at a quarter of their size, too", "[face-net]") {
    const FaceNetDetector detector(model());
    const GreyImage image = smooth_noise(600, 420, 20, 5);
    double largest = 0;
    const std::vector<Detection> all = detector.detect({{image.view()}}, all_scores())[0];
    for (const Detection& face : all) largest = std::max(largest, face.box.w);
    double largest_at_once = 0;
    for (const Detection& face : faces_of_cells(run_face_net(model().net, image.view(), -13.8F)))
        largest_at_once = std::max(largest_at_once, std::min(face.box.w, 600.0));
    CHECK(largest >= largest_at_once);

    // Batches and threads change nothing, and sizes are limited.
    const GreyImage other = smooth_noise(90, 80, 6, 6);
    const auto alone = detector.detect({{other.view()}}, all_scores())[0];
    ThreadLimit(3).run([&] {
        const std::vector<ImageView<const std::uint8_t>> views{image.view(), other.view()};
        const auto both = detector.detect(views, all_scores());
        REQUIRE(both[1].size() == alone.size());
        for (std::size_t i = 0; i < alone.size(); ++i) CHECK(both[1][i].box == alone[i].box);
    });
    DetectorOptions options = all_scores();
    options.min_size = {40, 30};
    options.max_size = {80, 90};
    const std::vector<Detection> limited = detector.detect({{image.view()}}, options)[0];
    CHECK(limited.size() < all.size());
    for (const Detection& face : limited) CHECK(face.box.w <= 80);
    // One pixel is an image.
    CHECK_NOTHROW(detector.detect({{smooth_noise(1, 1, 1, 1).view()}}, all_scores()));
}

TEST_CASE("face net detector: the score of the model changes scores and no boxes", "[face-net]") {
    FaceNetModel scored = model();
    scored.score = {0.5, 1};
    const GreyImage image = smooth_noise(150, 110, 6, 3);
    DetectorOptions options;
    options.min_score = 0.02;
    const std::vector<Detection> plain = FaceNetDetector(model()).detect({{image.view()}}, options)[0];
    // A logit l becomes l / 2 + 1.
    const double logit = std::log(0.02 / 0.98);
    options.min_score = 1 / (1 + std::exp(-(logit / 2 + 1)));
    const std::vector<Detection> found = FaceNetDetector(scored).detect({{image.view()}}, options)[0];
    REQUIRE(plain.size() > 3);
    REQUIRE(found.size() == plain.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
        CHECK(found[i].box == plain[i].box);
        const double here = std::log(plain[i].score / (1 - plain[i].score)) / 2 + 1;
        CHECK(found[i].score == Approx(1 / (1 + std::exp(-here))).epsilon(1e-12));
    }
}

TEST_CASE("face net detector: a GPU finds what the CPU finds", "[face-net][cuda]") {
    const auto device = gpu();
    if (!device) return;
    const FaceNetDetector on_cpu(model());
    const int index = device->index();
    const FaceNetDetector on_gpu(model(), std::span(&index, 1));
    CHECK(on_gpu.device_name() == device->name());
    std::vector<GreyImage> images;
    for (unsigned i = 0; i < 9; ++i)
        images.push_back(smooth_noise(60 + 97 * static_cast<int>(i), 300 - 30 * static_cast<int>(i), 7, i));
    std::vector<ImageView<const std::uint8_t>> views;
    for (const GreyImage& image : images) views.push_back(image.view());
    // The GPU suppresses few cells, the CPU many.
    DetectorOptions options;
    options.min_score = GENERATE(1e-6, 0.5, 0.9);
    CAPTURE(*options.min_score);
    const auto wanted = on_cpu.detect(views, options);
    const auto same = [&](const std::vector<std::vector<Detection>>& found) {
        REQUIRE(found.size() == wanted.size());
        for (std::size_t i = 0; i < found.size(); ++i) {
            CAPTURE(i);
            REQUIRE(found[i].size() == wanted[i].size());
            for (std::size_t d = 0; d < found[i].size(); ++d) {
                CHECK(found[i][d].box == wanted[i][d].box);
                CHECK(found[i][d].score == wanted[i][d].score);
            }
        }
    };
    same(on_gpu.detect(views, options));
    same(on_gpu.copy_for(*device)->detect(views, options));
    // Several threads at once.
    tbb::parallel_for(0, 4, [&](int) { static_cast<void>(on_gpu.detect(views, options)); });
    same(on_gpu.detect(views, options));
    CHECK(on_gpu.counters().images == 6 * images.size());
    // GPUs that share.
    for (const auto& gpus : sharing_gpus()) {
        CAPTURE(gpus);
        const FaceNetDetector sharing(model(), gpus);
        CHECK(sharing.device_name() == DetectionDevice{gpus}.name());
        same(sharing.detect(views, options));
        for (const int gpu : gpus)
            same(sharing.detect(ResidentImages(Device::cuda(gpu), images).batch(), options));
        // One thread suffices for them all.
        ThreadLimit(1).run([&] { same(sharing.detect(views, options)); });
        CHECK(sharing.detect(ImageBatch{}, options).empty());
        CHECK(sharing.detect({{views[3]}}, options)[0].size() == wanted[3].size());
        CHECK_THROWS_AS(sharing.detect({std::vector<ImageView<const std::uint8_t>>{}, 99}, options),
                        std::logic_error);
    }
}

TEST_CASE("face net detector: refused in a GPU's memory where there is none", "[face-net]") {
    const FaceNetDetector detector(model());
    CHECK_THROWS_WITH(detector.detect({std::vector<ImageView<const std::uint8_t>>{}, 3}, all_scores()),
                      Contains("on cpu") && Contains("cuda:3"));
}

TEST_CASE("face net detector: options of cascades are refused, and files are told apart", "[face-net]") {
    CHECK(refusal_of({}) == "accepted");
    CHECK(resolve_options({}, FaceNetDetector::traits_of_kind()).min_score == FaceNetDetector::min_score);
    DetectorOptions options;
    options.scale_factor = 1.1;
    CHECK_THAT(refusal_of(options), Contains("scale"));
    options = {};
    options.min_neighbors = 3;
    CHECK_THAT(refusal_of(options), Contains("neighbors"));
    options = {};
    options.score = ScoreKind::neighbors;
    CHECK(refusal_of(options) != "accepted");

    const TempDir folder;
    const auto file = folder.path() / "net.json";
    write_face_net_model(model(), file);
    CHECK(is_face_net_model(file));
    CHECK(load_detector(file, {})->description() == "8-bit quantised network, 16, 16 and 16 channels");
    folder.write("mct.json", R"({"format": "fovea-mct"})");
    CHECK_FALSE(is_face_net_model(folder.path() / "mct.json"));
    CHECK_FALSE(is_face_net_model(folder.path() / "missing.json"));
}
