#include <algorithm>
#include <cmath>

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "lib/evaluate/landmarks/landmark_json.hpp"
#include "lib/evaluate/landmarks/landmark_statistics.hpp"
#include "lib/json/json.hpp"
#include "tests/lib/evaluate/landmarks/landmark_cases.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

TEST_CASE("a face has an NME under every normaliser", "[evaluate][landmarks]") {
    // Every point is off by (3, 4), 5 pixels, of a face twice the grid's size: corners 100 apart, pupils 64,
    // box 180 × 120.
    LandmarkCase example;
    example.add("a", {landmark_face(grid_points(7, 9, 2))},
                {landmark_detection(shifted(grid_points(7, 9, 2), 3, 4))});
    const LandmarkEvaluation evaluation = example.evaluate();
    REQUIRE(evaluation.nme.size() == 4);
    CHECK(evaluation.points == 68);
    const double expected[] = {5.0 / 100, 5.0 / 64, 5 / std::sqrt(180.0 * 180 + 120 * 120),
                               5 / std::sqrt(180.0 * 120)};
    for (std::size_t i = 0; i < 4; ++i) {
        CAPTURE(normaliser_name(evaluation.normalisers[i]));
        CHECK(value_of(evaluation.nme[i].numbers, "mean") == Approx(expected[i]));
        CHECK(value_of(evaluation.nme[i].numbers, "median") == Approx(expected[i]));
        CHECK(value_of(evaluation.nme[i].numbers, "std") == Approx(0).margin(1e-12));
    }
    CHECK(value_of(evaluation.pixels, "mean") == Approx(5));
    // The printed formula gives √(68 · 25) / (68 · 100), which is √68 times smaller than what is meant.
    CHECK(value_of(evaluation.helf_as_printed, "mean") == Approx(0.05 / std::sqrt(68.0)));
    const Json json = landmark_evaluation_to_json(evaluation);
    CHECK(json["helf_2018_eq_5_2"]["as_meant"]["mean"].get<double>() == Approx(0.05));
    CHECK(json["dlib_test_shape_predictor"]["pixels"]["mean"].get<double>() == Approx(5));
    CHECK(json["dlib_test_shape_predictor"]["interocular"]["mean"].get<double>() == Approx(5.0 / 64));
}

TEST_CASE("the worked example, with a missed face", "[evaluate][landmarks]") {
    const LandmarkEvaluation evaluation = worked_landmarks().evaluate();
    CHECK(evaluation.faces == 4);
    CHECK(evaluation.faces_found == 3);
    CHECK(evaluation.faces_missed == 1);
    CHECK(evaluation.images == 4);
    const Numbers& numbers = evaluation.nme[0].numbers;  // by outer eye corners: 0.02, 0.05, 0.12, missed
    CHECK(value_of(numbers, "mean") == Approx(0.19 / 3));
    CHECK(value_of(numbers, "median") == Approx(0.05));
    CHECK(value_of(numbers, "median_with_missed") == Approx(0.085));  // halfway between 0.05 and 0.12
    CHECK(value_of(numbers, "percentile_25") == Approx(0.035));
    CHECK(value_of(numbers, "percentile_90") == Approx(0.106));  // rank 1.8 of 0 ... 2
    // Deviations from 0.063333: -0.043333, -0.013333, 0.056667; squares sum to 0.005266667.
    CHECK(value_of(numbers, "std") == Approx(std::sqrt(0.005266667 / 3)));
    // (0.06 + 0.03) / (0.08 · 4) and (0.08 + 0.05) / (0.1 · 4): the missed face adds nothing.
    CHECK(value_of(numbers, "auc_0.08") == Approx(0.28125));
    CHECK(value_of(numbers, "auc_0.10") == Approx(0.325));
    CHECK(value_of(numbers, "failure_rate") == 0.5);
    CHECK(value_of(numbers, "failure_rate_0.10") == 0.5);
    CHECK(value_of(evaluation.totals, "missed_rate") == 0.25);
    CHECK(value_of(evaluation.pixels, "median") == Approx(2.5));
    CHECK(evaluation.nme[0].errors.size() == 3);
    REQUIRE(number_of_key(numbers, "mean").ci95.has_value());
    const Interval interval = *number_of_key(numbers, "mean").ci95;
    CHECK(interval[0] >= 0.02 - 1e-12);
    CHECK(interval[0] < interval[1]);
    CHECK(interval[1] <= 0.12 + 1e-12);
    CHECK_FALSE(evaluation.nme[0].ced_band.empty());

    const Json json = landmark_evaluation_to_json(evaluation);
    const Json& nme = json["nme"]["outer_eye_corners"];
    CHECK(nme["auc_0.08"].get<double>() == Approx(0.28125));
    CHECK(nme["mean_ci95"].size() == 2);
    CHECK(nme["failure_rate_ci95"].size() == 2);
    REQUIRE(nme["ced"].size() == 3);
    CHECK(nme["ced"][2]["share"] == 0.75);  // it never reaches 1
    CHECK(landmark_evaluation_to_json(evaluation, 2)["nme"]["pupils"]["ced"].size() == 2);
}

TEST_CASE("points and regions have their own errors", "[evaluate][landmarks]") {
    // Point 30 (nose) is off by 5, 10, 15, 20 and 100 pixels of 50 in five images; all others fit.
    LandmarkCase example;
    for (const double off : {5.0, 10.0, 15.0, 20.0, 100.0}) {
        std::vector<Point> found = grid_points();
        found[30].x += off;
        example.add("image" + std::to_string(off), {landmark_face(grid_points())},
                    {landmark_detection(found)});
    }
    const LandmarkEvaluation evaluation = example.evaluate();
    REQUIRE(evaluation.by_point.size() == 68);
    REQUIRE(evaluation.by_region.size() == 8);
    const PartError& nose_tip = evaluation.by_point[30];
    CHECK(value_of(nose_tip.numbers, "mean") == Approx(0.6));  // (0.1 + 0.2 + 0.3 + 0.4 + 2) / 5
    CHECK(nose_tip.median == Approx(0.3));
    CHECK(nose_tip.lower_quartile == Approx(0.2));
    CHECK(nose_tip.upper_quartile == Approx(0.4));
    CHECK(nose_tip.lower_whisker == Approx(0.1));  // 0.2 - 1.5 · 0.2 = -0.1
    CHECK(nose_tip.upper_whisker == Approx(0.4));  // 0.4 + 1.5 · 0.2 = 0.7 < 2
    CHECK(nose_tip.outliers == 1);
    CHECK(nose_tip.largest == Approx(2));
    CHECK(evaluation.by_point[29].largest == 0);
    CHECK(evaluation.by_region[3].name == "nose");
    CHECK(value_of(evaluation.by_region[3].numbers, "mean") == Approx(0.6 / 9));  // one of nine points
    CHECK(value_of(evaluation.by_region[0].numbers, "mean") == 0);
    CHECK(value_of(evaluation.nme[0].numbers, "mean") == Approx(0.6 / 68));
}

TEST_CASE("regions cover the 68 points once, in order", "[evaluate][landmarks]") {
    std::size_t next = 0;
    for (const LandmarkRegion& region : landmark_regions(68)) {
        CHECK(region.first == next);
        next += region.count;
    }
    CHECK(next == 68);
    CHECK(landmark_regions(5).empty());
}

TEST_CASE("faces and detections are paired one to one by their boxes", "[evaluate][landmarks]") {
    const auto face = [](double x, double w) { return landmark_face({{x, 0}, {x + w, 100}}); };
    const auto found = [](double x, double w) { return landmark_detection({{x, 0}, {x + w, 100}}); };
    // The only two of an image belong together, wherever they are.
    CHECK(pair_landmarks({face(0, 10)}, {found(500, 10)}) == std::vector<int>{0});
    // The overlap decides between two detections, and nothing that does not overlap is taken.
    CHECK(pair_landmarks({face(0, 10)}, {found(500, 10), found(2, 10)}) == std::vector<int>{1});
    CHECK(pair_landmarks({face(0, 10)}, {found(500, 10), found(600, 10)}) == std::vector<int>{-1});
    // IoU of [0, 100) and [82, 182): 18 / 182 = 0.0989, of [81, 181): 19 / 181 = 0.105.
    CHECK(pair_landmarks({face(0, 100), face(900, 100)}, {found(82, 100)}) == std::vector<int>{-1, -1});
    CHECK(pair_landmarks({face(0, 100), face(900, 100)}, {found(81, 100)}) == std::vector<int>{0, -1});
    // Both overlap the first face alike (80 / 120); the sum with the second face decides.
    CHECK(pair_landmarks({face(0, 100), face(60, 100)}, {found(-20, 100), found(20, 100)}) ==
          std::vector<int>{0, 1});
    // A detection without landmarks takes no face away; one of an ignored face does not fall to another.
    Detection box_only = found(0, 100);
    box_only.details.edit().landmarks.clear();
    CHECK(pair_landmarks({face(0, 100)}, {box_only, found(30, 100)}) == std::vector<int>{1});
    Face ignored = face(50, 100);
    ignored.ignore = true;
    CHECK(pair_landmarks({face(0, 100), ignored}, {found(50, 100)}) == std::vector<int>{-1, 0});
    CHECK(pair_landmarks({}, {found(0, 1)}).empty());
    CHECK(pair_landmarks({face(0, 10)}, {}) == std::vector<int>{-1});
}

TEST_CASE("what does not count is counted apart", "[evaluate][landmarks]") {
    LandmarkCase example;
    Face ignored = landmark_face(grid_points(500, 0));
    ignored.ignore = true;
    Face bare;
    bare.box = {1000, 0, 90, 60};
    example.add("a", {landmark_face(grid_points()), ignored, bare},
                {landmark_detection(shifted(grid_points(), 5, 0)), landmark_detection(grid_points(500, 0)),
                 landmark_detection(grid_points(2000, 0))});
    example.add("b", {landmark_face(grid_points())}, {});
    example.results.images.back().status = "unreadable: broken";
    example.add("c", {landmark_face(grid_points())}, {});
    example.results.images.pop_back();
    const LandmarkEvaluation evaluation = example.evaluate();
    CHECK(evaluation.faces == 3);
    CHECK(evaluation.faces_missed == 2);
    CHECK(evaluation.faces_ignored == 1);
    CHECK(evaluation.faces_without_landmarks == 1);
    CHECK(evaluation.detections_unpaired == 1);
    CHECK(evaluation.images_unreadable == 1);
    CHECK(evaluation.images_missing == 1);
    CHECK(value_of(evaluation.nme[0].numbers, "mean") == Approx(0.1));
    CHECK(value_of(evaluation.nme[0].numbers, "failure_rate") == 1);
    CHECK(value_of(evaluation.nme[0].numbers, "failure_rate_0.10") ==
          Approx(2.0 / 3));  // 0.1 is not above 0.1
    CHECK_FALSE(number_of_key(evaluation.nme[0].numbers, "median_with_missed").value.has_value());
    CHECK(landmark_evaluation_to_json(evaluation)["nme"]["pupils"]["median_with_missed"].is_null());
}

TEST_CASE("nothing found leaves no error, and every face a failure", "[evaluate][landmarks]") {
    LandmarkCase example;
    example.add("a", {landmark_face(grid_points())}, {});
    example.add("b", {landmark_face(grid_points())}, {});
    const LandmarkEvaluation evaluation = example.evaluate();
    CHECK_FALSE(number_of_key(evaluation.nme[0].numbers, "mean").value.has_value());
    CHECK(value_of(evaluation.nme[0].numbers, "failure_rate") == 1);
    CHECK(value_of(evaluation.nme[0].numbers, "auc_0.08") == 0);
    CHECK(evaluation.by_point.empty());
    CHECK_THAT(evaluation.warnings.back(), Contains("Not one face was found"));
    CHECK(landmark_evaluation_to_json(evaluation)["nme"]["outer_eye_corners"]["mean"].is_null());
}

TEST_CASE("other numbers of points have the box's normalisers, and annotated eyes", "[evaluate][landmarks]") {
    LandmarkCase example;
    const std::vector<Point> five{{0, 0}, {40, 0}, {20, 20}, {5, 30}, {35, 30}};
    Face face = landmark_face(five);
    example.add("a", {face}, {landmark_detection(shifted(five, 0, 2))});
    const LandmarkEvaluation boxes = example.evaluate();
    REQUIRE(boxes.nme.size() == 2);
    CHECK(value_of(boxes.nme[0].numbers, "mean") == Approx(2.0 / 50));  // diagonal of 40 × 30
    CHECK(value_of(boxes.nme[1].numbers, "mean") == Approx(2 / std::sqrt(1200.0)));
    CHECK(boxes.helf_as_printed.empty());
    example.dataset.samples[0].faces[0].eyes = Eyes{{0, 0}, {40, 0}};
    const LandmarkEvaluation eyes = example.evaluate();
    REQUIRE(eyes.nme.size() == 3);
    CHECK(normaliser_name(eyes.nme[0].normaliser) == "eye_centres");
    CHECK(value_of(eyes.nme[0].numbers, "mean") == Approx(0.05));
    example.options.normaliser = LandmarkNormaliser::outer_eye_corners;
    CHECK_THROWS_WITH(example.evaluate(), Contains("use one of eye_centres, box_diagonal, sqrt_box_area"));
}

TEST_CASE("a face without a length counts as a failure under that normaliser only", "[evaluate][landmarks]") {
    LandmarkCase example;
    std::vector<Point> profile = grid_points();
    profile[45] = profile[36];
    example.add("a", {landmark_face(profile)}, {landmark_detection(profile)});
    const LandmarkEvaluation evaluation = example.evaluate();
    CHECK(evaluation.faces_missed == 0);
    CHECK(evaluation.nme[0].unmeasured == 1);
    CHECK(value_of(evaluation.nme[0].numbers, "failure_rate") == 1);
    CHECK(value_of(evaluation.nme[2].numbers, "failure_rate") == 0);
    CHECK_THAT(evaluation.warnings.at(0),
               Contains("cannot be measured by the distance of the outer eye corners"));
}

TEST_CASE("slices by width and by attribute", "[evaluate][landmarks]") {
    // Widths 90 and 180 fall into 64-128 and 128-256.
    LandmarkCase example;
    Sample& small = example.add_shifted("a", 1, 0);
    small.faces[0].attributes = {{"glasses", "no"}};
    Sample& large = example.add("b", {landmark_face(grid_points(0, 0, 2))}, {});
    large.faces[0].attributes = {{"glasses", "yes"}};
    large.attributes = {{"fold", "1"}};  // of one value only: no slice
    const LandmarkEvaluation evaluation = example.evaluate();
    REQUIRE(evaluation.slices.size() == 4);
    CHECK(evaluation.slices[0].label == "64–128");
    CHECK(evaluation.slices[0].faces == 1);
    CHECK(value_of(evaluation.slices[0].numbers, "mean") == Approx(0.02));
    CHECK(evaluation.slices[1].label == "128–256");
    CHECK(evaluation.slices[1].missed == 1);
    CHECK(value_of(evaluation.slices[1].numbers, "failure_rate") == 1);
    CHECK(evaluation.slices[3].by == "glasses");
    CHECK(evaluation.slices[3].label == "yes");

    for (int i = 0; i < 21; ++i) {
        example.add_shifted("more" + std::to_string(i), 0, 0).attributes = {{"number", std::to_string(i)}};
    }
    const LandmarkEvaluation many = example.evaluate();
    CHECK_THAT(many.warnings.at(0), Contains("'number' has 21 values"));
}

TEST_CASE("data that cannot be compared is refused with its image", "[evaluate][landmarks]") {
    LandmarkCase other_scheme;
    other_scheme.add("a", {landmark_face(grid_points())}, {landmark_detection({{0, 0}, {90, 60}})});
    CHECK_THROWS_WITH(other_scheme.evaluate(), Contains("'a'") && Contains("2 landmarks") && Contains("68"));
    LandmarkCase mixed;
    mixed.add("a", {landmark_face(grid_points())}, {});
    mixed.add("b", {landmark_face({{0, 0}, {9, 9}})}, {});
    CHECK_THROWS_WITH(mixed.evaluate(), Contains("68 points in 'a'") && Contains("2 in 'b'"));
    LandmarkCase bare;
    bare.add("a", {Face{}}, {});
    CHECK_THROWS_WITH(bare.evaluate(), Contains("No annotated face of the dataset 'test:set' has landmarks"));
    LandmarkCase not_finite;
    not_finite.add_shifted("a", std::nan(""), 0);
    CHECK_THROWS_WITH(not_finite.evaluate(), Contains("results of 'a'") && Contains("not finite"));
}

TEST_CASE("the numbers depend neither on the order of images nor, with intervals, on chance",
          "[evaluate][landmarks]") {
    const LandmarkCase example = worked_landmarks();
    const std::string first = landmark_evaluation_to_json(example.evaluate()).dump();
    CHECK(landmark_evaluation_to_json(example.evaluate()).dump() == first);
    LandmarkCase turned = example;
    std::reverse(turned.results.images.begin(), turned.results.images.end());
    CHECK(landmark_evaluation_to_json(turned.evaluate()).dump() == first);
}

TEST_CASE("statistics for comparisons have the evaluation's numbers", "[evaluate][landmarks]") {
    const LandmarkCase example = worked_landmarks();
    const LandmarkEvaluation evaluation = example.evaluate();
    const auto statistics_of = [](const Dataset& dataset, const LandmarkEvaluation& of) {
        std::vector<std::string> warnings;
        return LandmarkStatistics(of, landmark_slices(dataset, of.outcomes, warnings));
    };
    const LandmarkStatistics statistics = statistics_of(example.dataset, evaluation);
    REQUIRE(statistics.units() == 4);
    LandmarkCase better = example;
    better.results.images[2].detections = {landmark_detection(shifted(grid_points(), 2, 0))};
    const LandmarkStatistics other = statistics_of(better.dataset, better.evaluate());
    bool compared = false;
    for (const PairedNumber& pair : paired_bootstrap(statistics, other, 20, 1)) {
        if (pair.quantity.key != "nme.outer_eye_corners.mean") continue;
        compared = true;
        CHECK(*pair.first == Approx(0.19 / 3));
        CHECK(*pair.difference == Approx(-0.08 / 3));  // 0.12 became 0.04
        CHECK(pair.quantity.better == Better::lower);
    }
    CHECK(compared);
}

TEST_CASE("the mean shape is free of place, size and turn", "[evaluate][landmarks]") {
    // A square, and the same square elsewhere, larger and turned by 30 degrees about its centre; 45 degrees
    // and its mirror image would not tell which way is up.
    const std::vector<Point> square{{0, 0}, {2, 0}, {2, 2}, {0, 2}};
    std::vector<Point> turned;
    for (const Point& p : square) {
        const double x = 3 * (p.x - 1);
        const double y = 3 * (p.y - 1);
        turned.push_back(
            {50 + x * std::cos(0.5) - y * std::sin(0.5), 70 + x * std::sin(0.5) + y * std::cos(0.5)});
    }
    const std::vector<Point> dot{{1, 1}, {1, 1}, {1, 1}, {1, 1}};
    const std::vector<Point> mean = mean_shape({&square, &turned, &dot});
    REQUIRE(mean.size() == 4);
    // Root-mean-square radius 1, turned by half the angle: the first corner is at 225° + 0.25 rad.
    const double angle = -3 * 3.14159265358979 / 4 + 0.25;
    CHECK(mean[0].x == Approx(std::cos(angle)));
    CHECK(mean[0].y == Approx(std::sin(angle)));
    CHECK(distance(mean[0], mean[1]) == Approx(std::sqrt(2.0)));
    CHECK(mean_shape({&dot}).empty());
}
