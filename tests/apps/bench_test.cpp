#include <algorithm>

#include <catch2/catch.hpp>
#include <signal.h>

#include "kernels/core/device.hpp"
#include "lib/json/json.hpp"
#include "tests/support/edge_scene.hpp"
#include "tests/support/run_program.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

struct Photos : PhotoFolder {
    Photos() : PhotoFolder({{"a.pgm", edge_pgm(40, 30)}, {"c.pgm", noise_pgm(90, 70, 3)}}) {}
    ProgramResult bench(std::vector<std::string> flags) const {
        flags.insert(flags.begin(), {"bench", "detect", photos, "--model", model});
        return run_fovea(flags);
    }
};

}  // namespace

TEST_CASE("bench times both on the same pixels", "[cli][bench]") {
    const Photos f;
    f.folder.write("photos/b.pgm", "P5\n40 30\n255\ncut off");
    const ProgramResult result =
        run_fovea({"bench", "detect", f.photos + "/c.pgm", "--model", f.model, "--against", "opencv",
                   "--size", "64x48", "--repeat", "3", "--threads", "1", "--json"});
    CAPTURE(result.err, result.out);
    REQUIRE(result.exit_code == 0);
    const Json json = Json::parse(result.out);
    CHECK(json["width"] == 64);
    CHECK(json["height"] == 48);
    CHECK(json["threads"] == 1);
    CHECK(json["same_boxes"] == true);
    for (const std::string side : {"fovea", "opencv"}) {
        CHECK(json[side]["times_ms"].size() == 3);
        CHECK(json[side]["min_ms"] <= json[side]["quartile_1_ms"]);
        CHECK(json[side]["quartile_1_ms"] <= json[side]["median_ms"]);
        CHECK(json[side]["median_ms"] <= json[side]["quartile_3_ms"]);
    }
    // Both medians and their ratio are rounded.
    CHECK(json["speedup"].get<double>() ==
          Approx(json["opencv"]["median_ms"].get<double>() / json["fovea"]["median_ms"].get<double>())
              .epsilon(0.02));
    const std::string number = json["fovea"]["median_ms"].dump();
    CHECK(number.size() - std::min(number.find('.'), number.size() - 1) <= 5);  // four digits at most
    CHECK(run_fovea({"bench", "detect", f.photos + "/b.pgm", "--model", f.model}).exit_code == 1);
    CHECK(
        run_fovea({"bench", "detect", f.photos + "/c.pgm", "--model", f.model, "--size", "0x5"}).exit_code ==
        2);
}

TEST_CASE("bench detect --matrix measures sizes and threads and writes a report", "[cli][bench]") {
    const Photos f;
    const std::string out = (f.folder.path() / "out").string();
    const ProgramResult result =
        f.bench({"--matrix", "--sizes", "64x48,96x72,64x48", "--threads", "2", "--against", "opencv",
                 "--device", "cpu", "--repeat", "2", "--batch", "3", "--json", "--out", out});
    CAPTURE(result.err, result.out);
    REQUIRE(result.exit_code == 0);
    const Json json = Json::parse(result.out);
    CHECK(json["images"] == Json({"a.pgm", "c.pgm"}));
    CHECK(json["device"] == "cpu");
    CHECK(json["same_boxes"] == true);
    CHECK_FALSE(json.contains("fovea"));  // of two sizes neither is the one
    REQUIRE(json["measurements"].size() == 2 * 6);
    CHECK(json["measurements"][1]["batch"] == 3);
    CHECK(json["measurements"][2]["backend"] == "CPU, 2 threads");
    CHECK(json["measurements"][11]["backend"] == "OpenCV, 2 threads");
    for (const Json& measurement : json["measurements"]) CHECK(measurement["repetitions"] == 2);
    CHECK(json["sizes"][1]["windows_per_image"].get<double>() > 0);
    for (const char* name : {"bench.json", "sizes.csv", "measurements.csv", "bench.html", "bench.md",
                             "bench_frames.svg", "bench_speedup.svg", "bench_parts.svg"}) {
        INFO(name);
        CHECK(std::filesystem::exists(f.folder.path() / "out" / name));
    }
    CHECK(Json::parse(read_bytes(f.folder.path() / "out/bench.json"))["measurements"] ==
          json["measurements"]);
}

TEST_CASE("bench detect shows its tables and a verdict", "[cli][bench]") {
    const Photos f;
    const ProgramResult result = f.bench(
        {"--size", "64x48", "--threads", "1", "--device", "cpu", "--repeat", "1", "--against", "opencv"});
    CAPTURE(result.err, result.out);
    REQUIRE(result.exit_code == 0);
    CHECK_THAT(result.out, Contains("2 photographs") && Contains("64x48") && Contains("CPU, 1 thread is "));
    CHECK_THAT(result.out, Contains("all backends find the same "));
}

TEST_CASE("bench detect refuses what cannot be measured", "[cli][bench]") {
    const Photos f;
    const auto refused = [&](const std::vector<std::string>& flags, const std::string& message) {
        const ProgramResult result = f.bench(flags);
        INFO(message);
        CHECK(result.exit_code == 2);
        CHECK_THAT(result.err, Contains(message));
    };
    refused({"--size", "64x48", "--sizes", "32x32"}, "cannot be given together");
    refused({"--sizes", "64x48,,32x32"}, "--sizes '' is not a size");
    refused({"--sizes", "64x48,0x3"}, "cannot be resized to 0x3: a size is at least 1x1");
    refused({"--size", "30000x30000"}, "at most 400 megapixels");
    refused({"--batch", "0"}, "--batch");
    refused({"--repeat", "0"}, "--repeat");
    refused({"--device", "gpu"}, "is not a device");
    refused({"--out", "-"}, "--out must name a folder");
    // A folder that takes no files is known before anything is measured.
    const ProgramResult unwritable = f.bench({"--device", "cpu", "--repeat", "1", "--out", "/proc/self"});
    CHECK(unwritable.exit_code == 1);
    CHECK(unwritable.out.empty());
    CHECK_THAT(unwritable.err, Contains("cannot write /proc/self/bench.json"));
    if (cuda_devices().empty()) {
        const ProgramResult result = f.bench({"--device", "cuda"});
        CHECK(result.exit_code != 0);
        CHECK(result.out.empty());
    }
}

TEST_CASE("bench detect does not write over what it reads", "[cli][bench]") {
    const Photos f;
    f.folder.write("list/measurements.csv", f.photos + "/a.pgm\n");
    const std::string list = (f.folder.path() / "list").string();
    const ProgramResult result =
        run_fovea({"bench", "detect", "list:" + list + "/measurements.csv", "--model", f.model, "--repeat",
                   "1", "--device", "cpu", "--out", list});
    CAPTURE(result.err);
    CHECK(result.exit_code == 2);
    CHECK(read_bytes(f.folder.path() / "list/measurements.csv") == f.photos + "/a.pgm\n");
}

TEST_CASE("bench detect goes on without unreadable photographs and says so", "[cli][bench]") {
    const Photos f;
    f.folder.write("photos/b.pgm", "P5\n40 30\n255\ncut off");
    const ProgramResult result = f.bench({"--repeat", "1", "--device", "cpu", "--json"});
    CHECK(result.exit_code == 3);
    CHECK_THAT(result.err, Contains("1 of 3 images could not be read"));
    const Json json = Json::parse(result.out);
    CHECK(json["images"].size() == 2);
    CHECK(json["unreadable_images"][0]["image"] == "b.pgm");
}

TEST_CASE("Ctrl-C in bench shows what was measured until then", "[cli][bench]") {
    const TempDir folder;
    const auto photo = folder.write("photo.pgm", noise_pgm(300, 300, 1)).string();
    const auto model = folder.write("edge.xml", edge_cascade()).string();
    // Hours of work, were it not interrupted.
    StartedProgram program({fovea_program(), "bench", "detect", photo, "--model", model, "--repeat",
                            "1000000", "--device", "cpu", "--threads", "1", "--log-level", "debug",
                            "--json"});
    REQUIRE(program.wait_for_error_text("1 thread"));
    program.send_signal(SIGINT);
    const ProgramResult result = program.wait();
    CAPTURE(result.err);
    CHECK(result.exit_code == 130);
    const Json json = Json::parse(result.out);
    CHECK(json["interrupted"] == true);
    CHECK(json["fovea"]["times_ms"].size() >= 1);
    CHECK(json["fovea"]["times_ms"].size() < 1000000);
}
