#include "lib/detect/yunet_detector.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <thread>

#include <catch2/catch.hpp>
#include <opencv2/core.hpp>

#include "kernels/core/image_batch.hpp"
#include "lib/bench/benchmark_images.hpp"
#include "lib/core/error.hpp"
#include "lib/core/threads.hpp"
#include "lib/detect/engine_detector.hpp"
#include "lib/files/find_model.hpp"
#include "lib/image/read_grey.hpp"
#include "tests/support/images.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/support/yunet.hpp"

using namespace fovea;
using Catch::Matchers::Contains;

namespace {

std::string refusal_of(const DetectorOptions& options) {
    try {
        resolve_options(options, YunetDetector::traits_of_kind());
    } catch (const UsageError& error) {
        return error.what();
    }
    return "accepted";
}

cv::Mat colours_of(const GreyImage& image) {
    const ImageView<const std::uint8_t> view = image.view();
    cv::Mat colours(view.height, view.width, CV_8UC3);
    for (int y = 0; y < view.height; ++y) {
        for (int x = 0; x < view.width; ++x) {
            const std::uint8_t grey = view.data[y * view.stride + x];
            colours.at<cv::Vec3b>(y, x) = {grey, grey, grey};
        }
    }
    return colours;
}

// FaceDetectorYN as its users call it, on one thread.
cv::Mat faces_by_opencv(const std::filesystem::path& model, const cv::Mat& colours, float min_score) {
    const ThreadLimit one(1);
    const auto network =
        cv::FaceDetectorYN::create(model.string(), "", colours.size(), min_score, 0.3F, 5000);
    cv::Mat faces;
    network->detect(colours, faces);
    return faces;
}

// The part of a box that lies in the image.
Box inside(const float* face, cv::Size size) {
    const double left = std::max(0.0, double(face[0])), top = std::max(0.0, double(face[1]));
    const double right = std::min<double>(size.width, double(face[0]) + double(face[2]));
    const double bottom = std::min<double>(size.height, double(face[1]) + double(face[3]));
    return {left, top, right - left, bottom - top};
}

// Empty, with a note, where there are no photographs.
std::vector<GreyImage> photographs() {
    std::vector<GreyImage> images;
    for (const std::string& file : test::debian_photographs()) {
        if (images.size() < 3) images.push_back(read_grey_image(file));
    }
    if (images.empty()) WARN("not run: there are no photographs of libdlib19.1");
    return images;
}

bool equal(const std::vector<std::vector<Detection>>& a, const std::vector<std::vector<Detection>>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& one, const auto& other) {
        return std::equal(
            one.begin(), one.end(), other.begin(), other.end(),
            [](const Detection& x, const Detection& y) { return x.box == y.box && x.score == y.score; });
    });
}

}  // namespace

TEST_CASE("YuNet takes its own options and refuses those of cascades", "[yunet]") {
    const DetectorTraits traits = YunetDetector::traits_of_kind();
    DetectorOptions options;
    options.min_size = {20, 30};
    options.max_size = {200, 300};
    const DetectorOptions resolved = resolve_options(options, traits);
    CHECK(resolved.min_score == 0.15);
    CHECK(resolved.score == ScoreKind::confidence);
    CHECK_FALSE(resolved.scale_factor.has_value());
    CHECK_FALSE(resolved.min_neighbors.has_value());
    CHECK(resolved.min_size == Size{20, 30});
    CHECK(resolve_options(resolved, traits) == resolved);
    CHECK(resolve_options(options, traits, 0.5).min_score == 0.5);
    CHECK(resolve_options(options, traits, 0.1).min_score == 0.15);
    options.min_score = 0.01;
    options.score = ScoreKind::confidence;
    CHECK(resolve_options(options, traits, 0.5).min_score == 0.01);

    DetectorOptions wrong;
    wrong.scale_factor = 1.1;
    CHECK_THAT(refusal_of(wrong), Contains("scan no windows") && Contains("leave out 'scale_factor'"));
    wrong = {};
    wrong.min_neighbors = 0;
    CHECK_THAT(refusal_of(wrong), Contains("'min_neighbors'"));
    wrong = {};
    wrong.border = 1;
    CHECK_THAT(refusal_of(wrong), Contains("'border'"));
    wrong = {};
    wrong.raw = true;
    CHECK_THAT(refusal_of(wrong), Contains("'raw'"));
    wrong = {};
    wrong.start_scale = 0.5;
    CHECK_THAT(refusal_of(wrong), Contains("'start_scale'"));
    wrong = {};
    wrong.step = 2;
    CHECK_THAT(refusal_of(wrong), Contains("'step'"));
    for (const ScoreKind score : {ScoreKind::neighbors, ScoreKind::stage_sum}) {
        wrong = {};
        wrong.score = score;
        CHECK_THAT(refusal_of(wrong), Contains("no score but their confidence"));
    }
    wrong = {};
    wrong.min_size = {-1, 5};
    CHECK_THAT(refusal_of(wrong), Contains("'min_size' must be"));
}

TEST_CASE("YuNet's models are told by their names and found by them", "[yunet]") {
    CHECK(is_yunet_model("models/face_detection_yunet_2022mar.onnx"));
    CHECK(is_yunet_model("F.ONNX"));
    CHECK_FALSE(is_yunet_model("onnx"));
    CHECK_FALSE(is_yunet_model("yunet.onnx.json"));
    const test::TempDir folder;
    folder.write("net_of_test.onnx", "");
    ::setenv("FOVEA_MODELS", folder.path().c_str(), 1);
    CHECK(find_model("net_of_test") == folder.path() / "net_of_test.onnx");
    // Its own kind of model comes first.
    folder.write("net_of_test.json", "");
    CHECK(find_model("net_of_test") == folder.path() / "net_of_test.json");
    ::unsetenv("FOVEA_MODELS");
}

TEST_CASE("a file that is no network of YuNet's is refused with its name", "[yunet]") {
    const test::TempDir folder;
    for (const std::string& content : {std::string(), std::string("hello"), test::other_network()}) {
        const auto file = folder.write("broken.onnx", content);
        CAPTURE(content);
        CHECK_THROWS_WITH(load_detector(file, DetectionDevice::cpu()),
                          Contains("broken.onnx") && Contains("as the face detector YuNet"));
        CHECK_THROWS_AS(YunetNetwork(file), Error);
    }
    CHECK_THROWS_AS(YunetNetwork(folder.path() / "none.onnx"), Error);
}

TEST_CASE("images of more pixels than the network's memory allows are reduced", "[yunet]") {
    CHECK(yunet_reduction({1, 1}) == 1);
    CHECK(yunet_reduction({3840, 2160}) == 1);
    CHECK(yunet_reduction({4096, 2048}) == 1);  // 2^23 pixels
    CHECK(yunet_reduction({8192, 4096}) == 0.5);
    // A long strip is continued to 64 rows, and may have 2^17 columns then.
    CHECK(yunet_reduction({1 << 17, 1}) == 1);
    CHECK(yunet_reduction({1 << 20, 3}) == 0.125);
    CHECK(yunet_reduction({3, 1 << 20}) == 0.125);
}

TEST_CASE("YuNet runs on the CPU, and on a GPU's behalf only where nobody asked for one", "[yunet][data]") {
    const auto model = test::yunet_file();
    if (model.empty()) return;
    CHECK_THROWS_WITH(load_detector(model, {{0}, false}),
                      Contains(model.string()) && Contains("on the CPU alone; use --device cpu"));
    CHECK_THROWS_AS(load_detector(model, {{0}, false}), UsageError);
    const auto detector = load_detector(model, {{0}, true});
    CHECK(detector->device_name() == "cpu");
    CHECK(detector->window() == Size{10, 10});
    CHECK(detector->as_cascade() == nullptr);
    CHECK_THROWS_WITH(require_cascade(*detector, model, "Windows are drawn"),
                      Contains("Windows are drawn, and " + model.string() + " is no cascade"));
    const std::vector<ImageBatch::View> views(1);
    CHECK_THROWS_AS(detector->detect({views, 0}, {}), std::logic_error);
    CHECK(detector->counters().images == 0);
}

TEST_CASE("YuNet's faces are those of FaceDetectorYN", "[yunet][opencv][parity][data]") {
    const auto model = test::yunet_file();
    if (model.empty()) return;
    const YunetDetector detector(model);
    std::size_t compared = 0, clipped = 0;
    for (const GreyImage& photograph : photographs()) {
        for (const int width : {photograph.view().width, 640, 333, 129}) {
            const int height = width * photograph.view().height / photograph.view().width;
            const GreyImage image = resized(photograph, {width, height});
            const cv::Mat colours = colours_of(image);
            const cv::Mat faces = faces_by_opencv(model, colours, 0.15F);
            const auto found = detector.detect(image.view(), {}).at(0);
            INFO(width << "x" << height);
            REQUIRE(found.size() == static_cast<std::size_t>(faces.rows));
            for (int row = 0; row < faces.rows; ++row) {
                const auto* const face = faces.ptr<float>(row);
                const Box expected = inside(face, colours.size());
                const bool is_there =
                    std::any_of(found.begin(), found.end(), [&](const Detection& detection) {
                        return detection.score == double(face[14]) &&
                               std::abs(detection.box.x - expected.x) < 1e-9 &&
                               std::abs(detection.box.y - expected.y) < 1e-9 &&
                               std::abs(detection.box.w - expected.w) < 1e-9 &&
                               std::abs(detection.box.h - expected.h) < 1e-9;
                    });
                CHECK(is_there);
                clipped += expected.w != double(face[2]) || expected.h != double(face[3]);
                ++compared;
            }
            CHECK(std::is_sorted(found.begin(), found.end(),
                                 [](const Detection& a, const Detection& b) { return a.score > b.score; }));
        }
    }
    if (test::debian_photographs().empty()) return;
    CHECK(compared > 50);
    CHECK(clipped > 0);
}

TEST_CASE("YuNet finds the same on every number of threads, in batches and alone", "[yunet][data]") {
    const auto model = test::yunet_file();
    if (model.empty()) return;
    const YunetDetector detector(model);
    std::vector<GreyImage> images;
    // At the first of these sizes OpenCV's results depend on its number of threads.
    for (const auto& photograph : photographs()) {
        for (const auto& [width, height] : {std::pair{65, 129}, {129, 65}, {333, 251}, {1, 1}, {97, 400}})
            images.push_back(resized(photograph, {width, height}));
    }
    if (images.empty()) return;
    std::vector<ImageView<const std::uint8_t>> views;
    for (const GreyImage& image : images) views.push_back(image.view());
    DetectorOptions options;
    options.min_score = 0.05;
    std::vector<std::vector<Detection>> expected;
    {
        ThreadLimit one(1);
        one.run([&] {
            for (const auto& view : views) expected.push_back(detector.detect(view, options).at(0));
        });
    }
    CHECK(expected[0].size() > 10);
    for (const int threads : {1, 2, 3, 8}) {
        ThreadLimit limit(threads);
        std::vector<std::vector<Detection>> found;
        limit.run([&] { found = detector.detect(views, options); });
        INFO(threads << " threads");
        CHECK(equal(found, expected));
    }
    // Callers at once.
    std::vector<std::vector<Detection>> first, second;
    std::thread other([&] { first = detector.detect(views, options); });
    second = detector.detect(views, options);
    other.join();
    CHECK(equal(first, expected));
    CHECK(equal(second, expected));
    CHECK(detector.counters().images == 7 * views.size());
}

TEST_CASE("YuNet takes images of every size", "[yunet][data]") {
    const auto model = test::yunet_file();
    if (model.empty()) return;
    const YunetDetector detector(model);
    CHECK(detector.detect(ImageView<const std::uint8_t>{}, {}).at(0).empty());
    for (const auto& [width, height] :
         {std::pair{1, 1}, {8, 8}, {24, 24}, {62, 63}, {63, 62}, {64, 64}, {1, 5000}, {5000, 1}}) {
        const GreyImage noise = test::smooth_noise(width, height, 3, 7);
        DetectorOptions options;
        options.min_score = 0;
        const auto found = detector.detect(noise.view(), options).at(0);
        for (const Detection& detection : found) {
            INFO(width << "x" << height);
            CHECK(detection.box.x >= 0);
            CHECK(detection.box.y >= 0);
            CHECK(detection.box.x + detection.box.w <= width);
            CHECK(detection.box.y + detection.box.h <= height);
        }
    }
    const auto photos = photographs();
    if (photos.empty()) return;
    // A face of 24 pixels, alone: cut out where a first look finds one.
    const auto faces = detector.detect(photos[0].view(), {}).at(0);
    REQUIRE(!faces.empty());
    const Box face = faces[0].box;
    const double side = 1.2 * std::max(face.w, face.h);
    const int left = std::max(0, int(face.centre().x - side / 2));
    const int top = std::max(0, int(face.centre().y - side / 2));
    const int length = std::min({int(side), photos[0].width - left, photos[0].height - top});
    GreyImage cut{length, length, {}};
    for (int y = 0; y < length; ++y) {
        const auto row = photos[0].pixels.begin() + std::ptrdiff_t{top + y} * photos[0].width + left;
        cut.pixels.insert(cut.pixels.end(), row, row + length);
    }
    const GreyImage small = resized(cut, {24, 24});
    const auto small_faces = detector.detect(small.view(), {}).at(0);
    REQUIRE(!small_faces.empty());
    CHECK(small_faces[0].score > 0.5);
    CHECK(small_faces[0].box.w > 10);
}

TEST_CASE("YuNet's faces in a large photograph are in its own pixels, and limits of size drop them",
          "[yunet][data]") {
    const auto model = test::yunet_file();
    if (model.empty()) return;
    const auto photos = photographs();
    if (photos.empty()) return;
    const YunetDetector detector(model);
    // 4000 x 3000 are reduced, by more than a tenth.
    const GreyImage large = resized(photos[0], {4000, 3000});
    CHECK(yunet_reduction({4000, 3000}) < 0.9);
    const GreyImage half = resized(photos[0], {2000, 1500});
    DetectorOptions sure;
    sure.min_score = 0.9;
    const auto of_large = detector.detect(large.view(), sure).at(0);
    const auto of_half = detector.detect(half.view(), sure).at(0);
    REQUIRE(!of_large.empty());
    REQUIRE(!of_half.empty());
    std::size_t agreeing = 0;
    for (const Detection& face : of_large) {
        agreeing += std::any_of(of_half.begin(), of_half.end(), [&](const Detection& other) {
            return std::abs(2 * other.box.centre().x - face.box.centre().x) < 0.2 * face.box.w &&
                   std::abs(2 * other.box.centre().y - face.box.centre().y) < 0.2 * face.box.h &&
                   std::abs(2 * other.box.w - face.box.w) < 0.1 * face.box.w;
        });
    }
    CHECK(agreeing > 0);
    CHECK(agreeing + 1 >= std::min(of_large.size(), of_half.size()));

    // Those of one photograph within the limits, which are within themselves.
    const auto all = detector.detect(half.view(), {}).at(0);
    REQUIRE(all.size() > 2);
    DetectorOptions limits;
    limits.min_size = {60, 70};
    limits.max_size = {150, 220};
    std::size_t expected = 0;
    for (const Detection& face : all)
        expected += face.box.w >= 60 && face.box.h >= 70 && face.box.w <= 150 && face.box.h <= 220;
    const auto limited = detector.detect(half.view(), limits).at(0);
    CHECK(limited.size() == expected);
    CHECK(limited.size() < all.size());
    limits.max_size = {0, 1};  // a zero in it means none
    CHECK(detector.detect(half.view(), limits).at(0).size() >= expected);
}
