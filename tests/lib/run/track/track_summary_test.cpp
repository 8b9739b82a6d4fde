#include "lib/run/track/track_summary.hpp"

#include <catch2/catch.hpp>

#include "lib/json/json.hpp"
#include "lib/landmark/face_crops.hpp"
#include "lib/run/track/track_page.hpp"

using namespace fovea;
using Catch::Matchers::Contains;

namespace {

Detection face(int track, double score, std::optional<int> followed = {}) {
    Detection detection{{0, 0, 10, 10}, score};
    detection.details.edit().track = track;
    detection.details.edit().followed = followed;
    return detection;
}

ImageResult frame(std::int64_t number, double seconds, std::vector<Detection> faces) {
    ImageResult result;
    result.image = "clip.mp4#" + std::to_string(number);
    result.frame = FrameTime{number, seconds};
    result.detections = std::move(faces);
    return result;
}

GreyImage grey(std::uint8_t value) {
    return {2, 2, std::vector<std::uint8_t>(4, value)};
}

}  // namespace

TEST_CASE("Tracks are summed up over the frames of a sequence", "[track]") {
    // A variable rate: a frame is shown until the next one, the last one as long as the one before.
    TrackGatherer gatherer("clip.mp4");
    gatherer.add(frame(0, 0.0, {face(2, 0.5)}));
    gatherer.add(frame(1, 0.5, {face(1, 0.9), face(2, 0.7, 1)}));
    gatherer.add(frame(2, 0.75, {face(1, 0.7, 1)}));
    gatherer.add(frame(3, 1.75, {face(2, 0.6)}));
    const std::vector<TrackSummary> tracks = gatherer.take();
    REQUIRE(tracks.size() == 2);
    CHECK(tracks[0].track == 1);
    CHECK(tracks[0].frames == 2);
    CHECK(tracks[0].detections == 1);
    CHECK(tracks[0].seconds == 1.25);
    CHECK(tracks[0].first == FrameTime{1, 0.5});
    CHECK(tracks[0].last == FrameTime{2, 0.75});
    CHECK(tracks[1].track == 2);
    CHECK(tracks[1].seconds == 0.75 + 1.0);
    REQUIRE(tracks[1].spans.size() == 2);
    CHECK((tracks[1].spans[0].first == 0 && tracks[1].spans[0].last == 1));
    CHECK((tracks[1].spans[1].first == 3 && tracks[1].spans[1].last == 3));
    const Json json = to_json(tracks[1]);
    CHECK(json["mean_score"].get<double>() == Approx(0.6));
    CHECK(json["first_image"] == "clip.mp4#0");
    CHECK(json["last_time"] == 1.75);
    CHECK_FALSE(json.contains("identity"));
    CHECK_FALSE(json.contains("best"));
}

TEST_CASE("The times of a track tell where the detector found it and where it was missed", "[track]") {
    // The detector runs in every third frame, and misses face 1 in frame 6.
    TrackGatherer gatherer("clip.mp4", 3);
    for (int i = 0; i < 13; ++i) {
        std::vector<Detection> faces;
        const bool is_found = i % 3 == 0 && i != 6;
        if (i < 11) faces.push_back(face(1, 0.9, is_found ? std::optional<int>() : 1));
        if (i == 12) faces.push_back(face(1, 0.9));
        gatherer.add(frame(i, 0.5 * i, std::move(faces)));
    }
    const TrackSummary track = gatherer.take().at(0);
    const auto times = [](const std::vector<FrameSpan>& spans) {
        std::vector<std::pair<double, double>> ends;
        for (const FrameSpan& span : spans) ends.emplace_back(span.from, span.to);
        return ends;
    };
    using Ends = std::vector<std::pair<double, double>>;
    CHECK(times(track.spans) == Ends{{0, 5.5}, {6, 6.5}});
    CHECK(times(track.detected) == Ends{{0, 2}, {4.5, 5}, {6, 6.5}});
    // Pictures have places instead of times.
    TrackGatherer pictures("folder");
    for (int i = 0; i < 3; ++i) {
        ImageResult result = frame(i, 0, {face(1, 0.5)});
        result.frame.reset();
        pictures.add(result);
    }
    CHECK(times(pictures.take().at(0).spans) == Ends{{0, 3}});
}

TEST_CASE("A face is frontal where the nose is in the middle of the eyes", "[track]") {
    std::vector<Point> landmarks(68);
    landmarks[36] = {-30, 0};
    landmarks[45] = {30, 0};
    landmarks[30] = {0, 40};
    CHECK(frontal_measure(landmarks) == 1);
    // 30 to one corner and 60 to the other.
    landmarks[30] = {-30, 30};
    landmarks[45] = {30, 30};
    CHECK(frontal_measure(landmarks) == 0.5);
    landmarks[30] = {-30, 0};
    CHECK(frontal_measure(landmarks) == 0);
    CHECK(frontal_measure({}) == 1);
}

TEST_CASE("The quality of a face is a product", "[track]") {
    BestFace best;
    best.score = 0.5;
    best.frontal = 0.5;
    best.size = 50;
    best.sharpness = 300;
    CHECK(quality_of_face(best) == 0.5 * 0.5 * 0.5 * 0.75);
    best.score = 20;
    best.size = 1000;
    CHECK(quality_of_face(best) == 0.5 * 0.75);
}

TEST_CASE("A strip has faces from the whole track", "[track]") {
    FaceStrip strip;
    std::vector<int> kept;
    for (int i = 0; i < 100; ++i) {
        if (strip.wants_next())
            strip.add({std::to_string(i), {}, jpeg_of(grey(static_cast<std::uint8_t>(i))), 2, 2});
    }
    for (const ShownFace& shown : strip.faces()) {
        kept.push_back(std::stoi(shown.image));
        CHECK(shown.jpeg == jpeg_of(grey(static_cast<std::uint8_t>(kept.back()))));
    }
    CHECK(kept.size() <= FaceStrip::max_faces);
    CHECK(kept.size() >= 6);
    CHECK(kept.front() == 0);
    CHECK(kept.back() >= 80);
}

TEST_CASE("The page of tracks has a bar for each span and a picture for each face", "[track]") {
    TrackGatherer gatherer("a<b>.mp4");
    gatherer.strip_of(1).add({"x", FrameTime{0, 61.5}, jpeg_of(grey(9)), 2, 2});
    gatherer.add(frame(0, 61.5, {face(1, 0.5)}));
    gatherer.add(frame(1, 62.0, {}));
    gatherer.add(frame(2, 62.5, {face(1, 0.5, 2)}));
    ShownSequence sequence{"a<b>.mp4", 3, gatherer.take(), 0, 61.5, 62.5};
    sequence.tracks[0].identity = "Ann & Lee";
    const std::string page = track_job_page("Title", {sequence, {"empty.mp4", 5, {}}});
    CHECK_THAT(page, Contains(R"("spans":[[61.5,62.0],[62.5,63.0]])"));
    CHECK_THAT(page, Contains(R"("strong":[[61.5,62.0]])"));
    CHECK_THAT(page, Contains(R"("from":61.5)") && Contains(R"("to":63.0)") && Contains(R"("clock":true)"));
    CHECK_THAT(page, Contains(R"("name":"Track 1 Ann & Lee")"));
    CHECK_THAT(page, Contains("\"jpeg\":\"/9j/"));
    CHECK_THAT(page, Contains("a\\u003cb>.mp4") && Contains("Ann & Lee") && Contains("\"1:01.5\""));
    CHECK_THAT(page, Contains("default-src 'none'"));
    CHECK_THAT(page, Contains("8 frames in 2 sequences: 1 track."));
    CHECK_THAT(page, !Contains("empty.mp4"));
}

TEST_CASE("The page of tracks shows 500 of them, in the order of the sequences", "[track]") {
    const auto sequence = [](const std::string& name, int tracks) {
        TrackGatherer gatherer(name);
        for (int i = 0; i < tracks; ++i) gatherer.add(frame(i, 0.1 * i, {face(i + 1, 0.5)}));
        return ShownSequence{name, static_cast<std::size_t>(tracks), gatherer.take()};
    };
    const std::string page =
        track_job_page("Title", {sequence("first", 300), sequence("second", 250), sequence("third", 2)});
    CHECK_THAT(page, Contains(R"("name":"Track 300")") && !Contains(R"("name":"Track 301")"));
    CHECK_THAT(page, Contains("The first 200 of 250 tracks."));
    CHECK_THAT(page, Contains("The first 0 of 2 tracks.") && Contains("552 tracks"));
}
