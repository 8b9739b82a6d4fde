#include <catch2/catch.hpp>
#include <signal.h>

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

TEST_CASE("real cascades and photographs: verify finds no difference to OpenCV", "[cli][verify]") {
    const std::string photos = "/usr/share/doc/libdlib19.1/examples/faces";
    if (!std::filesystem::exists(photos + "/2007_007763.jpg")) {
        WARN("not run: the example photographs of libdlib19.1 are not installed");
        return;
    }
    const std::string model = GENERATE("haarcascade_frontalface_alt2", "lbpcascade_frontalface");
    const std::string score = GENERATE("neighbors", "stage_sum");
    const ProgramResult result =
        run_fovea({"verify", photos + "/2007_007763.jpg", photos + "/2008_001322.jpg", "--model", model,
                   "--scale-factor", "1.2", "--score", score, "--json"});
    CAPTURE(result.err, result.out);
    CHECK(result.exit_code == 0);
    const Json json = Json::parse(result.out);
    CHECK(json["differing_images"] == 0);
    CHECK(json["images"] == 2);
    CHECK(json["raw_windows"].get<int>() > 50);
    CHECK(json["grouped_boxes"].get<int>() > 2);
}

TEST_CASE("verify works on the user's own cascade and says what it compared", "[cli][verify]") {
    const PhotoFolder f(
        {{"a.pgm", edge_pgm(40, 30)}, {"b.pgm", "P5\n40 30\n255\ncut off"}, {"c.pgm", noise_pgm(90, 70, 3)}});
    const ProgramResult result = run_fovea({"verify", f.photos, "--model", f.model});
    CAPTURE(result.err, result.out);
    CHECK(result.exit_code == 3);
    CHECK_THAT(result.out, Contains("2 images") && Contains("agree to the last bit"));
    CHECK(run_fovea({"verify", f.photos, "--model", f.model, "--model", f.model}).exit_code == 2);

    // OpenCV's stage sums of a one-stage cascade hold windows that did not pass; its windows and boxes are
    // right.
    const auto one_stage = f.folder.write("one.xml", edge_cascade(1)).string();
    const ProgramResult one = run_fovea({"verify", f.photos, "--model", one_stage});
    CAPTURE(one.out);
    CHECK(one.exit_code == 3);
    CHECK(run_fovea({"verify", f.photos, "--model", one_stage, "--score", "stage_sum"}).exit_code == 2);
}

TEST_CASE("Ctrl-C in verify prints what was compared so far", "[cli][verify]") {
    const TempDir folder;
    // Small ones, so that what is in flight is done within the time that the program gives it, on a busy
    // machine, too.
    const auto photo = folder.write("photo.pgm", noise_pgm(120, 120, 1));
    std::filesystem::create_directory(folder.path() / "photos");
    // Seconds of work, were it not interrupted.
    constexpr int photos = 2000;
    for (int i = 0; i < photos; ++i) {
        std::filesystem::create_symlink(photo, folder.path() / "photos" / (std::to_string(i) + ".pgm"));
    }
    const auto model = folder.write("edge.xml", edge_cascade()).string();
    StartedProgram program({fovea_program(), "verify", (folder.path() / "photos").string(), "--model", model,
                            "--log-level", "debug", "--json"});
    REQUIRE(program.wait_for_error_text("comparing"));
    program.send_signal(SIGINT);
    const ProgramResult result = program.wait();
    CAPTURE(result.err);
    CHECK(result.exit_code == 130);
    const Json json = Json::parse(result.out);
    CHECK(json["interrupted"] == true);
    CHECK(json["exit_code"] == 130);
    CHECK(json["images"].get<int>() < photos);
    CHECK(json["differing_images"] == 0);
}

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
