#include "lib/json/json.hpp"
#include "tests/apps/refusal.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

/// Two sequences of four frames with a face each. "new" changes the number of its track in B, "old" misses
/// half of A, too.
struct Sequences {
    Sequences() {
        for (const char* name : {"A", "B"}) {
            std::string truth;
            for (int frame = 1; frame <= 4; ++frame) truth += std::to_string(frame) + ",7,0,0,10,10,1,1,1\n";
            folder.write("set/" + std::string(name) + "/gt/gt.txt", truth);
        }
        for (const char* name : {"new", "old"}) {
            const std::string all = "1,1,0,0,10,10,1\n2,1,0,0,10,10,1\n3,1,0,0,10,10,1\n4,1,0,0,10,10,1\n";
            const std::string half = "1,1,0,0,10,10,1\n2,1,0,0,10,10,1\n";
            folder.write(std::string(name) + "/A.txt", std::string(name) == "new" ? all : half);
            folder.write(std::string(name) + "/B.txt", half + "3,2,0,0,10,10,1\n4,2,0,0,10,10,1\n");
        }
    }
    std::string path(const std::string& name) const { return (folder.path() / name).string(); }
    std::vector<std::string> arguments(const std::vector<std::string>& more) const {
        std::vector<std::string> all{"evaluate", "tracks", "--dataset", "mot:" + path("set"), "--results"};
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }
    ProgramResult evaluate(const std::vector<std::string>& more) const { return run_fovea(arguments(more)); }

    TempDir folder;
};

}  // namespace

TEST_CASE("evaluate tracks prints numbers that can be counted by hand", "[cli][evaluate][tracks]") {
    const Sequences f;
    const ProgramResult result = f.evaluate({"mot:" + f.path("new"), "--json"});
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 0);
    const Json json = Json::parse(result.out);
    const Json& tracks = json["tracks"];
    CHECK(json["command"] == "evaluate tracks");
    CHECK(tracks["mota"] == 0.875);
    CHECK(tracks["ass_a"].get<double>() == Approx(0.75));
    CHECK(tracks["idf1"].get<double>() == Approx(0.75));
    CHECK(tracks["switches"] == 1);
    CHECK(tracks["videos"][0]["name"] == "A");
    CHECK(tracks["videos"][0]["hota"].get<double>() == Approx(1));
    CHECK(tracks["hota_ci95"].is_array());
    CHECK(Json::parse(f.evaluate({"mot:" + f.path("new"), "--json", "--threads", "1"}).out) == json);
    const ProgramResult table = f.evaluate({"mot:" + f.path("new")});
    CHECK_THAT(table.out,
               Contains("TrackEval 1.3.0") && Contains("HOTA") && Contains("bootstrap over videos"));
    CHECK_THAT(f.evaluate({"mot:" + f.path("new"), "--mode", "corrected"}).out,
               Contains("without TrackEval's quirks"));
    CHECK(f.evaluate({"mot:" + f.path("new"), "--quiet"}).out.empty());
}

TEST_CASE("evaluate tracks compares several results, and writes a report", "[cli][evaluate][tracks]") {
    const Sequences f;
    const ProgramResult result =
        f.evaluate({"mot:" + f.path("new"), "mot:" + f.path("old"), "--out", f.path("report")});
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 0);
    CHECK_THAT(result.out, Contains("old − new") && Contains("report: "));
    CHECK(std::filesystem::exists(f.folder.path() / "report" / "report.html"));
    // A report is compared with another one.
    REQUIRE(f.evaluate({"mot:" + f.path("old"), "--out", f.path("report-old")}).exit_code == 0);
    const ProgramResult compared = run_fovea({"compare", f.path("report-old"), f.path("report"), "--json"});
    CAPTURE(compared.err);
    REQUIRE(compared.exit_code == 0);
    bool found = false;
    const Json json = Json::parse(compared.out);
    for (const Json& number : json["numbers"]) {
        if (number["key"] != "tracks.hota") continue;
        found = true;
        CHECK(number["difference"].get<double>() > 0);
    }
    CHECK(found);
    // The second of a report's trackers is named behind its folder.
    const ProgramResult second = run_fovea({"compare", f.path("report-old"), f.path("report") + ":old"});
    CAPTURE(second.err);
    CHECK(second.exit_code == 0);
    CHECK_THAT(second.out, Contains("report:old\n"));
    CHECK_THAT(refusal_of({"compare", f.path("report-old"), f.path("report") + ":other"}),
               Contains("it has new, old"));
}

TEST_CASE("evaluate tracks: gates", "[cli][evaluate][tracks]") {
    const Sequences f;
    const std::string results = "mot:" + f.path("new");
    CHECK(f.evaluate({results, "--require", "tracks.hota>=0.8", "--require", "mota>0.8"}).exit_code == 0);
    const ProgramResult failed = f.evaluate({results, "--require", "tracks.switches<=0"});
    CHECK(failed.exit_code == 4);
    CHECK_THAT(failed.err, Contains("tracks.switches<=0 was required, but it is 1"));
    CHECK_THAT(refusal_of(f.arguments({results, "--require", "tracks.hotta>=0.8"})), Contains("tracks.hota"));
}

TEST_CASE("evaluate tracks reads its own lines", "[cli][evaluate][tracks]") {
    const Sequences f;
    std::string lines;
    for (const char* name : {"A", "B"}) {
        for (int frame = 1; frame <= 4; ++frame) {
            lines += R"({"image":")" + std::string(name) + "/img1/00000" + std::to_string(frame) +
                     R"(.jpg","status":"ok","detections":[{"box":[0,0,10,10],"score":1,"track":0}]})" + "\n";
        }
    }
    const std::string results = f.folder.write("r.jsonl", lines).string();
    const ProgramResult result = f.evaluate({results, "--json"});
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 0);
    CHECK(Json::parse(result.out)["tracks"]["idf1"] == 1.0);
    // Converted to MOTChallenge's text and back they are the same.
    REQUIRE(run_fovea({"convert", "mot:" + f.path("set"), "--results", results, "--to", "mot", "--out",
                       f.path("converted")})
                .exit_code == 0);
    CHECK(Json::parse(f.evaluate({"mot:" + f.path("converted"), "--json"}).out)["tracks"]["idf1"] == 1.0);
}

TEST_CASE("evaluate tracks judges annotated frames alone", "[cli][evaluate][tracks]") {
    const TempDir folder;
    // The face is there in frames 1 and 6; it has left in frame 11, which is annotated, too.
    const std::string boxes = "1,1,0,0,10,10,1,1,1\n6,1,0,0,10,10,1,1,1\n";
    const std::string every_5th =
        folder.write("some.txt", "# annotated frames: 1-11 every 5\n" + boxes).string();
    const std::string every_frame = folder.write("all.txt", boxes).string();
    std::string lines;
    for (int frame = 1; frame <= 12; ++frame) lines += std::to_string(frame) + ",4,0,0,10,10,1\n";
    const std::string results = folder.write("r.txt", lines).string();
    const auto tracks = [&](const std::string& truth) {
        const ProgramResult result =
            run_fovea({"evaluate", "tracks", "--dataset", "mot:" + truth + ",video=a.mp4", "--results",
                       "mot:" + results, "--json"});
        CAPTURE(result.err);
        REQUIRE(result.exit_code == 0);
        return Json::parse(result.out)["tracks"];
    };
    const Json some = tracks(every_5th);
    CHECK(some["images"] == 3);
    CHECK(some["false_positives"] == 1);
    CHECK(some["false_negatives"] == 0);
    CHECK(some["switches"] == 0);
    // Two of two boxes are found, and one of three is false.
    CHECK(some["idf1"].get<double>() == Approx(0.8));
    CHECK(some["det_a"].get<double>() == Approx(2.0 / 3));
    // The four frames between are annotated and show no face if the line is missing.
    const Json all = tracks(every_frame);
    CHECK(all["images"] == 6);
    CHECK(all["false_positives"] == 4);
}

TEST_CASE("evaluate landmarks shows 300-VW over time", "[cli][evaluate][landmarks]") {
    const TempDir folder;
    const auto file_of_points = [](double x) {
        std::string text = "version: 1\nn_points: 4\n{\n";
        for (const char* y : {"0", "30", "60", "90"}) text += std::to_string(x) + " " + y + "\n";
        return text + "}\n";
    };
    std::string lines;
    for (const char* sequence : {"114", "203"}) {
        for (int frame = 0; frame < 4; ++frame) {
            folder.write("set/" + std::string(sequence) + "/annot/00000" + std::to_string(frame + 1) + ".pts",
                         file_of_points(10 * frame));
            // The points are off by 0, 9, 0 and 9 pixels; the box's diagonal is 90.
            const std::string x = std::to_string(10 * frame + 9 * (frame % 2));
            lines += R"({"image":")" + std::string(sequence) + "/vid.avi#00000" + std::to_string(frame) +
                     R"(","status":"ok","detections":[{"box":[0,0,9,90],"score":1,)" +
                     (frame % 2 == 1 ? R"("followed":1,)" : "") + R"("landmarks":[[)" + x + ",0],[" + x +
                     ",30],[" + x + ",60],[" + x + ",90]]}]}\n";
        }
    }
    const ProgramResult result =
        run_fovea({"evaluate", "landmarks", "--dataset", "300vw:" + (folder.path() / "set").string(),
                   "--results", folder.write("r.jsonl", lines).string(), "--json", "--require",
                   "landmarks.over_time.jitter.mean<=0.11"});
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 0);
    const Json json = Json::parse(result.out);
    const Json& over_time = json["landmarks"]["over_time"];
    CHECK(over_time["resampled"] == "videos");
    CHECK(over_time["jitter"]["mean"].get<double>() == Approx(0.1));
    CHECK(over_time["drift"][0]["mean"].get<double>() == Approx(0).margin(1e-9));
    CHECK(over_time["drift"][1]["mean"].get<double>() == Approx(0.1));
    CHECK(over_time["categories"].size() == 2);
    CHECK(over_time["videos"][1]["name"] == "203");
}

TEST_CASE("evaluate tracks refuses what it cannot judge", "[cli][evaluate][tracks]") {
    const Sequences f;
    const std::string results = "mot:" + f.path("new");
    CHECK_THAT(refusal_of(f.arguments({results, "--iou-threshold", "0"})), Contains("from 0.01 to 1"));
    CHECK_THAT(refusal_of(f.arguments({results, "--iou-threshold", "nan"})), Contains("iou-threshold"));
    CHECK_THAT(refusal_of(f.arguments({results, "--mode", "loose"})), Contains("--mode"));
    CHECK_THAT(refusal_of(f.arguments({"mot:" + f.path("nothing")})), Contains("nothing"));
    CHECK_THAT(refusal_of({"evaluate", "tracks", "--dataset", "mot:" + f.path("set")}),
               Contains("--results"));
    const std::string detections =
        f.folder
            .write("d.jsonl",
                   R"({"image":"A/img1/000001.jpg","status":"ok","detections":[{"box":[0,0,9,9],"score":1}]})"
                   "\n")
            .string();
    const ProgramResult without = f.evaluate({detections});
    CHECK(without.exit_code == 1);
    CHECK_THAT(without.err, Contains("has no \"track\"") && Contains("mot:PATH"));
    // Frames that have no result: the numbers stand, but not for all.
    const std::string lines =
        f.folder
            .write(
                "t.jsonl",
                R"({"image":"A/img1/000001.jpg","status":"ok","detections":[{"box":[0,0,9,9],"score":1,"track":1}]})"
                "\n")
            .string();
    CHECK(f.evaluate({lines}).exit_code == 3);
}
