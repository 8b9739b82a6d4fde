#include "lib/track/join_detections.hpp"

#include <catch2/catch.hpp>

using namespace fovea;

namespace {

Detection at(double x, double score) {
    return {{x, 0, 10, 10}, score};
}

/// The detection of each track; -1: none.
std::vector<int> detections_of(const JoinedDetections& joined) {
    std::vector<int> detections;
    for (const std::optional<JoinedDetection>& to : joined.joined_to)
        detections.push_back(to ? static_cast<int>(to->detection) : -1);
    return detections;
}
using Joined = std::vector<int>;

}  // namespace

TEST_CASE("Tracks and detections are joined by the largest sum of overlaps", "[track]") {
    // Each track for itself would take detection 0: IoU 8/12 with the first, 9/11 with the second. Together
    // 8/12 + 6/14 < 9/11 + 6/14 decides for the second.
    const std::vector<ExpectedFace> tracks{{{2, 0, 10, 10}}, {{-1, 0, 10, 10}}};
    const JoinedDetections joined = join_detections(tracks, std::vector{at(0, 0.9), at(6, 0.9)}, 0, {});
    CHECK(detections_of(joined) == Joined{1, 0});
    CHECK(joined.joined_to[0]->round == JoinRound::overlap);
    CHECK(joined.joined_to[0]->measure == Approx(6.0 / 14));
    CHECK(joined.new_faces.empty());
}

TEST_CASE("Weak detections go on with tracks, and begin none", "[track]") {
    const std::vector<ExpectedFace> tracks{{{0, 0, 10, 10}}, {{100, 0, 10, 10}, true}};
    const JoinedDetections joined =
        join_detections(tracks, std::vector{at(1, 0.3), at(100, 0.3), at(200, 0.3), at(300, 0.05)}, 0, {});
    CHECK(detections_of(joined) == Joined{0, 1});
    CHECK(joined.new_faces.empty());
}

TEST_CASE("A strong detection comes before a weak one that overlaps more", "[track]") {
    const std::vector<ExpectedFace> tracks{{{0, 0, 10, 10}}};
    const JoinedDetections joined = join_detections(tracks, std::vector{at(0, 0.4), at(4, 0.9)}, 0, {});
    CHECK(detections_of(joined) == Joined{1});
}

TEST_CASE("Detections that overlap too little begin tracks", "[track]") {
    TrackerOptions options;
    // IoU 2/18 = 0.11 of a track that is followed, and 5/15 = 0.33, 1/19 = 0.05 of lost ones.
    const std::vector<ExpectedFace> tracks{
        {{0, 0, 10, 10}}, {{100, 0, 10, 10}, true}, {{200, 0, 10, 10}, true}};
    const JoinedDetections joined =
        join_detections(tracks, std::vector{at(8, 0.5), at(105, 0.5), at(209, 0.5)}, 0, options);
    CHECK(detections_of(joined) == Joined{-1, 1, -1});
    CHECK(joined.new_faces == std::vector<std::size_t>{0, 2});
}

TEST_CASE("A second detection of a face begins no track", "[track]") {
    const std::vector<ExpectedFace> tracks{{{0, 0, 10, 10}}};
    const JoinedDetections joined = join_detections(tracks, std::vector{at(0, 0.9), at(1, 0.9)}, 0, {});
    CHECK(detections_of(joined) == Joined{0});
    CHECK(joined.new_faces.empty());
}

TEST_CASE("Without tracks or detections nothing is joined", "[track]") {
    CHECK(join_detections({}, {}, 0, {}).new_faces.empty());
    CHECK(join_detections({}, std::vector{at(0, 0.5)}, 0, {}).new_faces == std::vector<std::size_t>{0});
    CHECK(detections_of(join_detections(std::vector<ExpectedFace>{{{0, 0, 0, 0}}}, std::vector{at(0, 0.4)}, 0,
                                        {})) == Joined{-1});
}

TEST_CASE("A detection that overlaps no track goes on with a lost one that moves there", "[track]") {
    // 8 pixels a frame: the next box does not overlap the last one of frame 9 in frame 12.
    BoxMotion motion(0, {0, 0, 10, 10});
    for (std::size_t frame = 1; frame < 10; ++frame) motion.observe(frame, {8.0 * frame, 0, 10, 10});
    const std::vector<ExpectedFace> lost{{{72, 0, 10, 10}, true, false, &motion, &motion}};
    const auto joined_at = [&](double x) {
        return join_detections(lost, std::vector{at(x, 0.9)}, 12, {}).joined_to[0].has_value();
    };
    CHECK(joined_at(96));
    CHECK_FALSE(joined_at(-50));
    // A track that is followed is where flow has led it; but flow may have left the face.
    const std::vector<ExpectedFace> followed{{{40, 0, 10, 10}, false, false, &motion, &motion}};
    CHECK(detections_of(join_detections(followed, std::vector{at(96, 0.9)}, 12, {})) == Joined{0});
}

TEST_CASE("A far detection goes on with a lost track only if neither has another choice", "[track]") {
    const BoxMotion motion(0, {0, 0, 10, 10});
    const std::vector<ExpectedFace> one{{{0, 0, 10, 10}, true, false, &motion, &motion}};
    const std::vector<ExpectedFace> two{one[0], one[0]};
    const double distance = motion.distance(2, {30, 0, 10, 10});
    CHECK(distance > TrackerOptions{}.max_motion_distance);
    CHECK(distance < TrackerOptions{}.max_lone_distance);
    CHECK(detections_of(join_detections(one, std::vector{at(30, 0.9)}, 2, {})) == Joined{0});
    CHECK(detections_of(join_detections(one, std::vector{at(30, 0.9), at(-30, 0.9)}, 2, {})) == Joined{-1});
    CHECK(detections_of(join_detections(two, std::vector{at(30, 0.9)}, 2, {})) == Joined{-1, -1});
}
