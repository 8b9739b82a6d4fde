#include <cstdlib>
#include <filesystem>
#include <optional>

#include <catch2/catch.hpp>

#include "lib/json/json.hpp"
#include "lib/landmark/face_crops.hpp"
#include "lib/report/comparison/trend_report.hpp"
#include "lib/report/detection/detection_report.hpp"
#include "lib/run/track/track_page.hpp"
#include "tests/lib/report/detection/sample_report.hpp"
#include "tests/support/edge_scene.hpp"
#include "tests/support/encoders.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/sources.hpp"

using namespace fovea;
using namespace fovea::test;

namespace fs = std::filesystem;

namespace {

/// The page of 60 tracks in an hour, each with three faces.
std::string many_tracks() {
    TrackGatherer gatherer("clip.mp4");
    for (int i = 0; i < 3600; ++i) {
        ImageResult frame;
        frame.image = "clip.mp4#" + std::to_string(i);
        frame.frame = FrameTime{i, static_cast<double>(i)};
        Detection face{{0, 0, 10, 10}, 0.5};
        const int track = i / 60 + 1;
        face.details.edit().track = track;
        if (i % 60 > 40) face.details.edit().followed = 1;
        frame.detections.push_back(face);
        if (i % 20 == 0)
            gatherer.strip_of(track).add(
                {frame.image, frame.frame, jpeg_of({8, 8, std::vector<std::uint8_t>(64, 90)}), 8, 8});
        gatherer.add(frame);
    }
    ShownSequence sequence{"clip.mp4", 3600, gatherer.take(), 0, 0, 3599};
    sequence.tracks[3].identity = "Ann <i>Lee</i> & <script>alert(1)</script>";
    return track_job_page("Faces", {sequence});
}

/// Runs a script of tests/browser. Nothing where the browser or Node is not installed: neither is needed to
/// build or to use the program.
std::optional<ProgramResult> run_in_browser(const std::string& script, std::vector<std::string> arguments) {
    const char* const given = std::getenv("CHROMIUM");
    const fs::path browser = given != nullptr ? given : "/usr/bin/chromium";
    const fs::path node = "/usr/bin/node";
    if (!fs::exists(browser) || !fs::exists(node)) {
        WARN("not run: Chromium and Node are not installed");
        return std::nullopt;
    }
    arguments.insert(arguments.begin(), {node.string(), test::source_file("tests/browser/") + script});
    return run_program(arguments);
}

}  // namespace

TEST_CASE("a page works in a browser", "[browser][report][gnuplot]") {
    const TempDir folder;
    const Dataset dataset = sample_dataset(folder);
    std::vector<DetectionEvaluation> evaluations;
    for (int i = 0; i < 9; ++i)
        evaluations.push_back(sample_evaluation(dataset, "d" + std::to_string(i), 3.0 * i));
    evaluations[1].name =
        "O'Brien </script><script>document.title = 'taken'</script> \"q\"\n" + std::string(200, 'W');
    evaluations[2].name = "\u202Eright to left";
    const fs::path several = write_detection_report(folder.path() / "several", dataset, evaluations, {});
    const fs::path one = write_detection_report(folder.path() / "one", dataset, {evaluations[0]}, {});
    const std::string hostile = evaluations[1].name;
    Trend trend{{"day 1", hostile}, {"day 1", "day 2"}, {{hostile, {"detection.f1", "F1", hostile}}}};
    for (const std::size_t run : {0, 1}) trend.lines[0].points.push_back({run, 0.5, Interval{0.4, 0.6}});
    trend.left_out.push_back({hostile, hostile});
    const fs::path runs = write_trend_report(folder.path() / "trend", trend, "", Json::object());
    const fs::path tracks = folder.write("tracks.html", many_tracks());
    const auto result =
        run_in_browser("page_test.mjs", {several.string(), one.string(), runs.string(), tracks.string()});
    if (!result) return;
    INFO(result->out + result->err);
    CHECK(result->exit_code == 0);
}

TEST_CASE("boxes are corrected, saved and loaded on a page to label", "[browser][label]") {
    const TempDir folder;
    std::string lines;
    for (const char* name : {"f1.pgm", "f2.pgm", "f3.pgm", "f4.pgm"}) {
        folder.write("clip/" + std::string(name), noise_pgm(320, 240, 5));
        lines += R"({"image":")" + std::string(name) +
                 R"(","status":"ok","detections":[{"box":[20,20,80,100],"score":1,"track":1},)" +
                 R"({"box":[200,60,60,80],"score":1,"track":2}]})" + "\n";
    }
    const std::string page = (folder.path() / "page.html").string();
    const ProgramResult made = run_fovea({"label", (folder.path() / "clip").string(), "--results",
                                          folder.write("r.jsonl", lines).string(), "--out", page});
    CAPTURE(made.err);
    REQUIRE(made.exit_code == 0);
    const auto result = run_in_browser("label_test.mjs", {page, folder.path().string()});
    if (!result) return;
    INFO(result->out + result->err);
    CHECK(result->exit_code == 0);
}

TEST_CASE("faces, people and photographs are browsed on a page", "[browser][browse]") {
    const TempDir folder;
    std::string lines;
    const std::string hostile = "</script><script>document.title = 'taken'</script> <b>Ann</b>";
    for (int photo = 0; photo < 3; ++photo) {
        const std::string name = "a #" + std::to_string(photo) + (photo == 2 ? ".pgm" : ".jpg");
        const ByteVector jpeg = encode_jpeg(cv::Mat(240, 320, CV_8UC3, cv::Scalar(60 * photo, 90, 120)), 0);
        folder.write("photos/" + name,
                     photo == 2 ? noise_pgm(320, 240, 5) : std::string(jpeg.begin(), jpeg.end()));
        Json faces = Json::array();
        for (int i = 0; i < 100; ++i) {
            Json face{{"box", {i, 2 * i, 20 + photo, 20 + photo}}, {"score", 0.01 * i}};
            if (photo == 0) face["landmarks"] = {{i, 2 * i}, {i + 5, 2 * i + 5}};
            if (i < 50)
                face["person"] = 4;
            else if (i < 80)
                face["person"] = 9;
            else
                face["apart"] = "small";
            faces.push_back(face);
        }
        lines +=
            Json{{"image", name}, {"width", 320}, {"height", 240}, {"status", "ok"}, {"detections", faces}}
                .dump() +
            "\n";
    }
    lines += R"({"image":"broken.jpg","status":"unreadable: truncated","detections":[]})";
    folder.write("people/results.jsonl", lines);
    const Json person4{{"person", 4}, {"name", hostile},     {"named_by", "user"},   {"faces", 150},
                       {"images", 3}, {"image", "a #0.jpg"}, {"box", {0, 0, 20, 20}}};
    const Json person9{{"person", 9}, {"name", ""},          {"named_by", "nobody"},    {"faces", 90},
                       {"images", 3}, {"image", "a #0.jpg"}, {"box", {60, 120, 20, 20}}};
    folder.write("people/people.json", Json{{"format", "fovea-people"},
                                            {"version", 1},
                                            {"id", "abc"},
                                            {"work", Json::object()},
                                            {"grouping", Json::object()},
                                            {"distance", 0.5},
                                            {"parts", 1},
                                            {"last_person", 9},
                                            {"faces", 300},
                                            {"apart", {{"small", 60}}},
                                            {"people", {person4, person9}}}
                                           .dump());
    const std::string page = (folder.path() / "page").string();
    const ProgramResult made = run_fovea({"browse", (folder.path() / "people").string(), "--images",
                                          (folder.path() / "photos").string(), "--out", page});
    CAPTURE(made.err);
    REQUIRE(made.exit_code == 3);  // an image could not be read
    const auto result = run_in_browser("browse_test.mjs", {page + "/index.html", folder.path().string()});
    if (!result) return;
    INFO(result->out + result->err);
    CHECK(result->exit_code == 0);
}
