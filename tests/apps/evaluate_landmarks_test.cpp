#include <catch2/catch.hpp>

#include "lib/core/text.hpp"
#include "lib/dataset/formats/read_dataset.hpp"
#include "lib/json/json.hpp"
#include "lib/results/results.hpp"
#include "tests/lib/dataset/support.hpp"
#include "tests/lib/evaluate/landmarks/landmark_cases.hpp"
#include "tests/support/edge_scene.hpp"
#include "tests/support/run_program.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

std::string pts_text(const std::vector<Point>& points) {
    std::string text = "version: 1\nn_points: " + std::to_string(points.size()) + "\n{\n";
    for (const Point& point : points)
        text += shortest_number(point.x) + " " + shortest_number(point.y) + "\n";
    return text + "}\n";
}

std::string line_of(const std::string& image, std::vector<Detection> detections) {
    ImageResult result;
    result.image = image;
    result.width = 120;
    result.height = 90;
    result.detections = std::move(detections);
    return to_json_line(result) + "\n";
}

// Two portraits with 68 points; found are one by 2.5 of 50 pixels off, and the other not at all.
struct Portraits {
    Portraits() {
        for (const char* name : {"a", "b"}) {
            folder.write("set/" + std::string(name) + ".pgm", noise_pgm(120, 90, 1));
            folder.write("set/" + std::string(name) + ".pts", pts_text(grid_points(10, 10)));
        }
        results = folder
                      .write("found.jsonl",
                             line_of("a.pgm", {landmark_detection(shifted(grid_points(10, 10), 1.5, 2))}) +
                                 line_of("b.pgm", {}))
                      .string();
    }
    std::string path(const std::string& name) const { return (folder.path() / name).string(); }
    ProgramResult evaluate(const std::vector<std::string>& more) const {
        std::vector<std::string> arguments{"evaluate", "landmarks", "--dataset", "pts:" + path("set"),
                                           "--results"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run_fovea(arguments);
    }

    TempDir folder;
    std::string results;
};

}  // namespace

TEST_CASE("evaluate landmarks prints numbers that can be counted by hand", "[cli][evaluate][landmarks]") {
    const Portraits f;
    const ProgramResult result = f.evaluate({f.results, "--json"});
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 0);
    const Json json = Json::parse(result.out);
    const Json& landmarks = json["landmarks"];
    CHECK(landmarks["faces"] == 2);
    CHECK(landmarks["faces_missed"] == 1);
    const Json& nme = landmarks["nme"]["outer_eye_corners"];
    CHECK(nme["mean"].get<double>() == Approx(0.05));
    CHECK(nme["auc_0.08"].get<double>() == Approx(0.03 / 0.16));
    CHECK(nme["failure_rate"] == 0.5);
    CHECK(nme["failure_rate_ci95"].is_array());
    CHECK(landmarks["nme"]["pupils"]["mean"].get<double>() == Approx(2.5 / 32));
    CHECK(json["landmarkers"][0]["name"] == "found");
    CHECK(Json::parse(f.evaluate({f.results, "--json", "--threads", "1"}).out) == json);
    const ProgramResult table = f.evaluate({f.results});
    CHECK_THAT(table.out, Contains("NME by outer eye corners") && Contains("0.0500") && Contains("AUC@0.08"));
    CHECK(f.evaluate({f.results, "--quiet"}).out.empty());
}

TEST_CASE("the exit codes of evaluate landmarks", "[cli][evaluate][landmarks]") {
    const Portraits f;
    CHECK(f.evaluate({f.results, "--require", "landmarks.nme.outer_eye_corners.mean<=0.051"}).exit_code == 0);
    const ProgramResult failed =
        f.evaluate({f.results, "--require", "landmarks.nme.outer_eye_corners.mean<=0.049"});
    CHECK(failed.exit_code == 4);
    CHECK_THAT(failed.err, Contains("but it is 0.05"));
    CHECK(f.evaluate({f.results, "--require", "landmarks.nme.outer_eye_corner.mean<=1"}).exit_code == 2);
    CHECK(f.evaluate({f.results, "--normaliser", "nose"}).exit_code == 2);
    CHECK(f.evaluate({f.results, "--normaliser", "eye_centres"}).exit_code == 2);
    CHECK(f.evaluate({f.path("none.jsonl")}).exit_code == 2);
    CHECK(run_fovea({"evaluate", "landmarks", "--dataset", "pts:" + f.path("set")}).exit_code == 2);
    // An image that the results lack, or that could not be read: its face is missed, and the exit code says
    // so.
    const std::string partial = f.folder.write("part.jsonl", line_of("b.pgm", {})).string();
    const ProgramResult skipped = f.evaluate({partial, "--json"});
    CHECK(skipped.exit_code == 3);
    CHECK(Json::parse(skipped.out)["landmarks"]["faces_missed"] == 2);
    // A gate is for the numbers; it holds or fails whatever was skipped.
    CHECK(f.evaluate({partial, "--require", "landmarks.faces_missed<=1"}).exit_code == 4);
    const std::string broken =
        f.folder.write("broken.jsonl", "{\"image\":\"a.pgm\",\"detections\":[{}]}\n").string();
    CHECK(f.evaluate({broken}).exit_code == 1);
}

TEST_CASE("results of several kinds are compared in a report", "[cli][evaluate][landmarks]") {
    const Portraits f;
    f.folder.write("other/a.pts", pts_text(shifted(grid_points(10, 10), 0, 1)));
    f.folder.write("other/b.pts", pts_text(grid_points(10, 10)));
    const ProgramResult result =
        f.evaluate({f.results, "pts:" + f.path("other") + "/", "--out", f.path("report"), "--json"});
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 0);
    const Json json = Json::parse(result.out);
    CHECK(json["report"] == f.path("report/report.html"));
    CHECK(json["landmarkers"][1]["name"] == "other");
    CHECK(json["landmarkers"][1]["landmarks"]["nme"]["outer_eye_corners"]["mean"].get<double>() ==
          Approx(0.01));
    CHECK_THAT(read_bytes(f.path("report/report.html")), Contains("2 landmarkers"));
    CHECK_THAT(read_bytes(f.path("report/report.md")), Contains("| Found | Missed | Share missed |\n") &&
                                                           Contains("| 1 | 1 | 50.0\u00A0%") &&
                                                           Contains("| 2 | 0 | **0.0\u00A0%**"));
    CHECK_THAT(read_bytes(f.path("report/numbers.csv")),
               Contains("\nfound,faces_missed,1,,,") && Contains("\nother,faces_found,2,,,\n"));
    CHECK(f.evaluate({f.results, "--name", "one", "two"}).exit_code == 2);
}

TEST_CASE("landmarks of HELEN, moved by a known way", "[cli][evaluate][landmarks]") {
    const std::string data = fovea_data();
    if (data.empty()) return;
    const Dataset truth = read_dataset("pts:" + data + "/benchmark/helen-test");
    CHECK(truth.samples.size() == 330);
    std::string lines;
    for (const Sample& sample : truth.samples) {
        lines += line_of(sample.image, {landmark_detection(shifted(sample.faces.at(0).landmarks, 3, -4))});
    }
    const TempDir folder;
    const std::string results = folder.write("moved.jsonl", lines).string();
    const ProgramResult result =
        run_fovea({"evaluate", "landmarks", "--dataset", "pts:" + data + "/benchmark/helen-test", "--results",
                   results, "--json"});
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 0);
    const Json landmarks = Json::parse(result.out)["landmarks"];
    CHECK(landmarks["faces_missed"] == 0);
    CHECK(landmarks["pixels"]["mean"].get<double>() == Approx(5));
    double sum = 0;
    for (const Sample& sample : truth.samples) {
        const std::vector<Point>& points = sample.faces[0].landmarks;
        sum += 5 / std::hypot(points[36].x - points[45].x, points[36].y - points[45].y);
    }
    const Json& nme = landmarks["nme"]["outer_eye_corners"];
    CHECK(nme["mean"].get<double>() == Approx(sum / 330));
    CHECK(nme["mean_ci95"][0].get<double>() < sum / 330);
    CHECK(nme["mean_ci95"][1].get<double>() > sum / 330);
}

TEST_CASE("dlib's own landmarks against themselves have no error", "[cli][evaluate][landmarks]") {
    const std::string file = "/usr/share/doc/libdlib19.1/examples/faces/testing_with_face_landmarks.xml";
    if (!std::filesystem::exists(file)) {
        WARN("not run: libdlib19.1 is not installed");
        return;
    }
    const ProgramResult result = run_fovea(
        {"evaluate", "landmarks", "--dataset", "dlib:" + file, "--results", "dlib:" + file, "--json"});
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 0);
    const Json landmarks = Json::parse(result.out)["landmarks"];
    CHECK(landmarks["faces_missed"] == 0);
    CHECK(landmarks["nme"]["pupils"]["auc_0.08"] == 1.0);
    CHECK(landmarks["nme"]["pupils"]["largest"] == 0.0);
}

TEST_CASE("landmarks are compared face by face, and gated by an earlier report",
          "[cli][evaluate][landmarks][compare]") {
    const Portraits f;
    REQUIRE(f.evaluate({f.results, "--out", f.path("half"), "--resamples", "100", "--seed", "2"}).exit_code ==
            0);
    const std::string both =
        f.folder
            .write("both.jsonl",
                   line_of("a.pgm", {landmark_detection(shifted(grid_points(10, 10), 1.5, 2))}) +
                       line_of("b.pgm", {landmark_detection(grid_points(10, 10))}))
            .string();
    REQUIRE(f.evaluate({both, "--out", f.path("both")}).exit_code == 0);
    const ProgramResult result = run_fovea({"compare", f.path("half"), f.path("both"), "--json"});
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 0);
    const Json json = Json::parse(result.out);
    CHECK(json["paired"] == true);
    CHECK_THAT(json["method"].get<std::string>(), Contains("paired bootstrap over images"));
    bool found = false;
    for (const Json& number : json["numbers"]) {
        if (number["key"] != "landmarks.nme.outer_eye_corners.failure_rate") continue;
        found = true;
        CHECK(number["difference"] == -0.5);
        CHECK(number["difference_ci95"] == Json{-1.0, 0.0});
    }
    CHECK(found);
    CHECK(f.evaluate({both, "--no-worse-than", f.path("half")}).exit_code == 0);
    const ProgramResult failed = f.evaluate({f.results, "--no-worse-than", f.path("both")});
    CHECK(failed.exit_code == 4);
    CHECK_THAT(failed.err, Contains("the accuracy gate failed: landmarks.nme.") && Contains(", paired)"));
    CHECK(f.evaluate({f.results, "--no-worse-than", f.path("both"), "--tolerance", "0.6"}).exit_code == 0);
}

TEST_CASE("a gate tolerates unreadable images by number", "[cli][evaluate][unreadable]") {
    const Portraits f;
    const std::string broken =
        f.folder
            .write("broken.jsonl", line_of("a.pgm", {landmark_detection(grid_points(10, 10))}) +
                                       "{\"image\": \"b.pgm\", \"status\": \"unreadable: cut off\"}\n")
            .string();
    CHECK(f.evaluate({broken}).exit_code == 3);
    CHECK(f.evaluate({broken, "--max-unreadable", "1"}).exit_code == 0);
    const ProgramResult more = f.evaluate({broken, "--max-unreadable", "0"});
    CHECK(more.exit_code == 3);
    CHECK_THAT(more.err, Contains("1 image was unreadable or left out; --max-unreadable allows 0"));
    CHECK(f.evaluate({broken, "--max-unreadable", "1", "--require", "landmarks.missed_rate==0"}).exit_code ==
          4);
    CHECK(f.evaluate({broken, "--max-unreadable", "-1"}).exit_code == 2);
}
