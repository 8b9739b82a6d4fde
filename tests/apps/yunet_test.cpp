// The program with YuNet, which OpenCV runs, from the command line to its files.
#include "tests/support/yunet.hpp"

#include <algorithm>

#include <catch2/catch.hpp>

#include "kernels/core/device.hpp"
#include "lib/json/json.hpp"
#include "tests/apps/refusal.hpp"
#include "tests/support/edge_scene.hpp"
#include "tests/support/json_lines.hpp"
#include "tests/support/run_program.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

// The model and a folder with two photographs, a tiny picture and a broken one; nothing to run, with a note,
// where the model or the photographs are missing.
struct Album {
    Album() {
        const std::vector<std::string> files = debian_photographs();
        if (files.size() < 2) WARN("not run: there are no photographs of libdlib19.1");
        if (model.empty() || files.size() < 2) return;
        folder.write("photos/a.jpg", read_bytes(files[0]));
        folder.write("photos/b.jpg", read_bytes(files[1]));
        folder.write("photos/c.pgm", noise_pgm(8, 8, 3));
        folder.write("photos/d.jpg", "no picture");
        is_there = true;
    }
    std::string path(const std::string& name) const { return (folder.path() / name).string(); }

    std::string model = yunet_file().string();
    TempDir folder;
    std::string photos = path("photos");
    bool is_there = false;
};

}  // namespace

TEST_CASE("detect refuses files that OpenCV cannot run as YuNet", "[cli][yunet]") {
    const PhotoFolder f({{"a.pgm", edge_pgm(40, 30)}});
    const std::string results = f.path("r.jsonl");
    for (const std::string& content : {std::string(), std::string("hello"), other_network()}) {
        CAPTURE(content);
        const std::string model = f.folder.write("broken.onnx", content).string();
        const ProgramResult result = run_fovea({"detect", f.photos, "--model", model, "--out", results});
        CHECK(result.exit_code == 1);
        CHECK_THAT(result.err, Contains("fovea: error: OpenCV 4.") && Contains(model) &&
                                   Contains("face_detection_yunet_2022mar.onnx"));
        // One sentence, without what OpenCV itself writes.
        CHECK(std::count(result.err.begin(), result.err.end(), '\n') == 1);
        CHECK_FALSE(std::filesystem::exists(results));
    }
    CHECK_THAT(refusal_of({"detect", f.photos, "--model", f.path("none.onnx")}), Contains("none.onnx"));
}

TEST_CASE("detect runs YuNet over a folder", "[cli][yunet][data]") {
    const Album f;
    if (!f.is_there) return;
    const std::string out = f.path("r.jsonl");
    const ProgramResult result =
        run_fovea({"detect", f.photos, "--model", f.model, "--device", "auto", "--out", out});
    CAPTURE(result.err);
    CHECK(result.exit_code == 3);
    CHECK((result.err.find("OpenCV runs YuNet on the CPU alone; it runs on the CPU") != std::string::npos) ==
          !cuda_devices().empty());
    const std::vector<Json> lines = json_lines(read_bytes(out));
    REQUIRE(lines.size() == 4);
    for (int photo = 0; photo < 2; ++photo) {
        REQUIRE(!lines[photo]["detections"].empty());
        for (const Json& face : lines[photo]["detections"]) {
            CHECK(face["score"] >= 0.5);
            CHECK(face["score"] <= 1.0);
            CHECK(face["box"][0] >= 0);
            CHECK(face["box"][0].get<double>() + face["box"][2].get<double>() <= lines[photo]["width"]);
            CHECK_FALSE(face.contains("landmarks"));
            CHECK_FALSE(face.contains("neighbors"));
        }
    }
    CHECK(lines[2]["status"] == "ok");
    CHECK(lines[3]["status"].get<std::string>().starts_with("unreadable: "));

    // The same bytes on one thread, from a name in FOVEA_MODELS, and on going on.
    ProgramOptions by_name;
    by_name.environment["FOVEA_MODELS"] = std::filesystem::path(f.model).parent_path().string();
    const std::string again = f.path("again.jsonl");
    CHECK(run_fovea({"detect", f.photos, "--model", "face_detection_yunet_2022mar", "--device", "cpu",
                     "--threads", "1", "--out", again},
                    by_name)
              .exit_code == 3);
    CHECK(read_bytes(again) == read_bytes(out));

    for (const auto& [flag, value] : {std::pair{"--scale-factor", "1.2"},
                                      {"--min-neighbors", "2"},
                                      {"--border", "8"},
                                      {"--start-scale", "2"},
                                      {"--step", "2"}}) {
        CHECK_THAT(refusal_of({"detect", f.photos, "--model", f.model, flag, value}),
                   Contains("YuNet detectors scan no windows") && Contains(f.model));
    }
    CHECK_THAT(refusal_of({"detect", f.photos, "--model", f.model, "--raw"}), Contains("'raw'"));
    CHECK_THAT(refusal_of({"detect", f.photos, "--model", f.model, "--score", "neighbors"}),
               Contains("no score but their confidence"));
    CHECK_THAT(refusal_of({"verify", f.photos, "--model", f.model}), Contains("is no cascade"));
    CHECK_THAT(refusal_of({"detect", f.photos, "--model", f.model, "--device", "cuda"}),
               cuda_devices().empty() ? Contains("cannot detect on 'cuda'")
                                      : Contains("OpenCV runs YuNet on the CPU"));
}

TEST_CASE("run compares YuNet with other detectors, each with its own options", "[cli][yunet][data]") {
    const Album f;
    if (!f.is_there) return;
    const Json config{{"dataset", {{"path", f.photos}}},
                      {"detectors",
                       {{{"model", "mct"}, {"scale_factor", 1.1}},
                        {{"model", f.model}, {"name", "yunet"}, {"min_size", {12, 12}}}}},
                      {"device", "cpu"},
                      {"output", f.path("out")}};
    const std::string file = f.folder.write("config.json", config.dump()).string();
    const ProgramResult result = run_fovea({"run", file, "--json"});
    CAPTURE(result.err, result.out);
    REQUIRE(result.exit_code == 3);
    const Json manifest = Json::parse(read_bytes(f.path("out/run.json")));
    REQUIRE(manifest["detectors"].size() == 2);
    CHECK(manifest["detectors"][1]["name"] == "yunet");
    CHECK_THAT(manifest["detectors"][1]["description"].get<std::string>(), Contains("YuNet"));
    CHECK(manifest["detectors"][1]["engine"]["images"] == 3);
    const Json& work = manifest["work"]["description"]["detectors"];
    CHECK_FALSE(work[0].contains("run_by"));
    CHECK_THAT(work[1]["run_by"].get<std::string>(), Contains("OpenCV 4."));
    // Weak faces as well, but not those of any score.
    const std::vector<Json> lines = json_lines(read_bytes(f.path("out/results-yunet.jsonl")));
    REQUIRE(lines.size() == 4);
    double weakest = 1;
    for (const Json& line : lines) {
        for (const Json& face : line["detections"]) weakest = std::min(weakest, face["score"].get<double>());
    }
    CHECK(weakest < 0.5);
    CHECK(weakest >= 0.15);
    CHECK(manifest["configuration"]["detectors"][1]["scale_factor"].is_null());
    CHECK(manifest["configuration"]["detectors"][1]["min_score"] == 0.15);

    CHECK_THAT(refusal_of({"run", file, "--scale-factor", "1.2"}), Contains("leave out 'scale_factor'"));
}

TEST_CASE("bench detect measures YuNet as a detector and as a rival", "[cli][yunet][bench][data]") {
    const Album f;
    if (!f.is_there) return;
    const std::string photo = f.path("photos/a.jpg");
    const ProgramResult alone =
        run_fovea({"bench", "detect", photo, "--model", f.model, "--sizes", "160x120,320x240", "--matrix",
                   "--threads", "2", "--batch", "3", "--repeat", "2", "--device", "cpu", "--json"});
    CAPTURE(alone.err);
    REQUIRE(alone.exit_code == 0);
    const Json json = Json::parse(alone.out);
    REQUIRE(json["measurements"].size() == 2 * 4);
    CHECK(json["measurements"][1]["batch"] == 3);
    for (const Json& measurement : json["measurements"]) {
        CHECK(measurement["repetitions"] == 2);
        CHECK(measurement["parts"].size() == 1);
        CHECK(measurement["parts"]["total"]["median_ms"] > 0);
        CHECK_FALSE(measurement.contains("windows_per_second"));
    }
    CHECK(json["sizes"][1]["boxes"] > 0);

    const ProgramResult rival =
        run_fovea({"bench", "detect", photo, "--model", "mct", "--rival", f.model, "--size", "320x240",
                   "--threads", "1", "--repeat", "2", "--device", "cpu", "--json"});
    CAPTURE(rival.err);
    REQUIRE(rival.exit_code == 0);
    const Json compared = Json::parse(rival.out);
    CHECK(compared["rival"]["model"] == f.model);
    CHECK(compared["rival"]["options"]["min_score"] == 0.5);
    CHECK(compared["measurements"][1]["backend"] == "OpenCV face_detection_yunet_2022mar, 1 thread");
    CHECK(compared["measurements"][0].contains("windows_per_second"));
    CHECK_FALSE(compared["measurements"][1].contains("windows_per_second"));
    CHECK(compared["speedup"] > 0);
}
