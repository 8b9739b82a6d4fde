#include "lib/evaluate/compare/detection_changes.hpp"

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "lib/evaluate/compare/comparison.hpp"
#include "lib/evaluate/detection/at_threshold.hpp"
#include "lib/evaluate/statistics/resample.hpp"
#include "lib/json/json.hpp"
#include "tests/lib/evaluate/detection/evaluation_cases.hpp"

using namespace fovea;
using namespace fovea::test;

TEST_CASE("McNemar's test by hand", "[compare][mcnemar]") {
    // 7 faces found by one alone, 1 and 6: 2 (C(7,0) + C(7,1)) / 2^7 = 16/128.
    const McNemar few = mcnemar_test(20, 1, 6, 3);
    CHECK(few.exact);
    CHECK(few.p_value == 0.125);
    CHECK(few.odds_ratio == 6.0);
    CHECK_FALSE(few.chi_squared);
    CHECK(mcnemar_test(20, 6, 1, 3).p_value == 0.125);  // two-sided
    // 5 and 0: 2 / 2^5. Nobody's fault: 1. Equal numbers on both sides: at most 1.
    CHECK(mcnemar_test(0, 0, 5, 0).p_value == 0.0625);
    CHECK_FALSE(mcnemar_test(0, 0, 5, 0).odds_ratio);
    CHECK(mcnemar_test(4, 0, 0, 4).p_value == 1);
    CHECK(mcnemar_test(0, 3, 3, 0).p_value == 1);
    // At the border: 50 exact, 51 not. 25 + 25 hold the whole distribution twice over its middle.
    CHECK(mcnemar_test(0, 25, 25, 0).exact);
    CHECK_FALSE(mcnemar_test(0, 25, 26, 0).exact);
    CHECK(mcnemar_test(0, 25, 26, 0).p_value == 1);  // (|25 - 26| - 1)^2 = 0
    // 40 and 60: 19^2 / 100 = 3.61 = 1.9^2, and 2 (1 - Phi(1.9)) = 0.0574 of the normal table.
    const McNemar many = mcnemar_test(0, 40, 60, 0);
    CHECK(many.chi_squared == 3.61);
    CHECK(many.p_value == Approx(0.0574).margin(5e-5));
}

TEST_CASE("what changed between two detectors, image by image", "[compare]") {
    EvaluationCase a;
    // one: A finds the first face, B the second; both raise the alarm at 200 (IoU 0.8), A one at 300, B none
    // there.
    a.add("one", {face(0, 0, 10, 10), face(100, 0, 10, 10), ignored_face(400, 0, 10, 10)},
          {detection(3, 0, 0, 10, 10), detection(2, 200, 0, 10, 10), detection(1, 300, 0, 10, 10)});
    a.add("two", {face(0, 0, 10, 10)}, {detection(1, 0, 0, 10, 10)});   // both find it: no change
    a.add("three", {face(0, 0, 10, 10)}, {});                           // neither
    a.add("four", {face(0, 0, 10, 10)}, {detection(1, 0, 0, 10, 10)});  // A alone
    EvaluationCase b;
    b.dataset = a.dataset;
    b.add_result("one",
                 {detection(9, 100, 0, 10, 10), detection(8, 200, 0, 10, 8), detection(1, 400, 0, 10, 10)});
    b.add_result("two", {detection(9, 0, 0, 10, 10)});
    b.add_result("three", {});
    b.add_result("four", {});
    const DetectionEvaluation first = a.evaluate();
    const DetectionEvaluation second = b.evaluate();
    const DetectionChanges changes = detection_changes(a.dataset, first, second);
    CHECK(changes.faces.both == 1);
    CHECK(changes.faces.only_first == 2);
    CHECK(changes.faces.only_second == 1);
    CHECK(changes.faces.neither == 1);
    CHECK(changes.faces.p_value == 1);  // 2 (1 + 3) / 8
    CHECK(changes.alarms_common == 1);
    CHECK(changes.alarms_lost == 1);
    CHECK(changes.alarms_gained == 0);  // the one on the ignored face is none
    REQUIRE(changes.images.size() == 2);
    CHECK(changes.images[0].image == 0);  // three changes before one
    CHECK(changes.images[0].faces_gained == std::vector<std::size_t>{1});
    CHECK(changes.images[0].faces_lost == std::vector<std::size_t>{0});
    CHECK(changes.images[0].alarms_lost == std::vector<std::size_t>{2});
    CHECK(changes.images[1].image == 3);
    CHECK(changes.images[1].faces_lost == std::vector<std::size_t>{0});

    CHECK(detection_changes(a.dataset, first, first).images.empty());
    CHECK(results_from_threshold(a.results, 2).images[0].detections.size() == 2);
    EvaluationCase fewer = worked_example();
    CHECK_THROWS_AS(detection_changes(a.dataset, first, fewer.evaluate()), Error);
}

TEST_CASE("equal alarms are paired one to one", "[compare]") {
    EvaluationCase a;
    a.add("one", {}, {detection(2, 0, 0, 10, 10), detection(1, 1, 0, 10, 10)});
    EvaluationCase b;
    b.dataset = a.dataset;
    // IoU 1 with A's second, 9/11 with its first; nothing is left for the first.
    b.add_result("one", {detection(1, 1, 0, 10, 10)});
    const DetectionChanges changes = detection_changes(a.dataset, a.evaluate(), b.evaluate());
    CHECK(changes.alarms_common == 1);
    CHECK(changes.alarms_lost == 1);
    REQUIRE(changes.images.size() == 1);
    CHECK(changes.images[0].alarms_lost == std::vector<std::size_t>{0});
}

TEST_CASE("the paired bootstrap of two images by hand", "[compare]") {
    // A finds both faces, B only the first. Resamples: image 1 twice: 0; both: -1/2; image 2 twice: -1.
    EvaluationCase a;
    a.add("1", {face(0, 0, 10, 10)}, {detection(1, 0, 0, 10, 10)});
    a.add("2", {face(0, 0, 10, 10)}, {detection(1, 0, 0, 10, 10)});
    EvaluationCase b;
    b.dataset = a.dataset;
    b.add_result("1", {detection(1, 0, 0, 10, 10)});
    b.add_result("2", {});
    const DetectionEvaluation first = a.evaluate();
    const DetectionEvaluation second = b.evaluate();
    REQUIRE(first.resampleables.size() == 1);
    const auto estimates = paired_bootstrap(*first.resampleables[0], *second.resampleables[0], 1000, 1);
    REQUIRE(estimates[0].quantity.key == "detection_rate");
    CHECK(estimates[0].first == 1.0);
    CHECK(estimates[0].second == 0.5);
    CHECK(estimates[0].difference == -0.5);
    CHECK(estimates[0].ci95 == Interval{-1, 0});
    // A quarter of the resamples has a difference of 0: p is about 2/4.
    CHECK(*estimates[0].p_value == Approx(0.5).margin(0.06));
}

TEST_CASE("unpaired differences from intervals by hand", "[compare]") {
    ComparedNumber number;
    number.first = 0.9;
    number.second = 0.8;
    number.is_rate = true;
    number.higher_is_better = true;
    complete_difference(number);
    CHECK(*number.difference == Approx(-0.1));
    CHECK(*number.worse_by() == Approx(0.1));
    // 2 asin(sqrt(0.8)) - 2 asin(sqrt(0.9)) = 2.2143 - 2.4981
    CHECK(*number.effect_h == Approx(-0.2838).margin(1e-4));
    compare_intervals(number, std::nullopt, Interval{0.7, 0.9});
    CHECK_FALSE(number.ci95);
    // Standard errors 0.03 and 0.04: together 0.05, z = 2, p = 0.0455, interval -0.1 +- 1.96 x 0.05.
    const double z = 1.959963984540054;
    compare_intervals(number, Interval{0.9 - 0.03 * z, 0.9 + 0.03 * z},
                      Interval{0.8 - 0.04 * z, 0.8 + 0.04 * z});
    CHECK(*number.p_value == Approx(0.0455).margin(5e-5));
    CHECK((*number.ci95)[0] == Approx(-0.198));
    CHECK((*number.ci95)[1] == Approx(-0.002).margin(1e-4));
    CHECK(number.significant());
    number.higher_is_better = false;
    CHECK(*number.worse_by() == Approx(-0.1));
    ComparedNumber flat;
    flat.first = flat.second = 0.5;
    complete_difference(flat);
    compare_intervals(flat, Interval{0.5, 0.5}, Interval{0.5, 0.5});
    CHECK_FALSE(flat.p_value);
    CHECK_FALSE(flat.worse_by());
}

TEST_CASE("a threshold fixed on another run", "[compare][threshold]") {
    // worked_example by falling score: 0.9 TP; 0.8 FP and TP; 0.7 TP; 0.6 FP; 0.5 FP. Faces: 3.
    const DetectionEvaluation evaluation = worked_example().evaluate();
    const FixedThresholdResult at = evaluate_at_threshold(evaluation, 0.65, "x");
    CHECK(at.threshold == 0.65);
    CHECK(at.point.true_positives == 3);
    CHECK(at.point.false_positives == 1);
    CHECK(at.point.precision == 0.75);
    CHECK(at.f1 == Approx(2 * 3.0 / (3 + 1 + 3)));
    CHECK(evaluate_at_threshold(evaluation, 0.7, "x").point.true_positives ==
          3);  // the threshold itself is kept
    CHECK(evaluate_at_threshold(evaluation, 0.95, "x").point.true_positives == 0);
    CHECK(evaluate_at_threshold(evaluation, 0.95, "x").f1 == 0);
    CHECK(evaluate_at_threshold(evaluation, -1, "x").point.false_positives == evaluation.false_positives);
    CHECK(at_threshold_to_json(at, 3)["false_negatives"] == 0);
}
