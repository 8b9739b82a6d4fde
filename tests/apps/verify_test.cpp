// verify and detect on GPUs, from the command line.

#include <catch2/catch.hpp>

#include "kernels/core/device.hpp"
#include "lib/json/json.hpp"
#include "tests/support/edge_scene.hpp"
#include "tests/support/gpu.hpp"
#include "tests/support/run_program.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

struct Photos : PhotoFolder {
    Photos()
        : PhotoFolder({{"a.pgm", edge_pgm(40, 30)},
                       {"b.pgm", noise_pgm(190, 170, 3)},
                       {"c.pgm", noise_pgm(15, 15, 4)}}) {}
};

}  // namespace

TEST_CASE("verify against CUDA without the GPU asked for is refused with a sentence", "[cli][verify]") {
    const Photos f;
    const ProgramResult missing =
        run_fovea({"verify", f.photos, "--model", f.model, "--reference", "cuda", "--device", "cuda:99"});
    CHECK(missing.exit_code == 2);
    CHECK_THAT(missing.err, Contains(cuda_devices().empty() ? "cannot compare with CUDA: "
                                                            : "cannot detect on 'cuda:99'"));
    CHECK(missing.out.empty());
    if (cuda_devices().empty()) {
        // Nothing is compared with itself for want of a GPU.
        for (const std::string device : {"auto", "cpu", "cuda"}) {
            const ProgramResult none = run_fovea(
                {"verify", f.photos, "--model", f.model, "--reference", "cuda", "--device", device});
            CAPTURE(device, none.err);
            CHECK(none.exit_code == 2);
            CHECK_THAT(none.err, Contains("cannot compare with CUDA: ") && Contains("--reference opencv"));
        }
    }
    CHECK(run_fovea({"verify", f.photos, "--model", f.model, "--reference", "bob"}).exit_code == 2);
}

TEST_CASE("verify against OpenCV says where the detector ran", "[cli][verify]") {
    const Photos f;
    const ProgramResult result =
        run_fovea({"verify", f.photos, "--model", f.model, "--device", "cpu", "--json"});
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 0);
    const Json json = Json::parse(result.out);
    CHECK(json["device"] == "cpu");
    CHECK(json["reference"] == "opencv");
    CHECK_FALSE(json.contains("traced_windows"));
}

TEST_CASE("verify holds the CPU against a GPU, window by window", "[cli][verify][cuda]") {
    if (!gpu()) return;
    const Photos f;
    const ProgramResult result =
        run_fovea({"verify", f.photos, "--model", f.model, "--reference", "cuda", "--json"});
    CAPTURE(result.err, result.out);
    REQUIRE(result.exit_code == 0);
    const Json json = Json::parse(result.out);
    CHECK(json["images"] == 3);
    CHECK(json["device"] == "cpu");
    CHECK(json["reference_device"] == "cuda:0");
    CHECK(json["differing_images"] == 0);
    CHECK(json["differing_windows"] == 0);
    CHECK(json["traced_windows"].get<int>() > json["evaluated_windows"].get<int>());
    CHECK(json["evaluated_windows"].get<int>() > 1000);
    CHECK(json["raw_windows"].get<int>() > 10);
    const ProgramResult text = run_fovea({"verify", f.photos, "--model", f.model, "--reference", "cuda"});
    CHECK_THAT(text.out, Contains("windows traced") && Contains("the CPU and cuda:0 agree to the last bit"));
    // The GPU's detector against OpenCV.
    const ProgramResult opencv =
        run_fovea({"verify", f.photos, "--model", f.model, "--device", "cuda", "--json"});
    CAPTURE(opencv.err, opencv.out);
    CHECK(opencv.exit_code == 0);
    CHECK(Json::parse(opencv.out)["device"] == "cuda:0");
}

TEST_CASE("detect writes the same bytes on a GPU as on the CPU", "[cli][detect][cuda]") {
    if (!gpu()) return;
    const Photos f;
    const auto detect = [&](const std::string& device, const std::vector<std::string>& more) {
        const std::string out = f.path(device + "/results.jsonl");
        std::vector<std::string> arguments{"detect", f.photos, "--model", f.model,      "--device",
                                           device,   "--out",  out,       "--overwrite"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const ProgramResult result = run_fovea(arguments);
        CAPTURE(result.err);
        REQUIRE(result.exit_code == 0);
        return read_bytes(out);
    };
    const std::vector<std::vector<std::string>> parameters{
        {}, {"--raw"}, {"--min-neighbors", "1", "--score", "stage_sum"}, {"--scale-factor", "1.3"}};
    for (const auto& more : parameters) {
        const std::string expected = detect("cpu", more);
        CHECK(expected.find("\"score\"") != std::string::npos);
        CHECK(detect("cuda", more) == expected);
        CHECK(detect("auto", more) == expected);
    }
    const Json manifest = Json::parse(read_bytes(f.path("cuda/run.json")));
    CHECK(manifest["device"] == "cuda:0");
    CHECK(manifest["detectors"][0]["engine"]["device"] == "cuda:0");
    CHECK(manifest["detectors"][0]["engine"]["images"] == 3);
}

TEST_CASE("verify --flow compares points that are followed from image to image",
          "[cli][verify][optical-flow]") {
    const PhotoFolder f({{"a.pgm", noise_pgm(190, 170, 3)},
                         {"b.pgm", noise_pgm(190, 170, 3)},
                         {"c.pgm", noise_pgm(190, 170, 5)},
                         {"d.pgm", edge_pgm(40, 30)},
                         {"e.pgm", "P5 40 30 255 too short"}});
    const ProgramResult result = run_fovea({"verify", f.photos, "--flow", "--flow-every", "1", "--json"});
    CAPTURE(result.err);
    // One image cannot be read.
    CHECK(result.exit_code == 3);
    const Json json = Json::parse(result.out);
    CHECK(json["pairs"] == 2);
    CHECK(json["points"].get<int>() > 200);
    CHECK(json["found"].get<int>() > 100);
    CHECK(json["differing_points"] == 0);
    CHECK(json["unreadable"] == 1);
    CHECK(json["reference"] == "opencv");

    const ProgramResult text = run_fovea({"verify", f.photos + "/a.pgm", f.photos + "/b.pgm", "--flow"});
    CHECK(text.exit_code == 0);
    CHECK_THAT(text.out, Contains("1 pair of frames") &&
                             Contains("the CPU with and without vectors and OpenCV agree to the last bit"));
    const ProgramResult alone = run_fovea({"verify", f.photos + "/a.pgm", "--flow"});
    CHECK(alone.exit_code == 0);
    CHECK_THAT(alone.out, Contains("nothing was compared: there are no two frames of one size in a row"));
    const ProgramResult refused = run_fovea({"verify", f.photos, "--flow", "--model", f.model});
    CHECK(refused.exit_code == 2);
    CHECK_THAT(refused.err, Contains("takes no --model"));
    CHECK(run_fovea({"verify", f.photos, "--flow", "--flow-every", "0"}).exit_code == 2);
}

TEST_CASE("verify --flow holds the CPU against a GPU", "[cli][verify][optical-flow][cuda]") {
    if (!gpu()) return;
    const PhotoFolder f({{"a.pgm", noise_pgm(190, 170, 3)}, {"b.pgm", noise_pgm(190, 170, 3)}});
    const ProgramResult result = run_fovea({"verify", f.photos, "--flow", "--reference", "cuda", "--json"});
    CAPTURE(result.err);
    CHECK(result.exit_code == 0);
    const Json json = Json::parse(result.out);
    CHECK(json["pairs"] == 1);
    CHECK(json["differing_points"] == 0);
}
