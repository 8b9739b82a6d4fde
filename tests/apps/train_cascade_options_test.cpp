// fovea train cascade: refusals, output, checkpoints and messages.
#include <csignal>
#include <filesystem>

#include <catch2/catch.hpp>

#include "lib/files/file.hpp"
#include "lib/json/json.hpp"
#include "lib/train/checkpoint.hpp"
#include "lib/train/samples/vec_file.hpp"
#include "tests/apps/checkpoint_damage.hpp"
#include "tests/apps/cross_workshop.hpp"
#include "tests/apps/refusal.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

std::string text_of_file(const std::string& file) {
    return read_file(file, "file");
}

/// Drawn crosses of 16x16 pixels as a .vec file.
void write_crosses(const std::string& file, int count) {
    std::mt19937 random(11);
    WindowSamples samples;
    samples.window = {16, 16};
    samples.sources = {"drawn"};
    for (int i = 0; i < count; ++i) {
        Picture crop = noisy(16, 16, random);
        draw_cross(crop, 0, 0, random);
        const std::vector<std::uint8_t> pixels(crop.pixels.begin(), crop.pixels.end());
        samples.add(pixels, 0);
    }
    write_vec(file, samples);
}

/// A training of many features, with a checkpoint, that is interrupted after its first stage.
ProgramResult interrupted(const CrossWorkshop& shop, const std::vector<std::string>& flags) {
    std::vector<std::string> command = shop.command("parts.xml", flags, "6");
    command.insert(command.begin(), fovea_program());
    StartedProgram program(command);
    REQUIRE(program.wait_for_error_text("stage 1: "));
    program.send_signal(SIGINT);
    return program.wait();
}

std::vector<std::string> checkpoint_flags(const CrossWorkshop& shop) {
    return {"--features", "haar-all", "--max-depth", "2", "--checkpoint", shop.path("part.json")};
}

}  // namespace

TEST_CASE("train cascade: help names what it takes", "[cli][train-cascade]") {
    const ProgramResult help = run_fovea({"train", "cascade", "--help"});
    CHECK(help.exit_code == 0);
    for (const char* flag :
         {"--positives", "--backgrounds", "--features", "haar-oro", "--boosting", "--stages",
          "--min-hit-rate", "--max-false-alarm", "--old-format", "--checkpoint", "--resume"})
        CHECK_THAT(help.out, Contains(flag));
    CHECK_THAT(run_fovea({"train", "--help"}).out, Contains("cascade"));
}

TEST_CASE("train cascade prints its configuration, which it reads again", "[cli][train-cascade]") {
    const TempDir folder;
    const ProgramResult printed = run_fovea({"train",
                                             "cascade",
                                             "--print-config",
                                             "--positives",
                                             "vec:a.vec",
                                             "voc:cars",
                                             "--backgrounds",
                                             "folder:b",
                                             "--width",
                                             "20",
                                             "--features",
                                             "lbp",
                                             "--boosting",
                                             "real",
                                             "--max-false-alarm",
                                             "0.3",
                                             "--mirrored",
                                             "--copies",
                                             "7",
                                             "--seed",
                                             "5",
                                             "--margin",
                                             "0.1",
                                             "--max-depth",
                                             "3",
                                             "--stages",
                                             "9",
                                             "--min-hit-rate",
                                             "0.99",
                                             "--negatives",
                                             "777"});
    INFO(printed.err);
    REQUIRE(printed.exit_code == 0);
    const Json config = Json::parse(printed.out);
    CHECK(config["positives"] == Json({"vec:a.vec", "voc:cars"}));
    CHECK(config["width"] == 20);
    CHECK(config["height"] == 24);
    CHECK(config["features"] == "lbp");
    CHECK(config["boosting"]["kind"] == "real");
    CHECK(config["boosting"]["max_depth"] == 3);
    CHECK(config["stages"]["max_false_alarm"] == 0.3);
    CHECK(config["stages"]["count"] == 9);
    CHECK(config["stages"]["negatives"] == 777);
    CHECK(config["samples"]["mirrored"] == true);
    CHECK(config["samples"]["copies"] == 7);
    CHECK(config["seed"] == 5);
    const std::string file = folder.write("config.json", printed.out).string();
    CHECK(run_fovea({"train", "cascade", "--config", file, "--print-config"}).out == printed.out);
}

TEST_CASE("train cascade refuses what cannot be", "[cli][train-cascade]") {
    const CrossWorkshop shop;
    const std::string crops = "folder:" + shop.path("crops"), grounds = "folder:" + shop.path("grounds");
    const auto refused = [&](std::vector<std::string> more) {
        more.insert(more.begin(), {"train", "cascade", "--positives", crops, "--backgrounds", grounds});
        return refusal_of(more);
    };
    const auto with_out = [&](std::vector<std::string> more) {
        more.insert(more.end(), {"--out", shop.path("no.xml")});
        return refused(more);
    };
    CHECK_THAT(refused({}), Contains("--out"));
    CHECK_THAT(with_out({"--resume"}), Contains("--checkpoint"));
    CHECK_THAT(with_out({"--features", "hog"}), Contains("hog"));
    CHECK_THAT(with_out({"--boosting", "xgb"}), Contains("xgb"));
    CHECK_THAT(with_out({"--no-such-flag"}), Contains("--no-such-flag"));
    for (const auto& [flag, value] :
         std::vector<std::pair<std::string, std::string>>{{"--width", "7"},
                                                          {"--height", "257"},
                                                          {"--max-depth", "5"},
                                                          {"--min-hit-rate", "1"},
                                                          {"--max-false-alarm", "0"},
                                                          {"--stages", "0"},
                                                          {"--negatives", "5"}})
        CHECK_THAT(with_out({flag, value}), Contains("'" + flag + " " + value + "' must be"));
    // Hundreds of millions of features are refused before they fill the memory, and before data is read.
    for (const char* pool : {"haar-basic", "haar-core", "haar-all", "haar-oro", "lbp"}) {
        CHECK_THAT(with_out({"--features", pool, "--width", "256", "--height", "256"}),
                   Contains("more than 10000000 features") && Contains(pool) && Contains("--width"));
    }
    // Outputs that are one file.
    CHECK_THAT(with_out({"--checkpoint", shop.path("no.xml")}), Contains("no.xml"));
    CHECK_THAT(with_out({"--checkpoint", shop.path("no.training.json")}), Contains("no.training.json"));
    for (const char* broken :
         {R"({"stages": {"counts": 3}})", R"({"scale_factor": 1.0001})", R"({"stages": {"held_out": 0.95}})",
          R"({"features": 3})", R"({"boosting": {"weight_trim_rate": 0}})",
          R"({"stages": {"min_negatives": 1}})", R"({"bin_megabytes": 0})"}) {
        CAPTURE(broken);
        const std::string config = shop.folder.write("config.json", broken).string();
        CHECK_THAT(with_out({"--config", config}), Contains("must be") || Contains("counts"));
    }
    CHECK_FALSE(std::filesystem::exists(shop.path("no.xml")));
}

TEST_CASE("train cascade says which data it cannot use", "[cli][train-cascade]") {
    const CrossWorkshop shop;
    const std::string crops = "folder:" + shop.path("crops"), grounds = "folder:" + shop.path("grounds");
    const auto error_of = [&](const std::string& positives, const std::string& backgrounds,
                              const std::string& width = "16") {
        const ProgramResult result = run_fovea(
            {"train", "cascade", "--positives", positives, "--backgrounds", backgrounds, "--width", width,
             "--height", "16", "--out", shop.path("no.xml"), "--device", "cpu", "--negatives", "100"});
        CHECK((result.exit_code == 1 || result.exit_code == 2));
        CHECK_FALSE(std::filesystem::exists(shop.path("no.xml")));
        return result.err;
    };
    CHECK_THAT(error_of("folder:" + shop.path("nowhere"), grounds), Contains("nowhere"));
    CHECK_THAT(error_of(crops, "folder:" + shop.path("nowhere")), Contains("nowhere"));
    CHECK_THAT(error_of("vec:" + shop.path("nowhere.vec"), grounds), Contains("nowhere.vec"));
    shop.folder.write("cut.vec", std::string("\x02\0\0\0\0\x01\0\0\0\0\0\0\0", 13));
    CHECK_THAT(error_of("vec:" + shop.path("cut.vec"), grounds), Contains("cut.vec"));
    shop.folder.write("text.vec", "these are no samples");
    CHECK_THAT(error_of("vec:" + shop.path("text.vec"), grounds), Contains("text.vec"));
    write_crosses(shop.path("crosses.vec"), 15);
    CHECK_THAT(error_of("vec:" + shop.path("crosses.vec"), grounds, "24"),
               Contains("crosses.vec") && Contains("16x16"));
    // A tenth of four is none.
    write_crosses(shop.path("few.vec"), 4);
    CHECK_THAT(error_of("vec:" + shop.path("few.vec"), grounds),
               Contains("4 sources") && Contains("held_out") && Contains("--config"));

    for (int i = 0; i < 3; ++i) shop.folder.write("broken/" + std::to_string(i) + ".pgm", "P5\n");
    CHECK_THAT(error_of(crops, "folder:" + shop.path("broken")), Contains("no background can be read"));
    CHECK_THAT(error_of("folder:" + shop.path("broken"), grounds),
               Contains("broken") && Contains("no sample"));

    const Picture grey{60, 60, std::string(3600, '\x60')};
    for (int i = 0; i < 20; ++i) shop.folder.write("flat/" + std::to_string(i) + ".pgm", grey.pgm());
    CHECK_THAT(error_of(crops, "folder:" + shop.path("flat")),
               Contains("no stage could be trained") && Contains("0 windows left") && Contains("contrast"));
    CHECK_THAT(error_of("folder:" + shop.path("flat"), grounds),
               Contains("no stage could be trained") && Contains("lack contrast"));
}

TEST_CASE("train cascade trains on a .vec file, and on few negatives", "[cli][train-cascade]") {
    const CrossWorkshop shop;
    write_crosses(shop.path("crosses.vec"), 250);
    const ProgramResult result = run_fovea({"train",         "cascade",
                                            "--positives",   "vec:" + shop.path("crosses.vec"),
                                            "--backgrounds", "folder:" + shop.path("grounds"),
                                            "--width",       "16",
                                            "--height",      "16",
                                            "--stages",      "2",
                                            "--negatives",   "40",
                                            "--features",    "lbp",
                                            "--out",         shop.path("vec.xml"),
                                            "--device",      "cpu",
                                            "--json",        "--mirrored"});
    INFO(result.err);
    REQUIRE(result.exit_code == 0);
    const Json summary = Json::parse(result.out);
    CHECK(summary["data"]["positives"][0]["objects"] == 250);
    // Every 25 samples are one source, and one of ten is held out, with both sides of its samples.
    CHECK(summary["data"]["held_out_samples"] == 50);
    CHECK(summary["data"]["training_samples"] == 450);
    CHECK(summary["stages"][0]["negatives"] == 40);
}

TEST_CASE("train cascade goes on where it was interrupted", "[cli][train-cascade]") {
    const CrossWorkshop shop;
    std::vector<std::string> flags = checkpoint_flags(shop);
    REQUIRE(shop.train("whole.xml", flags, "6").exit_code == 0);
    const ProgramResult stopped = interrupted(shop, flags);
    INFO(stopped.err);
    REQUIRE(stopped.exit_code == 130);
    CHECK_THAT(stopped.err, Contains("--resume continues from " + shop.path("part.json")));
    CHECK_FALSE(std::filesystem::exists(shop.path("parts.xml")));
    REQUIRE(std::filesystem::exists(shop.path("part.json")));

    flags.emplace_back("--resume");
    std::vector<std::string> other(flags);
    other.insert(other.end(), {"--seed", "9"});
    const ProgramResult refused = shop.train("parts.xml", other, "6");
    CHECK(refused.exit_code == 2);
    CHECK_THAT(refused.err,
               Contains("part.json") && Contains("of other settings: 'seed' is 1 in it and 9 now"));
    shop.folder.write("grounds/more.pgm", text_of_file(shop.path("grounds/0.pgm")));
    const ProgramResult grown = shop.train("parts.xml", flags, "6");
    CHECK(grown.exit_code == 2);
    CHECK_THAT(grown.err, Contains("part.json") && Contains("of other data: 'backgrounds"));
    std::filesystem::remove(shop.path("grounds/more.pgm"));
    REQUIRE(std::filesystem::exists(shop.path("part.json")));

    const ProgramResult resumed = shop.train("parts.xml", flags, "6");
    INFO(resumed.err);
    REQUIRE(resumed.exit_code == 0);
    CHECK_THAT(resumed.err, Contains("going on from"));
    CHECK(text_of_file(shop.path("parts.xml")) == text_of_file(shop.path("whole.xml")));
    CHECK(text_of_file(shop.path("parts.training.json")) == text_of_file(shop.path("whole.training.json")));
    CHECK_FALSE(std::filesystem::exists(shop.path("part.json")));
}

TEST_CASE("train cascade refuses damaged checkpoints", "[cli][train-cascade]") {
    const CrossWorkshop shop;
    std::vector<std::string> flags = checkpoint_flags(shop);
    REQUIRE(interrupted(shop, flags).exit_code == 130);
    flags.emplace_back("--resume");
    check_damage_is_noticed(shop.path("part.json"), shop.path("parts.xml"),
                            [&] { return shop.train("parts.xml", flags, "6"); });
    // A state with its checksum that is none of this training.
    const Json good = Json::parse(read_checkpoint(shop.path("part.json")));
    const auto refused = [&](const std::string& state) {
        write_checkpoint(shop.path("part.json"), state);
        const ProgramResult result = shop.train("parts.xml", flags, "6");
        CHECK((result.exit_code == 1 || result.exit_code == 2));
        CHECK_THAT(result.err, Contains("part.json"));
        CHECK_FALSE(std::filesystem::exists(shop.path("parts.xml")));
        CHECK(read_checkpoint(shop.path("part.json")) == state);
        return result.err;
    };
    CHECK_THAT(refused(good.dump().substr(0, 700)), Contains("no checkpoint of a training"));
    CHECK_THAT(refused("[1, 2]"), Contains("part.json must be an object"));
    Json changed = good;
    changed["state"]["stages"].push_back(changed["state"]["stages"][0]);
    CHECK_THAT(refused(changed.dump()), Contains("its stages do not fit"));
    changed = good;
    changed["state"]["stages"][0].erase("threshold");
    CHECK_THAT(refused(changed.dump()), Contains("'state.stages[0]' has no \"threshold\""));
    // A larger window: its features might reach beyond the samples.
    changed = good;
    std::string xml = good["state"]["cascade"].get<std::string>();
    for (const char* side : {"width", "height"}) {
        const std::string from = std::string("<") + side + ">16<";
        REQUIRE(xml.find(from) != std::string::npos);
        xml.replace(xml.find(from), from.size(), std::string("<") + side + ">600<");
    }
    changed["state"]["cascade"] = xml;
    CHECK_THAT(refused(changed.dump()), Contains("its stages do not fit"));
    changed["state"]["cascade"] = "<opencv_storage/>";
    refused(changed.dump());
}

TEST_CASE("train cascade leaves unreadable images out and says so by exit code 3", "[cli][train-cascade]") {
    const CrossWorkshop shop;
    shop.folder.write("grounds/3.pgm", "P5\n");
    const ProgramResult result = shop.train("some.xml", {"--json"}, "1");
    INFO(result.err);
    CHECK(result.exit_code == 3);
    CHECK(Json::parse(result.out)["data"]["unreadable_images"] == 1);
    CHECK(std::filesystem::exists(shop.path("some.xml")));
    const std::string manifest = text_of_file(shop.path("some.training.json"));
    CHECK(Json::parse(manifest)["data"]["unreadable_images"] == 1);
    // The manifest tells neither the place of the data nor how long it took.
    CHECK(manifest.find(shop.folder.path().string()) == std::string::npos);
    CHECK(manifest.find("seconds") == std::string::npos);
}

TEST_CASE("a failed report of train cascade costs neither model nor checkpoint",
          "[cli][train-cascade][gnuplot]") {
    const CrossWorkshop shop;
    check_failed_report_costs_nothing(shop.folder, {}, "report", "part.json", "m.xml",
                                      [&](std::vector<std::string> flags, const ProgramOptions& options) {
                                          flags.insert(flags.end(), {"--report", shop.path("report"),
                                                                     "--checkpoint", shop.path("part.json")});
                                          return run_fovea(shop.command("m.xml", flags), options);
                                      });
}

TEST_CASE("train cascade names no checkpoint that is not there", "[cli][train-cascade]") {
    const CrossWorkshop shop;
    std::vector<std::string> flags = checkpoint_flags(shop);
    flags.insert(flags.end(), {"--log-level", "debug"});
    std::vector<std::string> command = shop.command("parts.xml", flags, "6");
    command.insert(command.begin(), fovea_program());
    StartedProgram program(command);
    REQUIRE(program.wait_for_error_text("stage 1: boosting"));
    program.send_signal(SIGINT);
    const ProgramResult stopped = program.wait();
    CHECK(stopped.exit_code == 130);
    if (std::filesystem::exists(shop.path("part.json"))) return;  // the stage was done already
    CHECK_THAT(stopped.err, !Contains("--resume continues"));
}

TEST_CASE("train cascade names the strip that is not there", "[cli][train-cascade]") {
    const CrossWorkshop shop;
    const std::string strip = shop.path("no-strip.png");
    const std::string config =
        shop.folder
            .write("config.json", Json{{"width", 16},
                                       {"height", 16},
                                       {"strips", {{{"path", strip}, {"tile_height", 16}}}},
                                       {"backgrounds", {"folder:" + shop.path("grounds")}}}
                                      .dump())
            .string();
    const ProgramResult result =
        run_fovea({"train", "cascade", "--config", config, "--out", shop.path("m.xml"), "--device", "cpu"});
    CHECK(result.exit_code == 1);
    CHECK_THAT(result.err,
               Contains(strip + ": the strip of tiles cannot be read: ") && Contains("no such file"));
}
