// fovea train samples: the samples of a training as files.
#include <csignal>
#include <filesystem>

#include <catch2/catch.hpp>

#include "lib/files/file.hpp"
#include "lib/json/json.hpp"
#include "lib/train/cascade/cascade_data.hpp"
#include "lib/train/config_file.hpp"
#include "lib/train/samples/vec_file.hpp"
#include "tests/apps/cross_workshop.hpp"
#include "tests/apps/refusal.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

std::vector<std::string> samples_command(const CrossWorkshop& shop, const std::vector<std::string>& more) {
    std::vector<std::string> command{"train",         "samples",
                                     "--positives",   "folder:" + shop.path("crops"),
                                     "--backgrounds", "folder:" + shop.path("grounds"),
                                     "--width",       "16",
                                     "--height",      "16"};
    command.insert(command.end(), more.begin(), more.end());
    return command;
}

}  // namespace

TEST_CASE("train samples writes what a training sees", "[train-cascade]") {
    const CrossWorkshop shop;
    const std::string config =
        shop.folder
            .write("config.json",
                   R"({"samples": {"copies": 2, "augment": {"max_angle_z_deg": 20, "max_light": 30}},
                       "test": {"share": 0.25}})")
            .string();
    CascadeTrainConfig loaded = load_training_config<CascadeTrainConfig>(config);
    loaded.width = loaded.height = 16;
    loaded.positives = {"folder:" + shop.path("crops")};
    loaded.backgrounds = {"folder:" + shop.path("grounds")};
    const CascadeData data = load_cascade_data(loaded, 1);
    const std::tuple<std::string, WindowSamples, std::size_t> parts[] = {{"training", data.positives, 243},
                                                                         {"held-out", data.held_out, 27},
                                                                         {"test", data.test_positives, 90}};
    for (const auto& [part, samples, count] : parts) {
        const ProgramResult result = run_fovea(
            samples_command(shop, {"--config", config, "--part", part, "--out", shop.path("out.vec"),
                                   "--sheet", shop.path("sheet.png"), "--json", "--overwrite"}));
        INFO(result.err);
        REQUIRE(result.exit_code == 0);
        const Json summary = Json::parse(result.out);
        CHECK(summary["samples"] == count);
        CHECK(summary["part"] == part);
        CHECK(summary["width"] == 16);
        CHECK(summary["samples_on_sheet"] == count);
        const WindowSamples read = read_vec(shop.path("out.vec"), {16, 16});
        CHECK(read.count() == count);
        CHECK(read.pixels == samples.pixels);
        CHECK(read_file(shop.path("sheet.png"), "sheet").starts_with("\x89PNG"));
    }
    const ProgramResult told =
        run_fovea(samples_command(shop, {"--sheet", shop.path("sheet.png"), "--overwrite"}));
    CHECK(told.exit_code == 0);
    CHECK_THAT(told.out, Contains("108 samples of 16x16 pixels (training)") && Contains("sheet.png"));
    // Backgrounds are needed for copies only.
    CHECK(run_fovea({"train", "samples", "--positives", "folder:" + shop.path("crops"), "--out",
                     shop.path("plain.vec")})
              .exit_code == 0);
    CHECK(read_vec(shop.path("plain.vec"), {24, 24}).count() == 108);
}

TEST_CASE("train samples refuses what cannot be", "[cli][train-cascade]") {
    const CrossWorkshop shop;
    const auto refused = [&](const std::vector<std::string>& more) {
        return refusal_of(samples_command(shop, more));
    };
    const std::string out = shop.path("out.vec");
    CHECK_THAT(refused({}), Contains("--out") && Contains("--sheet"));
    CHECK_THAT(refused({"--out", out, "--sheet", out}), Contains("would both be written"));
    CHECK_THAT(refused({"--out", out, "--part", "all"}), Contains("all"));
    CHECK_THAT(refused({"--out", out, "--part", "test"}), Contains("has no test"));
    const std::string config = shop.folder.write("c.json", R"({"stages": {"held_out": 0}})").string();
    CHECK_THAT(refused({"--out", out, "--part", "held-out", "--config", config}), Contains("holds out no"));
    CHECK_THAT(refused({"--out", out, "--margin", "9"}), Contains("'--margin 9' must be"));
    CHECK_THAT(refused({"--out", out, "--sweep", "stages=1:2:1"}), Contains("--sweep"));
    CHECK_THAT(refusal_of({"train", "samples", "--out", out}), Contains("no positives"));
    CHECK_THAT(refusal_of({"train", "samples", "--positives", "folder:" + shop.path("crops"), "--copies", "2",
                           "--out", out}),
               Contains("--backgrounds"));
    CHECK_FALSE(std::filesystem::exists(out));
    // An output that would replace a sample's own file.
    const std::string crop = shop.path("crops/7.pgm"), before = read_file(crop, "crop");
    CHECK_THAT(refused({"--sheet", crop}), Contains("7.pgm"));
    CHECK(read_file(crop, "crop") == before);
    const ProgramResult missing = run_fovea(samples_command(shop, {"--out", shop.path("no/where/out.vec")}));
    CHECK(missing.exit_code == 2);
    CHECK_THAT(missing.err, Contains("no/where"));
}
