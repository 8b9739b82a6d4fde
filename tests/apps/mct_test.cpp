// The program with MCT models, from the command line to its files.
#include <catch2/catch.hpp>

#include "lib/json/json.hpp"
#include "tests/lib/detect/mct_models.hpp"
#include "tests/support/edge_scene.hpp"
#include "tests/support/gpu.hpp"
#include "tests/support/json_lines.hpp"
#include "tests/support/run_program.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

std::string spot_pgm(int width, int height, int x, int y, int side) {
    std::string pixels(static_cast<std::size_t>(width) * height, char(50));
    for (int row = y; row < y + side; ++row) {
        for (int column = x; column < x + side; ++column) pixels[row * width + column] = char(200);
    }
    return "P5\n" + std::to_string(width) + " " + std::to_string(height) + "\n255\n" + pixels;
}

// Two photographs with a spot each, one of texture, and a model under the name of the cascade that ships.
struct Spots {
    Spots() {
        folder.write("photos/large.pgm", spot_pgm(120, 90, 40, 30, 8));
        folder.write("photos/small.pgm", spot_pgm(65, 63, 30, 24, 4));
        folder.write("photos/texture.pgm", noise_pgm(90, 70, 5));
        std::filesystem::create_directory(folder.path() / "models");
        write_mct_model(spot_model(), folder.path() / "models" / "mct.json");
        options.environment["FOVEA_MODELS"] = (folder.path() / "models").string();
    }
    std::string path(const std::string& name) const { return (folder.path() / name).string(); }
    ProgramResult run(std::vector<std::string> arguments) const { return run_fovea(arguments, options); }

    TempDir folder;
    ProgramOptions options;
    std::string photos = path("photos");
};

}  // namespace

TEST_CASE("detect and run use the network where no detector is named, and say so", "[cli][face-net]") {
    const Spots f;
    const ProgramResult result =
        f.run({"detect", f.photos, "--device", "cpu", "--out", f.path("detect.jsonl")});
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 0);
    CHECK_THAT(result.out, Contains("detections by wild in "));
    const Json manifest = Json::parse(read_bytes(f.path("detect.run.json")));
    CHECK_THAT(manifest["detectors"][0]["description"].get<std::string>(),
               Contains("8-bit quantised network"));
    // A refusal names the way out.
    const ProgramResult refused = f.run({"detect", f.photos, "--scale-factor", "1.1"});
    CHECK(refused.exit_code == 2);
    CHECK_THAT(refused.err, Contains("leave out 'scale_factor', or name a cascade, e.g. --model mct"));
    REQUIRE(f.run({"run", "--dataset", f.photos, "--device", "cpu", "--out", f.path("run")}).exit_code == 0);
    const Json of_run = Json::parse(read_bytes(f.path("run/run.json")));
    CHECK(of_run["configuration"]["detectors"][0]["model"] == "wild");
}

TEST_CASE("detect finds faces with the cascade that ships, by its name", "[cli][mct]") {
    const Spots f;
    const ProgramResult result = f.run({"detect", f.photos, "--model", "mct", "--device", "cpu"});
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 0);
    const std::vector<Json> lines = json_lines(result.out);
    REQUIRE(lines.size() == 3);
    REQUIRE(lines[0]["detections"].size() == 1);
    const Json face = lines[0]["detections"][0];
    CHECK(std::abs(face["box"][0].get<double>() + face["box"][2].get<double>() / 2 - 44) < 3);
    CHECK(face["score"].get<double>() > 0.5);
    CHECK(face["score"].get<double>() < 1);
    CHECK(lines[1]["detections"].size() == 1);

    // All of them, and those above a limit of one's own.
    const auto count = [&](const std::string& limit) {
        std::size_t found = 0;
        const auto all =
            f.run({"detect", f.photos, "--model", "mct", "--device", "cpu", "--min-score", limit});
        for (const Json& line : json_lines(all.out)) found += line["detections"].size();
        return found;
    };
    CHECK(count("0") >= 2);
    CHECK(count("0.9999") == 0);
}

TEST_CASE("the manifest shows what the detector made of the options", "[cli][mct]") {
    const Spots f;
    const std::string out = f.path("out/results.jsonl");
    REQUIRE(f.run({"detect", f.photos, "--model", "mct", "--device", "cpu", "--step", "2", "--out", out})
                .exit_code == 0);
    const Json manifest = Json::parse(read_bytes(f.path("out/run.json")));
    const Json detector = manifest["configuration"]["detectors"][0];
    CHECK(detector["scale_factor"] == 1.15);
    CHECK(detector["min_neighbors"] == 1);
    CHECK(detector["score"] == "confidence");
    CHECK(detector["min_score"] == 0.5);
    CHECK(detector["step"] == 2);
    CHECK(detector["start_scale"] == 1.0);
    CHECK_THAT(manifest["detectors"][0]["description"].get<std::string>(), Contains("MCT cascade"));
    // And fovea run keeps all.
    REQUIRE(f.run({"run", "--dataset", f.photos, "--model", "mct", "--device", "cpu", "--out", f.path("run")})
                .exit_code == 0);
    const Json of_run = Json::parse(read_bytes(f.path("run/run.json")));
    CHECK(of_run["configuration"]["detectors"][0]["min_score"] == 0.0);
    CHECK(of_run["configuration"]["detectors"][0]["model"] == "mct");
}

TEST_CASE("what a kind of model cannot do is refused in a sentence", "[cli][mct]") {
    const Spots f;
    const auto refusal = [&](const std::vector<std::string>& arguments) {
        const ProgramResult result = f.run(arguments);
        CHECK(result.exit_code == 2);
        return result.err;
    };
    CHECK_THAT(refusal({"verify", f.photos, "--model", "mct", "--device", "cpu"}),
               Contains("OpenCV has no MCT cascades") && Contains("--reference cuda"));
    CHECK_THAT(refusal({"detect", f.photos, "--model", "lbpcascade_frontalface", "--step", "2"}),
               Contains("lbpcascade_frontalface.xml") && Contains("leave out 'step'"));
    CHECK_THAT(refusal({"detect", f.photos, "--model", "lbpcascade_frontalface", "--score", "confidence"}),
               Contains("have no confidence"));
    CHECK_THAT(refusal({"detect", f.photos, "--start-scale", "0"}), Contains("'--start-scale 0' must be"));
    CHECK_THAT(refusal({"bench", "detect", f.photos, "--model", "mct", "--rival", "mct", "--device", "cpu"}),
               Contains("OpenCV cannot run") && Contains("lbpcascade_frontalface"));
    const auto broken = f.folder.write("broken.json", "{\"format\": \"fovea-mct-cascade\"}").string();
    const ProgramResult result = f.run({"detect", f.photos, "--model", broken});
    CHECK(result.exit_code == 1);
    CHECK_THAT(result.err, Contains("broken.json: there is no \"version\""));
}

TEST_CASE("bench measures an MCT model beside OpenCV's LBP cascade", "[cli][mct]") {
    const Spots f;
    const std::vector<std::string> common{"bench",     "detect",    f.path("photos/large.pgm"),
                                          "--model",   "mct",       "--device",
                                          "cpu",       "--threads", "1",
                                          "--repeat",  "2",         "--json",
                                          "--against", "opencv"};
    const ProgramResult result = f.run(common);
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 0);
    const Json json = Json::parse(result.out);
    CHECK_THAT(json["rival"]["model"].get<std::string>(), Contains("lbpcascade_frontalface.xml"));
    CHECK(json["rival"]["options"]["scale_factor"] == 1.15);
    CHECK(json["same_boxes"] == true);
    CHECK(json["speedup"].get<double>() > 0);
    CHECK(json["measurements"][1]["backend"] == "OpenCV lbpcascade_frontalface, 1 thread");
    CHECK(json["sizes"][0]["windows_per_image"].get<double>() > 0);

    // Tek's table: a row for each resolution, with its parts.
    const std::vector<std::string> arguments = {"bench",    "detect",  f.path("photos/large.pgm"),
                                                "--model",  "mct",     "--device",
                                                "cpu",      "--sizes", "64x48,80x60",
                                                "--repeat", "1"};
    const ProgramResult table = f.run(arguments);
    REQUIRE(table.exit_code == 0);
    CHECK_THAT(table.out, Contains("ms per image") && Contains("preprocessing") && Contains("\n64x48") &&
                              Contains("\n80x60"));
}

TEST_CASE("verify holds the CPU's MCT cascade against the GPU's", "[cli][mct][cuda]") {
    if (!gpu()) return;
    const Spots f;
    const ProgramResult result =
        f.run({"verify", f.photos, "--model", "mct", "--reference", "cuda", "--json"});
    CAPTURE(result.err, result.out);
    REQUIRE(result.exit_code == 0);
    const Json json = Json::parse(result.out);
    CHECK(json["differing_windows"] == 0);
    CHECK(json["evaluated_windows"].get<int>() > 1000);
    CHECK(json["raw_windows"].get<int>() > 10);
}
