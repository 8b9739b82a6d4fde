#include "lib/evaluate/landmarks/landmark_json.hpp"
#include "lib/json/json.hpp"
#include "lib/video/video_source.hpp"
#include "tests/lib/evaluate/landmarks/landmark_cases.hpp"

using namespace fovea;
using namespace fovea::test;

namespace {

/// A frame of a video: the true face has moved by 3, 4 pixels for each frame, and is found off by (dx, dy).
void add_frame(LandmarkCase& example, const std::string& video, int frame, double dx, double dy,
               std::optional<int> followed = {}) {
    const std::vector<Point> truth = grid_points(3 * frame, 4 * frame);
    Detection found = landmark_detection(shifted(truth, dx, dy));
    if (followed) found.details.edit().followed = *followed;
    example.add(frame_name(video, frame), {landmark_face(truth)}, {found});
}

double number(const Numbers& numbers, const char* key) {
    return *number_of_key(numbers, key).value;
}

}  // namespace

TEST_CASE("jitter is how the points move against the true ones", "[evaluate][landmarks]") {
    LandmarkCase example;
    add_frame(example, "a.mp4", 0, 5, 0);
    add_frame(example, "a.mp4", 1, 5, 0);  // the error stays: no jitter
    add_frame(example, "a.mp4", 2, 0, 0);  // 5 of 50 pixels
    add_frame(example, "a.mp4", 3, 0, 0);
    const LandmarkEvaluation evaluation = example.evaluate();
    REQUIRE(evaluation.over_time);
    const LandmarksOverTime& over_time = *evaluation.over_time;
    CHECK(over_time.steps == 3);
    CHECK(number(over_time.jitter, "mean") == Approx(0.1 / 3));
    CHECK(number(over_time.jitter, "median") == Approx(0).margin(1e-12));
    CHECK(number(over_time.true_motion, "mean") == Approx(0.1));
    CHECK(over_time.drift.empty());
    CHECK(over_time.categories.empty());
    REQUIRE(over_time.videos.size() == 1);
    CHECK(over_time.videos[0].name == "a");
    CHECK(*over_time.videos[0].mean == Approx(0.05));
    CHECK(*over_time.videos[0].jitter == Approx(0.1 / 3));
    CHECK(over_time.videos[0].failure_rate == 0.5);
    CHECK(over_time.units.empty());  // four frames make no blocks
    const Json json = landmark_evaluation_to_json(evaluation)["over_time"];
    CHECK(json["jitter"]["mean"].get<double>() == Approx(0.1 / 3));
    CHECK(json["videos"][0]["faces"] == 4);
}

TEST_CASE("no step leads over a gap, a missed face or to another face", "[evaluate][landmarks]") {
    LandmarkCase example;
    add_frame(example, "a.mp4", 0, 0, 0);
    add_frame(example, "a.mp4", 2, 5, 0);
    add_frame(example, "b.mp4", 3, 0, 0);
    example.add(frame_name("b.mp4", 4), {landmark_face(grid_points(12, 16))}, {});
    add_frame(example, "b.mp4", 5, 0, 0);
    const LandmarkEvaluation evaluation = example.evaluate();
    CHECK(evaluation.over_time->steps == 0);
    CHECK_FALSE(number_of_key(evaluation.over_time->jitter, "mean").value);
    CHECK_FALSE(evaluation.over_time->videos[1].jitter);
    CHECK(evaluation.over_time->videos[1].missed == 1);
    CHECK(evaluation.over_time->units == "videos");

    // Two faces in each frame: only tracks tell which is which.
    LandmarkCase pair;
    for (int frame = 0; frame < 2; ++frame) {
        const std::vector<Point> left = grid_points(), right = grid_points(200);
        const std::vector<Point> first = frame == 0 ? left : right, second = frame == 0 ? right : left;
        pair.add(frame_name("a.mp4", frame), {landmark_face(first), landmark_face(second)},
                 {landmark_detection(left), landmark_detection(right)});
    }
    CHECK(pair.evaluate().over_time->steps == 0);
    for (int frame = 0; frame < 2; ++frame) {
        std::vector<Face>& faces = pair.dataset.samples[static_cast<std::size_t>(frame)].faces;
        faces[0].attributes = {{"track", frame == 0 ? "1" : "2"}};
        faces[1].attributes = {{"track", frame == 0 ? "2" : "1"}};
    }
    CHECK(pair.evaluate().over_time->steps == 2);
    CHECK(number(pair.evaluate().over_time->jitter, "mean") == Approx(0).margin(1e-12));
}

TEST_CASE("drift is the error by frames since the last detection", "[evaluate][landmarks]") {
    LandmarkCase example;
    for (int frame = 0; frame < 40; ++frame) {
        const int since = frame % 4;
        const std::optional<int> followed = since == 0 ? std::nullopt : std::optional(since);
        add_frame(example, "a.mp4", frame, since, 0, followed);
    }
    add_frame(example, "a.mp4", 40, 10, 0, 31);
    add_frame(example, "a.mp4", 41, 20, 0, 500);
    const LandmarksOverTime over_time = *example.evaluate().over_time;
    REQUIRE(over_time.drift.size() == 5);
    for (int since = 0; since < 4; ++since) {
        const LandmarkDrift& group = over_time.drift[static_cast<std::size_t>(since)];
        CHECK(group.followed == since);
        CHECK(group.faces == 10);
        CHECK(number(group.numbers, "mean") == Approx(since / 50.0).margin(1e-12));
        CHECK(number_of_key(group.numbers, "mean").ci95.has_value());
    }
    CHECK(over_time.drift[4].and_more);
    CHECK(over_time.drift[4].faces == 2);
    CHECK(number(over_time.drift[4].numbers, "mean") == Approx(0.3));
    CHECK(over_time.units == "blocks of 10 frames");
}

TEST_CASE("the categories of videos have numbers and curves of their own", "[evaluate][landmarks]") {
    LandmarkCase example;
    const char* const videos[] = {"114/vid.avi", "124/vid.avi", "203/vid.avi"};
    for (int v = 0; v < 3; ++v) {
        for (int frame = 0; frame < 3; ++frame) {
            add_frame(example, videos[v], frame, v == 2 ? 5 : 1, 0);
            example.dataset.samples.back().attributes = {{"category", v == 2 ? "2" : "1"}};
        }
    }
    example.results.images.back().detections.clear();
    const LandmarksOverTime over_time = *example.evaluate().over_time;
    REQUIRE(over_time.categories.size() == 2);
    CHECK(over_time.categories[0].name == "1");
    CHECK(over_time.categories[0].videos == 2);
    CHECK(over_time.categories[0].faces == 6);
    CHECK(number(over_time.categories[0].numbers, "mean") == Approx(0.02));
    CHECK(number(over_time.categories[0].numbers, "auc_0.08") == Approx(0.75));
    CHECK(number(over_time.categories[0].numbers, "failure_rate") == 0);
    CHECK(over_time.categories[1].missed == 1);
    CHECK(over_time.categories[1].errors.size() == 2);
    CHECK(number(over_time.categories[1].numbers, "failure_rate") == 1);
    CHECK(over_time.videos[2].name == "203");
    CHECK(over_time.videos[2].category == "2");
}

TEST_CASE("images that are no frames have nothing over time", "[evaluate][landmarks]") {
    CHECK_FALSE(worked_landmarks().evaluate().over_time);
}
