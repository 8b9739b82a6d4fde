#include <cmath>
#include <cstdlib>
#include <random>

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "tests/lib/evaluate/protocols/coco_sets.hpp"
#include "tests/lib/evaluate/protocols/protocol_cases.hpp"
#include "tests/support/sources.hpp"

namespace fovea {
namespace {

using namespace test;

constexpr ProtocolMode strict = ProtocolMode::strict;
constexpr ProtocolMode corrected = ProtocolMode::corrected;

std::map<std::string, double> coco(const ProtocolSet& set, ProtocolMode mode) {
    const std::vector<ProtocolImage> images = set.images();
    return numbers_of(*evaluate_coco(images, mode));
}

Face with_attribute(Face face, const std::string& name, const std::string& value) {
    face.attributes.push_back({name, value});
    return face;
}

Face crowd(double x, double y, double w, double h) {
    Face result = face(x, y, w, h);
    result.crowd = true;
    return result;
}

// Largest difference to pycocotools' numbers; infinite where one is defined and the other is not.
double largest_difference(const CocoSet& golden) {
    const std::vector<ProtocolImage> images = golden.set.images();
    const std::vector<double> numbers =
        weighted_numbers(*evaluate_coco(images, strict), std::vector<std::uint16_t>(images.size(), 1));
    double largest = golden.numbers.size() == 12 ? 0 : INFINITY;
    for (std::size_t i = 0; i < golden.numbers.size(); ++i) {
        if (golden.numbers[i].has_value() != !std::isnan(numbers[i])) return INFINITY;
        if (golden.numbers[i]) largest = std::max(largest, std::abs(*golden.numbers[i] - numbers[i]));
    }
    return largest;
}

TEST_CASE("COCO strict: equal to pycocotools to the last bit on generated sets", "[evaluate][coco]") {
    const std::vector<CocoSet> sets = read_coco_sets(test::source_file("tests/data/coco/golden.json"));
    REQUIRE(sets.size() >= 12);
    for (const CocoSet& golden : sets) {
        INFO(golden.name);
        CHECK(largest_difference(golden) == 0);
    }
}

// For make_golden.py --sets 500 --out FILE; FOVEA_COCO_SETS names the FILE.
TEST_CASE("COCO strict: equal to pycocotools on any number of sets", "[.coco-fuzz]") {
    const char* path = std::getenv("FOVEA_COCO_SETS");
    REQUIRE(path != nullptr);
    const std::vector<CocoSet> sets = read_coco_sets(path);
    REQUIRE_FALSE(sets.empty());
    std::size_t equal = 0;
    for (std::size_t i = 0; i < sets.size(); ++i) {
        INFO("set " << i << ", " << sets[i].name);
        const double difference = largest_difference(sets[i]);
        CHECK(difference <= 1e-12);
        equal += difference == 0 ? 1 : 0;
    }
    WARN(equal << " of " << sets.size() << " sets equal in every bit");
}

TEST_CASE("COCO: a worked example", "[evaluate][coco]") {
    // Faces of 40 x 40 pixels (1600: medium), two in the first image, one in the second. The detections:
    //   0.9  shifted by 4 of 40: IoU 36/44 = 0.818...: found at the 7 thresholds up to 0.8
    //   0.8  background
    //   0.7  exact: found at all 10
    // At the first 7 thresholds: TP, FP, TP of 3 faces. Precision 1 up to recall 1/3 (34 places), 2/3 up to
    // recall 2/3 (33 places): (34 + 33 * 2/3) / 101 = 56/101. At the last 3: FP, FP, TP: 1/3 up to 1/3: 34/3
    // / 101.
    ProtocolSet set;
    set.add({face(0, 0, 40, 40), face(100, 0, 40, 40)},
            {detection(0.9, 4, 0, 40, 40), detection(0.8, 300, 0, 40, 40)});
    set.add({face(0, 0, 40, 40)}, {detection(0.7, 0, 0, 40, 40)});
    for (const ProtocolMode mode : {strict, corrected}) {
        const auto numbers = coco(set, mode);
        CHECK(numbers.at("ap_50") == Approx(56.0 / 101).epsilon(1e-12));
        CHECK(numbers.at("ap_75") == Approx(56.0 / 101).epsilon(1e-12));
        CHECK(numbers.at("ap") == Approx((7 * 56.0 + 3 * 34.0 / 3) / 1010).epsilon(1e-12));
        CHECK(numbers.at("ap_medium") == numbers.at("ap"));
        CHECK(std::isnan(numbers.at("ap_small")));
        CHECK(std::isnan(numbers.at("ar_large")));
        // 2 of 3 faces at 7 thresholds, 1 at 3; the best of every image are all that matter.
        CHECK(numbers.at("ar_1") == Approx((7 * 2.0 / 3 + 3 * 1.0 / 3) / 10).epsilon(1e-12));
        CHECK(numbers.at("ar_10") == numbers.at("ar_1"));
        CHECK(numbers.at("ar_100") == numbers.at("ar_1"));
    }
}

TEST_CASE("COCO: what a crowd covers is ignored, by the share of the detection", "[evaluate][coco]") {
    // The detection with 0.9 lies with half its area in the crowd: ignored at the threshold 0.5, where AP is
    // 1; a false positive before the face at the other nine, where it is 1/2: (1 + 9/2) / 10. Any number in
    // the crowd is ignored.
    ProtocolSet set;
    set.add({crowd(0, 0, 100, 100), face(300, 0, 40, 40)},
            {detection(0.9, 80, 0, 40, 40), detection(0.8, 10, 10, 40, 40), detection(0.7, 12, 10, 40, 40),
             detection(0.5, 300, 0, 40, 40)});
    for (const ProtocolMode mode : {strict, corrected}) {
        CHECK(coco(set, mode).at("ap") == Approx(0.55).epsilon(1e-12));
        CHECK(coco(set, mode).at("ap_50") == Approx(1).epsilon(1e-12));
    }
}

TEST_CASE("COCO: sizes out of range are ignored on both sides", "[evaluate][coco]") {
    // A large face (200 x 200), a small one (20 x 20), each with its detection, and background of 20 x 20
    // that comes first: a false positive for small and for all, none for large.
    ProtocolSet set;
    set.add({face(0, 0, 200, 200), face(300, 0, 20, 20)},
            {detection(0.9, 500, 0, 20, 20), detection(0.8, 0, 0, 200, 200), detection(0.7, 300, 0, 20, 20)});
    for (const ProtocolMode mode : {strict, corrected}) {
        const auto numbers = coco(set, mode);
        CHECK(numbers.at("ap_large") == Approx(1).epsilon(1e-12));
        CHECK(numbers.at("ap_small") == Approx(0.5).epsilon(1e-12));
        CHECK(numbers.at("ap") == Approx(2.0 / 3).epsilon(1e-12));
        CHECK(std::isnan(numbers.at("ap_medium")));
    }
}

TEST_CASE("COCO: at most 100 detections of an image count", "[evaluate][coco]") {
    // The face's detection has the lowest score of 101: not among the 100.
    std::vector<Detection> found{detection(0.1, 0, 0, 40, 40)};
    for (int i = 0; i < 100; ++i) found.push_back(detection(0.5 + i * 0.001, 100 + 50 * i, 0, 40, 40));
    ProtocolSet set;
    set.add({face(0, 0, 40, 40)}, found);
    CHECK(coco(set, strict).at("ar_100") == 0);
    set.detections[0].pop_back();
    CHECK(coco(set, strict).at("ar_100") == 1);
    CHECK(coco(set, strict).at("ar_10") == 0);
    set.detections[0] = found;
    const std::vector<ProtocolImage> images = set.images();
    const auto evaluation = evaluate_coco(images, strict);
    REQUIRE(evaluation->warnings().size() == 1);
    CHECK(evaluation->warnings()[0] ==
          "1 image has more than 100 detections, of which COCO counts the 100 with the highest scores.");
    const ImageTrace trace = evaluation->trace(0);
    REQUIRE(trace.steps.size() == 101);
    CHECK(trace.steps[100].true_positives == 0);
    CHECK(trace.steps[100].false_positives == 0);
    CHECK(trace.outcome.outcomes[0] == DetectionMatch::ignored);
    CHECK(trace.outcome.best_iou[0] == 1);
}

TEST_CASE("COCO: of equal overlaps the later face is taken", "[evaluate][coco]") {
    // The first detection overlaps both faces alike (15 of 25: 0.6) and takes the later one, so that the
    // second, which is exactly on that, finds nothing (10 of 30 with the other).
    ProtocolSet set;
    set.add({face(0, 0, 20, 20), face(10, 0, 20, 20)},
            {detection(0.9, 5, 0, 20, 20), detection(0.8, 10, 0, 20, 20)});
    for (const ProtocolMode mode : {strict, corrected}) {
        const std::vector<ProtocolImage> images = set.images();
        const ImageTrace trace = evaluate_coco(images, mode)->trace(0);
        CHECK(trace.outcome.face_match == std::vector<int>{-1, 0});
        CHECK(trace.face_iou == std::vector<double>{0, 0.6});
        REQUIRE(trace.steps.size() == 2);
        CHECK(trace.steps[0].true_positives == 1);
        CHECK(trace.steps[0].changes_end == 1);
        CHECK(trace.steps[1].false_positives == 1);
        CHECK(trace.changes[0].face == 1);
        CHECK(trace.outcome.best_iou.all() == std::vector<double>{0.6, 1});
        CHECK(trace.outcome.outcomes ==
              std::vector<DetectionMatch>{DetectionMatch::true_positive, DetectionMatch::false_positive});
    }
}

TEST_CASE("COCO quirk: a face marked ignore counts", "[evaluate][coco]") {
    // One of two faces found: 51 of the 101 recalls. Corrected: the detection is ignored and the other face
    // missed.
    ProtocolSet set;
    set.add({ignored_face(0, 0, 40, 40), face(100, 0, 40, 40)}, {detection(0.9, 0, 0, 40, 40)});
    CHECK(coco(set, strict).at("ap") == Approx(51.0 / 101).epsilon(1e-12));
    CHECK(coco(set, corrected).at("ap") == 0);
    const std::vector<ProtocolImage> images = set.images();
    CHECK(
        evaluate_coco(images, strict)->warnings() ==
        std::vector<std::string>{
            "1 face is marked \"ignore\": pycocotools counts it all the same, and so do COCO's numbers. "
            "All other numbers leave it out, together with one detection on each; a further detection there "
            "is a false positive."});
    CHECK(evaluate_coco(images, corrected)->warnings().empty());
    // Curves and pictures, which pycocotools does not have, are the same in both modes.
    for (const ProtocolMode mode : {strict, corrected}) {
        CHECK(evaluate_coco(images, mode)->trace(0).outcome.outcomes[0] == DetectionMatch::ignored);
        CHECK_FALSE(evaluate_coco(images, mode)->counts(set.samples[0].faces[0]));
        CHECK(evaluate_coco(images, mode)->counts(set.samples[0].faces[1]));
    }
}

TEST_CASE("COCO quirk: a match with annotation 0 is no match", "[evaluate][coco]") {
    ProtocolSet set;
    set.add({with_attribute(face(0, 0, 40, 40), "id", "0")}, {detection(0.9, 0, 0, 40, 40)});
    CHECK(coco(set, strict).at("ap") == 0);
    CHECK(coco(set, corrected).at("ap") == 1);
    set.samples[0].faces[0].attributes[0].value = "10";
    CHECK(coco(set, strict).at("ap") > 0.99);
}

TEST_CASE("COCO quirk: the order of images decides between equal scores", "[evaluate][coco]") {
    // One face, one hit, one false positive of the same score: precision 1 if the hit comes first, else 1/2.
    ProtocolSet set;
    set.add({face(0, 0, 40, 40)}, {detection(0.9, 0, 0, 40, 40)});
    set.add({}, {detection(0.9, 0, 0, 40, 40)});
    CHECK(coco(set, strict).at("ap") == Approx(1).epsilon(1e-12));
    CHECK(coco(set, corrected).at("ap") == 0.5);
    // Ids are ordered as numbers, not as text: 9 comes before 10.
    set.samples[0].attributes = {{"id", "10"}};
    set.samples[1].attributes = {{"id", "9"}};
    CHECK(coco(set, strict).at("ap") == 0.5);
    CHECK(coco(set, corrected).at("ap") == 0.5);
    // One image without an id: the order is the dataset's.
    set.samples[1].attributes.clear();
    CHECK(coco(set, strict).at("ap") > 0.99);
}

TEST_CASE("COCO quirk: the order in the file decides between equal scores of an image", "[evaluate][coco]") {
    // A overlaps the face by 26/40 (0.65), B is exact. A first: at IoU 0.75 a false positive comes before the
    // hit.
    const Detection a = detection(0.9, 0, 0, 26, 40);
    const Detection b = detection(0.9, 0, 0, 40, 40);
    ProtocolSet a_first;
    a_first.add({face(0, 0, 40, 40)}, {a, b});
    ProtocolSet b_first;
    b_first.add({face(0, 0, 40, 40)}, {b, a});
    CHECK(coco(a_first, strict).at("ap_75") == 0.5);
    CHECK(coco(b_first, strict).at("ap_75") == Approx(1).epsilon(1e-12));
    CHECK(coco(a_first, corrected).at("ap_75") == 0.5);
    CHECK(coco(b_first, corrected).at("ap_75") == 0.5);
}

TEST_CASE("COCO quirk: rounded recalls miss their places", "[evaluate][coco]") {
    // 35 of 100 faces: 35/100 is less than numpy's 35 * 0.01, so that 35 places (0 ... 0.34) have precision
    // 1, not 36.
    std::vector<Face> faces;
    std::vector<Detection> found;
    for (int i = 0; i < 100; ++i) faces.push_back(face(50 * i, 0, 40, 40));
    for (int i = 0; i < 35; ++i) found.push_back(detection(0.9 - 0.01 * i, 50 * i, 0, 40, 40));
    ProtocolSet set;
    set.add(faces, found);
    CHECK(coco(set, strict).at("ap") == Approx(35.0 / 101).epsilon(1e-12));
    CHECK(coco(set, corrected).at("ap") == Approx(36.0 / 101).epsilon(1e-12));
}

TEST_CASE("COCO quirk: an area on a border is in both ranges", "[evaluate][coco]") {
    // 32 x 32 is small and medium, 96 x 96 medium and large; corrected: the upper one.
    ProtocolSet set;
    set.add({face(0, 0, 32, 32), face(100, 0, 96, 96)},
            {detection(0.9, 0, 0, 32, 32), detection(0.8, 100, 0, 96, 96)});
    CHECK(coco(set, strict).at("ar_small") == 1);
    CHECK(coco(set, strict).at("ar_medium") == 1);
    CHECK(coco(set, strict).at("ar_large") == 1);
    CHECK(std::isnan(coco(set, corrected).at("ar_small")));
    CHECK(coco(set, corrected).at("ar_medium") == 1);
    CHECK(coco(set, corrected).at("ar_large") == 1);
    // The face of 96 x 96 is missed: for medium (strict) it is one of two.
    set.detections[0].pop_back();
    CHECK(coco(set, strict).at("ar_medium") == 0.5);
    CHECK(coco(set, corrected).at("ar_medium") == 1);
}

TEST_CASE("COCO quirk: an epsilon in the precision", "[evaluate][coco]") {
    ProtocolSet set;
    set.add({face(0, 0, 40, 40)}, {detection(0.9, 0, 0, 40, 40)});
    CHECK(coco(set, strict).at("ap_50") < 1);
    CHECK(coco(set, strict).at("ap_50") == Approx(1).epsilon(1e-15));
    CHECK(coco(set, corrected).at("ap_50") == 1);
}

TEST_CASE("COCO quirk: the threshold 0.9 is the double below it", "[evaluate][coco]") {
    // Shared with the face of 1 x 1 is just the double below 0.9, of a union of 1.
    const double below = std::nextafter(0.9, 0);
    ProtocolSet set;
    set.add({face(0, 0, 1, 1)}, {detection(0.9, 0, 0, below, 1)});
    CHECK(coco(set, strict).at("ar_100") == 0.9);
    CHECK(coco(set, corrected).at("ar_100") == 0.8);
}

TEST_CASE("COCO: nothing to divide by", "[evaluate][coco]") {
    for (const ProtocolMode mode : {strict, corrected}) {
        for (const auto& [key, value] : coco(ProtocolSet(), mode)) CHECK(std::isnan(value));
        ProtocolSet no_faces;
        no_faces.add({}, {detection(0.5, 0, 0, 10, 10)});
        no_faces.add({crowd(0, 0, 10, 10)}, {});
        for (const auto& [key, value] : coco(no_faces, mode)) CHECK(std::isnan(value));
        ProtocolSet no_detections;
        no_detections.add({face(0, 0, 10, 10)}, {});
        CHECK(coco(no_detections, mode).at("ap") == 0);
        CHECK(coco(no_detections, mode).at("ar_1") == 0);
        CHECK(std::isnan(coco(no_detections, mode).at("ap_large")));
    }
}

TEST_CASE("COCO: numbers that are not finite are refused by image", "[evaluate][coco]") {
    ProtocolSet set;
    set.add({face(0, 0, 10, 10)}, {detection(NAN, 0, 0, 10, 10)});
    CHECK_THROWS_WITH(coco(set, strict), Catch::Contains("image_0.png"));
    CHECK_THROWS_AS(coco(set, strict), Error);
}

TEST_CASE("COCO: weights are repetitions", "[evaluate][coco]") {
    // Large weights, too: their bits are what the sums are made of.
    std::mt19937 generator(7);
    ProtocolSet set = make_large_set(60, 3);
    for (std::vector<Detection>& found : set.detections) {
        // No ties: their order among repeats is not defined.
        for (Detection& detection : found) detection.score = static_cast<double>(generator());
    }
    for (Sample& sample : set.samples) sample.attributes.clear();
    const std::vector<ProtocolImage> images = set.images();
    for (const ProtocolMode mode : {strict, corrected}) {
        const auto evaluation = evaluate_coco(images, mode);
        for (const unsigned most : {1u, 3u, 40u}) {
            std::vector<std::uint16_t> weights;
            for (std::size_t i = 0; i < images.size(); ++i) {
                weights.push_back(static_cast<std::uint16_t>(generator() % (most + 1)));
            }
            const ProtocolSet repeated = set.repeated(weights);
            const std::vector<ProtocolImage> more = repeated.images();
            CHECK(weighted_numbers(*evaluation, weights) ==
                  weighted_numbers(*evaluate_coco(more, mode), std::vector<std::uint16_t>(more.size(), 1)));
        }
    }
}

TEST_CASE("COCO corrected: the order of images and detections is without meaning", "[evaluate][coco]") {
    std::mt19937 generator(8);
    for (const CocoSet& golden : read_coco_sets(test::source_file("tests/data/coco/golden.json"))) {
        INFO(golden.name);
        ProtocolSet shuffled;
        std::vector<std::size_t> order(golden.set.samples.size());
        for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
        std::shuffle(order.begin(), order.end(), generator);
        for (const std::size_t i : order) {
            shuffled.samples.push_back(golden.set.samples[i]);
            shuffled.samples.back().attributes.clear();
            shuffled.detections.push_back(golden.set.detections[i]);
            std::shuffle(shuffled.detections.back().begin(), shuffled.detections.back().end(), generator);
        }
        const auto first = coco(golden.set, corrected);
        const auto second = coco(shuffled, corrected);
        for (const auto& [key, value] : first) {
            CHECK((second.at(key) == value || (std::isnan(value) && std::isnan(second.at(key)))));
        }
    }
}

}  // namespace
}  // namespace fovea
