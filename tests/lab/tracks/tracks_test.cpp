#include <filesystem>

#include <catch2/catch.hpp>

#include "lib/files/folder.hpp"
#include "lib/json/json.hpp"
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

std::string refusal_of(const std::vector<std::string>& arguments) {
    const ProgramResult result = run_lab_program(arguments);
    INFO(result.err);
    CHECK(result.exit_code == 2);
    return result.err;
}

}  // namespace

TEST_CASE("the laboratory studies how faces are followed, and reports it", "[lab]") {
    if (!has_debians_faces()) return;
    const TempDir folder;
    const ProgramResult result =
        run_lab_program({"tracks", "--quick", "--frames", "30", "--json", "--out",
                         (folder.path() / "out").string(), "--keep", (folder.path() / "clips").string()});
    CAPTURE(result.err, result.out);
    REQUIRE(result.exit_code == 0);
    const Json json = Json::parse(result.out);
    CHECK(json["command"] == "tracks");
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
    CHECK(json["drift"][0]["followed"] == 0);
    for (const char* name : {"bench.json", "bench.html", "bench.md", "study.csv", "drift.csv",
                             "track_redetect.svg", "track_drift_nme.svg"})
        CHECK(std::filesystem::exists(folder.path() / "out" / name));
    for (const char* name : {"vid.mp4", "gt/gt.txt", "truth.json"})
        CHECK(std::filesystem::exists(folder.path() / "clips/usual-1" / name));
}

TEST_CASE("the laboratory draws clips for other programs", "[lab]") {
    if (!has_debians_faces()) return;
    const TempDir folder;
    const ProgramResult result = run_lab_program({"clips", "--quick", "--usual", "--clips", "2", "--frames",
                                                  "3", "--size", "192x144", "--out", folder.path().string()});
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 0);
    CHECK_THAT(result.out, Contains("2 clips in "));
    for (const char* clip : {"usual-1", "usual-2"})
        CHECK(std::filesystem::exists(folder.path() / clip / "vid.mp4"));
    CHECK_FALSE(std::filesystem::exists(folder.path() / "bar-1"));
}

TEST_CASE("the laboratory refuses clips that it cannot draw", "[lab]") {
    const PhotoFolder photos({{"a.pgm", edge_pgm(120, 90)}});
    const std::string out = photos.path("out");
    CHECK_THAT(refusal_of({"tracks", photos.photos}),
               Contains("no face of 68 landmarks") && Contains("pts:FOLDER"));
    CHECK_THAT(refusal_of({"tracks", "pts:/nowhere"}), Contains("/nowhere"));
    CHECK_THAT(refusal_of({"clips", photos.photos, "--size", "20x20", "--out", out}), Contains("160x120"));
    CHECK_THAT(refusal_of({"tracks", "--encode", "52"}), Contains("--encode"));
}
