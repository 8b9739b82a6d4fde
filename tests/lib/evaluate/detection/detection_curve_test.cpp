#include "lib/evaluate/detection/detection_curve.hpp"

#include <algorithm>
#include <cmath>

#include <catch2/catch.hpp>

#include "tests/lib/evaluate/detection/evaluation_cases.hpp"

using namespace fovea;
using namespace fovea::test;

namespace {

std::vector<double> evaluate(const DetectionCurve& curve, const std::vector<std::uint16_t>& weights) {
    std::vector<double> values(curve.quantities().size());
    curve.evaluate(weights, values);
    return values;
}

// Two images. Image 0 (2 faces): a hit, a false positive, a hit. Image 1 (1 face): a false positive, a hit of
// the same score as image 0's second hit.
DetectionCurve two_images() {
    CurveSteps steps;
    steps.add({0, 1, 0, 0.9}, true);
    steps.add({1, 0, 1, 0}, true);
    steps.add({0, 0, 1, 0}, true);
    steps.add({0, 1, 0, 0.6}, false);
    steps.add({1, 1, 0, 0.6}, true);
    return {steps, {{2, 2, 1, 1.5, 1.5}, {1, 1, 1, 0.6, 0.6}}, {0, 1, 2}, {0, 2}};
}

}  // namespace

TEST_CASE("A curve's numbers are those of the images drawn", "[evaluate]") {
    const DetectionCurve curve = two_images();
    const std::vector<double> all = evaluate(curve, {1, 1});
    CHECK(all[0] == 1.0);              // 3 of 3 faces
    CHECK(all[1] == Approx(3.0 / 5));  // 2 false positives
    CHECK(all[2] == Approx(6.0 / 8));  // 2 * 3 / (2 * 3 + 2)
    CHECK(all[3] == Approx(1.0));      // 2 in 2 images
    CHECK(all[4] == Approx(2.1 / 3));
    CHECK(all[5] == Approx(2.1 / 3));
    CHECK(all[6] == Approx(6.0 / 8));  // of 2/4, 2/5, 2/6, 6/8
    CHECK(all[7] == Approx((1 + 0.6 + 0.6) / 3));
    // At 0 false positives one face, at 1 the same, at 2 all.
    CHECK(all[curve.first_point()] == Approx(1.0 / 3));
    CHECK(all[curve.first_point() + 1] == Approx(1.0 / 3));
    CHECK(all[curve.first_point() + 2] == 1.0);
    CHECK(all[curve.first_band()] == Approx(1.0 / 3));
    CHECK(all[curve.first_continuous()] == Approx(0.3));      // 0.9 / 3
    CHECK(all[curve.first_continuous() + 1] == Approx(0.7));  // 2.1 / 3
    // Recall 16/50 < 1/3 has precision 1, 17/50 that of the end.
    CHECK(all[curve.first_recall() + 15] == 1.0);
    CHECK(all[curve.first_recall() + 16] == Approx(0.6));
    CHECK(all[curve.first_recall() + 49] == Approx(0.6));

    // Image 0 three times: 6 faces, 3 hits, 3 false positives, 3 hits.
    const std::vector<double> thrice = evaluate(curve, {3, 0});
    CHECK(thrice[0] == 1.0);
    CHECK(thrice[1] == Approx(6.0 / 9));
    CHECK(thrice[3] == Approx(1.0));
    CHECK(thrice[7] == Approx((3 * 1 + 3 * 6.0 / 9) / 6));
    CHECK(thrice[curve.first_point() + 2] == Approx(0.5));
}

TEST_CASE("A curve's numbers are the same however many false positives come between hits", "[evaluate]") {
    // Three images: each has a third of the crowd, and of the few false positives before and after it.
    const auto curve_of = [](int few, int crowd) {
        CurveSteps steps;
        std::uint32_t image = 0;
        const auto alarms = [&](int count) {
            for (int i = 0; i < count; ++i) steps.add({image++ % 3, 0, 1, 0}, true);
        };
        steps.add({0, 1, 0, 0.9}, true);
        alarms(few);
        steps.add({1, 1, 0, 0.8}, true);
        alarms(crowd);
        steps.add({2, 1, 0, 0.7}, true);
        alarms(few);
        steps.add({0, 1, 0, 0.6}, true);
        const int all = (2 * few + crowd) / 3;
        return DetectionCurve(steps, {{2, 2, all, 1.5, 1.5}, {1, 1, all, 0.8, 0.8}, {1, 1, all, 0.7, 0.7}},
                              {}, {});
    };
    const DetectionCurve curve = curve_of(3, 300);
    for (const std::vector<std::uint16_t>& weights :
         {std::vector<std::uint16_t>{1, 1, 1}, {4, 0, 2}, {0, 0, 5}, {60000, 1, 2}}) {
        const double a = weights[0], b = weights[1], c = weights[2], faces = 2 * a + b + c, each = a + b + c;
        CAPTURE(a, b, c);
        // Precision at the four hits, of which the envelope takes the best behind each.
        const double at[4] = {a > 0 ? 1.0 : 0.0, (a + b) / (a + b + each),
                              (a + b + c) / (a + b + c + 101 * each),
                              (2 * a + b + c) / (2 * a + b + c + 102 * each)};
        const double third = std::max(at[2], at[3]), second = std::max(at[1], third);
        const double area = (a * std::max(at[0], second) + b * second + c * third + a * at[3]) / faces;
        CHECK(evaluate(curve, weights)[7] == Approx(area).epsilon(1e-12));
    }
    // A crowd so large that its count does not fit.
    CHECK(evaluate(curve_of(3, 3 * 40000), {1, 1, 1})[1] == Approx(4.0 / (4 + 6 + 120000)));
}

TEST_CASE("A curve whose counts fall again keeps the best that a limit allows", "[evaluate]") {
    // Two hits, then a score at which one of them is lost for a false positive less than before.
    CurveSteps steps;
    steps.add({0, 2, 1, 1.0}, true);
    steps.add({0, -1, -1, -0.4}, true);
    steps.add({0, 1, 3, 0.4}, true);
    const DetectionCurve curve(steps, {{4, 2, 3, 1.0}}, {0, 1, 3}, {});
    const std::vector<double> values = evaluate(curve, {1});
    CHECK(values[curve.first_point()] == Approx(0.25));
    CHECK(values[curve.first_point() + 1] == Approx(0.5));
    CHECK(values[curve.first_point() + 2] == Approx(0.5));
}

TEST_CASE("Every number of an evaluation has an interval, and every curve a band", "[evaluate]") {
    EvaluationCase set = worked_example();
    set.options.bootstrap_resamples = 200;
    const DetectionEvaluation evaluation = set.evaluate();
    REQUIRE(evaluation.estimates.size() == 8 + set.options.false_positive_points.size());
    for (const Number& estimate : evaluation.estimates) {
        CAPTURE(estimate.quantity.key);
        REQUIRE(estimate.value);
        REQUIRE(estimate.ci95);
        CHECK((*estimate.ci95)[0] <= *estimate.value + 1e-12);
        CHECK((*estimate.ci95)[1] >= *estimate.value - 1e-12);
    }
    CHECK(evaluation.roc_band.size() == band_points(evaluation.false_positives).size());
    CHECK(evaluation.precision_band.size() == 50);
}

TEST_CASE("Bands have few points, dense where few false positives are", "[evaluate]") {
    CHECK(band_points(0) == std::vector<int>{0});
    CHECK(band_points(3) == std::vector<int>{0, 1, 2, 3});
    const std::vector<int> points = band_points(100000);
    CHECK(points.size() <= 60);
    CHECK(points[20] == 20);
    CHECK(points.back() == 100000);
    CHECK(std::is_sorted(points.begin(), points.end()));
}
