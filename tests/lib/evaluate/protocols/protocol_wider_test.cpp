#include <cmath>
#include <map>

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "lib/evaluate/protocols/detection_protocols.hpp"
#include "tests/lib/evaluate/protocols/protocol_images.hpp"

using namespace fovea;
using namespace fovea::test;

namespace {

double ap(const ProtocolCase& data, ProtocolMode mode, const std::vector<std::uint16_t>& weights = {}) {
    return data.values(evaluate_wider, mode, weights)["ap"];
}

constexpr ProtocolMode strict = ProtocolMode::strict;
constexpr ProtocolMode port = ProtocolMode::port;
constexpr ProtocolMode corrected = ProtocolMode::corrected;

// Far from every face; with the lowest score of a case it fixes the lower end of the scaled scores.
Detection false_alarm(double score) {
    return detection(score, 5000, 5000, 9, 9);
}

// All but the one that there are no levels, which the cases have not.
std::vector<std::string> warnings(const ProtocolCase& data, ProtocolMode mode) {
    std::vector<std::string> list = evaluate_wider(data.images(), mode)->warnings();
    CHECK(std::erase_if(list, [](const std::string& text) {
              return text.find("has no lists of easy, medium and hard faces") != std::string::npos;
          }) == 1);
    return list;
}

}  // namespace

TEST_CASE("WIDER: one pixel is added to widths and heights in both programs", "[evaluate][wider]") {
    // 10 x 5 of 10 x 10 pixels are 0.5, a hit; 9 x 4 of 9 x 9 are 0.44.
    ProtocolCase data;
    data.add({face(0, 0, 9, 9)}, {detection(0.9, 0, 0, 9, 4), false_alarm(0.1)});
    CHECK(ap(data, port) == Approx(1));
    CHECK(ap(data, strict) == Approx(1));
    CHECK(ap(data, corrected) == 0);
    // Exactly 0.5 is a hit in both.
    ProtocolCase half;
    half.add({face(0, 0, 10, 10)}, {detection(0.9, 0, 0, 10, 5), false_alarm(0.1)});
    CHECK(ap(half, corrected) == Approx(1));
}

TEST_CASE("WIDER: the port takes detections in their order, the official program sorts them",
          "[evaluate][wider]") {
    // The false positive of score 0.1 stands first: with the threshold 0.999 of the scaled scores, all up to
    // the hit count: precision 1/2 at recall 1. Sorted, it is 1.
    ProtocolCase unsorted;
    unsorted.add({face(0, 0, 9, 9)}, {false_alarm(0.1), detection(0.9, 0, 0, 9, 9)});
    CHECK(ap(unsorted, port) == Approx(0.5));
    CHECK(ap(unsorted, strict) == Approx(1));
    CHECK(ap(unsorted, corrected) == Approx(1));
    CHECK(warnings(unsorted, strict).empty());
    const auto evaluation = evaluate_wider(unsorted.images(), port);
    REQUIRE(warnings(unsorted, port).size() == 1);
    CHECK_THAT(warnings(unsorted, port)[0], Catch::Contains("The detections of 1 image are not sorted"));
    CHECK(warnings(unsorted, corrected).empty());
    // The trace counts the alarm at the score with which it counts.
    const ImageTrace trace = evaluation->trace(0);
    REQUIRE(trace.steps.size() == 2);
    CHECK(trace.steps[0].score == 0.9);
    CHECK(trace.steps[0].false_positives == 1);
    CHECK(trace.steps[1].score == 0.9);
    CHECK(trace.steps[1].true_positives == 1);
    ProtocolCase sorted;
    sorted.add({face(0, 0, 9, 9)}, {detection(0.9, 0, 0, 9, 9), false_alarm(0.1)});
    CHECK(ap(sorted, port) == Approx(1));
    CHECK(warnings(sorted, port).empty());
}

TEST_CASE("WIDER: the same order matters for whom a face belongs to", "[evaluate][wider]") {
    // Unsorted, the first to arrive finds the face, the better one is a duplicate: both are proposals either
    // way.
    ProtocolCase data;
    data.add({face(0, 0, 9, 9)}, {detection(0.3, 0, 0, 9, 9), detection(0.9, 0, 0, 9, 9)});
    CHECK(evaluate_wider(data.images(), port)->trace(0).outcome.face_match == std::vector<int>{0});
    CHECK(evaluate_wider(data.images(), corrected)->trace(0).outcome.face_match == std::vector<int>{1});
}

TEST_CASE("WIDER: scores are scaled to 0 ... 1; alike ones count nothing in port mode", "[evaluate][wider]") {
    // The search for the extremes starts with 0 and 1: one score 1 gives 0 / (1 - 1), below every threshold.
    ProtocolCase one;
    one.add({face(0, 0, 9, 9)}, {detection(1.0, 0, 0, 9, 9)});
    CHECK(ap(one, port) == 0);
    CHECK(ap(one, corrected) == Approx(1));
    // One score 3: (3 - 1) / (3 - 1) = 1. One score -1: (-1 - -1) / (0 - -1) = 0, which the last threshold
    // admits.
    for (const double score : {3.0, -1.0}) {
        ProtocolCase outside;
        outside.add({face(0, 0, 9, 9)}, {detection(score, 0, 0, 9, 9)});
        CHECK(ap(outside, port) == Approx(1));
    }
}

TEST_CASE("WIDER: the official program's search for the extremes starts with the extremes of its numbers",
          "[evaluate][wider]") {
    // One score alone gives 0 / 0, below every threshold, where the port has an end of its own.
    for (const double score : {3.0, 0.5, 1.0}) {
        ProtocolCase alone;
        alone.add({face(0, 0, 9, 9)}, {detection(score, 0, 0, 9, 9)});
        CHECK(ap(alone, strict) == 0);
    }
    // The largest is sought from the smallest positive number on: -1 is (-1 - -1) / (2e-308 - -1) = 0.
    ProtocolCase negative;
    negative.add({face(0, 0, 9, 9)}, {detection(-1, 0, 0, 9, 9)});
    CHECK(ap(negative, strict) == Approx(1));
    // Scores of 2 to 3 are scaled by these: the second hit is 0.9991, the alarm 0.9989, and the threshold
    // 0.999 lies between them. The port scales by 1 and 3: 0.99955 and 0.99945 enter together.
    ProtocolCase two;
    two.add({face(0, 0, 9, 9), face(100, 0, 9, 9)},
            {detection(3, 0, 0, 9, 9), detection(2.9991, 100, 0, 9, 9), false_alarm(2.9989), false_alarm(2)});
    CHECK(ap(two, strict) == Approx(1));
    CHECK(ap(two, port) == Approx(2.0 / 3));
}

TEST_CASE("WIDER: in the official program corners are whole pixels and the first good face is the best",
          "[evaluate][wider]") {
    // The detection overlaps the first face by 11 x 10 of 11 x 11 pixels, and is the second one.
    ProtocolCase first;
    first.add({face(0, 0, 10, 9), face(0, 0, 10, 10)}, {detection(0.9, 0, 0, 10, 10), false_alarm(0.1)});
    CHECK(evaluate_wider(first.images(), strict)->trace(0).outcome.face_match == std::vector<int>{0, -1});
    CHECK(evaluate_wider(first.images(), port)->trace(0).outcome.face_match == std::vector<int>{-1, 0});
    CHECK(evaluate_wider(first.images(), corrected)->trace(0).outcome.face_match == std::vector<int>{-1, 0});
    // Rounded to whole pixels, 0 ... 3.5 is 0 ... 4: 5 x 10 of 10 x 10 pixels; else 4.5 x 10 of 10 x 10,
    // which is no hit. The detection's own area, 4.5 x 10, is not rounded: 50 / (100 + 45 - 50).
    ProtocolCase rounded;
    rounded.add({face(0, 0, 9, 9)}, {detection(0.9, 0, 0, 3.5, 9), false_alarm(0.1)});
    CHECK(ap(rounded, strict) == Approx(1));
    CHECK(ap(rounded, port) == 0);
}

TEST_CASE("WIDER: boxes of no or negative size count and are not found", "[evaluate][wider]") {
    // 39_Ice_Skating_iceskiing_39_583 of the official truth has one: 1026 474 -2 23.
    ProtocolCase data;
    data.add({face(1026, 474, -2, 23), face(0, 0, 9, 9)},
             {detection(0.9, 0, 0, 9, 9), detection(0.8, 1024, 474, 2, 23), detection(0.7, 1026, 474, -2, 23),
              false_alarm(0.1)});
    for (const auto& [mode, origin] : record_of(DetectionProtocol::wider).modes) {
        CHECK(ap(data, mode) == Approx(0.5));
        CHECK(evaluate_wider(data.images(), mode)->trace(0).outcome.face_match == std::vector<int>{-1, 0});
    }
}

TEST_CASE("WIDER: scores between two of the 1000 thresholds count together", "[evaluate][wider]") {
    // Scaled scores 1 (a face), 0.5004 (a face), 0.5001 (an alarm), 0 (an alarm). Exactly: precision 1 up to
    // recall 1. At the threshold 0.500 the alarm is in, too: 1/2 * 1 + 1/2 * 2/3.
    ProtocolCase data;
    data.add(
        {face(0, 0, 9, 9), face(100, 0, 9, 9)},
        {detection(1, 0, 0, 9, 9), detection(0.5004, 100, 0, 9, 9), false_alarm(0.5001), false_alarm(0)});
    CHECK(ap(data, port) == Approx(0.5 + 0.5 * 2 / 3));
    CHECK(ap(data, corrected) == Approx(1));
}

TEST_CASE("WIDER: a second detection of a face is a false positive in both modes", "[evaluate][wider]") {
    // Hit, duplicate, hit, alarm: precision 1 up to recall 1/2, then 2/3.
    ProtocolCase data;
    data.add({face(0, 0, 9, 9), face(100, 0, 9, 9)}, {detection(0.9, 0, 0, 9, 9), detection(0.8, 0, 0, 9, 9),
                                                      detection(0.7, 100, 0, 9, 9), false_alarm(0.1)});
    CHECK(ap(data, port) == Approx(0.5 + 0.5 * 2 / 3));
    CHECK(ap(data, corrected) == Approx(0.5 + 0.5 * 2 / 3));
}

TEST_CASE("WIDER: a detection takes the face of largest overlap, found or not", "[evaluate][wider]") {
    // The second detection overlaps the found face by 0.9 and the other one by 80/90: no hit, the other stays
    // missed.
    ProtocolCase data;
    data.add({face(0, 0, 100, 100), face(0, 0, 100, 80)},
             {detection(0.9, 0, 0, 100, 100), detection(0.8, 0, 0, 100, 95), false_alarm(0.1)});
    CHECK(ap(data, port) == Approx(0.5));
    CHECK(ap(data, corrected) == Approx(0.5));
    CHECK(evaluate_wider(data.images(), corrected)->trace(0).outcome.face_match == std::vector<int>{0, -1});
}

TEST_CASE("WIDER: images without faces count their false positives in corrected mode", "[evaluate][wider]") {
    ProtocolCase data;
    data.add({face(0, 0, 9, 9)}, {detection(0.9, 0, 0, 9, 9), false_alarm(0.1)});
    data.add({}, {false_alarm(0.95)});
    CHECK(ap(data, port) == Approx(1));
    CHECK(ap(data, corrected) == Approx(0.5));  // the alarm is above the hit
    CHECK(ap(data, strict) == Approx(1));
    CHECK(evaluate_wider(data.images(), port)->trace(1).steps.empty());
    CHECK(evaluate_wider(data.images(), strict)->trace(1).steps.empty());
    CHECK(evaluate_wider(data.images(), corrected)->trace(1).steps[0].false_positives == 1);
    for (const ProtocolMode mode : {strict, port}) {
        REQUIRE(warnings(data, mode).size() == 1);
        CHECK_THAT(warnings(data, mode)[0],
                   Catch::Contains("skip images without faces") && Catch::Contains("1 such image"));
    }
    CHECK(warnings(data, corrected).empty());
    // Images without detections keep their faces in the denominator.
    data.add({face(0, 0, 9, 9)}, {});
    CHECK(ap(data, port) == Approx(0.5));
}

TEST_CASE("WIDER: levels count some faces and ignore the others", "[evaluate][wider]") {
    // Large: in all levels; small: hard only; blurred: in none.
    Face large = face(0, 0, 90, 90);
    large.attributes = {{"easy", "yes"}, {"medium", "yes"}, {"hard", "yes"}};
    Face small = face(200, 0, 9, 9);
    small.attributes = {{"easy", "no"}, {"hard", "yes"}};
    const Face blurred = face(300, 0, 9, 9);
    ProtocolCase data;
    data.add({large, small, blurred}, {detection(0.9, 300, 0, 9, 9), detection(0.8, 200, 0, 9, 9),
                                       false_alarm(0.75), detection(0.7, 0, 0, 90, 90), false_alarm(0.1)});
    for (const auto& [mode, origin] : record_of(DetectionProtocol::wider).modes) {
        auto values = data.values(evaluate_wider, mode);
        CHECK(values.size() == 3);
        // Easy, medium: blurred and small are ignored; alarm, then the hit: 1/2.
        CHECK(values["easy_ap"] == Approx(0.5));
        CHECK(values["medium_ap"] == Approx(0.5));
        // Hard: a hit, an alarm, a hit: 1/2 * 1 + 1/2 * 2/3.
        CHECK(values["hard_ap"] == Approx(0.5 + 0.5 * 2 / 3));
        const auto evaluation = evaluate_wider(data.images(), mode);
        const ImageTrace trace = evaluation->trace(0);  // hard
        CHECK(evaluation->counts(small));
        CHECK_FALSE(evaluation->counts(blurred));
        CHECK(trace.outcome.outcomes[0] == DetectionMatch::ignored);
        CHECK(trace.outcome.face_match == std::vector<int>{3, 1, -1});
    }
}

TEST_CASE("WIDER: without levels, faces marked ignore are ignored", "[evaluate][wider]") {
    ProtocolCase data;
    data.add({ignored_face(0, 0, 9, 9), face(100, 0, 9, 9)},
             {detection(0.9, 0, 0, 9, 9), detection(0.8, 0, 0, 9, 9), detection(0.7, 100, 0, 9, 9),
              false_alarm(0.1)});
    CHECK(ap(data, port) == Approx(1));
    CHECK(ap(data, corrected) == Approx(1));
}

TEST_CASE("WIDER: equal scores enter together in corrected mode", "[evaluate][wider]") {
    ProtocolCase data;
    data.add({face(0, 0, 9, 9)}, {detection(0.9, 0, 0, 9, 9)});
    data.add({face(0, 0, 9, 9)}, {false_alarm(0.9)});
    CHECK(ap(data, corrected) == Approx(0.25));  // precision 1/2 at recall 1/2
}

TEST_CASE("WIDER: repeated images are concatenated copies", "[evaluate][wider]") {
    const std::vector<Face> faces{face(0, 0, 9, 9)};
    const std::vector<Detection> good{detection(0.9, 0, 0, 9, 9), false_alarm(0.6)};
    const std::vector<Detection> bad{false_alarm(0.95), detection(0.2, 0, 0, 9, 9)};
    ProtocolCase data;
    data.add(faces, good);
    data.add(faces, bad);
    data.add(faces, {false_alarm(0.01)});
    for (const auto& [mode, origin] : record_of(DetectionProtocol::wider).modes) {
        ProtocolCase copies;  // 2, 1 and 0 times; without the third the scores are scaled by other extremes
        copies.add(faces, good);
        copies.add(faces, good);
        copies.add(faces, bad);
        CHECK(ap(data, mode, {2, 1, 0}) == Approx(ap(copies, mode)).epsilon(1e-14));
        CHECK(std::isnan(ap(data, mode, {0, 0, 0})));
    }
    // Corrected: 0.95 alarm, 0.9 two hits, 0.6 two alarms, 0.2 a hit: 2/3 * 2/3 + 1/3 * 3/6.
    CHECK(ap(data, corrected, {2, 1, 0}) == Approx(4.0 / 9 + 1.0 / 6));
}

TEST_CASE("WIDER: samples that share their extremes have the numbers of a new evaluation",
          "[evaluate][wider]") {
    // The first time each detection is looked at, then their counts.
    ProtocolCase data;
    for (int i = 0; i < 12; ++i) {
        std::vector<Face> faces;
        std::vector<Detection> found;
        for (int k = 0; k < 7; ++k) {
            faces.push_back(face(40 * k, 0, 19, 19));
            if (k % 3 == i % 3) faces.back().ignore = true;
            found.push_back(detection(0.05 + 0.9 * ((i * 7 + k * 5) % 83) / 83, 40 * k + i % 4, 0, 19, 19));
            found.push_back(false_alarm(0.05 + 0.9 * ((i * 11 + k * 3) % 89) / 89));
        }
        data.add(faces, found);
    }
    const std::vector<ProtocolImage> images = data.images();
    for (const ProtocolMode mode : {strict, port}) {
        const auto evaluation = evaluate_wider(images, mode);
        double last = -1;
        for (std::uint16_t most = 1; most <= 40; ++most) {
            std::vector<std::uint16_t> weights;
            for (std::size_t i = 0; i < images.size(); ++i)
                weights.push_back(static_cast<std::uint16_t>(1 + (i * most) % 5));
            double value = 0;
            evaluation->evaluate(weights, std::span(&value, 1));
            CHECK(value == ap(data, mode, weights));
            CHECK(value > 0);
            if (most == 2) CHECK(value != last);
            last = value;
        }
    }
}

TEST_CASE("WIDER: no faces, no detections, numbers that are none", "[evaluate][wider]") {
    for (const auto& [mode, origin] : record_of(DetectionProtocol::wider).modes) {
        ProtocolCase empty;
        empty.add({}, {false_alarm(0.9)});
        CHECK(std::isnan(ap(empty, mode)));
        ProtocolCase silent;
        silent.add({face(0, 0, 9, 9)}, {});
        CHECK(ap(silent, mode) == 0);
        ProtocolCase broken;
        broken.add({face(0, 0, 9, 9)}, {false_alarm(std::nan(""))});
        CHECK_THROWS_WITH(evaluate_wider(broken.images(), mode), Catch::Contains("image-1.png"));
        ProtocolCase all_ignored;
        all_ignored.add({ignored_face(0, 0, 9, 9)}, {detection(0.9, 0, 0, 9, 9), false_alarm(0.1)});
        CHECK(std::isnan(ap(all_ignored, mode)));
    }
}
