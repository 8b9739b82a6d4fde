#include "lib/evaluate/detection/box_calibration.hpp"

#include <cmath>
#include <numbers>
#include <set>

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "lib/evaluate/detection/overlap_pairs.hpp"
#include "lib/evaluate/statistics/folds.hpp"
#include "lib/json/json.hpp"
#include "tests/lib/evaluate/detection/evaluation_cases.hpp"

using namespace fovea;
using namespace fovea::test;

namespace {

void check_box(const Box& box, double x, double y, double w, double h) {
    CHECK(box.x == Approx(x).margin(1e-9));
    CHECK(box.y == Approx(y).margin(1e-9));
    CHECK(box.w == Approx(w));
    CHECK(box.h == Approx(h));
}

// Fold 1: the detection is 2 pixels of 20 too far to the right and 2 too high. Fold 2: it ends 4 pixels of 48
// too far to either side. Fold 2's face is an ellipse too.
EvaluationCase two_folds() {
    EvaluationCase example;
    example.add("a.png", {face(10, 10, 20, 20)},
                {detection(1, 12, 8, 20, 20), detection(2, 300, 300, 10, 10)});
    Face oval = face(100, 100, 40, 40);
    oval.ellipse = Ellipse{{120, 122}, 30, 12, std::numbers::pi / 2};
    example.add("b.png", {oval}, {detection(1, 96, 100, 48, 40)});
    example.dataset.samples[0].attributes = {{"fold", "1"}};
    example.dataset.samples[1].attributes = {{"fold", "2"}};
    return example;
}

}  // namespace

TEST_CASE("boxes are moved by what the other folds teach", "[evaluate][errors]") {
    const EvaluationCase example = two_folds();
    const CalibratedResults calibrated = calibrated_results(example.dataset, example.results);
    CHECK(calibrated.folds_stated);
    REQUIRE(calibrated.folds.size() == 2);

    // For fold 1 from fold 2: (100 - 96) / 48 and (140 - 144) / 48.
    CHECK(calibrated.folds[0].fold == "1");
    CHECK(calibrated.folds[0].pairs == 1);
    CHECK(calibrated.folds[0].box.left == Approx(1.0 / 12));
    CHECK(calibrated.folds[0].box.right == Approx(-1.0 / 12));
    CHECK(calibrated.folds[0].box.top == 0);
    CHECK(calibrated.folds[0].box.bottom == 0);
    check_box(calibrated.results.images[0].detections[0].box, 12 + 20.0 / 12, 8, 20 - 40.0 / 12, 20);
    // The false positive is moved alike, as nothing is known of it.
    check_box(calibrated.results.images[0].detections[1].box, 300 + 10.0 / 12, 300, 10 - 20.0 / 12, 10);
    CHECK(calibrated.results.images[0].detections[1].score == 2);

    // For fold 2 from fold 1: a tenth to the left, a tenth down.
    CHECK(calibrated.folds[1].box.left == Approx(-0.1));
    CHECK(calibrated.folds[1].box.right == Approx(-0.1));
    CHECK(calibrated.folds[1].box.top == Approx(0.1));
    CHECK(calibrated.folds[1].box.bottom == Approx(0.1));
    check_box(calibrated.results.images[1].detections[0].box, 96 - 4.8, 104, 48, 40);

    // The ellipse's centre is that of the box, and 2 of 40 lower; its radii are 30/40 of the height, 12/48 of
    // the width.
    REQUIRE(calibrated.folds[0].ellipse.has_value());
    CHECK(calibrated.folds[0].ellipse_pairs == 1);
    REQUIRE(calibrated.results.images[0].detections[0].details->ellipse.has_value());
    const Ellipse& ellipse = *calibrated.results.images[0].detections[0].details->ellipse;
    CHECK(ellipse.centre.x == Approx(22));
    CHECK(ellipse.centre.y == Approx(18 + 0.05 * 20));
    CHECK(ellipse.major_radius == Approx(0.75 * 20));
    CHECK(ellipse.minor_radius == Approx(0.25 * 20));
    CHECK(ellipse.angle_rad == Approx(std::numbers::pi / 2));
    CHECK_FALSE(calibrated.folds[1].ellipse.has_value());
    CHECK_FALSE(calibrated.results.images[1].detections[0].details->ellipse.has_value());

    const Json json = box_calibration_to_json(calibrated);
    CHECK(json["folds"][1]["pairs_of_other_folds"] == 1);
    CHECK(json["folds"][1]["left"] == calibrated.folds[1].box.left);
    CHECK(json["folds"][0]["ellipse"]["major_radius"] == 0.75);
    CHECK_FALSE(json["folds"][1].contains("ellipse"));
}

TEST_CASE("angles of ellipses are averaged as directions", "[evaluate][errors]") {
    // pi - 0.1 is -0.1 turned by pi: its mean with 0.3 is 0.1, not pi/2 + 0.1.
    EvaluationCase example = two_folds();
    Face turned = face(0, 0, 20, 20);
    turned.ellipse = Ellipse{{10, 10}, 10, 8, std::numbers::pi - 0.1};
    Face other = face(50, 0, 20, 20);
    other.ellipse = Ellipse{{60, 10}, 14, 8, 0.3};
    example.dataset.samples[1].faces = {turned, other};
    example.results.images[1].detections = {detection(1, 0, 0, 20, 20), detection(1, 50, 0, 20, 20)};
    const CalibratedResults calibrated = calibrated_results(example.dataset, example.results);
    REQUIRE(calibrated.folds[0].ellipse.has_value());
    CHECK(calibrated.folds[0].ellipse->angle_rad == Approx(0.1));
    CHECK(calibrated.folds[0].ellipse->major_radius == Approx(0.6));  // of 10/20 and 14/20
}

TEST_CASE("a fold that others teach nothing stays as it is", "[evaluate][errors]") {
    EvaluationCase example = two_folds();
    example.dataset.samples[1].attributes = {{"fold", "1"}};
    example.add_result("not-in-the-dataset.png", {detection(1, 1, 2, 3, 4)});
    const CalibratedResults calibrated = calibrated_results(example.dataset, example.results);
    REQUIRE(calibrated.folds.size() == 1);
    CHECK(calibrated.folds[0].pairs == 0);
    check_box(calibrated.results.images[0].detections[0].box, 12, 8, 20, 20);
    check_box(calibrated.results.images[2].detections[0].box, 1, 2, 3, 4);
    CHECK_FALSE(calibrated.results.images[2].detections[0].details->ellipse.has_value());

    // Too little overlap is no pair: IoU 0.68 of a.png, 0.83 of b.png.
    const CalibratedResults strict = calibrated_results(two_folds().dataset, two_folds().results, {0.7});
    CHECK(strict.folds[0].pairs == 1);
    CHECK(strict.folds[1].pairs == 0);
    CHECK_THROWS_AS(calibrated_results(example.dataset, example.results, {1.0}), UsageError);
}

TEST_CASE("pairs have the largest summed overlap and ignore ignored faces", "[evaluate][errors]") {
    const std::vector<Face> faces{face(0, 0, 10, 10), face(5, 0, 10, 10), ignored_face(100, 0, 10, 10)};
    // The first detection is nearer to the second face (9 : 6 pixels shared), as is the second (10): 6/14 +
    // 1.
    const std::vector<Detection> detections{detection(1, 4, 0, 10, 10), detection(1, 5, 0, 10, 10),
                                            detection(1, 100, 0, 10, 10)};
    const std::vector<OverlapPair> pairs = overlap_pairs(faces, detections, 0.3);
    REQUIRE(pairs.size() == 2);
    CHECK(pairs[0].face == 0);
    CHECK(pairs[0].detection == 0);
    CHECK(pairs[0].iou == Approx(6.0 / 14));
    CHECK(pairs[1].detection == 1);
    CHECK(overlap_pairs(faces, detections, 0.5).size() == 1);
    CHECK(overlap_pairs({}, detections, 0.3).empty());
}

TEST_CASE("folds are the dataset's, or by a hash of the name", "[evaluate][errors]") {
    EvaluationCase example = two_folds();
    example.dataset.samples[0].attributes = {{"fold", "10"}};
    const Folds stated = folds_of(example.dataset);
    CHECK(stated.stated);
    CHECK(stated.names == std::vector<std::string>{"2", "10"});
    CHECK(stated.of_sample == std::vector<std::size_t>{1, 0});

    Dataset unstated;
    for (int i = 0; i < 200; ++i) {
        unstated.samples.emplace_back().image = std::to_string(i);
        unstated.samples.back().annotated = true;
    }
    const Folds hashed = folds_of(unstated);
    CHECK_FALSE(hashed.stated);
    CHECK(hashed.names.size() == 10);
    // SHA-256 of "0" begins with 5feceb66 = 1609362278.
    CHECK(hashed.names[hashed.of_sample[0]] == "8");
    unstated.samples.erase(unstated.samples.begin());
    CHECK(folds_of(unstated).of_sample[0] == hashed.of_sample[1]);  // an image's fold is its own
}
