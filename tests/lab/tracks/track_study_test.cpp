#include "tests/lab/tracks/track_study.hpp"

#include <catch2/catch.hpp>

#include "lib/bench/track/track_timing.hpp"
#include "lib/config/config.hpp"
#include "lib/core/error.hpp"
#include "lib/dataset/formats/read_dataset.hpp"
#include "lib/files/folder.hpp"
#include "lib/job/landmark_stage.hpp"
#include "lib/job/loaded_detector.hpp"
#include "tests/support/images.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

const std::string faces_file = "/usr/share/doc/libdlib19.1/examples/faces/testing_with_face_landmarks.xml";

bool has_faces() {
    const bool there = is_there(faces_file);
    if (!there) WARN("not run: libdlib19.1 keeps its examples in /usr/share/doc");
    return there;
}

// The program's own models on the CPU.
struct Models {
    Models() {
        RunConfig config;
        config.detectors.emplace_back().model = shipped_cascade;
        detectors = load_detectors(config, DetectionDevice::cpu(), default_min_confidence);
        LandmarkConfig landmarks;
        landmarks.model = "helen";
        landmarker = load_landmarker(landmarks, DetectionDevice::cpu());
        rule = rule_for_detector(landmarks, *landmarker.landmarker, shipped_cascade, detectors[0].model);
        scored = with_track_scores({}, detectors[0].config.options);
    }
    TrackMeans means() { return {*detectors[0].detector, scored.detection, landmarker.stage(rule), limit}; }

    std::vector<LoadedDetector> detectors;
    LoadedLandmarker landmarker;
    BoxRule rule;
    ScoredMeans scored;
    ThreadLimit limit{2};
};

StudyPlan tiny_study() {
    StudyPlan plan = quick_study();
    plan.clip.frames = 24;
    plan.redetects = {1, 8};
    plan.speeds = {};
    plan.conditions = {};
    plan.windows = {21};
    plan.levels = {};
    plan.iterations = {};
    plan.redetect = 8;
    return plan;
}

}  // namespace

TEST_CASE("faces are cut out where they have landmarks", "[track-bench]") {
    if (!has_faces()) return;
    const Dataset dataset = read_dataset("dlib:" + faces_file);
    const CutOuts some = cut_out_faces(dataset, 68, 3);
    CHECK(some.faces.size() == 3);
    const CutOuts all = cut_out_faces(dataset, 68, 1000);
    CHECK(all.faces.size() > 15);
    CHECK(all.faces.size() <= 25);
    for (const CutOut& head : all.faces) {
        CHECK(head.face_width >= 32);
        CHECK(head.opacity(head.centre) == 1);
        CHECK(head.opacity({head.centre.x + 1.01 * head.radius_x, head.centre.y}) == 0);
        for (const Point& point : head.face.landmarks) CHECK(head.opacity(point) > 0);
    }
    CHECK_THROWS_AS(cut_out_faces(dataset, 5, 3), UsageError);
    CHECK_THROWS_WITH(cut_out_faces(dataset, 5, 3), Contains("no face of 5 landmarks"));
}

TEST_CASE("large photographs are kept smaller, with their faces in place", "[track-bench]") {
    // A bright square of 200 pixels on black, in a photograph of 3000x1000.
    const TempDir folder;
    std::string pgm = "P5\n3000 1000\n255\n" + std::string(std::size_t{3000} * 1000, '\0');
    const std::size_t header = pgm.size() - std::size_t{3000} * 1000;
    for (std::size_t y = 400; y < 600; ++y) pgm.replace(header + y * 3000 + 1500, 200, 200, '\xc8');
    Dataset dataset;
    Sample& sample = dataset.samples.emplace_back();
    sample.image = "large.pgm";
    sample.path = folder.write("large.pgm", pgm);
    sample.annotated = true;
    Face& face = sample.faces.emplace_back();
    face.box = {1500, 400, 200, 200};
    face.landmarks = {{1500, 400}, {1699, 400}, {1599.5, 599}};
    const CutOuts cut_outs = cut_out_faces(dataset, 3, 5);
    REQUIRE(cut_outs.faces.size() == 1);
    const CutOut& head = cut_outs.faces[0];
    CHECK(cut_outs.photos[0]->photo().width == 1500);
    CHECK(head.face.box == Box{750, 200, 100, 100});
    // The middle of pixels 1500 and 1501 is that of pixel 750.
    CHECK(head.face.landmarks[0] == Point{749.75, 199.75});
    CHECK(head.photo->value(0, {750, 200}) == 200);
    CHECK(head.photo->value(0, {749, 200}) == 0);
    CHECK(head.photo->value(0, {849, 299}) == 200);
    CHECK(head.photo->value(0, {850, 299}) == 0);
}

TEST_CASE("photographs that cannot be read are named", "[track-bench]") {
    const TempDir folder;
    folder.write("a.jpg", "no photograph");
    Dataset dataset;
    Sample& sample = dataset.samples.emplace_back();
    sample.image = "a.jpg";
    sample.path = folder.path() / "a.jpg";
    sample.annotated = true;
    Face& face = sample.faces.emplace_back();
    face.landmarks = {{0, 0}, {50, 0}, {25, 50}};
    CHECK_THROWS_WITH(cut_out_faces(dataset, 3, 5), Contains("cannot read the image a.jpg"));
}

TEST_CASE("a study of one clip: following finds the faces as detection does", "[track-bench]") {
    if (!has_faces()) return;
    Models models;
    const CutOuts faces = cut_out_faces(read_dataset("dlib:" + faces_file), 68, 8);
    const StudyPlan plan = tiny_study();
    const TrackStudy study = run_track_study(plan, faces, models.scored.tracker, models.means(), {}, {});
    CHECK_FALSE(study.interrupted);
    const StudyRow* every = study.find("redetect", "every frame", true, 1);
    REQUIRE(every != nullptr);
    CHECK(every->accuracy.faces == 48);
    CHECK(every->accuracy.found > 0.9);
    CHECK(every->accuracy.iou > 0.75);
    CHECK(every->accuracy.nme < 0.08);
    CHECK(every->accuracy.tracks_per_face == 1);
    CHECK_FALSE(every->accuracy.nme_ratio.has_value());
    for (const bool is_live : {true, false}) {
        const StudyRow* followed = study.find("redetect", "8", is_live, 8);
        REQUIRE(followed != nullptr);
        CHECK(followed->accuracy.iou > 0.75);
        CHECK(followed->accuracy.tracks_per_face == 1);
        REQUIRE(followed->accuracy.nme_ratio.has_value());
        CHECK(*followed->accuracy.nme_ratio > 0.5);
        CHECK(*followed->accuracy.nme_ratio < 1.5);
    }
    // Late results have the frames before the second detection as well.
    CHECK(study.find("redetect", "8", false, 8)->accuracy.found >
          study.find("redetect", "8", true, 8)->accuracy.found);
    CHECK(study.find("window", "21", true, 8) != nullptr);
    CHECK(study.find("window", "11", true, 8) == nullptr);
    REQUIRE(study.drift.size() == 2);
    CHECK(study.drift[1].redetect == 8);
    REQUIRE(study.drift[1].points.size() == 8);
    CHECK(study.drift[1].points[7].followed == 7);
    // Equal runs give equal numbers.
    const TrackStudy again = run_track_study(plan, faces, models.scored.tracker, models.means(), {}, {});
    REQUIRE(again.rows.size() == study.rows.size());
    for (std::size_t i = 0; i < study.rows.size(); ++i)
        CHECK(again.rows[i].accuracy.nme == study.rows[i].accuracy.nme);
}

TEST_CASE("a study without a face that is detected says so", "[track-bench]") {
    Models models;
    CutOuts cut_outs;
    Face face;
    face.box = {60, 60, 60, 60};
    face.landmarks.assign(68, {60, 60});
    face.landmarks[1] = {120, 120};
    cut_outs.photos.push_back(std::make_shared<const PhotoLevels>(
        GreyImage{200, 200, std::vector<std::uint8_t>(std::size_t{200} * 200, 90)}));
    cut_outs.faces.push_back(cut_out_face(cut_outs.photos[0], face));
    StudyPlan plan = tiny_study();
    plan.clip.frames = 4;
    CHECK_THROWS_WITH(run_track_study(plan, cut_outs, models.scored.tracker, models.means(), {}, {}),
                      Contains("finds none of the faces"));
}

TEST_CASE("a cancelled study is cut short", "[track-bench]") {
    if (!has_faces()) return;
    Models models;
    const CutOuts faces = cut_out_faces(read_dataset("dlib:" + faces_file), 68, 4);
    std::atomic<bool> cancel{true};
    JobHooks hooks;
    hooks.cancel = &cancel;
    const TrackStudy study =
        run_track_study(tiny_study(), faces, models.scored.tracker, models.means(), {}, hooks);
    CHECK(study.interrupted);
    CHECK(study.rows.empty());
}
