#include "tests/lab/tracks/track_accuracy.hpp"

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"

using namespace fovea;
using Catch::Matchers::Contains;

namespace {

// A face of 40 pixels at (x, 20) whose 68 points all lie in a row, the outer eye corners 20 pixels apart.
TrueFace true_face(int number, double x, double visible = 1) {
    TrueFace face;
    face.number = number;
    face.face.box = {x, 20, 40, 40};
    face.face.landmarks.assign(68, {x + 10, 30});
    face.face.landmarks[45] = {x + 30, 30};
    face.visible = visible;
    return face;
}

Detection found_at(const TrueFace& truth, double shift, double error, int track, int followed) {
    Detection detection;
    detection.box = truth.face.box;
    detection.box.x += shift;
    DetectionDetails& details = detection.details.edit();
    details.landmarks = truth.face.landmarks;
    for (Point& point : details.landmarks) point.y += error;
    details.track = track;
    if (followed > 0) details.followed = followed;
    return detection;
}

Clip clip_of(std::vector<std::vector<TrueFace>> truth) {
    Clip clip;
    clip.frames.resize(truth.size());
    clip.truth = std::move(truth);
    return clip;
}

}  // namespace

TEST_CASE("faces are judged as computed by hand", "[track-bench]") {
    const TrueFace near = true_face(0, 0), far = true_face(1, 100);
    const Clip clip = clip_of({{near, far}, {near, far}, {near, far}});
    // Shifts of 0 and 10 pixels: IoU 1 and 30/50. Errors of 1 and 2 pixels of 20: NME 0.05 and 0.1.
    const FoundFaces found{{found_at(near, 0, 1, 1, 0), found_at(far, 10, 2, 2, 0)},
                           {found_at(near, 10, 2, 1, 1)},
                           {found_at(near, 0, 1, 3, 2), found_at(near, 300, 0, 9, 0)}};
    const FoundFaces every{{found_at(near, 0, 1, 1, 0), found_at(far, 0, 1, 2, 0)},
                           {found_at(near, 0, 1, 1, 0)},
                           {found_at(near, 0, 1, 1, 0)}};
    JudgedRun run, every_frame;
    judge_clip(clip, 0, found, {}, run);
    judge_clip(clip, 0, every, {}, every_frame);
    const TrackAccuracy accuracy = accuracy_of(run, &every_frame);
    CHECK(accuracy.faces == 6);
    CHECK(accuracy.found == Approx(4.0 / 6));
    CHECK(accuracy.iou == Approx((1 + 0.6 + 0.6 + 1) / 4));
    CHECK(accuracy.nme == Approx((0.05 + 0.1 + 0.1 + 0.05) / 4));
    CHECK(accuracy.median_nme == Approx(0.075));
    REQUIRE(accuracy.nme_ratio.has_value());
    CHECK(*accuracy.nme_ratio == Approx(0.3 / 0.2));
    CHECK(accuracy.false_boxes == Approx(1.0 / 3));
    CHECK(accuracy.tracks_per_face == Approx(1.5));  // tracks 1 and 3; track 2
    CHECK(accuracy.switches == 1);
    CHECK_FALSE(accuracy_of(every_frame, nullptr).nme_ratio.has_value());

    const std::vector<DriftPoint> drift = drift_of(run, every_frame);
    REQUIRE(drift.size() == 3);
    CHECK(drift[0].faces == 2);
    CHECK(drift[0].iou == Approx(0.8));
    CHECK(drift[1].followed == 1);
    CHECK(drift[1].nme == Approx(0.1));
    CHECK(drift[1].nme_of_every_frame == Approx(0.05));
    CHECK(drift[2].followed == 2);
}

TEST_CASE("hidden faces need not be found, and boxes on them are not false", "[track-bench]") {
    const TrueFace hidden = true_face(0, 0, 0.4), shown = true_face(1, 100, 0.6);
    const Clip clip = clip_of({{hidden, shown}});
    JudgedRun run;
    judge_clip(clip, 0, {{found_at(hidden, 0, 0, 1, 0)}}, {}, run);
    CHECK(run.faces.size() == 1);
    CHECK(run.faces[0].face == 1);
    CHECK_FALSE(run.faces[0].is_hit);
    CHECK(run.false_boxes == 0);
    CHECK(accuracy_of(run, nullptr).found == 0);
    CHECK(accuracy_of(run, nullptr).tracks_per_face == 0);
}

TEST_CASE("the detector's convention of boxes is learned from its detections", "[track-bench]") {
    const TrueFace face = true_face(0, 100);
    Clip clip = clip_of({{face}, {face}});
    // The detector's box is 50 pixels wide and high, the truth's 40 in its middle.
    Detection detection;
    detection.box = {95, 15, 50, 50};
    clip.detections = {{detection}, {detection}};
    const BoxOffsets offsets = learned_offsets(std::vector{clip});
    CHECK(offsets.left == Approx(0.1));
    CHECK(offsets.right == Approx(-0.1));
    CHECK(offsets.top == Approx(0.1));
    CHECK(offsets.bottom == Approx(-0.1));
    const Box moved = in_convention({195, 35, 100, 100}, offsets);
    CHECK(moved.x == Approx(205));
    CHECK(moved.y == Approx(45));
    CHECK(moved.w == Approx(80));
    CHECK(moved.h == Approx(80));

    clip.detections = {{}, {}};
    CHECK_THROWS_WITH(learned_offsets(std::vector{clip}), Contains("finds none of the faces"));
}
