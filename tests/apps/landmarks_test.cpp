#include <algorithm>
#include <cmath>
#include <filesystem>

#include <catch2/catch.hpp>

#include "lib/dataset/dataset.hpp"
#include "lib/dataset/formats/read_dataset.hpp"
#include "lib/files/sha256.hpp"
#include "lib/image/face_sharpness.hpp"
#include "lib/image/read_grey.hpp"
#include "lib/json/json.hpp"
#include "lib/landmark/face_quality.hpp"
#include "lib/landmark/landmark_file.hpp"
#include "lib/landmark/landmarker.hpp"
#include "lib/results/formats/read_results.hpp"
#include "lib/results/results.hpp"
#include "tests/apps/detection_runs.hpp"
#include "tests/lib/dataset/support.hpp"
#include "tests/lib/evaluate/landmarks/landmark_cases.hpp"
#include "tests/support/edge_scene.hpp"
#include "tests/support/landmark_models.hpp"
#include "tests/support/page_view.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/sources.hpp"
#include "tests/support/still_portraits.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

constexpr const char* dlib_faces =
    "/usr/share/doc/libdlib19.1/examples/faces/testing_with_face_landmarks.xml";

// dlib's examples and its model, whose landmarks they hold.
bool has_dlib_faces() {
    const bool there = std::filesystem::exists(dlib_faces) &&
                       std::filesystem::exists("/usr/share/dlib/shape_predictor_68_face_landmarks.dat");
    if (!there) WARN("not run: libdlib19.1 or libdlib-data is not installed");
    return there;
}

std::vector<ImageResult> results_of(const std::string& file) {
    return read_results("jsonl:" + file).images;
}

}  // namespace

TEST_CASE("landmarks in dlib's own boxes are those that dlib wrote", "[cli][landmarks]") {
    if (!has_dlib_faces()) return;
    const TempDir folder;
    const std::string out = (folder.path() / "results.jsonl").string();
    const std::string dataset = std::string("dlib:") + dlib_faces;
    const ProgramResult result =
        run_fovea({"detect", dataset, "--boxes", "truth", "--landmarks", "default", "--out", out});
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 0);
    CHECK_THAT(result.out, Contains("25 faces in"));
    const Dataset truth = read_dataset(dataset);
    const std::vector<ImageResult> results = results_of(out);
    REQUIRE(results.size() == truth.samples.size());
    const Landmarker landmarker(read_landmark_model(find_landmark_model("default")), DetectionDevice::cpu(),
                                "");
    for (std::size_t i = 0; i < results.size(); ++i) {
        const GreyImage image = read_grey_image(truth.samples[i].path);
        const std::vector<ImageView<const std::uint8_t>> views{image.view()};
        REQUIRE(results[i].detections.size() == truth.samples[i].faces.size());
        for (std::size_t k = 0; k < results[i].detections.size(); ++k) {
            const Box& box = truth.samples[i].faces[k].box;
            const LandmarkTask task{0,
                                    {static_cast<int>(box.x), static_cast<int>(box.y),
                                     static_cast<int>(box.w), static_cast<int>(box.h)}};
            CAPTURE(results[i].image, k);
            CHECK(results[i].detections[k].box == box);
            CHECK(results[i].detections[k].score == 1);
            CHECK(results[i].detections[k].details->landmarks == landmarker.find(views, {&task, 1})[0]);
        }
    }
    // A detector's options have no place there, and no detector is loaded.
    const Json manifest = Json::parse(read_bytes(folder.path() / "run.json"));
    CHECK(manifest["detectors"].empty());
    CHECK(manifest["truth_boxes"]["faces"] == 25);
    CHECK(manifest["truth_boxes"]["results_sha256"] == sha256_of_file(out));
    CHECK(manifest["landmarks"]["boxes"][0]["convention"].is_null());
    CHECK_THAT(manifest["landmarks"]["description"].get<std::string>(), Contains("68 points, 15 cascades"));
    // dlib took the mean of red, green and blue for grey, here it is the JPEG's luma: points differ by
    // rounding.
    const ProgramResult evaluated =
        run_fovea({"evaluate", "landmarks", "--dataset", dataset, "--results", out, "--json"});
    const Json landmarks = Json::parse(evaluated.out)["landmarks"];
    CHECK(landmarks["name"] == "truth");  // as the manifest has it
    CHECK(landmarks["faces_missed"] == 0);
    CHECK(landmarks["pixels"]["mean"].get<double>() < 0.5);
    CHECK(landmarks["nme"]["outer_eye_corners"]["largest"].get<double>() < 0.025);
}

TEST_CASE("detections have the faces' yaw and sharpness if wanted, and resumed results need the same wish",
          "[cli][detect][quality]") {
    const StillPortraits f;
    const std::string out = f.path("r.jsonl");
    std::vector<std::string> arguments{"detect",    f.photos,           "--model", f.model, "--landmarks",
                                       f.landmarks, "--box-convention", "none",    "--out", out};
    REQUIRE(f.run(arguments).exit_code == 3);
    const std::string plain = read_bytes(out);
    arguments.insert(arguments.end(), {"--quality", "--overwrite"});
    REQUIRE(f.run(arguments).exit_code == 3);
    for (const ImageResult& image : results_of(out)) {
        CHECK(image.ok() == (image.image != "c.pgm"));
        if (!image.ok()) continue;
        const GreyImage picture = read_grey_image(f.photos + "/" + image.image);
        const Detection& face = image.detections.at(0);
        const double yaw = yaw_of_landmarks(face.details->landmarks).value();
        CHECK(face.details->yaw == std::round(yaw * 10) / 10);
        CHECK(face.details->sharpness ==
              std::round(face_sharpness(picture.view(), face.box).value() * 10) / 10);
        CHECK(face.details->sharpness > 0);
    }
    arguments.back() = "--resume";
    arguments.erase(arguments.end() - 2);
    const ProgramResult other = f.run(arguments);
    CHECK(other.exit_code == 2);
    CHECK_THAT(other.err, Contains("quality"));
    arguments.back() = "--overwrite";
    REQUIRE(f.run(arguments).exit_code == 3);
    CHECK(read_bytes(out) == plain);
    // Shards are of one job if both measure, or none does.
    const auto shard = [&](const char* which, const char* name, const std::vector<std::string>& more) {
        std::vector<std::string> words{"detect",    f.photos,           "--model", f.model,   "--landmarks",
                                       f.landmarks, "--box-convention", "none",    "--shard", which,
                                       "--out",     f.path(name)};
        words.insert(words.end(), more.begin(), more.end());
        CHECK(f.run(words).exit_code != 2);
        return f.path(name);
    };
    const std::string first = shard("1/2", "1.jsonl", {"--quality"}),
                      second = shard("2/2", "2.jsonl", {"--quality"}),
                      other_second = shard("2/2", "3.jsonl", {});
    const ProgramResult refused = f.run({"merge", first, other_second, "--out", f.path("all.jsonl")});
    CHECK(refused.exit_code == 1);
    CHECK_THAT(refused.err, Contains("quality"));
    const ProgramResult merged = f.run({"merge", first, second, "--out", f.path("all.jsonl")});
    CAPTURE(merged.err);
    CHECK_THAT(read_bytes(f.path("all.jsonl")), Contains("\"sharpness\""));
}

TEST_CASE("a run that cannot begin leaves the files of the run before", "[cli][run]") {
    const StillPortraits f;
    const auto refused = [&](const std::vector<std::string>& more, const std::string& text) {
        for (const char* name : {"report.html", "report.json", "run.json", "results.jsonl"}) {
            f.folder.write(std::string("out/") + name, "older");
        }
        std::vector<std::string> arguments{"run", "--out", f.path("out"), "--overwrite"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const ProgramResult result = f.run(arguments);
        CAPTURE(result.err);
        CHECK((result.exit_code == 1 || result.exit_code == 2));
        CHECK_THAT(result.err, Contains(text));
        for (const char* name : {"report.html", "report.json", "run.json", "results.jsonl"}) {
            CAPTURE(name);
            CHECK(read_bytes(f.path(std::string("out/") + name)) == "older");
        }
    };
    f.folder.write("plain/a.pgm", edge_pgm(80, 70));
    refused({"--dataset", f.path("plain"), "--landmarks", f.landmarks, "--boxes", "truth"},
            "has no annotated faces");
    const auto config = [&](const Json& json) { return f.folder.write("config.json", json.dump()).string(); };
    const std::string pairs = "lfw:" + f.path("none");
    refused({config({{"recognition", {{"recognisers", {"lbp"}}, {"pairs", pairs}}}})}, "none");
    refused({config({{"recognition", {{"recognisers", {"nobody"}}, {"pairs", pairs}}}})}, "nobody");
    // Detection could begin, but what follows it could not.
    refused({config({{"dataset", {{"path", f.photos}}},
                     {"detectors", {{{"model", f.model}}}},
                     {"recognition", {{"recognisers", {"lbp"}}, {"pairs", pairs}}}})},
            "none");
    // The report would replace the model.
    std::filesystem::remove(f.path("out/report.json"));
    std::filesystem::create_hard_link(f.model, f.path("out/report.json"));
    const ProgramResult clash =
        f.run({"run", "--dataset", f.photos, "--model", f.path("out/report.json"), "--out", f.path("out")});
    CHECK(clash.exit_code == 2);
    CHECK_THAT(clash.err, Contains("report.json is also an input"));
    CHECK(read_bytes(f.path("out/report.html")) == "older");
    CHECK(read_bytes(f.model) == edge_cascade());
}

TEST_CASE("detect finds landmarks in a detector's boxes by its convention", "[cli][landmarks]") {
    const StillPortraits f;
    const ProgramResult result = f.run({"detect", f.photos, "--model", f.model, "--landmarks", f.landmarks,
                                        "--out", f.path("found.jsonl"), "--json"});
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 3);  // c.pgm
    CHECK(result.err.find("train boxes") == std::string::npos);
    const std::vector<ImageResult> results = results_of(f.path("found.jsonl"));
    REQUIRE(results.size() == 3);
    REQUIRE(!results[0].detections.empty());
    CHECK_FALSE(results[2].ok());
    for (const Detection& detection : results[0].detections) {
        // The convention puts the shape's box, the middle half of the model's, where it is in the model's
        // own.
        CHECK(detection.details->landmarks == still_points(detection.box));
    }
    const Json manifest = Json::parse(read_bytes(f.path("found.run.json")));
    CHECK(manifest["landmarks"]["model_sha256"] == sha256_of_file(f.landmarks));
    CHECK(manifest["landmarks"]["boxes"][0]["of"] == "edge");
    CHECK(manifest["landmarks"]["boxes"][0]["convention"] == "edge");
    CHECK(manifest["landmarks"]["boxes"][0]["edges"]["top"] == 0.0);
    CHECK(manifest["landmarks"]["device"] == "cpu");
    CHECK(manifest["configuration"]["landmarks"]["boxes"] == Json::array({"detector"}));

    // Another convention puts them elsewhere; an unknown detector's boxes are taken as they are,
    // with a warning.
    CHECK(f.run({"detect", f.photos, "--model", f.model, "--landmarks", f.landmarks, "--box-convention",
                 "landmarks", "--out", f.path("other.jsonl")})
              .exit_code == 3);
    CHECK(results_of(f.path("other.jsonl"))[0].detections[0].details->landmarks !=
          results[0].detections[0].details->landmarks);
    f.folder.write("unknown.xml", edge_cascade());
    const ProgramResult unknown = f.run({"detect", f.photos, "--model", f.path("unknown.xml"), "--landmarks",
                                         f.landmarks, "--out", f.path("unknown.jsonl")});
    CHECK_THAT(unknown.err,
               Contains("where the faces lie in the boxes of unknown") && Contains("fovea train boxes"));
    CHECK(results_of(f.path("unknown.jsonl"))[0].detections[0].details->landmarks ==
          results[0].detections[0].details->landmarks);
}

TEST_CASE("landmarks are the same bytes whatever the threads", "[cli][landmarks]") {
    const StillPortraits f;
    for (const std::string threads : {"1", "3"}) {
        REQUIRE(f.run({"detect", "pts:" + f.photos, "--boxes", "truth", "--landmarks", f.landmarks,
                       "--threads", threads, "--out", f.path(threads + ".jsonl")})
                    .exit_code == 3);
    }
    CHECK(read_bytes(f.path("1.jsonl")) == read_bytes(f.path("3.jsonl")));
    CHECK(results_of(f.path("1.jsonl"))[0].detections[0].details->landmarks.size() == 68);
}

TEST_CASE("landmark flags that make no sense are usage errors", "[cli][landmarks]") {
    const StillPortraits f;
    const auto error = [&](std::vector<std::string> more) {
        std::vector<std::string> arguments{"detect", "pts:" + f.photos, "--out", f.path("x.jsonl")};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const ProgramResult result = f.run(arguments);
        CHECK(result.exit_code == 2);
        CHECK_FALSE(std::filesystem::exists(f.path("x.jsonl")));
        return result.err;
    };
    CHECK_THAT(error({"--boxes", "truth"}), Contains("--boxes is for landmarks"));
    CHECK_THAT(error({"--box-convention", "none"}), Contains("--box-convention is for landmarks"));
    CHECK_THAT(error({"--landmarks", "nothing"}), Contains("there is no landmark model 'nothing'"));
    CHECK_THAT(error({"--landmarks", f.landmarks, "--boxes", "truth", "--model", f.model}),
               Contains("--model names a detector, but none runs"));
    CHECK_THAT(error({"--landmarks", f.landmarks, "--model", f.model, "--box-convention", "mine"}),
               Contains("there is no box convention 'mine'"));
    CHECK(f.run({"detect", f.photos, "--landmarks", f.landmarks, "--boxes", "mouth"}).exit_code == 2);
    const ProgramResult no_truth = f.run({"detect", "folder:" + f.photos, "--landmarks", f.landmarks,
                                          "--boxes", "truth", "--out", f.path("x.jsonl")});
    CHECK(no_truth.exit_code == 2);
    CHECK_THAT(no_truth.err, Contains("has no annotated faces"));
    const std::string config =
        f.folder.write("both.json", R"({"landmarks": {"model": "default", "boxes": ["detector", "truth"]}})")
            .string();
    CHECK_THAT(error({"--config", config}), Contains("choose with --boxes"));
    const ProgramResult printed =
        f.run({"detect", f.photos, "--config", config, "--boxes", "truth", "--print-config"});
    CHECK(printed.exit_code == 0);
    CHECK(Json::parse(printed.out)["landmarks"]["boxes"] == Json::array({"truth"}));
    CHECK(Json::parse(printed.out)["detectors"].empty());
}

TEST_CASE("a run evaluates detections and landmarks in one report", "[cli][landmarks][report]") {
    const StillPortraits f;
    f.folder.write("second.xml", edge_cascade(3));
    const ProgramResult result =
        f.run({"run", "--dataset", "pts:" + f.photos, "--model", f.model, "--model", f.path("second.xml"),
               "--landmarks", f.landmarks, "--boxes", "detector,truth", "--out", f.path("out"), "--json"});
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 3);
    const Json printed = Json::parse(result.out);
    CHECK(printed["truth_boxes"]["faces"] == 2);
    CHECK(printed["landmarkers"].size() == 3);
    CHECK(printed["detection"]["faces"] == 3);

    const Json report = Json::parse(read_bytes(f.path("out/report.json")));
    CHECK(report["detectors"].size() == 2);
    REQUIRE(report["landmarkers"].size() == 3);
    CHECK(report["landmarkers"][0]["name"] == "edge");
    CHECK(report["landmarkers"][1]["name"] == "second");
    CHECK(report["landmarkers"][2]["name"] == "truth");
    CHECK(report["landmarks"]["name"] == "edge");
    // An image that cannot be read is unreadable everywhere, and said so once.
    REQUIRE(report["skipped"].size() == 1);
    CHECK_FALSE(report["skipped"][0].contains("detectors"));
    const Json& truth = report["landmarkers"][2]["landmarks"];
    CHECK(truth["faces"] == 3);
    CHECK(truth["faces_missed"] == 1);
    CHECK(truth["nme"]["box_diagonal"]["mean"] == 0.0);
    CHECK_THAT(read_bytes(f.path("out/landmark_numbers.csv")), Contains("\ntruth,faces_missed,1,"));
    CHECK_THAT(read_bytes(f.path("out/numbers.csv")), Catch::StartsWith("detector,metric,"));

    const Json view = page_view(read_bytes(f.path("out/report.html")));
    CHECK_THAT(page_lead(view), Contains("2 detectors were compared") &&
                                    Contains("The landmarks in 3 kinds of boxes were compared"));
    for (const char* id : {"detection-curves", "landmarks-curves"}) {
        CAPTURE(id);
        CHECK(page_section(view, id).is_object());
    }
    CHECK_THAT(page_texts(view), Contains("Median faces"));
    REQUIRE(view["headline"].size() == 2);
    CHECK(view["headline"][0]["title"] == "Detection");
    CHECK(view["headline"][1]["title"] == "Landmarks");
    CHECK_THAT(read_bytes(f.path("out/report.md")),
               Contains("\n## Detection\n") && Contains("\n## Landmarks\n"));
    for (const char* name :
         {"roc.svg", "ced_box_diagonal.svg", "faces.csv", "results-truth.jsonl", "evaluated.jsonl"}) {
        CAPTURE(name);
        CHECK(std::filesystem::exists(f.path("out/" + std::string(name))));
    }

    // The results evaluated again give the same numbers, under the same names.
    const ProgramResult again = f.run({"evaluate", "landmarks", "--dataset", "pts:" + f.photos, "--results",
                                       f.path("out/results-edge.jsonl"), f.path("out/results-second.jsonl"),
                                       f.path("out/results-truth.jsonl"), "--json"});
    CAPTURE(again.err);
    Json expected = printed["landmarkers"];
    Json numbers = Json::parse(again.out)["landmarkers"];
    REQUIRE(numbers.size() == expected.size());
    for (Json* list : {&numbers, &expected}) {
        for (Json& entry : *list) entry["landmarks"].erase("quantities");
    }
    CHECK(numbers == expected);
}

TEST_CASE("a run on annotated boxes alone has no detections", "[cli][landmarks][report]") {
    const StillPortraits f;
    const ProgramResult result = f.run({"run", "--dataset", "pts:" + f.photos, "--landmarks", f.landmarks,
                                        "--boxes", "truth", "--resamples", "0", "--out", f.path("out")});
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 3);
    CHECK_THAT(result.out, Contains("Landmarker"));
    const Json report = Json::parse(read_bytes(f.path("out/report.json")));
    CHECK_FALSE(report.contains("detection"));
    CHECK(report["landmarks"]["name"] == "truth");
    CHECK(std::filesystem::exists(f.path("out/numbers.csv")));
    CHECK_FALSE(std::filesystem::exists(f.path("out/results.jsonl")));
}

TEST_CASE("landmarks that the dataset has not are found and not evaluated", "[cli][landmarks]") {
    const StillPortraits f;
    const std::string five = f.folder.write("five.dat", still_landmark_file(5)).string();
    const ProgramResult result = f.run({"run", "--dataset", "pts:" + f.photos, "--model", f.model,
                                        "--landmarks", five, "--resamples", "0", "--out", f.path("out")});
    CAPTURE(result.err);
    CHECK(result.exit_code == 3);
    CHECK_THAT(
        result.out,
        Contains("no evaluation of landmarks: the model finds 5 landmarks, but the dataset's faces have 68"));
    CHECK_THAT(result.err, Contains("five has 5 points"));
    CHECK(results_of(f.path("out/results.jsonl"))[0].detections.at(0).details->landmarks.size() == 5);
    const Json report = Json::parse(read_bytes(f.path("out/report.json")));
    CHECK(report.contains("detection"));
    CHECK_FALSE(report.contains("landmarks"));
}

TEST_CASE("HELEN's faces and landmarks in one run", "[cli][landmarks]") {
    const std::string data = fovea_data();
    if (data.empty() || !has_dlib_faces()) return;
    const TempDir folder;
    const std::string out = (folder.path() / "out").string();
    const ProgramResult result = run_fovea({"run", test::source_file("configs/helen.json"), "--limit", "12",
                                            "--resamples", "20", "--out", out, "--json"});
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 0);
    const Json json = Json::parse(result.out);
    CHECK(json["detection"]["true_positives"] == 12);
    REQUIRE(json["landmarkers"].size() == 2);
    for (const Json& landmarker : json["landmarkers"]) {
        CAPTURE(landmarker["name"]);
        CHECK(landmarker["landmarks"]["nme"]["outer_eye_corners"]["median"].get<double>() < 0.05);
    }
}

TEST_CASE("reports with detections and landmarks are compared in both", "[cli][landmarks][compare]") {
    const StillPortraits f;
    const auto run = [&](const std::string& convention, const std::string& out) {
        return f.run({"run", "--dataset", "pts:" + f.photos, "--model", f.model, "--landmarks", f.landmarks,
                      "--boxes", "detector,truth", "--box-convention", convention, "--resamples", "50",
                      "--out", f.path(out), "--quiet"});
    };
    REQUIRE(run("edge", "a").exit_code == 3);
    REQUIRE(run("landmarks", "b").exit_code == 3);
    const ProgramResult same =
        run_fovea({"compare", f.path("a"), "--no-worse-than", f.path("a"), "--tolerance", "0.01"});
    CAPTURE(same.err);
    CHECK(same.exit_code == 0);
    CHECK_THAT(same.out, Contains("landmarks.nme"));
    // Here the boxes of the second run happen to fit better.
    const ProgramResult worse =
        run_fovea({"compare", f.path("a"), "--no-worse-than", f.path("b"), "--tolerance", "0.01", "--metric",
                   "landmarks.nme.box_diagonal.mean"});
    CAPTURE(worse.out, worse.err);
    CHECK(worse.exit_code == 4);
    CHECK_THAT(worse.out,
               Contains("Numbers of landmarks have 95 % intervals and two-sided p-values by the paired"));
    // Annotated boxes have landmarks alone; their own convention has no error.
    const ProgramResult truth =
        run_fovea({"compare", f.path("a") + ":truth", "--no-worse-than", f.path("b") + ":truth",
                   "--tolerance", "0.01", "--metric", "landmarks.nme.box_diagonal.mean"});
    CAPTURE(truth.out, truth.err);
    CHECK(truth.exit_code == 4);
    CHECK_THAT(truth.out, Contains("landmarks.nme.box_diagonal.mean") && !Contains("Average precision"));
    const ProgramResult nobody = run_fovea({"compare", f.path("a") + ":mct", f.path("a")});
    CHECK(nobody.exit_code == 2);
    CHECK_THAT(nobody.err, Contains("it has edge, truth"));
}
