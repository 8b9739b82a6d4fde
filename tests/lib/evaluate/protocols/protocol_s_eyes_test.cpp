#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "lib/dataset/readers/mit_cmu.hpp"
#include "lib/evaluate/analysis/ambiguity.hpp"
#include "lib/evaluate/protocols/eye_distance.hpp"
#include "tests/lib/evaluate/protocols/protocol_images.hpp"

using namespace fovea;
using namespace fovea::test;

namespace {

constexpr ProtocolMode strict = ProtocolMode::strict;
constexpr ProtocolMode corrected = ProtocolMode::corrected;

// Eyes 10 apart, the left one at (x, y): shifted by s, S_eyes is 2 s / 10.
Face eyes_at(double x, double y) {
    Face result = face(x - 7, y - 7, 24, 24);
    result.eyes = Eyes{{x, y}, {x + 10, y}};
    return result;
}

Detection found_at(double score, double x, double y) {
    Detection result = detection(score, x - 7, y - 7, 24, 24);
    result.details.edit().landmarks = {{x, y}, {x + 10, y}};
    return result;
}

std::map<std::string, double> values(const ProtocolCase& data, ProtocolMode mode,
                                     const std::vector<std::uint16_t>& weights = {}) {
    return data.values(evaluate_s_eyes, mode, weights);
}

}  // namespace

TEST_CASE("S_eyes: equation 6", "[evaluate][s_eyes]") {
    // Left eyes (3, 4) apart: 5, right ones equal; eye distances 10 and sqrt(7^2 + 4^2).
    const Eyes a{{0, 0}, {10, 0}};
    const Eyes b{{3, 4}, {10, 0}};
    CHECK(s_eyes(a, b) == Approx(5 / std::sqrt(65.0)));
    CHECK(s_eyes(b, a) == s_eyes(a, b));
    CHECK(s_eyes(a, a) == 0);
    CHECK(s_eyes(a, Eyes{{5, 5}, {5, 5}}) == std::numeric_limits<double>::infinity());
}

TEST_CASE("S_eyes: where the eyes are", "[evaluate][s_eyes]") {
    // The box that MIT+CMU's convention makes of eyes whose mouth is d / 0.85 below gives the eyes back.
    const Eyes eyes{{100, 50}, {140, 50}};
    const Eyes back = eyes_in_box(mit_cmu_face_box(eyes, {120, 50 + 40 / 0.85}));
    CHECK(back.left.x == Approx(100));
    CHECK(back.left.y == Approx(50));
    CHECK(back.right.x == Approx(140));
    CHECK(back.right.y == Approx(50));

    std::vector<Point> ibug(68);
    for (std::size_t i = 36; i <= 41; ++i) ibug[i] = {static_cast<double>(i), 7};        // mean 38.5
    for (std::size_t i = 42; i <= 47; ++i) ibug[i] = {2.0 * static_cast<double>(i), 9};  // mean 89
    CHECK(eyes_of_landmarks(ibug) == Eyes{{38.5, 7}, {89, 9}});
    CHECK(eyes_of_landmarks({{1, 2}, {3, 4}}) == Eyes{{1, 2}, {3, 4}});
    CHECK(eyes_of_landmarks({{1, 2}, {3, 4}, {5, 6}, {7, 8}, {9, 9}}) == Eyes{{1, 2}, {3, 4}});
    CHECK_FALSE(eyes_of_landmarks({{1, 2}, {3, 4}, {5, 6}}).has_value());

    Face annotated = face(0, 0, 48, 48);
    CHECK(eyes_of(annotated).left.x == Approx(48 * (0.5 - 1 / 4.8)));
    annotated.landmarks = ibug;
    CHECK(eyes_of(annotated) == Eyes{{38.5, 7}, {89, 9}});
    annotated.eyes = eyes;
    CHECK(eyes_of(annotated) == eyes);
}

TEST_CASE("S_eyes: overlapping windows are averaged, the closest pair first", "[evaluate][s_eyes]") {
    // At 0, 1 and 2.4: the closest are 0 and 1 (S 0.2), which make 0.5; 2.4 is 1.9 away (0.38) and joins.
    // The printed rule: (0.5 + 2.4) / 2 = 1.45; all alike: 3.4 / 3.
    const std::vector<Detection> windows{found_at(0.3, 2.4, 0), found_at(0.9, 1, 0), found_at(0.5, 0, 0)};
    const std::vector<Detection> printed = average_overlapping(windows, strict);
    REQUIRE(printed.size() == 1);
    CHECK(printed[0].details->landmarks.at(0).x == Approx(1.45));
    CHECK(printed[0].box.x == Approx(1.45 - 7));
    CHECK(printed[0].box.w == 24);
    CHECK(printed[0].score == 0.9);
    const std::vector<Detection> alike = average_overlapping(windows, corrected);
    REQUIRE(alike.size() == 1);
    CHECK(alike[0].details->landmarks.at(1).x == Approx(10 + 3.4 / 3));
    std::vector<Detection> other_order = windows;
    std::reverse(other_order.begin(), other_order.end());
    CHECK(average_overlapping(other_order, strict)[0].box == printed[0].box);
}

TEST_CASE("S_eyes: windows at 0.5 do not overlap, below it they do", "[evaluate][s_eyes]") {
    CHECK(average_overlapping(std::vector{found_at(0.9, 0, 0), found_at(0.8, 2.5, 0)}, strict).size() == 2);
    CHECK(average_overlapping(std::vector{found_at(0.9, 0, 0), found_at(0.8, 2.4, 0)}, strict).size() == 1);
    CHECK(average_overlapping({}, strict).empty());
    // An average can come to overlap a window that none of its members overlaps: 0 and 2 make 1; 3.3 is 2.3
    // away.
    const std::vector<Detection> chain{found_at(0.9, 0, 0), found_at(0.8, 2, 1.9), found_at(0.7, 2, -1.9)};
    // Distances: 2.76 and 2.76 (no overlap), 3.8 (none): three stay.
    CHECK(average_overlapping(chain, strict).size() == 3);
}

TEST_CASE("S_eyes: the cost alone decides as printed, hits first in corrected mode", "[evaluate][s_eyes]") {
    // Faces L1 and L2, detections A and B, distances: A-L1 2.2, B-L2 2.2, A-L2 0.6, B-L1 3 (A-B 2.8: no
    // overlap). S: 0.44 + 0.44 are two hits, 0.12 + 0.6 cost less and are one.
    const double x = (2.2 * 2.2 - 3 * 3 + 2.8 * 2.8) / (2 * 2.8) - 0.6;
    const double y = std::sqrt(2.2 * 2.2 - (x + 0.6) * (x + 0.6));
    ProtocolCase data;
    data.add({eyes_at(x, y), eyes_at(0, 0)}, {found_at(0.9, -0.6, 0), found_at(0.9, 2.2, 0)});
    auto printed = values(data, strict);
    CHECK(printed["detection_rate"] == 0.5);
    CHECK(printed["mean_s_eyes"] == Approx(0.12));
    auto meant = values(data, corrected);
    CHECK(meant["detection_rate"] == 1);
    CHECK(meant["mean_s_eyes"] == Approx(0.44));
}

TEST_CASE("S_eyes: costs above 0.5 count as they are", "[evaluate][s_eyes]") {
    // In a row: L1 -2.8, A -0.6, L2 0, B 2.2. S: A-L1 and B-L2 0.44 each; A-L2 0.12 and B-L1 1.0 cost more.
    ProtocolCase data;
    data.add({eyes_at(-2.8, 0), eyes_at(0, 0)}, {found_at(0.9, -0.6, 0), found_at(0.9, 2.2, 0)});
    CHECK(values(data, strict)["detection_rate"] == 1);
    CHECK(values(data, corrected)["detection_rate"] == 1);
}

TEST_CASE("S_eyes: rates, repeated images and ignored faces", "[evaluate][s_eyes]") {
    std::vector<Detection> alarms;
    for (int i = 0; i < 6; ++i) alarms.push_back(found_at(0.9, 100 + 50 * i, 0));
    alarms.push_back(found_at(0.5, 0, 1));
    ProtocolCase data;
    data.add({eyes_at(0, 0)}, alarms);
    data.add({eyes_at(0, 0)}, {found_at(0.95, 0, 0)});
    auto all = values(data, strict);
    CHECK(all["detection_rate"] == 1);
    CHECK(all["mean_s_eyes"] == Approx(0.1));  // 0.2 and 0
    CHECK(all["detection_rate_at_5_fp"] == 0.5);
    CHECK(all["detection_rate_at_16_fp"] == 1);
    auto twice = values(data, strict, {2, 0});
    CHECK(twice["detection_rate_at_5_fp"] == 0);
    CHECK(twice["mean_s_eyes"] == Approx(0.2));

    ProtocolCase ignored;
    Face hidden = eyes_at(0, 0);
    hidden.ignore = true;
    ignored.add({hidden, eyes_at(100, 0)}, {found_at(0.9, 0, 0)});
    CHECK(values(ignored, strict)["detection_rate"] == 0);
    CHECK(std::isnan(values(ignored, strict)["mean_s_eyes"]));
    CHECK(evaluate_s_eyes(ignored.images(), strict)->trace(0).outcome.outcomes ==
          std::vector<DetectionMatch>{DetectionMatch::ignored});
}

TEST_CASE("S_eyes: no faces, no detections, boxes only, numbers that are none", "[evaluate][s_eyes]") {
    for (const ProtocolMode mode : {strict, corrected}) {
        ProtocolCase empty;
        empty.add({}, {found_at(0.9, 0, 0)});
        CHECK(std::isnan(values(empty, mode)["detection_rate"]));
        ProtocolCase silent;
        silent.add({eyes_at(0, 0)}, {});
        CHECK(values(silent, mode)["detection_rate"] == 0);
        ProtocolCase boxes;
        boxes.add({face(0, 0, 24, 24)}, {detection(0.9, 1, 0, 24, 24)});  // d 10, shifted by 1
        CHECK(values(boxes, mode)["mean_s_eyes"] == Approx(0.2));
        const auto warnings = evaluate_s_eyes(boxes.images(), mode)->warnings();
        REQUIRE(warnings.size() == 2);
        CHECK_THAT(warnings[0], Catch::Contains("1 face are where its box"));
        ProtocolCase broken;
        broken.add({}, {found_at(std::nan(""), 0, 0)});
        CHECK_THROWS_WITH(evaluate_s_eyes(broken.images(), mode), Catch::Contains("image-1.png"));
    }
}

TEST_CASE("Ambiguity: what Hungarian, greedy and S_eyes pairing do differently", "[evaluate][s_eyes]") {
    DetectionEvaluationOptions options;
    ProtocolCase data;
    // Faces 100 x 100 and 100 x 80 at one place. The best detection is nearer to the first (IoU 0.95) than to
    // the second (80/95); the other one overlaps the first by 1 and the second by 0.8, too. Greedy: both take
    // the first face, the second is missed. Hungarian: two pairs, 80/95 + 1 > 0.95 + 0.8, so the first
    // detection gets the second face. S_eyes of the boxes: eyes at 0.2941 of the height and 41.67 apart:
    // 29.41, 23.53 (faces), 27.94 and 29.41 (detections); S is 2 * difference / 41.67: below 0.5 for all, and
    // 0.21 + 0 < 0.07 + 0.28: as Hungarian.
    data.add({face(0, 0, 100, 100), face(0, 0, 100, 80)},
             {detection(0.9, 0, 0, 100, 95), detection(0.8, 0, 0, 100, 100)});
    MatchingAmbiguity expected;
    expected.faces = 2;
    expected.found_hungarian = 2;
    expected.found_greedy = 1;
    expected.found_s_eyes = 2;
    expected.status_differs = expected.status_differs_greedy = 1;
    expected.partner_differs = expected.partner_differs_greedy = 1;
    CHECK(matching_ambiguity(data.images(), options) == expected);

    // A face found by its box, whose eyes are elsewhere; and an ignored face, left out.
    Face turned = face(500, 0, 24, 24);
    turned.eyes = Eyes{{510, 20}, {520, 20}};
    data.add({turned, ignored_face(0, 0, 9, 9)},
             {detection(0.9, 500, 0, 24, 24), detection(0.9, 0, 0, 9, 9)});
    expected.faces = 3;
    expected.found_hungarian = 3;
    expected.found_greedy = 2;
    expected.status_differs = 2;
    expected.status_differs_s_eyes = 1;
    CHECK(matching_ambiguity(data.images(), options) == expected);
    CHECK(matching_ambiguity({}, options) == MatchingAmbiguity{});
}
