#include <filesystem>

#include <catch2/catch.hpp>

#include "lib/files/folder.hpp"
#include "lib/json/json.hpp"
#include "tests/apps/refusal.hpp"
#include "tests/support/edge_scene.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

bool has_debians_faces() {
    const bool there = is_there("/usr/share/doc/libdlib19.1/examples/faces/testing_with_face_landmarks.xml");
    if (!there) WARN("not run: libdlib19.1 keeps its examples in /usr/share/doc");
    return there;
}

}  // namespace

TEST_CASE("bench track --quick measures all parts and reports them", "[cli][track-bench]") {
    if (!has_debians_faces()) return;
    const TempDir folder;
    const ProgramResult result =
        run_fovea({"bench", "track", "--quick", "--device", "cpu", "--frames", "30", "--json", "--out",
                   (folder.path() / "out").string(), "--keep", (folder.path() / "clips").string()});
    CAPTURE(result.err, result.out);
    REQUIRE(result.exit_code == 0);
    const Json json = Json::parse(result.out);
    CHECK(json["command"] == "bench track");
    CHECK(json["interrupted"] == false);
    bool has_usual = false;
    for (const Json& row : json["study"]) {
        if (row["part"] != "redetect" || row["redetect"] != 10) continue;
        has_usual = true;
        CHECK(row["iou"].get<double>() > 0.6);
        CHECK(row["nme_ratio"].get<double>() > 0.5);
        CHECK(row["nme_ratio"].get<double>() < 2);
    }
    CHECK(has_usual);
    CHECK(json["times"].size() == 4);
    CHECK(json["times"][3]["speed_up"].get<double>() > 0);
    CHECK(json["flow"].size() == 4);
    for (const Json& flow : json["flow"]) CHECK(flow["equal"] == true);
    for (const char* name :
         {"bench.json", "report.html", "report.md", "study.csv", "drift.csv", "times.csv", "flow.csv",
          "track_redetect.svg", "track_drift_nme.svg", "track_times.svg", "track_flow.svg"})
        CHECK(std::filesystem::exists(folder.path() / "out" / name));
    for (const char* name : {"vid.mp4", "gt/gt.txt", "truth.json"})
        CHECK(std::filesystem::exists(folder.path() / "clips/usual-1" / name));
}

TEST_CASE("bench track refuses what it cannot measure", "[cli][track-bench]") {
    const PhotoFolder photos({{"a.pgm", edge_pgm(120, 90)}});
    CHECK_THAT(refusal_of({"bench", "track", photos.photos, "--device", "cpu"}),
               Contains("no face of 68 landmarks") && Contains("pts:FOLDER"));
    CHECK_THAT(refusal_of({"bench", "track", "pts:/nowhere", "--device", "cpu"}), Contains("/nowhere"));
    CHECK_THAT(refusal_of({"bench", "track", "--size", "20x20", "--device", "cpu"}),
               Contains("160x120") || Contains("libdlib19.1"));
    CHECK_THAT(refusal_of({"bench", "track", "--part", "speed"}), Contains("study"));
    CHECK_THAT(refusal_of({"bench", "track", "--encode", "52"}), Contains("--encode"));
}
