#include "lib/bench/track/track_benchmark.hpp"

#include <catch2/catch.hpp>

#include "lib/config/config.hpp"
#include "lib/core/error.hpp"
#include "lib/job/landmark_stage.hpp"
#include "lib/job/loaded_detector.hpp"
#include "lib/video/video_error.hpp"
#include "tests/lab/tracks/clip_files.hpp"
#include "tests/support/images.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::test;

namespace {

/// A head that is drawn on noise, and moves over it.
Clip drawn_noise(Size size, int frames) {
    CutOuts cut_outs;
    Face face;
    face.landmarks = {{60, 60}, {140, 60}, {60, 140}, {140, 140}};
    cut_outs.photos.push_back(std::make_shared<const PhotoLevels>(smooth_noise(220, 200, 3, 9)));
    cut_outs.faces.push_back(cut_out_face(cut_outs.photos[0], face));
    ClipPlan plan;
    plan.name = "noise";
    plan.size = size;
    plan.frames = frames;
    plan.speed = 0.1;
    ThreadLimit limit(2);
    return drawn_clip(ClipRenderer(plan, cut_outs), limit);
}

}  // namespace

TEST_CASE("frames are timed, and those with the detector known", "[track-bench]") {
    RunConfig config;
    config.detectors.emplace_back().model = shipped_cascade;
    const auto detectors = load_detectors(config, DetectionDevice::cpu(), default_min_confidence);
    LandmarkConfig landmarks;
    landmarks.model = "helen";
    const LoadedLandmarker landmarker = load_landmarker(landmarks, DetectionDevice::cpu());
    const BoxRule rule =
        rule_for_detector(landmarks, *landmarker.landmarker, shipped_cascade, detectors[0].model);
    const ScoredMeans scored = with_track_scores({}, detectors[0].config.options);
    const Device cpu = Device::cpu();
    ThreadLimit limit(2);
    TimingPlan plan;
    plan.redetects = {5};
    plan.repeat = 2;
    const std::vector<FrameTimes> times =
        time_tracking(plan, drawn_noise({320, 240}, 12).frames, scored.tracker,
                      {cpu, *detectors[0].detector, scored.detection, landmarker.stage(rule), limit}, {});
    REQUIRE(times.size() == 2);
    CHECK(times[0].redetect == 1);
    CHECK_FALSE(times[0].speed_up.has_value());
    CHECK(times[1].redetect == 5);
    CHECK(times[1].ms.size() == 24);
    CHECK(times[1].detected_ms.size() == 6);  // frames 0, 5 and 10, twice
    REQUIRE(times[1].speed_up.has_value());
    CHECK(*times[1].speed_up == Approx(times[0].mean_ms / times[1].mean_ms));
    for (const FrameTimes& way : times) {
        CHECK(way.median_ms > 0);
        CHECK(way.p99_ms >= way.median_ms);
        CHECK(way.max_ms >= way.p99_ms);
        CHECK(way.slowest_mean_ms >= way.quickest_mean_ms);
    }
}

TEST_CASE("flow is timed beside OpenCV's, which finds the same", "[track-bench]") {
    FlowTimingPlan plan;
    plan.points = {50, 7};
    plan.windows = {11, 21};
    plan.levels = {1, 3};
    plan.iterations = {10};
    plan.repeat = 3;
    ThreadLimit limit(2);
    const std::vector<FlowTimes> times =
        time_flow(plan, drawn_noise({320, 240}, 8).frames, Device::cpu(), limit, {});
    REQUIRE(times.size() == 8);
    CHECK(times[0].points == 50);
    CHECK(times[7].levels == 3);
    for (const FlowTimes& setting : times) {
        CHECK(setting.equal);
        CHECK(setting.found > 0);
        CHECK(setting.found <= static_cast<std::size_t>(setting.points));
        CHECK(setting.fovea_ms.size() == 3);
        CHECK(setting.opencv_ms.size() == 3);
    }
    // The tracker's own settings where they were measured, else the largest.
    TrackBenchmark benchmark;
    benchmark.request.flow = plan;
    benchmark.request.tracker.flow_window = 21;
    benchmark.request.tracker.flow_levels = 4;
    benchmark.flow = times;
    REQUIRE(benchmark.usual_flow(7) != nullptr);
    CHECK(benchmark.usual_flow(7)->window == 21);
    CHECK(benchmark.usual_flow(7)->levels == 3);
    CHECK(benchmark.usual_flow(8) == nullptr);
}

TEST_CASE("the first frames of a video are read, at most so many", "[track-bench]") {
    const TempDir folder;
    const Clip clip = drawn_noise({160, 120}, 6);
    const std::filesystem::path video = write_clip(clip, folder.path(), 0) / clip_video_name;
    const std::vector<GreyImage> few = read_first_frames(video, 4);
    REQUIRE(few.size() == 4);
    for (std::size_t i = 0; i < few.size(); ++i) CHECK(few[i].pixels == clip.frames[i].pixels);
    CHECK(read_first_frames(video, 100).size() == 6);
    CHECK_THROWS_AS(read_first_frames(folder.write("none.mp4", "no video"), 4), VideoError);
}
