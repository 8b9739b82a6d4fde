#include "lib/evaluate/analysis/score_calibration.hpp"

#include <catch2/catch.hpp>

#include "lib/evaluate/statistics/wilson_interval.hpp"
#include "tests/lib/evaluate/detection/evaluation_cases.hpp"

using namespace fovea;
using namespace fovea::test;

TEST_CASE("isotonic regression pools what falls", "[evaluate][errors]") {
    // Hits 0, 1, 0, 1: the second and third pool to 1/2.
    const std::vector<IsotonicStep> curve = isotonic_regression({{3, 1, 0}, {1, 1, 0}, {4, 1, 1}, {2, 1, 1}});
    REQUIRE(curve.size() == 3);
    CHECK(curve[0].score == 1);
    CHECK(curve[0].value == 0);
    CHECK(curve[1].score == 2);
    CHECK(curve[1].value == 0.5);
    CHECK(curve[2].score == 4);
    CHECK(curve[2].value == 1);
    CHECK(isotonic_value(curve, 0) == 0);
    CHECK(isotonic_value(curve, 1.9) == 0);
    CHECK(isotonic_value(curve, 2) == 0.5);
    CHECK(isotonic_value(curve, 3.9) == 0.5);
    CHECK(isotonic_value(curve, 9) == 1);

    // Pooling goes on to the left: 1/2, 3/4, 0/3 -> 3/6 of the last two -> with the first 4/8.
    const std::vector<IsotonicStep> flat = isotonic_regression({{1, 2, 1}, {2, 3, 3}, {3, 3, 0}});
    REQUIRE(flat.size() == 1);
    CHECK(flat[0].value == 0.5);

    // Equal scores are one, by their counts: 3 of 4.
    const std::vector<IsotonicStep> equal = isotonic_regression({{5, 1, 0}, {5, 3, 3}});
    REQUIRE(equal.size() == 1);
    CHECK(equal[0].value == 0.75);
    CHECK(isotonic_regression({}).empty());
}

TEST_CASE("reliability of four scores", "[evaluate][errors]") {
    const std::vector<ScoredMatch> outcomes{{0.9, true}, {0.2, false}, {0.6, true}, {0.4, true}};
    const std::vector<ReliabilityBin> bins = reliability_bins(outcomes, 2);
    REQUIRE(bins.size() == 2);
    CHECK(bins[0].lowest_score == 0.2);
    CHECK(bins[0].highest_score == 0.4);
    CHECK(bins[0].mean_score == Approx(0.3));
    CHECK(bins[0].precision == 0.5);
    CHECK(bins[1].mean_score == Approx(0.75));
    CHECK(bins[1].precision == 1);
    CHECK(bins[1].wilson_ci95 == wilson_interval(2, 2));
    // 1/2 · |0.5 - 0.3| + 1/2 · |1 - 0.75|
    CHECK(expected_calibration_error(bins) == Approx(0.225));
    // (0.01 + 0.04 + 0.16 + 0.36) / 4
    CHECK(brier_score(outcomes) == Approx(0.1425));
    CHECK(expected_calibration_error({}) == 0);
    CHECK(brier_score({}) == 0);
}

TEST_CASE("equal scores share a bin", "[evaluate][errors]") {
    const std::vector<ScoredMatch> outcomes{{1, true}, {1, false}, {1, true}, {2, true}};
    const std::vector<ReliabilityBin> bins = reliability_bins(outcomes, 4);
    REQUIRE(bins.size() == 2);
    CHECK(bins[0].detections == 3);
    CHECK(bins[0].true_positives == 2);
    CHECK(bins[1].detections == 1);
    // More bins than detections: one each.
    CHECK(reliability_bins({{1, true}, {2, true}, {3, false}}, 10).size() == 3);
    CHECK(reliability_bins({}, 10).empty());
}

namespace {

EvaluationCase two_folds(double scale) {
    EvaluationCase example;
    example.options.bootstrap_resamples = 0;
    const std::vector<Face> one{face(0, 0, 10, 10), ignored_face(200, 0, 10, 10)};
    example.add("a.png", one,
                {detection(0.9 * scale, 0, 0, 10, 10), detection(0.2 * scale, 50, 0, 10, 10),
                 detection(0.5 * scale, 200, 0, 10, 10)});
    example.add("b.png", one, {detection(0.8 * scale, 0, 0, 10, 10), detection(0.3 * scale, 50, 0, 10, 10)});
    example.dataset.samples[0].attributes = {{"fold", "1"}};
    example.dataset.samples[1].attributes = {{"fold", "2"}};
    return example;
}

}  // namespace

TEST_CASE("scores are mapped by what other folds teach", "[evaluate][errors]") {
    const EvaluationCase example = two_folds(1);
    const ScoreCalibration calibration = calibrate_scores(example.dataset, example.evaluate());
    CHECK(calibration.detections == 4);  // the one on the ignored face says nothing
    CHECK(calibration.scores_are_rates);
    CHECK(calibration.bins.size() == 4);
    // (0.01 + 0.04 + 0.04 + 0.09) / 4; four bins of one: (0.1 + 0.2 + 0.2 + 0.3) / 4
    CHECK(calibration.brier_score.value() == Approx(0.045));
    CHECK(calibration.expected_calibration_error.value() == Approx(0.2));
    // b.png teaches 0 from 0.3 and 1 from 0.8 on, a.png 0 from 0.2 and 1 from 0.9 on: 0.9 -> 1 and 0.2 -> 0
    // are right, 0.3 -> 0 is right and 0.8 -> 0 is wrong.
    CHECK(calibration.calibrated_brier_score.value() == Approx(0.25));
    // Mapped scores 0, 0, 0 (one right) are one bin, 1 is another: 3/4 · |1/3 - 0| + 1/4 · 0
    CHECK(calibration.calibrated_expected_calibration_error.value() == Approx(0.25));
    REQUIRE(calibration.isotonic.size() == 2);
    CHECK(calibration.isotonic[1].score == 0.8);
}

TEST_CASE("scores beyond 1 are no probabilities", "[evaluate][errors]") {
    const EvaluationCase example = two_folds(10);
    const ScoreCalibration calibration = calibrate_scores(example.dataset, example.evaluate());
    CHECK_FALSE(calibration.scores_are_rates);
    CHECK_FALSE(calibration.brier_score.has_value());
    CHECK_FALSE(calibration.expected_calibration_error.has_value());
    CHECK(calibration.calibrated_brier_score.value() == Approx(0.25));
}

TEST_CASE("without detections or without other folds there is nothing to map", "[evaluate][errors]") {
    EvaluationCase example;
    example.add("a.png", {face(0, 0, 10, 10)}, {});
    CHECK(calibrate_scores(example.dataset, example.evaluate()).bins.empty());
    CHECK(calibrate_scores(example.dataset, example.evaluate()).detections == 0);

    EvaluationCase alone;
    alone.add("a.png", {face(0, 0, 10, 10)}, {detection(0.5, 0, 0, 10, 10)});
    const ScoreCalibration calibration = calibrate_scores(alone.dataset, alone.evaluate());
    CHECK(calibration.brier_score.value() == Approx(0.25));
    CHECK_FALSE(calibration.calibrated_brier_score.has_value());
}
