#include "lib/run/people/track_faces.hpp"

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

using Places = std::vector<std::uint32_t>;

ImageResult frame_of(const std::string& image, const std::vector<Box>& boxes) {
    ImageResult result;
    result.image = image;
    result.frame = FrameTime{3, 0.12};
    for (const Box& box : boxes) result.detections.push_back({box, 1});
    return result;
}

std::vector<int> tracks_of(const ImageResult& result) {
    std::vector<int> tracks;
    for (const Detection& face : result.detections) tracks.push_back(face.details->track.value_or(-1));
    return tracks;
}

}  // namespace

TEST_CASE("a track's face is the detection that overlaps its best face the most, and by half", "[people]") {
    const TempDir folder;
    const TrackFaces tracks(folder.write("tracks.jsonl",
                                         R"({"track":4,"best":{"image":"v.mp4#3","box":[0,0,10,10]}})"
                                         "\n"
                                         R"({"track":5})"
                                         "\n"
                                         R"({"track":1,"best":{"image":"v.mp4#3","box":[100,0,10,10]}})"
                                         "\n"
                                         R"({"track":2,"best":{"image":"v.mp4#9","box":[0,0,10,10]}})"
                                         "\n"));
    CHECK(tracks.size() == 3);
    CHECK(tracks.count("v.mp4#3") == 2);
    CHECK(tracks.count("v.mp4#4") == 0);

    // IoU 1/3, 9/11, 1 and, for the last, 0.
    ImageResult frame =
        frame_of("v.mp4#3", {{5, 0, 10, 10}, {101, 0, 10, 10}, {0, 0, 10, 10}, {50, 50, 10, 10}});
    CHECK(tracks.choose(frame) == Places{1, 2});
    CHECK(tracks_of(frame) == std::vector<int>{1, 4});
    CHECK(frame.detections[1].box == Box{0, 0, 10, 10});

    // Exactly half of the union is enough; of two, the nearer one counts.
    frame = frame_of("v.mp4#9", {{0, 0, 10, 5}});
    CHECK(tracks.choose(frame) == Places{0});
    frame = frame_of("v.mp4#9", {{0, 0, 10, 4.9}});
    CHECK(tracks.choose(frame).empty());
    CHECK(frame.detections.empty());
    frame = frame_of("v.mp4#9", {{0, 0, 10, 8}, {0, 0, 10, 9}});
    CHECK(tracks.choose(frame) == Places{1});

    // A frame that is there for no track has no face; a photograph keeps all.
    frame = frame_of("v.mp4#4", {{0, 0, 10, 10}});
    CHECK(tracks.choose(frame).empty());
    ImageResult photograph = frame_of("a.jpg", {{0, 0, 10, 10}, {1, 1, 2, 2}});
    photograph.frame.reset();
    CHECK(tracks.choose(photograph) == Places{0, 1});
    CHECK(tracks_of(photograph) == std::vector<int>{-1, -1});
}

TEST_CASE("no detection is of two tracks", "[people]") {
    const TempDir folder;
    const TrackFaces tracks(folder.write("tracks.jsonl",
                                         R"({"track":1,"best":{"image":"v#1","box":[0,0,10,9]}})"
                                         "\n"
                                         R"({"track":2,"best":{"image":"v#1","box":[0,0,10,10]}})"
                                         "\n"));
    ImageResult frame = frame_of("v#1", {{0, 0, 10, 10}});
    CHECK(tracks.choose(frame) == Places{0});
    CHECK(tracks_of(frame) == std::vector<int>{2});
    // The nearest pair comes first; the other track has the other detection.
    frame = frame_of("v#1", {{0, 0, 10, 7}, {0, 0, 10, 10}});
    CHECK(tracks.choose(frame) == Places{0, 1});
    CHECK(tracks_of(frame) == std::vector<int>{1, 2});
}

TEST_CASE("broken lines of tracks are told with their place", "[people]") {
    const TempDir folder;
    const auto file =
        folder.write("tracks.jsonl", "{\"track\":1}\n{\"track\":2,\"best\":{\"image\":\"v\"}}\n");
    CHECK_THROWS_WITH(TrackFaces(file), Contains("tracks.jsonl:2") && Contains("box"));
}
