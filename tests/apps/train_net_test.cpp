// fovea train net from the command line to its model.
#include <chrono>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <thread>

#include <catch2/catch.hpp>

#include "lib/detect/face_net_model.hpp"
#include "lib/json/json.hpp"
#include "lib/train/counter_random.hpp"
#include "tests/apps/checkpoint_damage.hpp"
#include "tests/apps/refusal.hpp"
#include "tests/support/edge_scene.hpp"
#include "tests/support/gpu.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

/// Photographs of a bright disc each, their truth, and a configuration that trains on them in a second.
struct Discs {
    Discs() {
        Json truth{{"images", Json::array()},
                   {"annotations", Json::array()},
                   {"categories", {{{"id", 1}, {"name", "face"}}}}};
        for (int i = 0; i < 8; ++i) {
            CounterRandom random(3, i);
            const double x = 25 + 30 * random.unit(), y = 20 + 20 * random.unit(),
                         radius = 8 + 8 * random.unit();
            std::string pixels = "P5 80 60 255\n";
            for (int p = 0; p < 80 * 60; ++p) {
                const bool is_disc = std::hypot(p % 80 + 0.5 - x, p / 80 + 0.5 - y) < radius;
                pixels +=
                    static_cast<char>(static_cast<unsigned char>((is_disc ? 190 : 70) + 20 * random.unit()));
            }
            folder.write("discs/" + std::to_string(i) + ".pgm", pixels);
            truth["images"].push_back(
                {{"id", i + 1}, {"file_name", std::to_string(i) + ".pgm"}, {"width", 80}, {"height", 60}});
            truth["annotations"].push_back({{"id", i + 1},
                                            {"image_id", i + 1},
                                            {"category_id", 1},
                                            {"bbox", {x - radius, y - radius, 2 * radius, 2 * radius}},
                                            {"area", 4 * radius * radius},
                                            {"iscrowd", 0}});
        }
        folder.write("discs.json", truth.dump());
        config_file = folder.write("train.json", config().dump(2)).string();
        options.environment["WORKSHOP"] = folder.path().string();
    }
    static Json config() {
        return {{"name", "discs"},
                {"photographs", {{{"dataset", "coco:${WORKSHOP}/discs.json,images=${WORKSHOP}/discs"}}}},
                {"width", {{"stem", 16}, {"quarter", 16}, {"trunk", 16}}},
                {"crops", {{"side", 32}, {"max_face", 30}}},
                {"batch", 4},
                {"steps", 130}};
    }
    std::string path(const std::string& name) const { return (folder.path() / name).string(); }
    ProgramResult train(std::vector<std::string> more, const std::string& device = "cpu") const {
        more.insert(more.begin(), {"train", "net", "--config", config_file, "--device", device});
        return run_fovea(more, options);
    }

    TempDir folder;
    ProgramOptions options;
    std::string config_file;
};

}  // namespace

TEST_CASE("train net makes a model, the same for every number of threads", "[cli][train][face-net]") {
    const Discs discs;
    const ProgramResult result = discs.train({"--out", discs.path("one.json"), "--json", "--threads", "1",
                                              "--checkpoint", discs.path("one.part")});
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 0);
    const Json summary = Json::parse(result.out);
    CHECK(summary["command"] == "train net");
    CHECK(summary["steps"] == 130);
    CHECK(summary["images"] == 8);
    CHECK(summary["data"][0]["faces"] == 8);
    CHECK_THAT(result.err, Contains("step 100: loss of odds"));
    CHECK_FALSE(std::filesystem::exists(discs.path("one.part")));

    const FaceNetModel model = read_face_net_model(discs.path("one.json"));
    CHECK(model.name == "discs");
    CHECK(model.net.channels == 16);
    CHECK(model.training["settings"]["steps"] == 130);
    CHECK(model.training["losses"].size() == 2);
    CHECK_FALSE(model.training.contains("device"));
    // The model does not tell the place of the data.
    CHECK(read_bytes(discs.path("one.json")).find(discs.folder.path().string()) == std::string::npos);

    const ProgramResult two = discs.train({"--out", discs.path("two.json"), "--threads", "3"});
    REQUIRE(two.exit_code == 0);
    CHECK_THAT(two.out, Contains("130 steps") && Contains("two.json"));
    CHECK(read_bytes(discs.path("two.json")) == read_bytes(discs.path("one.json")));
}

TEST_CASE("train net makes the same model on a GPU each time, and the model says so",
          "[cli][train][face-net][cuda]") {
    if (!gpu()) return;
    const Discs discs;
    for (const char* model : {"one.json", "two.json"}) {
        const ProgramResult result = discs.train({"--out", discs.path(model)}, "cuda");
        CAPTURE(result.err);
        REQUIRE(result.exit_code == 0);
    }
    CHECK(read_face_net_model(discs.path("one.json")).training.contains("device"));
    CHECK(read_bytes(discs.path("two.json")) == read_bytes(discs.path("one.json")));
}

TEST_CASE("train net refuses what it cannot do", "[cli][train][face-net]") {
    const Discs discs;
    const auto refusal = [&](const std::vector<std::string>& more, int code = 2) {
        const ProgramResult result = discs.train(more);
        CHECK(result.exit_code == code);
        return result.err;
    };
    CHECK_THAT(refusal({}), Contains("--out"));
    CHECK_THAT(refusal({"--out", discs.path("no/such/net.json")}), Contains("no/such"));
    CHECK_THAT(refusal({"--out", discs.path("a.json"), "--resume"}), Contains("--checkpoint"));
    CHECK_THAT(refusal({"--out", discs.path("a.json"), "--steps", "0"}), Contains("steps"));
    discs.folder.write("part", "{}");
    CHECK_THAT(refusal({"--out", discs.path("a.json"), "--checkpoint", discs.path("part"), "--resume"}, 1),
               Contains("no checkpoint"));
    const ProgramResult nothing = run_fovea({"train", "net", "--out", discs.path("a.json")});
    CHECK(nothing.exit_code == 2);
    CHECK_THAT(nothing.err, Contains("photographs"));

    // A photograph that cannot be read is named, and the others are trained on.
    discs.folder.write("discs/3.pgm", "P5 80 60 255\n");
    const ProgramResult skipped = discs.train({"--out", discs.path("a.json"), "--steps", "2", "--json"});
    CHECK(skipped.exit_code == 3);
    CHECK(Json::parse(skipped.out)["unreadable_images"].size() == 1);
    CHECK_THAT(skipped.err, Contains("3.pgm"));
}

TEST_CASE("a failed report of train net costs neither model nor checkpoint",
          "[cli][train][face-net][gnuplot]") {
    const Discs discs;
    const std::string part = discs.path("net.part");
    check_failed_report_costs_nothing(
        discs.folder, discs.options, "report", "net.part", "net.json",
        [&](const std::vector<std::string>& flags, const ProgramOptions& options) {
            std::vector<std::string> command{"train",        "net",
                                             "--config",     discs.config_file,
                                             "--out",        discs.path("net.json"),
                                             "--report",     discs.path("report"),
                                             "--checkpoint", part};
            command.insert(command.end(), flags.begin(), flags.end());
            return run_fovea(command, options);
        });
}

TEST_CASE("train net goes on where it was interrupted, and from no damaged checkpoint",
          "[cli][train][face-net]") {
    const Discs discs;
    const std::string part = discs.path("net.part");
    const std::vector<std::string> flags{"--out", discs.path("net.json"), "--checkpoint", part, "--steps",
                                         "300"};
    REQUIRE(discs.train({"--out", discs.path("whole.json"), "--steps", "300"}).exit_code == 0);
    std::vector<std::string> command{fovea_program(),   "train",    "net", "--config",
                                     discs.config_file, "--device", "cpu"};
    command.insert(command.end(), flags.begin(), flags.end());
    StartedProgram program(command, discs.options);
    REQUIRE(program.wait_for_error_text("step 100: "));
    // The checkpoint follows at once.
    for (int i = 0; i < 1000 && !std::filesystem::exists(part); ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    program.send_signal(SIGKILL);
    program.wait();
    REQUIRE(std::filesystem::exists(part));
    std::vector<std::string> resume = flags;
    resume.emplace_back("--resume");
    check_damage_is_noticed(part, discs.path("net.json"), [&] { return discs.train(resume); });
    const ProgramResult resumed = discs.train(resume);
    CAPTURE(resumed.err);
    REQUIRE(resumed.exit_code == 0);
    CHECK_THAT(resumed.err, Contains("going on from"));
    CHECK(read_bytes(discs.path("net.json")) == read_bytes(discs.path("whole.json")));
}
