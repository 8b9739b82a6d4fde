#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "lib/dataset/dataset.hpp"
#include "lib/dataset/formats/read_dataset.hpp"
#include "lib/evaluate/evaluate_detection.hpp"
#include "lib/results/formats/read_results.hpp"
#include "lib/results/results.hpp"
#include "tests/lib/evaluate/protocols/protocol_images.hpp"

using namespace fovea;
using namespace fovea::test;

namespace {

/// One row of a published ROC file: the rate, false positives and, in the discrete one, the threshold.
struct PublishedPoint {
    double rate = 0;
    int false_positives = 0;
    double threshold = 0;
};

std::vector<PublishedPoint> read_published_roc(const std::filesystem::path& path, bool has_threshold) {
    std::vector<PublishedPoint> points;
    PublishedPoint point;
    for (std::ifstream file(path); file >> point.rate >> point.false_positives;) {
        if (has_threshold) file >> point.threshold;
        points.push_back(point);
    }
    REQUIRE(!points.empty());
    return points;
}

std::map<std::string, double> fddb(const ProtocolCase& data, ProtocolMode mode,
                                   const std::vector<std::uint16_t>& weights = {}) {
    return data.values(evaluate_fddb, mode, weights);
}

}  // namespace

TEST_CASE("FDDB: an IoU of 0.5 is no discrete hit", "[evaluate][fddb]") {
    // Pixels: the face has 10 x 10, the first detection half of them, the second 60.
    ProtocolCase half;
    half.add({face(0, 0, 9, 9)}, {detection(0.9, 0, 0, 9, 4)});
    auto values = fddb(half, ProtocolMode::strict);
    CHECK(values["discrete_rate"] == 0);
    CHECK(values["continuous_rate"] == Approx(0.5));
    ProtocolCase more;
    more.add({face(0, 0, 9, 9)}, {detection(0.9, 0, 0, 9, 5)});
    values = fddb(more, ProtocolMode::strict);
    CHECK(values["discrete_rate"] == 1);
    CHECK(values["continuous_rate"] == Approx(0.6));
    CHECK(fddb(more, ProtocolMode::corrected)["continuous_rate"] == Approx(45.0 / 81));
}

TEST_CASE("FDDB: drawn rectangles are a pixel larger", "[evaluate][fddb]") {
    // Drawn 2 x 2 and 2 x 3 pixels: IoU 4/6. Real-valued 1 x 1 in 1 x 2: 0.5.
    ProtocolCase small;
    small.add({face(0, 0, 1, 1)}, {detection(0.9, 0, 0, 1, 2)});
    CHECK(fddb(small, ProtocolMode::strict)["discrete_rate"] == 1);
    CHECK(fddb(small, ProtocolMode::strict)["continuous_rate"] == Approx(2.0 / 3));
    CHECK(fddb(small, ProtocolMode::corrected)["discrete_rate"] == 0);
    CHECK(fddb(small, ProtocolMode::corrected)["continuous_rate"] == Approx(0.5));
}

TEST_CASE("FDDB: radii are cut to whole pixels in strict mode only", "[evaluate][fddb]") {
    // An ellipse of radii 2.9 and 2.9 against itself as a detection of radii 2 and 2: drawn, both are the
    // same.
    ProtocolCase data;
    Face wide = face(0, 0, 6, 6);
    wide.ellipse = Ellipse{{10, 10}, 2.9, 2.9, 0};
    Detection narrow = detection(0.9, 0, 0, 6, 6);
    narrow.details.edit().ellipse = Ellipse{{10, 10}, 2, 2, 0};
    data.add({wide}, {narrow});
    CHECK(fddb(data, ProtocolMode::strict)["continuous_rate"] == Approx(1));
    CHECK(fddb(data, ProtocolMode::corrected)["continuous_rate"] == Approx(4 / (2.9 * 2.9)));
}

TEST_CASE("FDDB: the largest summed IoU is matched, not the most hits", "[evaluate][fddb]") {
    // One row of pixels. Faces: 0-5 and 6-8. Detections: 0-9 (IoU 6/10 and 3/10), then 0-2 (IoU 3/6 and 0).
    // First alone: 0.6, a hit. Both: 0.3 + 0.5 = 0.8 is more than 0.6, and neither is a hit.
    ProtocolCase data;
    data.add({face(0, 0, 5, 0), face(6, 0, 2, 0)}, {detection(0.8, 0, 0, 2, 0), detection(0.9, 0, 0, 9, 0)});
    const auto evaluation = evaluate_fddb(data.images(), ProtocolMode::strict);
    const ImageTrace trace = evaluation->trace(0);
    REQUIRE(trace.steps.size() == 2);
    CHECK(trace.steps[0].score == 0.9);
    CHECK(trace.steps[0].true_positives == 1);
    CHECK(trace.steps[0].false_positives == 0);
    CHECK(trace.steps[1].true_positives == -1);
    CHECK(trace.steps[1].false_positives == 2);
    CHECK(trace.outcome.face_match == std::vector<int>{-1, -1});
    CHECK(trace.outcome.best_iou.all() == std::vector<double>{0.5, 0.6});
    auto values = fddb(data, ProtocolMode::strict);
    CHECK(values["discrete_at_50_fp"] == 0.5);
    CHECK(values["discrete_rate"] == 0);
    CHECK(values["continuous_at_50_fp"] == Approx(0.4));
    CHECK(values["continuous_rate"] == Approx(0.4));
}

TEST_CASE("FDDB: detections of one score enter together", "[evaluate][fddb]") {
    // The same mirrored, with equal scores; the long detection comes first by its box. Alone it is a hit, but
    // that is no threshold.
    ProtocolCase data;
    data.add({face(4, 0, 5, 0), face(1, 0, 2, 0)}, {detection(0.9, 7, 0, 2, 0), detection(0.9, 0, 0, 9, 0)});
    CHECK(fddb(data, ProtocolMode::strict)["discrete_at_50_fp"] == 0);
}

TEST_CASE("FDDB: false positives can become fewer as the threshold falls", "[evaluate][fddb]") {
    // 49 false positives, then the long detection (a hit), the short one (no hits, 51 false positives), then
    // one on the second face: it takes that face (1) and the long one the first again (0.6): two hits, 50
    // false positives.
    std::vector<Detection> detections;
    for (int i = 0; i < 49; ++i) detections.push_back(detection(0.95, 1000, 20 * i, 9, 9));
    detections.push_back(detection(0.9, 0, 0, 9, 0));
    detections.push_back(detection(0.8, 7, 0, 2, 0));
    detections.push_back(detection(0.7, 1, 0, 2, 0));
    ProtocolCase data;
    data.add({face(4, 0, 5, 0), face(1, 0, 2, 0)}, detections);
    auto values = fddb(data, ProtocolMode::strict);
    CHECK(values["discrete_at_50_fp"] == 1);
    CHECK(values["continuous_at_50_fp"] == Approx(0.8));  // (0.6 + 1) / 2
}

TEST_CASE("FDDB: regions are clipped to an image of known size", "[evaluate][fddb]") {
    // Pixels: face 20 x 10 of which 10 x 10 are in the image, detection these.
    ProtocolCase unknown;
    unknown.add({face(-10, 0, 19, 9)}, {detection(0.9, 0, 0, 9, 9)});
    ProtocolCase known;
    known.add({face(-10, 0, 19, 9)}, {detection(0.9, 0, 0, 9, 9)}, ImageSize{100, 100});
    CHECK(fddb(unknown, ProtocolMode::strict)["continuous_rate"] == Approx(0.5));
    CHECK(fddb(known, ProtocolMode::strict)["continuous_rate"] == Approx(1));
    CHECK(fddb(unknown, ProtocolMode::corrected)["continuous_rate"] == Approx(81.0 / 171));
    CHECK(fddb(known, ProtocolMode::corrected)["continuous_rate"] == Approx(1));
    CHECK(evaluate_fddb(known.images(), ProtocolMode::strict)->warnings().empty());
    const auto warnings = evaluate_fddb(unknown.images(), ProtocolMode::strict)->warnings();
    REQUIRE(warnings.size() == 1);
    CHECK_THAT(warnings[0], Catch::Contains("The size of 1 image is unknown"));
}

TEST_CASE("FDDB: rates at false positives, folds and repeated images", "[evaluate][fddb]") {
    // 60 false positives of falling score before the only hit of the first image; the second image has a hit
    // at once.
    std::vector<Detection> alarms;
    for (int i = 0; i < 60; ++i) alarms.push_back(detection(0.9 - i * 0.001, 1000, 1000, 9, 9));
    alarms.push_back(detection(0.5, 0, 0, 9, 9));
    ProtocolCase data;
    data.add({face(0, 0, 9, 9)}, alarms);
    data.last_sample().attributes = {{"fold", "10"}};
    data.add({face(0, 0, 9, 9), face(500, 0, 9, 9)}, {detection(0.95, 0, 0, 9, 9)});
    data.last_sample().attributes = {{"fold", "2"}};
    auto values = fddb(data, ProtocolMode::strict);
    CHECK(values["discrete_at_50_fp"] == Approx(1.0 / 3));
    CHECK(values["discrete_at_100_fp"] == Approx(2.0 / 3));
    CHECK(values["continuous_at_50_fp"] == Approx(1.0 / 3));
    CHECK(values["continuous_at_100_fp"] == Approx(2.0 / 3));
    CHECK(values["discrete_rate_fold_10"] == 1);
    CHECK(values["discrete_rate_fold_2"] == 0.5);
    CHECK(values["continuous_rate_fold_2"] == 0.5);
    const auto evaluation = evaluate_fddb(data.images(), ProtocolMode::strict);
    CHECK(evaluation->quantities()[14].key == "discrete_rate_fold_2");  // 2 comes before 10
    // The second image three times, the first not: 3 of 6 faces, no false positive, fold 10 empty.
    values = fddb(data, ProtocolMode::strict, {0, 3});
    CHECK(values["discrete_at_50_fp"] == 0.5);
    CHECK(std::isnan(values["discrete_rate_fold_10"]));
    // The first twice: 120 false positives before its face.
    values = fddb(data, ProtocolMode::strict, {2, 1});
    CHECK(values["discrete_at_100_fp"] == Approx(1.0 / 4));
    CHECK(values["discrete_at_250_fp"] == Approx(3.0 / 4));
}

TEST_CASE("FDDB: ignored faces count in strict mode only", "[evaluate][fddb]") {
    ProtocolCase data;
    data.add({ignored_face(0, 0, 9, 9)}, {detection(0.9, 0, 0, 9, 9)});
    CHECK(fddb(data, ProtocolMode::strict)["discrete_rate"] == 1);
    CHECK(std::isnan(fddb(data, ProtocolMode::corrected)["discrete_rate"]));
    const ImageTrace trace = evaluate_fddb(data.images(), ProtocolMode::corrected)->trace(0);
    CHECK(trace.outcome.outcomes == std::vector<DetectionMatch>{DetectionMatch::ignored});
    CHECK(trace.steps[0].false_positives == 0);

    CHECK_THAT(evaluate_fddb(data.images(), ProtocolMode::strict)->warnings().at(0),
               Catch::StartsWith("1 face is marked \"ignore\"") && Catch::Contains("--mode corrected"));
    for (const std::string& warning : evaluate_fddb(data.images(), ProtocolMode::corrected)->warnings())
        CHECK_THAT(warning, !Catch::Contains("ignore"));
}

TEST_CASE("FDDB: no faces, no detections, numbers that are none", "[evaluate][fddb]") {
    for (const ProtocolMode mode : {ProtocolMode::strict, ProtocolMode::corrected}) {
        ProtocolCase empty;
        empty.add({}, {detection(0.9, 0, 0, 9, 9)});
        CHECK(std::isnan(fddb(empty, mode)["discrete_at_50_fp"]));
        CHECK(evaluate_fddb(empty.images(), mode)->trace(0).steps[0].false_positives == 1);
        ProtocolCase silent;
        silent.add({face(0, 0, 9, 9)}, {});
        CHECK(fddb(silent, mode)["discrete_at_50_fp"] == 0);
        CHECK(fddb(silent, mode)["continuous_rate"] == 0);
        ProtocolCase broken;
        broken.add({face(0, 0, 9, 9)}, {detection(std::nan(""), 0, 0, 9, 9)});
        CHECK_THROWS_WITH(evaluate_fddb(broken.images(), mode), Catch::Contains("image-1.png"));
        ProtocolCase bent;
        Face no_ellipse = face(0, 0, 9, 9);
        no_ellipse.ellipse = Ellipse{{0, 0}, std::numeric_limits<double>::infinity(), 1, 0};
        bent.add({no_ellipse}, {});
        CHECK_THROWS_WITH(evaluate_fddb(bent.images(), mode), Catch::Contains("image-1.png"));
    }
}

TEST_CASE("FDDB: the curves published for a detector are reproduced at every threshold",
          "[evaluate][fddb][data]") {
    const char* data = std::getenv("FOVEA_DATA");
    if (data == nullptr) {
        WARN("not run: FOVEA_DATA is not set");
        return;
    }
    const std::filesystem::path folder = std::filesystem::path(data) / "lists" / "fddb";
    const Dataset dataset = read_dataset("fddb:" + (folder / "FDDB-all-ellipseList.txt").string());
    REQUIRE(dataset.samples.size() == 2845);
    REQUIRE(dataset.face_count() == 5171);
    std::string results;
    for (int fold = 1; fold <= 10; ++fold) {
        const std::string number = (fold < 10 ? "0" : "") + std::to_string(fold);
        results +=
            (fold == 1 ? "fddb:" : ",") + (folder / "mtcnn" / ("fold-" + number + "-out.txt")).string();
    }
    DetectionEvaluationOptions options;
    options.protocol = DetectionProtocol::fddb;
    options.bootstrap_resamples = 0;
    const DetectionEvaluation evaluation =
        evaluate_detection(dataset, read_results(results, dataset), options, "mtcnn");
    CHECK(evaluation.warnings.empty());  // the sizes stand beside the list

    std::vector<PublishedPoint> discrete = read_published_roc(folder / "mtcnn" / "MTCNNDiscROC.txt", true);
    std::vector<PublishedPoint> continuous = read_published_roc(folder / "mtcnn" / "MTCNNContROC.txt", false);
    // The last row is a threshold that nothing reaches; the others are by rising threshold.
    discrete.pop_back();
    continuous.pop_back();
    std::reverse(discrete.begin(), discrete.end());
    std::reverse(continuous.begin(), continuous.end());
    REQUIRE(evaluation.roc.size() == 1773);
    REQUIRE(discrete.size() == evaluation.roc.size());
    REQUIRE(continuous.size() == evaluation.roc.size());
    constexpr double printed = 5.2e-7;  // half of the last digit, and what the last bit of a sum does to it
    for (std::size_t i = 0; i < discrete.size(); ++i) {
        const RocPoint& point = evaluation.roc[i];
        INFO("score " << point.threshold);
        REQUIRE(discrete[i].threshold == Approx(point.threshold).epsilon(1e-5));
        REQUIRE(std::abs(point.detection_rate - discrete[i].rate) < printed);
        REQUIRE(point.false_positives == discrete[i].false_positives);
        REQUIRE(std::abs(point.continuous_rate - continuous[i].rate) < printed);
        REQUIRE(point.false_positives == continuous[i].false_positives);
    }
}
