#include "lib/evaluate/detection/detection.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "lib/evaluate/detection/match.hpp"
#include "tests/lib/evaluate/detection/evaluation_cases.hpp"

using Catch::Contains;
using fovea::DetectionEvaluation;
using fovea::DetectionMatch;
using fovea::DetectionProtocol;
using fovea::RocPoint;
using namespace fovea::test;

namespace {

void check_point(const RocPoint& point, double threshold, int true_positives, int false_positives,
                 double iou_sum, int faces, int images) {
    INFO("threshold " << threshold);
    CHECK(point.threshold == threshold);
    CHECK(point.true_positives == true_positives);
    CHECK(point.false_positives == false_positives);
    CHECK(point.detection_rate == Approx(static_cast<double>(true_positives) / faces));
    CHECK(point.precision ==
          Approx(static_cast<double>(true_positives) / (true_positives + false_positives)));
    CHECK(point.false_positives_per_image == Approx(static_cast<double>(false_positives) / images));
    CHECK(point.mean_iou == Approx(iou_sum / true_positives));
    CHECK(point.continuous_rate == Approx(iou_sum / faces));
}

bool equal(const RocPoint& a, const RocPoint& b) {
    return a.threshold == b.threshold && a.true_positives == b.true_positives &&
           a.false_positives == b.false_positives && a.detection_rate == b.detection_rate &&
           a.precision == b.precision && a.false_positives_per_image == b.false_positives_per_image &&
           a.mean_iou == b.mean_iou && a.continuous_rate == b.continuous_rate;
}

// Crowded images with few distinct scores: overlapping faces, several detections of each, ignored faces.
EvaluationCase random_case(unsigned seed, DetectionProtocol rule) {
    std::mt19937 generator(seed);
    const auto below = [&](unsigned bound) { return static_cast<double>(generator() % bound); };
    EvaluationCase random;
    random.options.protocol = rule;
    random.options.iou_threshold = 0.35;
    random.options.bootstrap_resamples = 0;
    for (int image = 0; image < 5; ++image) {
        std::vector<fovea::Face> faces;
        std::vector<fovea::Detection> detections;
        for (int i = static_cast<int>(below(5)); i > 0; --i) {
            faces.push_back(face(below(16), below(8), 12 + below(6), 12 + below(6)));
            faces.back().ignore = below(5) == 0;
        }
        for (int i = static_cast<int>(below(7)); i > 0; --i) {
            detections.push_back(detection(below(6), below(18), below(9), 10 + below(9), 10 + below(9)));
        }
        random.add("image" + std::to_string(image), faces, detections);
    }
    return random;
}

struct Pairing {
    int pairs = 0;
    double iou_sum = 0;
};

// The best matching of one image's detections to its counted faces, found by trying all.
Pairing best_pairing(const std::vector<fovea::Face>& faces, const std::vector<fovea::Detection>& detections,
                     const fovea::DetectionEvaluationOptions& options, std::size_t index,
                     std::vector<char>& taken) {
    if (index == detections.size()) return {};
    Pairing best = best_pairing(faces, detections, options, index + 1, taken);
    for (std::size_t i = 0; i < faces.size(); ++i) {
        if (taken[i] != 0 || faces[i].ignore || !is_hit(faces[i].box, detections[index].box, options))
            continue;
        taken[i] = 1;
        Pairing with = best_pairing(faces, detections, options, index + 1, taken);
        taken[i] = 0;
        ++with.pairs;
        with.iou_sum += intersection_over_union(faces[i].box, detections[index].box);
        if (with.pairs > best.pairs || (with.pairs == best.pairs && with.iou_sum > best.iou_sum)) best = with;
    }
    return best;
}

}  // namespace

TEST_CASE("Evaluation: every number of a worked example", "[evaluate]") {
    const DetectionEvaluation evaluation = worked_example().evaluate();
    CHECK(evaluation.name == "test");
    CHECK(evaluation.images == 3);
    CHECK(evaluation.faces == 3);
    CHECK(evaluation.detections == 6);
    CHECK(evaluation.detections_ignored == 0);
    CHECK(evaluation.images_missing + evaluation.images_unreadable + evaluation.images_extra == 0);
    CHECK(evaluation.warnings.empty());

    REQUIRE(evaluation.roc.size() == 5);
    check_point(evaluation.roc[0], 0.9, 1, 0, 1.0, 3, 3);
    check_point(evaluation.roc[1], 0.8, 2, 1, 1.6, 3, 3);
    check_point(evaluation.roc[2], 0.7, 3, 1, 2.4, 3, 3);
    check_point(evaluation.roc[3], 0.6, 3, 2, 2.4, 3, 3);
    check_point(evaluation.roc[4], 0.5, 3, 3, 2.8, 3, 3);  // the face of b.png changed hands

    CHECK(evaluation.true_positives == 3);
    CHECK(evaluation.false_positives == 3);
    CHECK(evaluation.value("detection_rate") == 1.0);
    CHECK(evaluation.value("precision") == 0.5);
    CHECK(evaluation.value("f1") == Approx(2.0 / 3));
    CHECK(evaluation.value("false_positives_per_image") == 1.0);
    CHECK(evaluation.value("mean_iou") == Approx(2.8 / 3));
    CHECK(evaluation.value("continuous_rate") == Approx(2.8 / 3));
    CHECK(evaluation.value("best_f1") == Approx(6.0 / 7));  // at 0.7: 2·3 / (3 + 1 + 3)
    CHECK(evaluation.best_f1_threshold == 0.7);
    // Precision 1, 2/3, 3/4 at recall 1/3, 2/3, 1; its envelope 1, 3/4, 3/4.
    CHECK(evaluation.value("average_precision") == Approx(2.5 / 3));

    REQUIRE(evaluation.rate_at_false_positives.size() == 4);
    CHECK(evaluation.rate_at_false_positives[0].detection_rate == Approx(1.0 / 3));
    CHECK(evaluation.rate_at_false_positives[0].threshold == 0.9);
    CHECK(evaluation.rate_at_false_positives[1].false_positives == 1);
    CHECK(evaluation.rate_at_false_positives[1].detection_rate == 1.0);
    CHECK(evaluation.rate_at_false_positives[1].threshold == 0.7);
    CHECK(evaluation.rate_at_false_positives[3].threshold == 0.7);

    std::vector<int> histogram(20, 0);
    histogram[16] = 1;  // IoU 0.8, on the border of bins 15 and 16
    histogram[19] = 2;  // IoU 1
    CHECK(evaluation.iou_histogram == histogram);

    REQUIRE(evaluation.image_outcomes.size() == 3);
    using enum DetectionMatch;
    CHECK(evaluation.image_outcomes[0].outcomes == std::vector{true_positive, false_positive, true_positive});
    CHECK(evaluation.image_outcomes[0].best_iou.all() == std::vector{1.0, 0.0, 0.8});
    CHECK(evaluation.image_outcomes[0].face_match == std::vector{0, 2});
    CHECK(evaluation.image_outcomes[1].sample == 1);
    CHECK(evaluation.image_outcomes[1].outcomes == std::vector{false_positive, true_positive});
    CHECK(evaluation.image_outcomes[1].best_iou.all() == std::vector{0.6, 1.0});
    CHECK(evaluation.image_outcomes[1].face_match == std::vector{1});
    CHECK(evaluation.image_outcomes[2].face_match.empty());
}

TEST_CASE("Evaluation: matching is solved anew as the threshold falls, where greedy pairing loses a face",
          "[evaluate]") {
    EvaluationCase crowd;
    crowd.options.iou_threshold = 0.4;
    // The first detection fits the second face best (IoU 2/3) but the first face too (3/7); the second
    // detection fits the second face only (2/3).
    crowd.add("a", {face(0, 0, 10, 10), face(6, 0, 10, 10)},
              {detection(0.9, 4, 0, 10, 10), detection(0.5, 8, 0, 10, 10)});
    const DetectionEvaluation evaluation = crowd.evaluate();
    REQUIRE(evaluation.roc.size() == 2);
    check_point(evaluation.roc[0], 0.9, 1, 0, 2.0 / 3, 2, 1);
    check_point(evaluation.roc[1], 0.5, 2, 0, 2.0 / 3 + 3.0 / 7, 2, 1);
    CHECK(evaluation.image_outcomes[0].face_match == std::vector{0, 1});
}

TEST_CASE("Evaluation: most pairs come before the largest summed IoU", "[evaluate]") {
    EvaluationCase crowd;
    crowd.options.iou_threshold = 0.1;
    // One perfect pair (1.0) or two poor ones (3/17 + 3/17): two faces found count more.
    crowd.add("a", {face(0, 0, 10, 10), face(7, 0, 10, 10)},
              {detection(2, 7, 0, 10, 10), detection(1, 14, 0, 10, 10)});
    const DetectionEvaluation evaluation = crowd.evaluate();
    CHECK(evaluation.roc.at(0).mean_iou == 1.0);
    CHECK(evaluation.roc.at(1).true_positives == 2);
    CHECK(evaluation.value("mean_iou") == Approx(3.0 / 17));
}

TEST_CASE("Evaluation: ignored faces", "[evaluate]") {
    EvaluationCase set;
    set.add(
        "a", {face(0, 0, 10, 10), ignored_face(0, 0, 10, 12), ignored_face(50, 50, 20, 20)},
        {detection(9, 50, 50, 20, 20),  // on an ignored face
         detection(8, 50, 51, 20, 20),  // a second one on it
         detection(7, 0, 0, 10, 10),    // on the counted face; that it hits an ignored one is no matter
         detection(6, 0, 1, 10, 10),    // left over, hits an ignored face: not counted
         detection(5, 0, -4, 10, 10),   // left over, IoU 6/14 with the counted and 6/16 with the ignored face
         detection(4, 60, 60, 20, 20)});  // IoU 1/7 with an ignored face
    const DetectionEvaluation evaluation = set.evaluate();
    using enum DetectionMatch;
    CHECK(evaluation.image_outcomes[0].outcomes ==
          std::vector{ignored, ignored, true_positive, ignored, false_positive, false_positive});
    CHECK(evaluation.image_outcomes[0].face_match == std::vector{2, -1, -1});
    CHECK(evaluation.image_outcomes[0].best_iou[0] == 1.0);
    CHECK(evaluation.faces == 1);
    CHECK(evaluation.faces_ignored == 2);
    CHECK(evaluation.detections_ignored == 3);
    CHECK(evaluation.true_positives == 1);
    CHECK(evaluation.false_positives == 2);
    // The curve has a point at the scores of ignored detections too; nothing is counted there yet.
    CHECK(evaluation.roc.at(1).true_positives + evaluation.roc.at(1).false_positives == 0);
    CHECK(evaluation.roc.at(1).precision == 0);
    CHECK(evaluation.value("average_precision") == 1.0);
    CHECK(evaluation.value("best_f1") == 1.0);
    CHECK(evaluation.best_f1_threshold == 7);  // the highest: the ignored detection at 6 changes nothing
    CHECK(std::accumulate(evaluation.iou_histogram.begin(), evaluation.iou_histogram.end(), 0) == 1);
}

TEST_CASE("Evaluation: of equal detections the first in the file is the hit", "[evaluate]") {
    EvaluationCase set;
    set.add("a", {face(0, 0, 10, 10)}, {detection(1, 0, 0, 10, 9), detection(1, 0, 0, 10, 9)});
    const DetectionEvaluation evaluation = set.evaluate();
    CHECK(evaluation.image_outcomes[0].face_match == std::vector{0});
    CHECK(evaluation.false_positives == 1);
    CHECK(evaluation.roc.size() == 1);
}

TEST_CASE("Evaluation: of two detections with equal IoU the one with the higher score is the hit",
          "[evaluate]") {
    EvaluationCase set;
    set.add("a", {face(10, 0, 10, 10)}, {detection(1, 11, 0, 10, 10), detection(2, 9, 0, 10, 10)});
    CHECK(set.evaluate().image_outcomes[0].face_match == std::vector{1});
}

TEST_CASE("Evaluation: with equal scores and IoU the box decides, not the order in the file", "[evaluate]") {
    // From the upper one of two boxes to the left one to the narrower one to the lower one.
    const std::vector<std::pair<fovea::Box, fovea::Box>> first_and_second{
        {{10, 9, 10, 10}, {10, 11, 10, 10}},
        {{9, 10, 10, 10}, {11, 10, 10, 10}},
        {{10, 10, 8, 10}, {10, 10, 12.5, 10}},
        {{10, 10, 10, 8}, {10, 10, 10, 12.5}}};
    for (const auto& [first, second] : first_and_second) {
        for (const bool swapped : {false, true}) {
            EvaluationCase set;
            set.add("a", {face(10, 10, 10, 10)}, {});
            for (const fovea::Box& box : {swapped ? second : first, swapped ? first : second}) {
                set.results.images[0].detections.push_back(detection(1, box.x, box.y, box.w, box.h));
            }
            const fovea::ImageEvaluation outcome = set.evaluate().image_outcomes[0];
            REQUIRE(outcome.best_iou[0] == outcome.best_iou[1]);
            CHECK(outcome.detections[static_cast<std::size_t>(outcome.face_match[0])].box == first);
        }
    }
}

TEST_CASE("Evaluation: images missing from the results or unreadable count with their faces missed",
          "[evaluate]") {
    EvaluationCase set;
    set.add("ok", {face(0, 0, 10, 10)}, {detection(1, 0, 0, 10, 10)});
    set.add_sample("missing", {face(0, 0, 10, 10), face(20, 0, 10, 10)});
    set.add("broken", {face(0, 0, 40, 10)}, {});
    set.results.images.back().status = "unreadable: truncated";
    set.add("without ground truth", {}, {detection(5, 0, 0, 10, 10)});
    set.dataset.samples.back().annotated = false;
    set.add_result("stranger", {detection(6, 0, 0, 10, 10)});

    const DetectionEvaluation evaluation = set.evaluate();
    CHECK(evaluation.images == 3);
    CHECK(evaluation.images_missing == 1);
    CHECK(evaluation.images_unreadable == 1);
    CHECK(evaluation.images_extra == 2);
    CHECK(evaluation.faces == 4);
    CHECK(evaluation.detections == 1);
    CHECK(evaluation.value("detection_rate") == 0.25);
    CHECK(evaluation.value("average_precision") == 0.25);
    CHECK(evaluation.false_positives == 0);
    CHECK(evaluation.iou_histogram[0] == 3);
    CHECK(evaluation.image_outcomes[1].face_match == std::vector{-1, -1});
    REQUIRE(evaluation.warnings.size() == 3);
    CHECK_THAT(evaluation.warnings[0], Contains("2 images") && Contains("without ground truth"));
    CHECK_THAT(evaluation.warnings[1], Contains("1 annotated image,") && Contains("missing"));
    CHECK_THAT(evaluation.warnings[2], Contains("1 annotated image could not be read; its faces"));
}

TEST_CASE("Evaluation: nothing detected, no faces, no images", "[evaluate]") {
    SECTION("nothing detected") {
        EvaluationCase set;
        set.add("a", {face(0, 0, 10, 10)}, {});
        const DetectionEvaluation evaluation = set.evaluate();
        CHECK(evaluation.roc.empty());
        CHECK(evaluation.value("detection_rate") == 0);
        CHECK_FALSE(evaluation.estimate("precision").value);
        CHECK_FALSE(evaluation.estimate("mean_iou").value);
        CHECK(evaluation.value("f1") == 0);
        CHECK(evaluation.value("average_precision") == 0);
        CHECK(evaluation.iou_histogram[0] == 1);
        CHECK_FALSE(evaluation.rate_at_false_positives.at(0).threshold);
    }
    SECTION("no results at all") {
        EvaluationCase set;
        set.add_sample("a", {face(0, 0, 10, 10)});
        CHECK(set.evaluate().images_missing == 1);
    }
    SECTION("no faces") {
        EvaluationCase set;
        set.options.false_positive_points = {0, 1};
        set.add("a", {}, {detection(3, 0, 0, 10, 10)});
        const DetectionEvaluation evaluation = set.evaluate();
        CHECK(evaluation.false_positives == 1);
        for (const char* key : {"detection_rate", "average_precision", "best_f1", "rate_at_1_fp"}) {
            CAPTURE(key);
            CHECK_FALSE(evaluation.estimate(key).value);
            CHECK(std::isnan(evaluation.value(key)));
        }
        CHECK(evaluation.value("precision") == 0);
        CHECK(evaluation.roc.at(0).detection_rate == 0);
        CHECK(evaluation.roc.at(0).continuous_rate == 0);
        CHECK(evaluation.roc.at(0).mean_iou == 0);
        CHECK_FALSE(evaluation.rate_at_false_positives.at(0).threshold);
        CHECK(evaluation.rate_at_false_positives.at(1).threshold == 3);
    }
    SECTION("no annotated image") {
        EvaluationCase set;
        CHECK_THROWS_WITH(set.evaluate(), Contains("test:set") && Contains("no annotated image"));
        set.add("a", {}, {});
        set.dataset.samples[0].annotated = false;
        CHECK_THROWS_AS(set.evaluate(), fovea::Error);
    }
}

TEST_CASE("Evaluation: boxes without area hit nothing, numbers that are not finite are refused",
          "[evaluate]") {
    for (const DetectionProtocol rule : {DetectionProtocol::iou, DetectionProtocol::mit_cmu}) {
        EvaluationCase set;
        set.options.protocol = rule;
        set.add("a", {face(0, 0, 10, 10), face(5, 5, 0, 10), face(50, 5, 10, -1), ignored_face(5, 5, 0, 0)},
                {detection(1, 0, 5, 10, 0), detection(1, 5, 5, 0, 10), detection(1, 50, 5, 10, -1)});
        const DetectionEvaluation evaluation = set.evaluate();
        CHECK(evaluation.faces == 3);
        CHECK(evaluation.true_positives == 0);
        CHECK(evaluation.false_positives == 3);
        CHECK_THAT(evaluation.warnings.at(0), Contains("2 annotated faces have a box without area"));
        CHECK_THAT(evaluation.warnings.at(1), Contains("3 detections have a box without area"));
    }
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double infinity = std::numeric_limits<double>::infinity();
    EvaluationCase set;
    set.add("a", {face(0, 0, 10, 10)}, {detection(nan, 0, 0, 10, 10)});
    CHECK_THROWS_WITH(set.evaluate(), Contains("'a'") && Contains("not finite"));
    set.results.images[0].detections[0] = detection(1, infinity, 0, 10, 10);
    CHECK_THROWS_AS(set.evaluate(), fovea::Error);
    set.results.images[0].detections.clear();
    set.dataset.samples[0].faces[0].box.w = nan;
    CHECK_THROWS_WITH(set.evaluate(), Contains("annotation"));
}

TEST_CASE("Evaluation: options out of range are wrong usage", "[evaluate]") {
    for (const double threshold : {0.0, -0.5, 1.01, std::numeric_limits<double>::quiet_NaN()}) {
        EvaluationCase set = worked_example();
        set.options.iou_threshold = threshold;
        CHECK_THROWS_AS(set.evaluate(), fovea::UsageError);
    }
    EvaluationCase set = worked_example();
    set.options.iou_threshold = 1;
    CHECK(set.evaluate().true_positives == 2);
    set.options.false_positive_points = {5, -1};
    CHECK_THROWS_AS(set.evaluate(), fovea::UsageError);
    set = worked_example();
    set.options.bootstrap_resamples = -1;
    CHECK_THROWS_AS(set.evaluate(), fovea::UsageError);
}

TEST_CASE("Evaluation: each point of the curve is the best matching of its detections and nothing else",
          "[evaluate]") {
    const DetectionProtocol rule = GENERATE(DetectionProtocol::iou, DetectionProtocol::mit_cmu);
    for (unsigned seed = 0; seed < 60; ++seed) {
        const EvaluationCase all = random_case(seed, rule);
        const DetectionEvaluation evaluation = all.evaluate();
        for (const RocPoint& point : evaluation.roc) {
            INFO("seed " << seed << ", threshold " << point.threshold);
            EvaluationCase kept = all;
            Pairing expected;
            int counted = 0;
            for (std::size_t i = 0; i < kept.results.images.size(); ++i) {
                std::vector<fovea::Detection>& detections = kept.results.images[i].detections;
                std::erase_if(detections, [&](const auto& d) { return d.score < point.threshold; });
                const std::vector<fovea::Face>& faces = kept.dataset.samples[i].faces;
                std::vector<char> taken(faces.size(), 0);
                const Pairing pairing = best_pairing(faces, detections, all.options, 0, taken);
                expected.pairs += pairing.pairs;
                expected.iou_sum += pairing.iou_sum;
            }
            REQUIRE(point.true_positives == expected.pairs);
            REQUIRE(point.mean_iou * point.true_positives == Approx(expected.iou_sum));

            // An evaluation of these detections alone says the same to the last bit, outcomes included.
            const DetectionEvaluation alone = kept.evaluate();
            REQUIRE(equal(alone.roc.back(), point));
            for (const fovea::ImageEvaluation& outcome : alone.image_outcomes) {
                const std::vector<fovea::Face>& faces = all.dataset.samples[outcome.sample].faces;
                for (std::size_t i = 0; i < outcome.detections.size(); ++i) {
                    const bool is_matched = std::count(outcome.face_match.begin(), outcome.face_match.end(),
                                                       static_cast<int>(i)) == 1;
                    const bool hits_ignored =
                        std::any_of(faces.begin(), faces.end(), [&](const fovea::Face& f) {
                            return f.ignore && is_hit(f.box, outcome.detections[i].box, all.options);
                        });
                    const DetectionMatch right = is_matched     ? DetectionMatch::true_positive
                                                 : hits_ignored ? DetectionMatch::ignored
                                                                : DetectionMatch::false_positive;
                    REQUIRE(outcome.outcomes[i] == right);
                    counted += right == DetectionMatch::false_positive ? 1 : 0;
                }
            }
            REQUIRE(point.false_positives == counted);
        }
    }
}

TEST_CASE("Evaluation: the order of detections and results does not matter", "[evaluate]") {
    std::mt19937 generator(3);
    for (unsigned seed = 0; seed < 30; ++seed) {
        EvaluationCase set = random_case(seed, DetectionProtocol::iou);
        const DetectionEvaluation before = set.evaluate();
        std::shuffle(set.results.images.begin(), set.results.images.end(), generator);
        for (fovea::ImageResult& result : set.results.images) {
            std::shuffle(result.detections.begin(), result.detections.end(), generator);
        }
        const DetectionEvaluation after = set.evaluate();
        REQUIRE(after.roc.size() == before.roc.size());
        for (std::size_t i = 0; i < before.roc.size(); ++i) REQUIRE(equal(before.roc[i], after.roc[i]));
        REQUIRE(before.value("average_precision") == after.value("average_precision"));
        for (std::size_t i = 0; i < before.image_outcomes.size(); ++i) {
            const fovea::ImageEvaluation& one = before.image_outcomes[i];
            const fovea::ImageEvaluation& other = after.image_outcomes[i];
            for (std::size_t k = 0; k < one.face_match.size(); ++k) {
                REQUIRE((one.face_match[k] < 0) == (other.face_match[k] < 0));
                if (one.face_match[k] < 0) continue;
                CHECK(one.detections[static_cast<std::size_t>(one.face_match[k])].box ==
                      other.detections[static_cast<std::size_t>(other.face_match[k])].box);
            }
        }
    }
}
