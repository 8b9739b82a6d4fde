// fovea train cascade --sweep, with a test, stages that fall short, and after a kill.
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <random>
#include <sstream>

#include <catch2/catch.hpp>

#include "lib/files/file.hpp"
#include "lib/json/json.hpp"
#include "lib/train/checkpoint.hpp"
#include "tests/apps/cross_workshop.hpp"
#include "tests/apps/refusal.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

std::string text_of_file(const std::string& file) {
    return read_file(file, "file");
}

const std::vector<std::string> sweep_flags{"--sweep", "max_false_alarm=0.2:0.6:0.2"};

std::vector<std::string> joined(std::vector<std::string> first, const std::vector<std::string>& second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

}  // namespace

TEST_CASE("a sweep trains a cascade for each value and keeps the best", "[train-cascade]") {
    const CrossWorkshop shop;
    const ProgramResult result =
        shop.train("best.xml", joined(sweep_flags, {"--json", "--report", shop.path("report"), "--checkpoint",
                                                    shop.path("part.json")}));
    INFO(result.err);
    REQUIRE(result.exit_code == 0);
    CHECK_THAT(result.err, Contains("max_false_alarm 0.2, stage 1: ") && Contains("max_false_alarm 0.6: "));
    CHECK_FALSE(std::filesystem::exists(shop.path("part.json")));
    const Json summary = Json::parse(result.out);
    const Json& sweep = summary["sweep"];
    REQUIRE(sweep["values"].size() == 3);
    CHECK(sweep["field"] == "max_false_alarm");
    // A fifth of 120 crops and of 12 images, and as many windows as positives.
    CHECK(summary["data"]["test"]["samples"] == 24);
    CHECK(summary["data"]["test"]["background_images"] == 2);
    double best_f1 = -1;
    Json best;
    for (const Json& value : sweep["values"]) {
        CHECK(value["true_positives"].get<int>() + value["false_negatives"].get<int>() == 24);
        CHECK(value["false_positives"].get<int>() + value["true_negatives"].get<int>() == 24);
        CHECK(std::filesystem::exists(shop.path(value["cascade"].get<std::string>())));
        if (value["f1"].get<double>() > best_f1) best = value;
        best_f1 = std::max(best_f1, value["f1"].get<double>());
    }
    CHECK(best_f1 > 0.9);
    Json chosen;
    for (const Json& value : sweep["values"]) {
        if (value["value"] == sweep["best"]) chosen = value;
    }
    CHECK(chosen["f1"].get<double>() == best_f1);
    CHECK(summary["test"]["f1"] == chosen["f1"]);
    CHECK(text_of_file(shop.path("best.xml")) ==
          text_of_file(shop.path(chosen["cascade"].get<std::string>())));
    const Json manifest = Json::parse(text_of_file(shop.path("best.training.json")));
    CHECK(manifest["sweep"] == sweep);
    CHECK(manifest["settings"]["stages"]["max_false_alarm"] == sweep["best"]);

    const std::vector<std::string> table = lines_of(text_of_file(shop.path("best.sweep.csv")));
    REQUIRE(table.size() == 4);
    CHECK_THAT(table[0], Contains("true_positives,false_positives") && Contains("f1"));
    CHECK_THAT(table[1], Contains("max_false_alarm,0.2,best-0.2.xml,"));
    const std::string page = text_of_file(shop.path("report/sweep.html"));
    CHECK_THAT(page, Contains("best-0.2") || Contains("The best F1"));
    CHECK_THAT(page, Contains("\"stem\":\"sweep_rates\"") && Contains("F1"));
    CHECK_THAT(text_of_file(shop.path("report/training.html")), Contains("\"address\":\"sweep.html\""));

    // One value alone gives the same cascade.
    REQUIRE(shop.train("alone.xml", {"--max-false-alarm", "0.4", "--test-share", "0.2"}).exit_code == 0);
    CHECK(text_of_file(shop.path("alone.xml")) == text_of_file(shop.path("best-0.4.xml")));
    CHECK(text_of_file(shop.path("alone.training.json")) ==
          text_of_file(shop.path("best-0.4.training.json")));
}

TEST_CASE("a sweep over stages gives the beginnings of one cascade", "[train-cascade]") {
    const CrossWorkshop shop;
    const std::vector<std::string> flags{"--max-false-alarm", "0.7", "--test-share", "0.2", "--json"};
    const ProgramResult result = shop.train("some.xml", joined(flags, {"--sweep", "stages=1:3:1"}));
    INFO(result.err);
    REQUIRE(result.exit_code == 0);
    const Json sweep = Json::parse(result.out)["sweep"];
    REQUIRE(sweep["values"].size() == 3);
    for (const std::string stages : {"1", "2", "3"}) {
        REQUIRE(shop.train("alone.xml", joined(flags, {"--overwrite"}), stages).exit_code == 0);
        CHECK(text_of_file(shop.path("alone.xml")) == text_of_file(shop.path("some-" + stages + ".xml")));
    }
}

TEST_CASE("a sweep goes on where it was interrupted or killed", "[train-cascade]") {
    const CrossWorkshop shop;
    const std::vector<std::string> flags =
        joined(sweep_flags, {"--features", "haar-all", "--max-depth", "2", "--checkpoint",
                             shop.path("part.json"), "--log-level", "debug"});
    REQUIRE(shop.train("whole.xml", flags).exit_code == 0);
    std::vector<std::string> command = shop.command("parts.xml", flags);
    command.insert(command.begin(), fovea_program());
    const auto [signal, text] = GENERATE(std::pair(SIGINT, "max_false_alarm 0.4, stage 1: boosting"),
                                         std::pair(SIGKILL, "max_false_alarm 0.4, stage 1: boosting"));
    {
        StartedProgram program(command);
        REQUIRE(program.wait_for_error_text(text));
        program.send_signal(signal);
        CHECK(program.wait().exit_code == (signal == SIGINT ? 130 : 128 + SIGKILL));
    }
    REQUIRE(std::filesystem::exists(shop.path("part.json")));
    CHECK_FALSE(std::filesystem::exists(shop.path("parts-0.2.xml")));
    CHECK(Json::parse(read_checkpoint(shop.path("part.json")))["state"]["done"].size() == 1);

    const std::vector<std::string> resumed_flags = joined(flags, {"--resume"});
    std::vector<std::string> other = resumed_flags;
    other[1] = "max_false_alarm=0.2:0.6:0.1";
    const ProgramResult refused = shop.train("parts.xml", other);
    CHECK(refused.exit_code == 2);
    CHECK_THAT(refused.err,
               Contains("of other settings: 'sweep' is the string \"max_false_alarm=0.2:0.6:0.2\" in it"));

    const ProgramResult resumed = shop.train("parts.xml", resumed_flags);
    INFO(resumed.err);
    REQUIRE(resumed.exit_code == 0);
    CHECK_THAT(resumed.err, Contains("going on from") && Contains("with 1 cascade and "));
    CHECK_THAT(resumed.err, !Contains("max_false_alarm 0.2, stage 1: "));
    for (const char* name : {".xml", "-0.2.xml", "-0.4.xml", "-0.6.xml", "-0.4.training.json"}) {
        CHECK(text_of_file(shop.path(std::string("parts") + name)) ==
              text_of_file(shop.path(std::string("whole") + name)));
    }
}

TEST_CASE("a training that is killed in the middle of a stage goes on to the same bytes", "[train-cascade]") {
    const CrossWorkshop shop;
    const std::vector<std::string> flags{"--features",  "haar-all",     "--max-depth",
                                         "2",           "--checkpoint", shop.path("part.json"),
                                         "--log-level", "debug"};
    REQUIRE(shop.train("whole.xml", flags).exit_code == 0);
    std::vector<std::string> command = shop.command("parts.xml", flags);
    command.insert(command.begin(), fovea_program());
    {
        StartedProgram program(command);
        REQUIRE(program.wait_for_error_text("stage 2: boosting"));
        program.send_signal(SIGKILL);
        CHECK(program.wait().exit_code == 128 + SIGKILL);
    }
    CHECK_FALSE(std::filesystem::exists(shop.path("parts.xml")));
    REQUIRE(Json::parse(read_checkpoint(shop.path("part.json")))["state"]["stages"].size() == 1);
    const ProgramResult resumed = shop.train("parts.xml", joined(flags, {"--resume"}));
    INFO(resumed.err);
    REQUIRE(resumed.exit_code == 0);
    CHECK_THAT(resumed.err, Contains("going on from") && Contains("with 1 stage"));
    CHECK(text_of_file(shop.path("parts.xml")) == text_of_file(shop.path("whole.xml")));
    CHECK(text_of_file(shop.path("parts.training.json")) == text_of_file(shop.path("whole.training.json")));
    CHECK_FALSE(std::filesystem::exists(shop.path("part.json")));
}

TEST_CASE("a stage that reaches its last tree too early says so", "[train-cascade]") {
    const CrossWorkshop shop;
    // Noise cannot be told from noise.
    std::mt19937 random(9);
    for (int i = 0; i < 100; ++i)
        shop.folder.write("noise/" + std::to_string(i) + ".pgm", noisy(16, 16, random).pgm());
    const Json settings = {{"positives", {"folder:" + shop.path("noise")}},
                           {"backgrounds", {"folder:" + shop.path("grounds")}},
                           {"width", 16},
                           {"height", 16},
                           {"stages",
                            {{"count", 2},
                             {"negatives", 300},
                             {"max_weak_count", 3},
                             {"min_hit_rate", 0.6},
                             {"max_false_alarm", 0.001},
                             {"held_out", 0}}}};
    const std::vector<std::string> command{
        "train",    "cascade",
        "--config", shop.folder.write("weak.json", settings.dump()).string(),
        "--out",    shop.path("weak.xml"),
        "--device", "cpu",
        "--report", shop.path("report")};
    const ProgramResult result = run_fovea(joined(command, {"--json"}));
    INFO(result.err);
    REQUIRE(result.exit_code == 0);
    const Json summary = Json::parse(result.out);
    REQUIRE(summary["stages"].size() >= 1);
    CHECK(summary["stages"][0]["misses_max_false_alarm"] == true);
    REQUIRE(summary["shortfalls"].size() >= 1);
    const std::string shortfall = summary["shortfalls"][0].get<std::string>();
    CHECK_THAT(shortfall,
               Contains("stage 1 reached 3 trees and lets ") && Contains(" % of its negatives pass"));
    CHECK_THAT(result.err, Contains("warning: " + shortfall) && Contains("the training goes on"));
    const Json manifest = Json::parse(text_of_file(shop.path("weak.training.json")));
    CHECK(manifest["shortfalls"] == summary["shortfalls"]);
    CHECK_THAT(text_of_file(shop.path("report/training.html")),
               Contains("Stages that let too much pass") && Contains("max_weak_count"));
    const ProgramResult told = run_fovea(joined(command, {"--overwrite"}));
    CHECK_THAT(told.out, Contains(shortfall) && Contains("--max-depth 2"));

    // A training whose stages all do what they should says nothing of the kind.
    const ProgramResult good = shop.train("good.xml", {"--json"}, "1");
    REQUIRE(good.exit_code == 0);
    CHECK(Json::parse(good.out)["shortfalls"].empty());
    CHECK(Json::parse(good.out)["stages"][0]["misses_max_false_alarm"] == false);
}

TEST_CASE("a training with a test says what the cascade does on it", "[train-cascade]") {
    const CrossWorkshop shop;
    const ProgramResult result =
        shop.train("tested.xml", {"--test-share", "0.25", "--json", "--report", shop.path("report")}, "2");
    INFO(result.err);
    REQUIRE(result.exit_code == 0);
    const Json summary = Json::parse(result.out);
    CHECK(summary["test"]["true_positives"].get<int>() + summary["test"]["false_negatives"].get<int>() == 30);
    CHECK(summary["test"]["recall"].get<double>() > 0.9);
    const std::string page = text_of_file(shop.path("report/training.html"));
    CHECK_THAT(page, Contains("30 positives") && Contains("ROC of windows") &&
                         Contains("Windows rejected by each stage") && Contains("OpenCV"));
    const Json report = Json::parse(text_of_file(shop.path("report/training.json")));
    CHECK(report["rates"]["kept_for_the_test"] == true);
    CHECK(report["rates"]["positives"] == 30);
    CHECK(report["rates"]["images"] == 3);
    const double first = report["rates"]["rejection_by_stage"][0].get<double>();
    CHECK((first > 0.3 && first <= 1));
    // Our cascade by both programs, at least.
    REQUIRE(report["speed_1080p_one_thread"].size() >= 2);
    for (const Json& speed : report["speed_1080p_one_thread"]) CHECK(speed["median_ms"].get<double>() > 0);
    CHECK(report["speed_1080p_one_thread"][1]["run_by"] == "opencv");

    // Without a test the page says what its figures are of.
    REQUIRE(shop.train("plain.xml", {"--report", shop.path("plain")}, "1").exit_code == 0);
    CHECK_THAT(text_of_file(shop.path("plain/training.html")),
               Contains("No samples were kept for a test") && Contains("12 held-out positives"));
}

TEST_CASE("sweeps that cannot be are refused before they begin", "[cli][train-cascade]") {
    const CrossWorkshop shop;
    const auto refused = [&](const std::vector<std::string>& more) {
        return refusal_of(shop.command("no.xml", more));
    };
    CHECK_THAT(refused({"--sweep", "seed=1:2:1"}), Contains("is not of a field that can be swept"));
    CHECK_THAT(refused({"--sweep", "max_false_alarm=0.5:1:0.25"}), Contains("the value 1.00"));
    CHECK_THAT(refused({"--test-share", "0.95"}), Contains("'--test-share 0.95' must be"));
    CHECK_THAT(refused(joined(sweep_flags, {"--checkpoint", shop.path("no-0.4.xml")})),
               Contains("no-0.4.xml"));
    CHECK_THAT(refused(joined(sweep_flags, {"--checkpoint", shop.path("no.sweep.csv")})),
               Contains("no.sweep.csv"));
    CHECK_THAT(refused({"--test-positives", "folder:" + shop.path("crops")}),
               Contains("among the positives to train on"));
    CHECK_THAT(refused({"--test-share", "0.01"}), Contains("backgrounds come from") || Contains("too few"));
    CHECK_FALSE(std::filesystem::exists(shop.path("no.xml")));
    // An output that is a sample's own file.
    const std::string crop = shop.path("crops/7.pgm"), before = text_of_file(crop);
    CHECK_THAT(refusal_of(shop.command("crops/7.pgm")), Contains("7.pgm"));
    CHECK(text_of_file(crop) == before);
}
