#include <cmath>
#include <limits>
#include <map>

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "tests/lib/evaluate/fddb_lists.hpp"
#include "tests/lib/evaluate/protocol_images.hpp"

using namespace fovea;
using namespace fovea::test;

namespace {

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
    // An ellipse of radii 2.9 and 2.9 against itself as a detection of radii 2 and 2: drawn, both are the same.
    ProtocolCase data;
    Face wide = face(0, 0, 6, 6);
    wide.ellipse = Ellipse{{10, 10}, 2.9, 2.9, 0};
    Detection narrow = detection(0.9, 0, 0, 6, 6);
    narrow.ellipse = Ellipse{{10, 10}, 2, 2, 0};
    data.add({wide}, {narrow});
    CHECK(fddb(data, ProtocolMode::strict)["continuous_rate"] == Approx(1));
    CHECK(fddb(data, ProtocolMode::corrected)["continuous_rate"] == Approx(4 / (2.9 * 2.9)));
}

TEST_CASE("FDDB: the largest summed IoU is matched, not the most hits", "[evaluate][fddb]") {
    // One row of pixels. Faces: 0-5 and 6-8. Detections: 0-9 (IoU 6/10 and 3/10), then 0-2 (IoU 3/6 and 0).
    // First alone: 0.6, a hit. With both: 0.3 + 0.5 = 0.8 is more than 0.6, and neither is a hit.
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
    CHECK(trace.outcome.best_iou == std::vector<double>{0.5, 0.6});
    auto values = fddb(data, ProtocolMode::strict);
    CHECK(values["discrete_at_50_fp"] == 0.5);
    CHECK(values["discrete_rate"] == 0);
    CHECK(values["continuous_at_50_fp"] == Approx(0.4));
    CHECK(values["continuous_rate"] == Approx(0.4));
}

TEST_CASE("FDDB: detections of one score enter together", "[evaluate][fddb]") {
    // The same mirrored, with equal scores; the long detection comes first by its box. Alone it is a hit, but that is no
    // threshold.
    ProtocolCase data;
    data.add({face(4, 0, 5, 0), face(1, 0, 2, 0)}, {detection(0.9, 7, 0, 2, 0), detection(0.9, 0, 0, 9, 0)});
    CHECK(fddb(data, ProtocolMode::strict)["discrete_at_50_fp"] == 0);
}

TEST_CASE("FDDB: false positives can become fewer as the threshold falls", "[evaluate][fddb]") {
    // 49 false alarms, then the long detection (a hit), the short one (no hits, 51 false positives), then one on the
    // second face: it takes that face (1) and the long one the first again (0.6): two hits, 50 false positives.
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
    // 60 false alarms of falling score before the only hit of the first image; the second image has a hit at once.
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
    CHECK(evaluation->statistics()[14].key == "discrete_rate_fold_2");  // 2 comes before 10
    // The second image three times, the first not: 3 of 6 faces, no false alarm, fold 10 empty.
    values = fddb(data, ProtocolMode::strict, {0, 3});
    CHECK(values["discrete_at_50_fp"] == 0.5);
    CHECK(std::isnan(values["discrete_rate_fold_10"]));
    // The first twice: 120 false alarms before its face.
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
    CHECK(trace.outcome.outcomes == std::vector<DetectionOutcome>{DetectionOutcome::ignored});
    CHECK(trace.steps[0].false_positives == 0);
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

TEST_CASE("FDDB: the curves published for a detector are reproduced", "[evaluate][fddb][data]") {
    const char* data = std::getenv("FOVEA_DATA");
    if (data == nullptr) {
        WARN("not run: FOVEA_DATA is not set");
        return;
    }
    const std::filesystem::path folder = std::filesystem::path(data) / "lists" / "fddb";
    const FddbLists lists = read_fddb_lists(folder);
    std::vector<ProtocolImage> images = lists.images();
    REQUIRE(images.size() == 2845);
    constexpr int faces = 5171;
    // The lists lack the images' sizes, and the program clips to the image. With nothing clipped, ellipses that leave
    // the image lose pairs: measured 16 of 5,171 faces at most (0.0031) and 16 false positives. No FDDB image is larger
    // than 450 x 450; clipping to that, which is exact at the left and upper border, leaves 2 faces and 2 false
    // positives (the pictures' shorter sides are unknown), and 1,377 of the 1,773 points exactly equal.
    struct Bound {
        std::optional<ImageSize> size;
        int most_off;
        int least_equal;
        double continuous;
    };
    for (const Bound& bound : {Bound{{}, 16, 10, 0.0044}, Bound{ImageSize{450, 450}, 2, 1377, 0.00072}}) {
        for (ProtocolImage& image : images) image.size = bound.size;
        const auto evaluation = evaluate_fddb(images, ProtocolMode::strict);
        std::map<double, std::pair<int, int>, std::greater<>> gains;  // by falling score
        for (std::size_t i = 0; i < images.size(); ++i) {
            for (const ImageTrace::Step& step : evaluation->trace(i).steps) {
                gains[step.score].first += step.true_positives;
                gains[step.score].second += step.false_positives;
            }
        }
        // The file's last row is a threshold that nothing reaches.
        std::vector<PublishedPoint> discrete =
            read_published_roc(folder / "mtcnn" / "MTCNNDiscROC.txt", true);
        const std::vector<PublishedPoint> continuous =
            read_published_roc(folder / "mtcnn" / "MTCNNContROC.txt", false);
        discrete.pop_back();
        REQUIRE(discrete.size() == gains.size());
        int found = 0;
        int alarms = 0;
        int equal = 0;
        auto published = discrete.rbegin();
        for (const auto& [score, gain] : gains) {
            found += gain.first;
            alarms += gain.second;
            INFO("score " << score);
            REQUIRE(published->threshold == Approx(score).epsilon(1e-5));
            const int expected = static_cast<int>(std::lround(published->rate * faces));
            REQUIRE(std::abs(found - expected) <= bound.most_off);
            REQUIRE(std::abs(alarms - published->false_positives) <= bound.most_off);
            if (found == expected && alarms == published->false_positives) ++equal;
            ++published;
        }
        CHECK(equal >= bound.least_equal);
        // The continuous curve has its rows at the same thresholds: some of them, evaluated as detections of their own.
        for (std::size_t row = 0; row < discrete.size(); row += 350) {
            FddbLists kept = lists;
            for (std::vector<Detection>& detections : kept.detections) {
                std::erase_if(detections,
                              [&](const Detection& d) { return d.score < discrete[row].threshold - 1e-7; });
            }
            std::vector<ProtocolImage> kept_images = kept.images();
            for (ProtocolImage& image : kept_images) image.size = bound.size;
            const auto of_row = evaluate_fddb(kept_images, ProtocolMode::strict);
            std::vector<double> values(of_row->statistics().size());
            of_row->evaluate(std::vector<std::uint16_t>(images.size(), 1), values);
            REQUIRE(of_row->statistics()[13].key == "continuous_rate");
            CHECK(values[13] == Approx(continuous[row].rate).margin(bound.continuous));
        }
        CHECK(evaluation->warnings().size() == (bound.size ? 0u : 1u));
    }
}
