#include <filesystem>

#include <catch2/catch.hpp>

#include "lib/json/json.hpp"
#include "tests/apps/refusal.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/support/video/video_maker.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

TEST_CASE("bench track --quick measures both parts and reports them", "[cli][track-bench]") {
    const TempDir folder;
    const std::string video = (folder.path() / "video.mp4").string();
    VideoPlan plan;
    plan.frames = 14;
    plan.width = 160;
    plan.height = 120;
    make_video(video, plan);
    const ProgramResult result = run_fovea({"bench", "track", video, "--quick", "--device", "cpu", "--frames",
                                            "12", "--json", "--out", (folder.path() / "out").string()});
    CAPTURE(result.err, result.out);
    REQUIRE(result.exit_code == 0);
    const Json json = Json::parse(result.out);
    CHECK(json["command"] == "bench track");
    CHECK(json["interrupted"] == false);
    CHECK(json["frames"] == 12);
    REQUIRE(json["times"].size() == 2);
    CHECK(json["times"][0]["frames"] == 12);
    CHECK(json["times"][0]["speed_up"].is_null());
    CHECK(json["times"][1]["redetect"] == 10);
    CHECK(json["times"][1]["speed_up"].get<double>() > 0);
    CHECK(json["flow"].size() == 4);
    for (const Json& flow : json["flow"]) {
        CHECK(flow["equal"] == true);
        CHECK(flow["opencv"]["median_ms"].get<double>() > 0);
    }
    for (const char* name : {"bench.json", "bench.html", "bench.md", "times.csv", "flow.csv", "frames.csv",
                             "track_times.svg", "track_flow.svg"})
        CHECK(std::filesystem::exists(folder.path() / "out" / name));
}

TEST_CASE("bench track refuses what it cannot measure", "[cli][track-bench]") {
    const TempDir folder;
    CHECK_THAT(refusal_of({"bench", "track", "/nowhere.mp4", "--device", "cpu"}), Contains("/nowhere.mp4"));
    CHECK_THAT(refusal_of({"bench", "track", "x.mp4", "--part", "speed"}), Contains("times"));
    CHECK_THAT(refusal_of({"bench", "track", "x.mp4", "--frames", "1"}), Contains("--frames"));
    const std::string text = folder.write("text.mp4", "no video").string();
    const ProgramResult result = run_fovea({"bench", "track", text, "--device", "cpu"});
    CHECK(result.exit_code == 1);
    CHECK_THAT(result.err, Contains("text.mp4' cannot be measured"));
}
