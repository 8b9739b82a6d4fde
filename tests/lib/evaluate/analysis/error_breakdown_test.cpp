#include "lib/evaluate/analysis/error_breakdown.hpp"

#include <algorithm>
#include <random>

#include <catch2/catch.hpp>

#include "lib/evaluate/detection/judged_detections.hpp"
#include "lib/evaluate/statistics/wilson_interval.hpp"
#include "tests/lib/evaluate/detection/evaluation_cases.hpp"

using namespace fovea;
using namespace fovea::test;

namespace {

const ErrorShare& kind(const ErrorBreakdown& breakdown, DetectionError error) {
    return breakdown.errors.at(static_cast<std::size_t>(error));
}

// Faces A (0 ... 10), B (100 ... 110), C (200 ... 210), one ignored at 300; by falling score
// .9 is A; .8 is A again; .7 has IoU 50/150 with B; .6 has 40/160 with B; .5 has 50/150 with A, which is
// found; .4 lies elsewhere; .3 is the ignored face; .2 has IoU 1/3 with the ignored face, which is no face to
// be overlapped.
EvaluationCase every_error() {
    EvaluationCase example;
    example.options.mode = ProtocolMode::corrected;
    example.options.bootstrap_resamples = 0;
    example.add(
        "a.png",
        {face(0, 0, 10, 10), face(100, 0, 10, 10), face(200, 0, 10, 10), ignored_face(300, 0, 10, 10)},
        {detection(0.2, 305, 0, 10, 10), detection(0.9, 0, 0, 10, 10), detection(0.8, 0, 0, 10, 9),
         detection(0.7, 105, 0, 10, 10), detection(0.6, 106, 0, 10, 10), detection(0.5, 5, 0, 10, 10),
         detection(0.4, 500, 500, 10, 10), detection(0.3, 300, 0, 10, 10)});
    return example;
}

// Right, duplicate, right, elsewhere, right.
EvaluationCase alarms_between_hits() {
    EvaluationCase example;
    example.options.bootstrap_resamples = 0;
    example.add("a.png", {face(0, 0, 10, 10), face(100, 0, 10, 10), face(200, 0, 10, 10)},
                {detection(9, 0, 0, 10, 10), detection(8, 0, 0, 10, 9), detection(7, 100, 0, 10, 10),
                 detection(6, 500, 0, 10, 10), detection(5, 200, 0, 10, 10)});
    return example;
}

}  // namespace

TEST_CASE("errors are split by kind, and each kind's cost is that of the curve without it",
          "[evaluate][errors]") {
    const EvaluationCase example = every_error();
    const ErrorBreakdown errors = break_down_errors(example.dataset, example.evaluate());
    CHECK(errors.faces == 3);
    CHECK(errors.faces_not_found == 2);
    CHECK(errors.faces_covered == 1);  // B
    CHECK(errors.false_positives == 6);
    CHECK(kind(errors, DetectionError::localisation).count == 3);
    CHECK(kind(errors, DetectionError::duplicate).count == 1);
    CHECK(kind(errors, DetectionError::background).count == 2);
    CHECK(kind(errors, DetectionError::other).count == 0);
    CHECK(kind(errors, DetectionError::missed).count == 1);  // C
    CHECK(kind(errors, DetectionError::localisation).share.value.value() == Approx(3.0 / 7));
    CHECK(kind(errors, DetectionError::missed).share.value.value() == Approx(1.0 / 7));

    // The first detection is right and no later one: 1/3.
    CHECK(errors.average_precision.value.value() == Approx(1.0 / 3));
    // .9 right, .8 wrong, .7 right now: (1 + 2/3) / 3; .6 and .5 are gone.
    CHECK(kind(errors, DetectionError::localisation).delta_ap.value.value() == Approx(5.0 / 9 - 1.0 / 3));
    CHECK(kind(errors, DetectionError::duplicate).delta_ap.value.value() == Approx(0.0));
    CHECK(kind(errors, DetectionError::background).delta_ap.value.value() == Approx(0.0));
    // Two faces left: 1/2.
    CHECK(kind(errors, DetectionError::missed).delta_ap.value.value() == Approx(1.0 / 2 - 1.0 / 3));
    CHECK(errors.delta_ap_all_false_positives.value.value() == Approx(0.0));
    CHECK(errors.delta_ap_all_faces_not_found.value.value() == Approx(1.0 - 1.0 / 3));
    CHECK_FALSE(errors.average_precision.ci95.has_value());
}

TEST_CASE("false positives between the hits cost average precision", "[evaluate][errors]") {
    EvaluationCase example = alarms_between_hits();
    example.options.mode = ProtocolMode::corrected;
    // Precisions 1, 2/3, 3/5 at the hits; AP = (1 + 2/3 + 3/5) / 3.
    const ErrorBreakdown errors = break_down_errors(example.dataset, example.evaluate());
    const double ap = (1 + 2.0 / 3 + 3.0 / 5) / 3;
    CHECK(errors.average_precision.value.value() == Approx(ap));
    // Without the duplicate: 1, 1, 3/4. Without the one elsewhere: 1, 3/4 (as the envelope has it), 3/4.
    CHECK(kind(errors, DetectionError::duplicate).delta_ap.value.value() == Approx((2 + 3.0 / 4) / 3 - ap));
    CHECK(kind(errors, DetectionError::background).delta_ap.value.value() == Approx((1 + 1.5) / 3 - ap));
    CHECK(errors.delta_ap_all_false_positives.value.value() == Approx(1 - ap));
    CHECK(errors.delta_ap_all_faces_not_found.value.value() == Approx(0.0));
}

TEST_CASE("strictly, average precision is the mean at 101 recalls", "[evaluate][errors]") {
    // A third of the faces reaches 34 of the recalls 0, 0.01 ... 1, two thirds reach 67.
    const EvaluationCase between = alarms_between_hits();
    const ErrorBreakdown errors = break_down_errors(between.dataset, between.evaluate());
    const double ap = (34 + 33 * (2.0 / 3) + 34 * (3.0 / 5)) / 101;
    CHECK(errors.average_precision.value.value() == Approx(ap));
    CHECK(kind(errors, DetectionError::duplicate).delta_ap.value.value() ==
          Approx((67 + 34 * 0.75) / 101 - ap));
    CHECK(kind(errors, DetectionError::background).delta_ap.value.value() ==
          Approx((34 + 67 * 0.75) / 101 - ap));
    CHECK(errors.delta_ap_all_false_positives.value.value() == Approx(1 - ap));
    CHECK(errors.delta_ap_all_faces_not_found.value.value() == Approx(0.0));

    EvaluationCase every = every_error();
    every.options.mode = ProtocolMode::strict;
    const ErrorBreakdown split = break_down_errors(every.dataset, every.evaluate());
    CHECK(split.average_precision.value.value() == Approx(34.0 / 101));
    CHECK(kind(split, DetectionError::localisation).delta_ap.value.value() ==
          Approx((34 + 33 * (2.0 / 3) - 34) / 101));
    // One of two faces reaches 51 recalls, one of one all.
    CHECK(kind(split, DetectionError::missed).delta_ap.value.value() == Approx((51.0 - 34) / 101));
    CHECK(split.delta_ap_all_faces_not_found.value.value() == Approx((101.0 - 34) / 101));
}

TEST_CASE("strictly, a duplicate with an IoU of just 0.5 is a localisation error", "[evaluate][errors]") {
    EvaluationCase half;
    half.options.bootstrap_resamples = 0;
    half.add("a.png", {face(0, 0, 10, 10)}, {detection(0.9, 0, 0, 10, 10), detection(0.8, 0, 0, 5, 10)});
    const ErrorBreakdown strict = break_down_errors(half.dataset, half.evaluate());
    CHECK(kind(strict, DetectionError::localisation).count == 1);
    CHECK(kind(strict, DetectionError::duplicate).count == 0);
    half.options.mode = ProtocolMode::corrected;
    const ErrorBreakdown corrected = break_down_errors(half.dataset, half.evaluate());
    CHECK(kind(corrected, DetectionError::localisation).count == 0);
    CHECK(kind(corrected, DetectionError::duplicate).count == 1);
}

TEST_CASE("strictly, equal scores count in the results' order", "[evaluate][errors]") {
    // The hit comes first: precision 1 at every recall. Together, both give 1/2.
    EvaluationCase tie;
    tie.options.bootstrap_resamples = 0;
    tie.add("a.png", {face(0, 0, 10, 10)}, {detection(1, 0, 0, 10, 10), detection(1, 500, 0, 10, 10)});
    CHECK(break_down_errors(tie.dataset, tie.evaluate()).average_precision.value == 1);
    tie.options.mode = ProtocolMode::corrected;
    CHECK(break_down_errors(tie.dataset, tie.evaluate()).average_precision.value == 0.5);
}

TEST_CASE("a better fitting detection of a lower score is the duplicate, as the curve counts it",
          "[evaluate][errors]") {
    // b.png of the worked example: IoU 0.6 at 0.8, then IoU 1 at 0.5 takes the face.
    EvaluationCase example = worked_example();
    example.options.mode = ProtocolMode::corrected;
    const DetectionEvaluation evaluation = example.evaluate();
    const std::vector<std::vector<CurveDetection>> judged = judged_detections(example.dataset, evaluation);
    REQUIRE(judged[1].size() == 2);
    CHECK(judged[1][0].score == 0.8);
    CHECK(judged[1][0].outcome == DetectionMatch::true_positive);
    CHECK(judged[1][1].outcome == DetectionMatch::false_positive);
    CHECK(evaluation.image_outcomes[1].outcomes[0] == DetectionMatch::false_positive);

    const ErrorBreakdown errors = break_down_errors(example.dataset, evaluation);
    CHECK(kind(errors, DetectionError::duplicate).count == 1);
    CHECK(kind(errors, DetectionError::background).count == 2);
    CHECK(errors.average_precision.value.value() == Approx(2.5 / 3));
    CHECK(kind(errors, DetectionError::background).delta_ap.value.value() == Approx(0.5 / 3));
    REQUIRE(errors.average_precision.ci95.has_value());
    CHECK(errors.average_precision.ci95 == evaluation.estimate("average_precision").ci95);
    CHECK(errors.resamples == example.options.bootstrap_resamples);
}

TEST_CASE("errors at a threshold are those of the detections kept", "[evaluate][errors]") {
    EvaluationCase example = worked_example();
    example.options.mode = ProtocolMode::corrected;
    example.options.bootstrap_resamples = 0;
    // Kept: 0.9 and the 0.8 in b.png right, the 0.8 in a.png elsewhere; the second face of a.png is missed.
    const ErrorBreakdown errors = break_down_errors(example.dataset, example.evaluate(), 0.8);
    CHECK(errors.false_positives == 1);
    CHECK(kind(errors, DetectionError::background).count == 1);
    CHECK(kind(errors, DetectionError::missed).count == 1);
    CHECK(errors.faces_not_found == 1);
    CHECK(errors.average_precision.value.value() == Approx((1 + 2.0 / 3) / 3));

    const std::vector<ImageEvaluation> kept = outcomes_at(example.dataset, example.evaluate(), 0.8);
    CHECK(kept[0].detections.size() == 2);
    CHECK(kept[0].face_match == std::vector<int>{0, -1});
    CHECK(kept[1].detections.size() == 1);
    CHECK(kept[1].face_match == std::vector<int>{0});  // matched anew: at the end the other one has the face
    CHECK(kept[1].outcomes[0] == DetectionMatch::true_positive);
}

TEST_CASE("the split's curve is the evaluation's", "[evaluate][errors]") {
    std::mt19937 generator(5);
    const auto below = [&](unsigned bound) { return static_cast<double>(generator() % bound); };
    for (const DetectionProtocol protocol : {DetectionProtocol::iou, DetectionProtocol::mit_cmu}) {
        for (int round = 0; round < 30; ++round) {
            EvaluationCase random;
            random.options.protocol = protocol;
            random.options.mode = ProtocolMode::corrected;
            random.options.bootstrap_resamples = 0;
            random.options.iou_threshold = 0.4;
            for (int image = 0; image < 4; ++image) {
                std::vector<Face> faces;
                std::vector<Detection> detections;
                for (int i = 0; i < 4; ++i) {
                    faces.push_back(face(below(16), below(8), 12 + below(6), 12 + below(6)));
                    faces.back().ignore = below(4) == 0;
                    detections.push_back(
                        detection(below(6), below(18), below(9), 10 + below(9), 10 + below(9)));
                }
                random.add("image" + std::to_string(image), faces, detections);
            }
            const DetectionEvaluation evaluation = random.evaluate();
            const ErrorBreakdown errors = break_down_errors(random.dataset, evaluation);
            CHECK(errors.average_precision.value.value_or(0) ==
                  Approx(evaluation.value("average_precision")).margin(1e-12));
            CHECK(errors.false_positives == evaluation.false_positives);
            CHECK(errors.faces_not_found == evaluation.faces - evaluation.true_positives);
            CHECK(kind(errors, DetectionError::other).count == 0);
            for (const ErrorShare& error : errors.errors) CHECK(error.delta_ap.value.value_or(0) >= -1e-12);
            // The scores tell what an evaluation of the detections kept finds, at every threshold.
            const std::vector<ImageScores> scores = image_scores(random.dataset, evaluation);
            for (const RocPoint& point : evaluation.roc) {
                const auto kept = outcomes_at(random.dataset, evaluation, point.threshold);
                const auto is_kept = [&](double score) { return score >= point.threshold; };
                for (std::size_t i = 0; i < kept.size(); ++i) {
                    for (std::size_t f = 0; f < kept[i].face_match.size(); ++f)
                        CHECK((kept[i].face_match[f] >= 0) == is_kept(scores[i].found[f]));
                    const std::vector<double>& raised = scores[i].false_positives;
                    CHECK(std::count(kept[i].outcomes.begin(), kept[i].outcomes.end(),
                                     DetectionMatch::false_positive) ==
                          std::count_if(raised.begin(), raised.end(), is_kept));
                }
            }
        }
    }
}

TEST_CASE("under the rule of centres, hits are what that rule hits", "[evaluate][errors]") {
    EvaluationCase example;
    example.options.protocol = DetectionProtocol::mit_cmu;
    example.options.bootstrap_resamples = 0;
    // 2 of 10 pixels beside the face is a hit (at most 3), 4 is none, at an IoU of 6/14.
    example.add("a.png", {face(0, 0, 10, 10)},
                {detection(0.9, 0, 0, 10, 10), detection(0.8, 2, 0, 10, 10), detection(0.7, 4, 0, 10, 10)});
    const ErrorBreakdown errors = break_down_errors(example.dataset, example.evaluate());
    CHECK(kind(errors, DetectionError::duplicate).count == 1);
    CHECK(kind(errors, DetectionError::localisation).count == 1);
}

TEST_CASE("a hit that a greedy protocol left is an error of its own kind", "[evaluate][errors]") {
    const EvaluationCase example = [] {
        EvaluationCase made;
        made.add("a.png", {face(0, 0, 10, 10)}, {detection(0.9, 0, 0, 10, 10)});
        return made;
    }();
    DetectionEvaluation evaluation;
    evaluation.options.protocol = DetectionProtocol::voc2010;
    evaluation.options.bootstrap_resamples = 0;
    evaluation.faces = 1;
    ImageEvaluation& outcome = evaluation.image_outcomes.emplace_back();
    outcome.hold({detection(0.9, 0, 0, 10, 10)});
    outcome.outcomes = {DetectionMatch::false_positive};
    outcome.best_iou = SparseValues(std::vector{1.0});
    outcome.face_match = {-1};
    const ErrorBreakdown errors = break_down_errors(example.dataset, evaluation);
    CHECK(kind(errors, DetectionError::other).count == 1);
    CHECK(kind(errors, DetectionError::missed).count == 1);
    CHECK(errors.average_precision.value.value() == 0);
}

TEST_CASE("without faces or detections costs are undefined, not zero", "[evaluate][errors]") {
    EvaluationCase no_faces;
    no_faces.options.bootstrap_resamples = 50;
    no_faces.add("a.png", {}, {detection(0.9, 0, 0, 10, 10)});
    no_faces.add("b.png", {ignored_face(0, 0, 10, 10)}, {detection(0.9, 0, 0, 10, 10)});
    const ErrorBreakdown only_background = break_down_errors(no_faces.dataset, no_faces.evaluate());
    CHECK(only_background.false_positives == 1);
    CHECK(kind(only_background, DetectionError::background).count == 1);
    // All resamples agree on a share of 1 of 1: Wilson's interval says how little one error tells.
    CHECK(kind(only_background, DetectionError::background).share.ci95.value() == wilson_interval(1, 1));
    CHECK(kind(only_background, DetectionError::duplicate).share.ci95.value() == wilson_interval(0, 1));
    CHECK_FALSE(only_background.average_precision.value.has_value());
    CHECK_FALSE(kind(only_background, DetectionError::background).delta_ap.value.has_value());

    EvaluationCase nothing_found;
    nothing_found.add("a.png", {face(0, 0, 10, 10)}, {});
    const ErrorBreakdown only_missed = break_down_errors(nothing_found.dataset, nothing_found.evaluate());
    CHECK(only_missed.average_precision.value.value() == 0);
    CHECK(kind(only_missed, DetectionError::missed).count == 1);
    CHECK(kind(only_missed, DetectionError::missed).share.value.value() == 1);
    // No face would be left to be found.
    CHECK_FALSE(kind(only_missed, DetectionError::missed).delta_ap.value.has_value());
}

TEST_CASE("large sets get fewer resamples, never fewer than 200", "[evaluate][errors]") {
    CHECK(affordable_resamples(1000, 100) == 1000);
    CHECK(affordable_resamples(1000, 1'000'000) == 400);
    CHECK(affordable_resamples(1000, 1'000'000'000) == 200);
    CHECK(affordable_resamples(50, 1'000'000'000) == 50);
    CHECK(affordable_resamples(0, 0) == 0);
}
