#include "lib/evaluate/analysis/operating_point.hpp"

#include <cmath>
#include <limits>

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "tests/lib/evaluate/detection/evaluation_cases.hpp"

using namespace fovea;
using namespace fovea::test;
using Kind = OperatingPointChoice::Kind;

namespace {

OperatingPoint point_of(const EvaluationCase& example, const OperatingPointChoice& choice) {
    const DetectionEvaluation evaluation = example.evaluate();
    return operating_point(evaluation, image_scores(example.dataset, evaluation), choice);
}

void check_counts(const ConfusionCounts& counts, int tp, int fp, int fn, int tn) {
    CHECK(counts.true_positives == tp);
    CHECK(counts.false_positives == fp);
    CHECK(counts.false_negatives == fn);
    CHECK(counts.true_negatives == tn);
}

}  // namespace

TEST_CASE("confusion counts give Andargie's table 5.2", "[evaluate][errors]") {
    struct TableRow {
        const char* classifier;
        ConfusionCounts counts;  // TP, FP, FN, TN
        double accuracy, precision, recall, f1;
    };
    // The printed rows, to two digits, but for two slips: c0.75's false positives are printed as 168, where
    // 307 negative images and the printed rates need 268; c0.95's recall of 0.619 is printed as 0.61.
    const TableRow rows[] = {{"c0.3", {103, 5, 204, 302}, 0.66, 0.95, 0.34, 0.50},
                             {"c0.35", {143, 9, 164, 298}, 0.72, 0.94, 0.47, 0.62},
                             {"c0.4", {149, 8, 158, 299}, 0.73, 0.95, 0.49, 0.64},
                             {"c0.45", {195, 33, 112, 274}, 0.76, 0.86, 0.64, 0.73},
                             {"c0.5", {215, 62, 92, 245}, 0.75, 0.78, 0.70, 0.74},
                             {"c0.55", {252, 140, 55, 167}, 0.68, 0.64, 0.82, 0.72},
                             {"c0.6", {269, 185, 38, 122}, 0.64, 0.59, 0.88, 0.71},
                             {"c0.65", {276, 225, 31, 82}, 0.58, 0.55, 0.90, 0.68},
                             {"c0.7", {289, 258, 18, 49}, 0.55, 0.53, 0.94, 0.68},
                             {"c0.75", {291, 268, 16, 39}, 0.54, 0.52, 0.95, 0.67},
                             {"c0.8", {296, 288, 11, 19}, 0.51, 0.51, 0.968, 0.66},
                             {"c0.85", {287, 296, 20, 11}, 0.49, 0.49, 0.93, 0.64},
                             {"c0.9", {239, 301, 68, 6}, 0.40, 0.44, 0.78, 0.56},
                             {"c0.95", {190, 305, 117, 2}, 0.31, 0.38, 0.62, 0.47}};
    for (const TableRow& row : rows) {
        INFO(row.classifier);
        CHECK(row.counts.true_positives + row.counts.false_negatives == 307);
        CHECK(row.counts.false_positives + row.counts.true_negatives == 307);
        CHECK(row.counts.accuracy().value() == Approx(row.accuracy).margin(0.00501));
        CHECK(row.counts.precision().value() == Approx(row.precision).margin(0.00501));
        CHECK(row.counts.recall().value() == Approx(row.recall).margin(0.00501));
        CHECK(row.counts.f1().value() == Approx(row.f1).margin(0.00501));
    }
    const ConfusionCounts none;
    CHECK_FALSE(none.accuracy().has_value());
    CHECK_FALSE(none.precision().has_value());
    CHECK_FALSE(none.recall().has_value());
    CHECK_FALSE(none.f1().has_value());
}

TEST_CASE("operating points of the worked example", "[evaluate][errors]") {
    const EvaluationCase example = worked_example();

    SECTION("best F1: 6 / 7 at 0.7, where c.png has no detection left") {
        const OperatingPoint point = point_of(example, {});
        CHECK(point.threshold == 0.7);
        check_counts(point.detections, 3, 1, 0, 0);
        CHECK(point.detections.accuracy().value() == Approx(3.0 / 4));
        check_counts(point.images, 2, 0, 0, 1);
        CHECK(point.images.accuracy().value() == 1);
    }
    SECTION("every detection: c.png, without a face, has a false positive") {
        const OperatingPoint point = point_of(example, {Kind::every_detection, 0, 0});
        CHECK(point.threshold == 0.5);
        check_counts(point.detections, 3, 3, 0, 0);
        check_counts(point.images, 2, 1, 0, 0);
    }
    SECTION("no false positive: one face of three, none in b.png") {
        const OperatingPoint point = point_of(example, {Kind::false_positives, 0, 0});
        CHECK(point.threshold == 0.9);
        check_counts(point.detections, 1, 0, 2, 0);
        check_counts(point.images, 1, 0, 1, 1);
        CHECK(describe(point.choice) == "no more than 0 false positives");
    }
    SECTION("a score between two of the curve") {
        const OperatingPoint point = point_of(example, {Kind::score, 0.75, 0});
        CHECK(point.threshold == 0.75);
        check_counts(point.detections, 2, 1, 1, 0);
        check_counts(point.images, 2, 0, 0, 1);
    }
    SECTION("a score above all") {
        const OperatingPoint point = point_of(example, {Kind::score, 2, 0});
        check_counts(point.detections, 0, 0, 3, 0);
        check_counts(point.images, 0, 0, 2, 1);
        CHECK_FALSE(point.detections.precision().has_value());
    }
    SECTION("a least precision: 3 of 4 at 0.7, and nothing but the strictest above") {
        CHECK(point_of(example, operating_point_choice("precision>=0.75")).threshold == 0.7);
        const OperatingPoint strict = point_of(example, operating_point_choice("precision>=0.76"));
        CHECK(strict.threshold == 0.9);
        check_counts(strict.detections, 1, 0, 2, 0);
        CHECK(describe(strict.choice) == "precision of at least 76.0\u00A0%");
    }
    SECTION("a least recall: all three faces are found at 0.7") {
        CHECK(point_of(example, operating_point_choice("recall>=1")).threshold == 0.7);
        CHECK(point_of(example, operating_point_choice("recall>=0.34")).detections.true_positives == 2);
        CHECK(point_of(example, operating_point_choice("recall>=0.33")).threshold == 0.9);
    }
    SECTION("points as people write them") {
        CHECK(operating_point_choice("all").kind == Kind::every_detection);
        CHECK(operating_point_choice("16fp").false_positives == 16);
        CHECK(operating_point_choice("-0.5").score == -0.5);
        for (const char* wrong :
             {"", "fp", "1.5fp", "-1fp", "precision>=1.1", "precision>0.9", "nan", "best"}) {
            CAPTURE(wrong);
            CHECK_THROWS_AS(operating_point_choice(wrong), UsageError);
        }
    }
    SECTION("out of range") {
        CHECK_THROWS_AS(point_of(example, {Kind::false_positives, 0, -1}), UsageError);
        CHECK_THROWS_AS(point_of(example, {Kind::score, std::numeric_limits<double>::quiet_NaN(), 0}),
                        UsageError);
    }
}

TEST_CASE("no threshold has so few false positives", "[evaluate][errors]") {
    EvaluationCase example;
    example.add("a.png", {face(0, 0, 10, 10)},
                {detection(0.9, 50, 50, 10, 10), detection(0.8, 0, 0, 10, 10)});
    const OperatingPoint point = point_of(example, {Kind::false_positives, 0, 0});
    CHECK_FALSE(point.threshold.has_value());
    check_counts(point.detections, 0, 0, 1, 0);
    check_counts(point.images, 0, 0, 1, 0);
}

TEST_CASE("the worst images come first", "[evaluate][errors]") {
    EvaluationCase example = worked_example();
    example.add("0.png", {face(0, 0, 10, 10), ignored_face(50, 0, 10, 10)},
                {detection(0.1, 200, 0, 10, 10), detection(0.1, 300, 0, 10, 10)});
    const DetectionEvaluation evaluation = example.evaluate();
    const std::vector<ImageScores> scores = image_scores(example.dataset, evaluation);

    // Every detection: 0.png misses one and has two false positives; the others one each, in the order of
    // names.
    const std::vector<WorstImage> all = worst_images(example.dataset, evaluation, scores, 0.1, 10);
    REQUIRE(all.size() == 4);
    CHECK(all[0].sample == 3);
    CHECK(all[0].faces == 1);
    CHECK(all[0].misses == 1);
    CHECK(all[0].false_positives == 2);
    CHECK(all[0].errors() == 3);
    CHECK(all[1].sample == 0);
    CHECK(all[2].sample == 1);
    CHECK(all[3].sample == 2);
    CHECK(worst_images(example.dataset, evaluation, scores, 0.1, 1).size() == 1);

    // At 0.8 a.png has a false positive and misses its second face; b.png and c.png are without error.
    const std::vector<WorstImage> few = worst_images(example.dataset, evaluation, scores, 0.8, 10);
    REQUIRE(few.size() == 2);
    CHECK(few[0].sample == 0);
    CHECK(few[0].misses == 1);
    CHECK(few[0].false_positives == 1);
    CHECK(few[1].sample == 3);

    // Nothing kept: only misses.
    const std::vector<WorstImage> none = worst_images(example.dataset, evaluation, scores, std::nullopt, 10);
    REQUIRE(none.size() == 3);
    CHECK(none[0].sample == 0);
    CHECK(none[0].misses == 2);
}

TEST_CASE("several detectors are compared at the median of their false positives", "[evaluate]") {
    // The first: 0.9 hit (F1 2/3), 0.8 alarm (2/4), 0.7 hit (4/5), 0.6 alarm (4/6): best at one false
    // positive.
    EvaluationCase first;
    first.add("a", {face(0, 0, 10, 10), face(50, 0, 10, 10)},
              {detection(0.9, 0, 0, 10, 10), detection(0.8, 90, 90, 10, 10), detection(0.7, 50, 0, 10, 10),
               detection(0.6, 90, 50, 10, 10)});
    // The second: 0.9 hit (F1 2/3), then alarms.
    EvaluationCase second;
    second.add("a", {face(0, 0, 10, 10), face(50, 0, 10, 10)},
               {detection(0.9, 0, 0, 10, 10), detection(0.8, 90, 90, 10, 10)});
    const DetectionEvaluation one = first.evaluate();
    const DetectionEvaluation two = second.evaluate();
    const OperatingPointChoice common = common_point({one, two});
    CHECK(common.kind == Kind::false_positives);
    CHECK(common.false_positives == 0);
    CHECK(common_point({one, two, one}).false_positives == 1);
    CHECK(common_point({two, one, two}).false_positives == 0);
    CHECK(common_point({one}).kind == Kind::best_f1);
    // Detectors that find nothing.
    EvaluationCase none;
    none.add("a", {face(0, 0, 10, 10)}, {});
    CHECK(common_point({none.evaluate(), none.evaluate()}).false_positives == 0);
}
