#include "lib/detect/mct_detector.hpp"

#include <algorithm>
#include <chrono>

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "lib/detect/detections.hpp"
#include "lib/files/find_model.hpp"
#include "lib/image/formats/image.hpp"
#include "tests/lib/detect/mct_models.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using Catch::Matchers::Contains;

namespace {

// A flat ground with a bright square of `side` pixels at (x, y).
GreyImage spot_image(int width, int height, int x, int y, int side) {
    GreyImage image{width, height, std::vector<std::uint8_t>(static_cast<std::size_t>(width) * height, 50)};
    for (int row = y; row < y + side; ++row) {
        for (int column = x; column < x + side; ++column) image.pixels[row * width + column] = 200;
    }
    return image;
}

Detection detection(Box box, double score) {
    Detection made;
    made.box = box;
    made.score = score;
    return made;
}

std::vector<double> scores_of(const std::vector<Detection>& detections) {
    std::vector<double> scores;
    for (const Detection& each : detections) scores.push_back(each.score);
    return scores;
}

std::vector<double> suppressed(std::vector<Detection> detections, double max_iou) {
    suppress_overlaps(detections, max_iou);
    return scores_of(detections);
}

}  // namespace

TEST_CASE("MCT detector: groups become faces, worked out by hand", "[mct_detector]") {
    const MctDetector detector(test::spot_model());
    CascadeResult findings;
    // The face is the middle half of the window: 48x48 at (10, 20) has it at (22, 32), 24x24.
    findings.groups = {{{10, 20, 48, 48}, 4, 140}, {{-12, 100, 24, 24}, 3, 70}, {{200, 0, 24, 24}, 9, 500}};
    const auto found = detector.detections_of(findings, {100, 112}, {});
    REQUIRE(found.size() == 2);  // the third lies outside
    CHECK(found[0].box == Box{22, 32, 24, 24});
    CHECK(found[0].score == 5.0 / 6);  // half way between odds 1 at 70 and 9 at 210
    CHECK(found[0].details->neighbors == 4);
    CHECK_FALSE(found[0].details->stage_sum.has_value());
    // Cut at the left and at the bottom: x from -6 to 6, y from 106 to 118.
    CHECK(found[1].box == Box{0, 106, 6, 6});
    CHECK(found[1].score == 0.5);

    DetectorOptions options;
    options.score = ScoreKind::neighbors;
    CHECK(scores_of(detector.detections_of(findings, {100, 112}, options)) == std::vector<double>{4, 3});
    options.score = ScoreKind::stage_sum;
    CHECK(scores_of(detector.detections_of(findings, {100, 112}, options)) == std::vector<double>{140, 70});
    options.min_score = 70;  // itself is kept
    CHECK(scores_of(detector.detections_of(findings, {100, 112}, options)) == std::vector<double>{140, 70});
    options.min_score = 70.5;
    CHECK(scores_of(detector.detections_of(findings, {100, 112}, options)) == std::vector<double>{140});

    // A window of odd size: 29 * 6 / 24 is no integer.
    findings.groups = {{{3, 4, 29, 29}, 2, 7}};
    CHECK(detector.detections_of(findings, {100, 112}, {}).at(0).box == Box{10.25, 11.25, 14.5, 14.5});
}

TEST_CASE("MCT detector: windows that are not grouped", "[mct_detector]") {
    const MctDetector detector(test::spot_model());
    CascadeResult findings;
    findings.windows = {{0, 2, 3, 35}, {0, 4, 3, 23}};
    DetectorOptions options;
    options.min_neighbors = 0;
    auto found = detector.detections_of(findings, {60, 50}, options);
    REQUIRE(found.size() == 2);
    CHECK(found[0].box == Box{8, 9, 12, 12});
    CHECK(found[0].score == 0.5 / 1.5);  // half the first knot's margin
    CHECK(found[0].details->neighbors == 1);
    // Both are there although they overlap: nothing is suppressed among windows.
    CHECK(found[1].box == Box{10, 9, 12, 12});

    options.raw = true;
    found = detector.detections_of(findings, {60, 50}, options);
    REQUIRE(found.size() == 2);
    CHECK(found[0].score == 35);
    CHECK(found[0].details->stage_sum == 35.0);
    CHECK(found[0].details->stage == 2);
}

TEST_CASE("MCT detector: finds a spot where it is, at every size of image", "[mct_detector]") {
    const MctDetector detector(test::spot_model());
    for (const int size : {23, 24, 25, 26, 63, 64, 65}) {
        CAPTURE(size);
        const int at = (size - 4) / 2 / 2 * 2;
        const GreyImage image = spot_image(size, size, at, at, 4);
        const ImageView<const std::uint8_t> view = image.view();
        DetectorOptions options;
        options.min_neighbors = 0;
        const auto windows = detector.detect(view, options).at(0);
        if (size == 23) {
            CHECK(windows.empty());
            continue;
        }
        REQUIRE_FALSE(windows.empty());
        const Box expected{at - 4.0, at - 4.0, 12, 12};
        CHECK(std::any_of(windows.begin(), windows.end(),
                          [&](const Detection& each) { return each.box == expected; }));
        options.min_neighbors = std::nullopt;
        const auto faces = detector.detect(view, options).at(0);
        REQUIRE(faces.size() <= 1);
        if (size < 26) continue;  // too few windows to be a group
        REQUIRE(faces.size() == 1);
        CHECK(faces[0].score > 0.5);
        CHECK(std::abs(faces[0].box.centre().x - (at + 2)) < 1.5);
        CHECK(std::abs(faces[0].box.centre().y - (at + 2)) < 1.5);
    }
}

TEST_CASE("MCT detector: start scale and step reach the scan", "[mct_detector]") {
    const MctDetector detector(test::spot_model());
    const GreyImage image = spot_image(120, 90, 40, 30, 8);
    const ImageView<const std::uint8_t> view = image.view();
    DetectorOptions options;
    options.min_neighbors = 0;
    options.start_scale = 2;
    options.step = 3;
    const CascadeScan scan = detector.scan_of(options);
    CHECK(scan.parameters.start_scale == 2);
    CHECK(scan.parameters.step == 3);
    CHECK(scan.parameters.scale_factor == 1.15);
    CHECK(scan.min_neighbors == 0);
    const auto found = detector.detect(view, options).at(0);
    for (const Detection& each : found) CHECK(each.box.w >= 24);
    options.step = 1;
    const auto dense = detector.detect(view, options).at(0);
    CHECK(dense.size() > found.size());
    CHECK(detector.scan_of({}).min_neighbors == 1);
}

TEST_CASE("MCT detector: without a calibration margins are the score", "[mct_detector]") {
    MctModel model = test::spot_model();
    model.confidence.clear();
    const MctDetector detector(std::move(model));
    CascadeResult findings;
    findings.groups = {{{10, 20, 48, 48}, 4, 140}};
    CHECK(detector.detections_of(findings, {100, 112}, {}).at(0).score == 140);
    DetectorOptions options;
    options.score = ScoreKind::confidence;
    CHECK_THROWS_WITH(detector.detections_of(findings, {100, 112}, options),
                      Contains("without a calibration have no confidence"));
    CHECK_THAT(detector.description(), Contains("MCT cascade, window 24x24, 2 look-ups, 1 of them for 2x2"));
}

TEST_CASE("overlapping detections: the stronger one is kept", "[mct_detector]") {
    // 10x10 boxes shifted by 5: IoU 50 / 150 = 1/3.
    const Detection strong = detection({0, 0, 10, 10}, 0.9);
    const Detection beside = detection({5, 0, 10, 10}, 0.8);
    CHECK(suppressed({beside, strong}, 0.3) == std::vector<double>{0.9});
    CHECK(suppressed({beside, strong}, 0.34) == std::vector<double>{0.9, 0.8});
    // A chain: the middle one is dropped, and so drops nothing itself.
    const Detection far = detection({10, 0, 10, 10}, 0.7);
    CHECK(suppressed({far, beside, strong}, 0.3) == std::vector<double>{0.9, 0.7});
    // The middle one is the strongest: both others go.
    CHECK(suppressed({far, detection({5, 0, 10, 10}, 1), strong}, 0.3) == std::vector<double>{1});

    // Nested: IoU 16 / 100, the small one's centre inside; either may be the stronger.
    const Detection inner = detection({4, 4, 4, 4}, 0.95);
    CHECK(suppressed({strong, inner}, 0.3) == std::vector<double>{0.95});
    CHECK(suppressed({strong, detection({4, 4, 4, 4}, 0.1)}, 0.3) == std::vector<double>{0.9});
    // Its centre is outside, or the sizes are alike: only the IoU counts.
    CHECK(suppressed({strong, detection({8.5, 4, 4, 4}, 0.1)}, 0.3) == std::vector<double>{0.9, 0.1});
    CHECK(suppressed({strong, detection({4.5, 4.5, 8, 8}, 0.1)}, 0.3) == std::vector<double>{0.9, 0.1});

    CHECK(suppressed({}, 0.3).empty());
    CHECK(suppressed({strong, strong}, 0.3) == std::vector<double>{0.9});
}

TEST_CASE("overlapping detections: the order of the input does not matter", "[mct_detector]") {
    std::vector<Detection> detections;
    for (int i = 0; i < 40; ++i) {
        const double x = i * 37 % 50;
        const double y = i * 53 % 40;
        detections.push_back(detection({x, y, 10.0 + i % 7, 10.0 + i % 5}, i % 6));
    }
    std::vector<Detection> reversed(detections.rbegin(), detections.rend());
    suppress_overlaps(detections, 0.3);
    suppress_overlaps(reversed, 0.3);
    REQUIRE(detections.size() == reversed.size());
    CHECK(detections.size() < 40);
    CHECK(detections.size() > 3);
    for (std::size_t i = 0; i < detections.size(); ++i) CHECK(detections[i].box == reversed[i].box);
    const std::size_t kept = detections.size();
    suppress_overlaps(detections, 0.3);
    CHECK(detections.size() == kept);
}

TEST_CASE(
    "overlapping detections: groups far apart do not influence each other, and thousands take little time",
    "[mct_detector]") {
    // A group of 8, few enough to look at all of them, leaves the same as it leaves among all.
    std::vector<Detection> all;
    std::vector<double> left_alone;
    for (int group = 0; group < 10000; ++group) {
        std::vector<Detection> detections;
        for (int i = 0; i < 8; ++i) {
            const int number = group * 8 + i;
            detections.push_back(
                detection({100.0 * (group % 100) + number * 37 % 30, 100.0 * (group / 100) + number * 53 % 20,
                           4.0 + number % 17, 4.0 + number % 13},
                          number * 7919 % 100003));
        }
        all.insert(all.end(), detections.begin(), detections.end());
        const std::vector<double> left = suppressed(detections, 0.3);
        left_alone.insert(left_alone.end(), left.begin(), left.end());
    }
    std::sort(left_alone.rbegin(), left_alone.rend());
    const auto start = std::chrono::steady_clock::now();
    const std::vector<double> left = suppressed(all, 0.3);
    // 30 s by a look at all pairs.
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(5));
    CHECK(left == left_alone);
    CHECK(left.size() > 20000);
    CHECK(left.size() < 70000);
}

TEST_CASE("detector options: what is left open is the detector's own", "[mct_detector]") {
    const MctDetector mct(test::spot_model());
    const DetectorOptions of_mct = resolve_options({}, mct.traits(), 0.5);
    CHECK(of_mct.scale_factor == 1.15);
    CHECK(of_mct.min_neighbors == 1);
    CHECK(of_mct.score == ScoreKind::confidence);
    CHECK(of_mct.min_score == 0.5);
    CHECK(resolve_options({}, mct.traits()).min_score == 0.0);
    CHECK(resolve_options(of_mct, mct.traits()) == of_mct);
    const DetectorOptions of_haar = resolve_options({}, {}, 0.5);
    CHECK(of_haar.scale_factor == 1.1);
    CHECK(of_haar.min_neighbors == 3);
    CHECK(of_haar.score == ScoreKind::neighbors);
    CHECK_FALSE(of_haar.min_score.has_value());  // sums may be below 0

    DetectorOptions options;
    options.scale_factor = 1.3;
    options.min_neighbors = 0;
    options.score = ScoreKind::neighbors;
    options.min_score = -5;
    CHECK(resolve_options(options, mct.traits(), 0.5) == options);
    options = {};
    options.raw = true;
    CHECK_FALSE(resolve_options(options, mct.traits(), 0.5).min_score.has_value());

    const auto refused = [](DetectorOptions wrong) {
        try {
            resolve_options(wrong, {});
        } catch (const UsageError& error) {
            return std::string(error.what());
        }
        return std::string("accepted");
    };
    DetectorOptions wrong;
    wrong.start_scale = 2;
    CHECK_THAT(refused(wrong), Contains("Haar and LBP cascades are scanned from scale 1 on"));
    wrong = {};
    wrong.step = 2;
    CHECK_THAT(refused(wrong), Contains("leave out 'step'"));
    wrong = {};
    wrong.score = ScoreKind::confidence;
    CHECK_THAT(refused(wrong), Contains("have no confidence"));
    wrong = {};
    wrong.step = 0;
    CHECK_THAT(refused(wrong), Contains("'step' must be between 1 and 24, but is 0"));
    wrong.step = 25;
    CHECK_THAT(refused(wrong), Contains("but is 25"));
    wrong = {};
    wrong.start_scale = 0.1;
    CHECK_THAT(refused(wrong), Contains("'start_scale' must be between 0.25 and 1000, but is 0.1"));
}

TEST_CASE("models are found by name and told apart by content", "[mct_detector]") {
    const test::TempDir folder;
    write_mct_model(test::spot_model(), folder.path() / "spot_of_test.json");
    ::setenv("FOVEA_MODELS", ("/no/such/folder:" + folder.path().string()).c_str(), 1);
    CHECK(find_model("spot_of_test") == folder.path() / "spot_of_test.json");
    CHECK(find_model("spot_of_test.json") == folder.path() / "spot_of_test.json");
    CHECK(load_detector(find_model("spot_of_test"), DetectionDevice::cpu())->window() == Size{24, 24});
    const auto names = shipped_models();
    CHECK(std::find(names.begin(), names.end(), "spot_of_test") != names.end());
    CHECK_THROWS_WITH(find_model("spot_of_tset"), Contains("did you mean 'spot_of_test'?"));
    CHECK_THROWS_WITH(find_model("lbpcascade_frontalfase"),
                      Contains("did you mean 'lbpcascade_frontalface'?"));
    CHECK_THROWS_WITH(find_model("spot_of_tset"), Contains(folder.path().string()) &&
                                                      Contains("FOVEA_MODELS") && Contains("opencv-data"));
    ::unsetenv("FOVEA_MODELS");
    CHECK_THROWS_AS(find_model("spot_of_test"), UsageError);
    const auto xml = load_detector(find_model("lbpcascade_frontalface"), DetectionDevice::cpu());
    CHECK(xml->traits().in_opencv);
}
