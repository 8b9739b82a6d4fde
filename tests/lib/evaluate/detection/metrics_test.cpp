#include "lib/evaluate/detection/metrics.hpp"

#include <algorithm>
#include <random>

#include <catch2/catch.hpp>

#include "lib/evaluate/protocols/detection_json.hpp"
#include "lib/evaluate/protocols/detection_protocols.hpp"
#include "lib/evaluate/statistics/pairwise_sum.hpp"
#include "lib/evaluate/statistics/rates.hpp"
#include "lib/evaluate/statistics/wilson_interval.hpp"
#include "lib/json/json.hpp"
#include "tests/lib/evaluate/detection/evaluation_cases.hpp"

using Catch::Contains;
using fovea::RocPoint;
using namespace fovea::test;

namespace {

std::vector<RocPoint> curve(const std::vector<std::pair<int, int>>& counts, int faces) {
    std::vector<RocPoint> roc;
    for (const auto& [true_positives, false_positives] : counts) {
        RocPoint point;
        point.threshold = -static_cast<double>(roc.size());
        point.true_positives = true_positives;
        point.false_positives = false_positives;
        point.detection_rate = fovea::rate_of(true_positives, faces);
        point.precision = fovea::rate_of(true_positives, true_positives + false_positives);
        roc.push_back(point);
    }
    return roc;
}

bool has_null(const fovea::Json& json) {
    if (json.is_null()) return true;
    return json.is_structured() && std::any_of(json.begin(), json.end(), has_null);
}

}  // namespace

TEST_CASE("Average precision with all points of the envelope", "[evaluate]") {
    CHECK(fovea::average_precision({}, 5) == 0);
    CHECK(fovea::average_precision(curve({{0, 3}}, 5), 5) == 0);
    CHECK(fovea::average_precision(curve({{0, 1}}, 0), 0) == 0);
    CHECK(fovea::average_precision(curve({{5, 0}}, 5), 5) == 1);
    // Precision 0, 1/2, 1/3, 2/4, 3/5 with 4 faces: the envelope is 3/5 throughout.
    CHECK(fovea::average_precision(curve({{0, 1}, {1, 1}, {1, 2}, {2, 2}, {3, 2}}, 4), 4) ==
          Approx(0.6 * 3 / 4));
    // Many at one score enter with the precision at its end.
    CHECK(fovea::average_precision(curve({{1, 0}, {3, 3}}, 4), 4) == Approx((1 + 2 * 0.5) / 4));
}

TEST_CASE("Detection rate at false positives", "[evaluate]") {
    const std::vector<RocPoint> roc = curve({{1, 2}, {4, 2}, {4, 5}, {6, 7}, {6, 9}}, 10);
    const auto at = [&](int count) { return fovea::rate_at_false_positives(roc, count); };
    CHECK(at(1).detection_rate == 0);
    CHECK_FALSE(at(1).threshold);
    CHECK(at(2).detection_rate == 0.4);
    CHECK(at(2).threshold == -1.0);
    CHECK(at(6).detection_rate == 0.4);
    CHECK(at(6).threshold == -1.0);  // not the lower threshold, which only adds false positives
    CHECK(at(7).detection_rate == 0.6);
    CHECK(at(1000).threshold == -3.0);
    CHECK(at(1000).false_positives == 1000);
}

TEST_CASE("F1", "[evaluate]") {
    CHECK(fovea::f1_score(3, 1, 6) == Approx(2 * 0.75 * 0.5 / 1.25));
    CHECK(fovea::f1_score(0, 0, 0) == 0);
    CHECK(fovea::f1_score(0, 5, 5) == 0);
}

TEST_CASE("Histogram of IoU: twenty bins, borders belong to the bin above", "[evaluate]") {
    std::vector<double> borders;
    for (int k = 0; k <= 20; ++k) borders.push_back(k * 5 / 100.0);
    std::vector<int> expected(20, 1);
    expected[19] = 2;  // 0.95 and 1
    CHECK(fovea::iou_histogram(borders) == expected);
    CHECK(fovea::iou_histogram(std::vector{0.049999})[0] == 1);
}

TEST_CASE("Edges of slices reach beyond the largest value", "[evaluate]") {
    CHECK(fovea::face_count_edges(0) == std::vector<double>{1, 2});
    CHECK(fovea::face_count_edges(1) == std::vector<double>{1, 2});
    CHECK(fovea::face_count_edges(2) == std::vector<double>{1, 2, 3});
    CHECK(fovea::face_count_edges(16) == std::vector<double>{1, 2, 3, 5, 9, 17});
    CHECK(fovea::face_width_edges(63) == std::vector<double>{0, 16, 32, 64});
    CHECK(fovea::face_width_edges(64) == std::vector<double>{0, 16, 32, 64, 128});
}

TEST_CASE("A thinned curve keeps its corners", "[evaluate]") {
    const std::vector<RocPoint> roc =
        curve({{1, 0}, {1, 1}, {1, 2}, {1, 3}, {2, 3}, {3, 3}, {3, 4}, {3, 5}, {3, 6}}, 3);
    const auto thresholds = [](const std::vector<RocPoint>& points) {
        std::vector<int> values;
        for (const RocPoint& point : points) values.push_back(static_cast<int>(-point.threshold));
        return values;
    };
    CHECK(thresholds(fovea::thin_roc(roc, 9)) == std::vector{0, 1, 2, 3, 4, 5, 6, 7, 8});
    CHECK(thresholds(fovea::thin_roc(roc, 8)) == std::vector{0, 3, 4, 5, 8});
    CHECK(thresholds(fovea::thin_roc(roc, 3)) == std::vector{0, 4, 8});
    CHECK(thresholds(fovea::thin_roc(roc, 1)) == std::vector{8});
    CHECK(fovea::thin_roc(roc, 0).empty());
    CHECK(fovea::thin_roc({}, 0).empty());
}

TEST_CASE("A pairwise sum is the same for the same terms, whatever they were before", "[evaluate]") {
    for (const std::size_t count : {0, 1, 2, 3, 15, 16, 17, 1000}) {
        fovea::PairwiseSum changed(count);
        fovea::PairwiseSum fresh(count);
        double expected = 0;
        for (std::size_t i = 0; i < count; ++i) changed.set(i, 1e17 / static_cast<double>(3 * i + 1));
        for (std::size_t i = count; i-- > 0;) {
            changed.set(i, 0.1 * static_cast<double>(i));
            expected += 0.1 * static_cast<double>(i);
        }
        for (std::size_t i = 0; i < count; ++i) fresh.set(i, 0.1 * static_cast<double>(i));
        CHECK(changed.total() == fresh.total());
        CHECK(changed.total() == Approx(expected));
    }
}

TEST_CASE("Where images are all alike, rates have Wilson's interval and other numbers none", "[evaluate]") {
    EvaluationCase set;
    for (int i = 0; i < 8; ++i) {
        set.add(std::to_string(i), {face(0, 0, 10, 10), face(50, 0, 10, 10)},
                {detection(2, 0, 0, 10, 10), detection(3, 200, 0, 10, 10)});
    }
    const auto evaluation = set.evaluate();
    REQUIRE(evaluation.estimate("detection_rate").ci95);
    CHECK(*evaluation.estimate("detection_rate").ci95 == fovea::wilson_interval(8, 16));
    CHECK(evaluation.value("average_precision") == 0.25);
    CHECK(*evaluation.estimate("average_precision").ci95 == std::array{0.25, 0.25});
}

TEST_CASE("Bootstrap intervals are those of resampled datasets, evaluated one by one", "[evaluate]") {
    const unsigned scores = GENERATE(9u, 3u, 2u);  // the fewer, the more detections enter together
    EvaluationCase set;
    std::mt19937 noise(scores);
    for (int i = 0; i < 7; ++i) {
        std::vector<fovea::Face> faces;
        std::vector<fovea::Detection> detections;
        for (int k = 0; k < i % 4; ++k) {
            faces.push_back(face(100.0 * k, 0, 20, 20));
            if (noise() % 3 != 0) detections.push_back(detection(noise() % scores, 100.0 * k, 2, 20, 20));
            if (noise() % 2 != 0) detections.push_back(detection(noise() % scores, 100.0 * k, 300, 20, 20));
        }
        faces.push_back(ignored_face(0, 600, 50, 50));
        detections.push_back(detection(noise() % scores, 0, 600, 50, 50));
        set.add(std::to_string(i), faces, detections);
    }
    set.options.bootstrap_resamples = 45;
    set.options.bootstrap_seed = 12345678901;
    set.options.false_positive_points = {0, 2, 5};
    const auto evaluation = set.evaluate();

    std::vector<double> rates;
    std::vector<double> precisions;
    std::array<std::vector<double>, 3> rates_at;
    for (std::uint32_t resample = 0; resample < 45; ++resample) {
        std::seed_seq sequence{static_cast<std::uint32_t>(12345678901), std::uint32_t{12345678901 >> 32},
                               resample};
        std::mt19937_64 generator(sequence);
        EvaluationCase drawn;
        drawn.options.bootstrap_resamples = 0;
        drawn.options.false_positive_points = set.options.false_positive_points;
        for (int i = 0; i < 7; ++i) {
            // 2^64 - 2 is the largest multiple of 7 in range: rejection practically never happens here.
            const std::size_t image = generator() % 7;
            drawn.add(std::to_string(i), set.dataset.samples[image].faces,
                      set.results.images[image].detections);
        }
        const auto one = drawn.evaluate();
        if (one.faces == 0) continue;
        rates.push_back(one.value("detection_rate"));
        precisions.push_back(one.value("average_precision"));
        for (std::size_t i = 0; i < 3; ++i) {
            rates_at[i].push_back(one.rate_at_false_positives[i].detection_rate);
        }
    }
    std::sort(rates.begin(), rates.end());
    std::sort(precisions.begin(), precisions.end());
    REQUIRE(rates.size() >= 40);  // so that one value, 2.5 %, is left out on either side
    REQUIRE(evaluation.estimate("detection_rate").ci95);
    CHECK((*evaluation.estimate("detection_rate").ci95)[0] == Approx(rates[1]));
    CHECK((*evaluation.estimate("detection_rate").ci95)[1] == Approx(rates[rates.size() - 2]));
    CHECK((*evaluation.estimate("average_precision").ci95)[0] == Approx(precisions[1]));
    CHECK((*evaluation.estimate("average_precision").ci95)[1] == Approx(precisions[precisions.size() - 2]));
    CHECK(rates[1] < rates[rates.size() - 2]);
    for (std::size_t i = 0; i < 3; ++i) {
        CAPTURE(i);
        std::sort(rates_at[i].begin(), rates_at[i].end());
        const auto& interval = evaluation.rate_at_false_positives[i].detection_rate_ci95;
        REQUIRE(interval);
        CHECK((*interval)[0] == Approx(rates_at[i][1]));
        CHECK((*interval)[1] == Approx(rates_at[i][rates_at[i].size() - 2]));
    }

    CHECK(*set.evaluate().estimate("average_precision").ci95 ==
          *evaluation.estimate("average_precision").ci95);
    set.options.bootstrap_seed = 2;
    CHECK(*set.evaluate().estimate("average_precision").ci95 !=
          *evaluation.estimate("average_precision").ci95);
}

TEST_CASE("Bootstrap intervals are absent where they mean nothing", "[evaluate]") {
    EvaluationCase one;
    one.add("a", {face(0, 0, 9, 9)}, {});
    CHECK_FALSE(one.evaluate().estimate("detection_rate").ci95);
    EvaluationCase empty;
    empty.add("a", {}, {detection(1, 0, 0, 9, 9)});
    empty.add("b", {}, {});
    CHECK_FALSE(empty.evaluate().estimate("average_precision").ci95);
    EvaluationCase off = worked_example();
    off.options.bootstrap_resamples = 0;
    CHECK_FALSE(off.evaluate().estimate("detection_rate").ci95);
    CHECK_FALSE(off.evaluate().rate_at_false_positives.at(0).detection_rate_ci95);
}

TEST_CASE("report.json's detection object", "[evaluate]") {
    const auto evaluation = worked_example().evaluate();
    const fovea::Json json = fovea::detection_evaluation_to_json(evaluation);
    CHECK_FALSE(has_null(json));
    CHECK(json["name"] == "test");
    CHECK(json["images"] == 3);
    CHECK(json["faces"] == 3);
    CHECK(json["false_negatives"] == 0);
    CHECK(json["recall"] == json["detection_rate"]);
    CHECK(json["average_precision"].get<double>() == Approx(2.5 / 3));
    CHECK(json["average_precision_ci95"].size() == 2);
    REQUIRE(json["roc"].size() == 5);
    CHECK(json["roc"][1]["threshold"] == 0.8);
    CHECK(json["roc"][1]["true_positives"] == 2);
    CHECK(json["roc"][1]["false_positives"] == 1);
    CHECK(json["roc"][1]["mean_iou"].get<double>() == Approx(0.8));
    CHECK(json["roc"][1]["detection_rate"].get<double>() == Approx(2.0 / 3));
    CHECK(json["roc"][1]["continuous_rate"].get<double>() == Approx(1.6 / 3));
    CHECK(json["roc_thresholds"] == 5);
    const fovea::Json at_one = json["rate_at_false_positives"][1];
    CHECK(at_one["false_positives"] == 1);
    CHECK(at_one["detection_rate"] == 1.0);
    CHECK(at_one["threshold"] == 0.7);
    CHECK(at_one["detection_rate_ci95"][0].get<double>() <= 1);
    CHECK(at_one["detection_rate_ci95"][1] == 1.0);
    CHECK(json["iou_histogram"]["faces"][19] == 2);
    CHECK(json["protocol"]["rule"] == "iou");
    CHECK(json["protocol"]["iou_threshold"] == 0.5);
    CHECK(json["protocol"]["ci95"]["resamples"] == 1000);
    CHECK(json["warnings"].empty());
    CHECK(fovea::detection_evaluation_to_json(evaluation, 2)["roc"].size() == 2);

    EvaluationCase nothing;
    nothing.options.protocol = fovea::DetectionProtocol::mit_cmu;
    nothing.add("a", {}, {});
    const fovea::Json empty = fovea::detection_evaluation_to_json(nothing.evaluate());
    CHECK_FALSE(has_null(empty));
    CHECK(empty["roc"] == fovea::Json::array());
    CHECK_FALSE(empty.contains("best_f1_threshold"));
    CHECK_FALSE(empty.contains("detection_rate_ci95"));
    CHECK_FALSE(empty["rate_at_false_positives"][0].contains("threshold"));
    CHECK(empty["protocol"]["rule"] == "mit-cmu");
    CHECK(empty["protocol"]["centre_distance_in_face_widths"] == 0.3);
    CHECK_THAT(empty["protocol"]["description"].get<std::string>(),
               Contains("0.3 face widths") && Contains("50 %"));
}

TEST_CASE("The protocol's sentence has the threshold as it was given", "[evaluate]") {
    fovea::DetectionEvaluationOptions options;
    options.iou_threshold = 0.45;
    CHECK_THAT(fovea::protocol_description(options), Contains("IoU with the face's box is at least 0.45."));
}

TEST_CASE("Wilson interval", "[evaluate]") {
    // n = 10, 5 hits: centre 0.5, half width z sqrt(0.025 + z^2/400) / (1 + z^2/10) = 0.2634.
    const fovea::Interval half = fovea::wilson_interval(5, 10);
    CHECK(half[0] == Approx(0.2366).margin(1e-4));
    CHECK(half[1] == Approx(0.7634).margin(1e-4));
    CHECK(fovea::wilson_interval(0, 10)[0] == 0);
    CHECK(fovea::wilson_interval(0, 10)[1] == Approx(0.2775).margin(1e-4));  // z^2 / (n + z^2)
    CHECK(fovea::wilson_interval(10, 10)[1] == 1);
    CHECK(fovea::wilson_interval(0, 0) == fovea::Interval{0, 1});
}
