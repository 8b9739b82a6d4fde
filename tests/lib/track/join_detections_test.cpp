#include "lib/track/join_detections.hpp"

#include <catch2/catch.hpp>

using namespace fovea;

namespace {

Detection at(double x, double score) {
    return {{x, 0, 10, 10}, score};
}

using Joined = std::vector<std::optional<std::size_t>>;

}  // namespace

TEST_CASE("Tracks and detections are joined by the largest sum of overlaps", "[track]") {
    // Each track for itself would take detection 0: IoU 8/12 with the first, 9/11 with the second. Together
    // 8/12 + 6/14 < 9/11 + 6/14 decides for the second.
    const std::vector<ExpectedFace> tracks{{{2, 0, 10, 10}}, {{-1, 0, 10, 10}}};
    const JoinedDetections joined = join_detections(tracks, std::vector{at(0, 0.9), at(6, 0.9)}, {});
    CHECK(joined.detection_of == Joined{1, 0});
    CHECK(joined.new_faces.empty());
}

TEST_CASE("Weak detections go on with tracks that are followed, and begin none", "[track]") {
    const std::vector<ExpectedFace> tracks{{{0, 0, 10, 10}}, {{100, 0, 10, 10}, true}};
    const JoinedDetections joined =
        join_detections(tracks, std::vector{at(1, 0.3), at(100, 0.3), at(200, 0.3), at(300, 0.05)}, {});
    CHECK(joined.detection_of == Joined{0, std::nullopt});
    CHECK(joined.new_faces.empty());
}

TEST_CASE("A strong detection comes before a weak one that overlaps more", "[track]") {
    const std::vector<ExpectedFace> tracks{{{0, 0, 10, 10}}};
    const JoinedDetections joined = join_detections(tracks, std::vector{at(0, 0.4), at(4, 0.9)}, {});
    CHECK(joined.detection_of == Joined{1});
}

TEST_CASE("Detections that overlap too little begin tracks", "[track]") {
    TrackerOptions options;
    // IoU 2/18 = 0.11 of a track that is followed, and 5/15 = 0.33, 1/19 = 0.05 of lost ones.
    const std::vector<ExpectedFace> tracks{
        {{0, 0, 10, 10}}, {{100, 0, 10, 10}, true}, {{200, 0, 10, 10}, true}};
    const JoinedDetections joined =
        join_detections(tracks, std::vector{at(8, 0.5), at(105, 0.5), at(209, 0.5)}, options);
    CHECK(joined.detection_of == Joined{std::nullopt, 1, std::nullopt});
    CHECK(joined.new_faces == std::vector<std::size_t>{0, 2});
}

TEST_CASE("A second detection of a face begins no track", "[track]") {
    const std::vector<ExpectedFace> tracks{{{0, 0, 10, 10}}};
    const JoinedDetections joined = join_detections(tracks, std::vector{at(0, 0.9), at(1, 0.9)}, {});
    CHECK(joined.detection_of == Joined{0});
    CHECK(joined.new_faces.empty());
}

TEST_CASE("Without tracks or detections nothing is joined", "[track]") {
    CHECK(join_detections({}, {}, {}).new_faces.empty());
    CHECK(join_detections({}, std::vector{at(0, 0.5)}, {}).new_faces == std::vector<std::size_t>{0});
    CHECK(join_detections(std::vector<ExpectedFace>{{{0, 0, 0, 0}}}, std::vector{at(0, 0.4)}, {})
              .detection_of == Joined{std::nullopt});
}
