// fovea train mct from the command line to its files.
#include <csignal>
#include <filesystem>

#include <catch2/catch.hpp>

#include "lib/detect/mct_model.hpp"
#include "lib/json/json.hpp"
#include "lib/train/checkpoint.hpp"
#include "tests/apps/checkpoint_damage.hpp"
#include "tests/apps/refusal.hpp"
#include "tests/lib/train/mct/mct_workshop.hpp"
#include "tests/support/edge_scene.hpp"
#include "tests/support/json_lines.hpp"
#include "tests/support/run_program.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

std::size_t detections_in(const std::string& lines) {
    std::size_t count = 0;
    for (const Json& line : json_lines(lines)) count += line["detections"].size();
    return count;
}

}  // namespace

TEST_CASE("train mct makes a model that detect reads, and a report", "[cli][train]") {
    const MctWorkshop w;
    const std::string model = w.path("drawn.json");
    const ProgramResult result =
        w.train({"--out", model, "--report", w.path("report"), "--json", "--threads", "2"});
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 0);
    const Json summary = Json::parse(result.out);
    CHECK(summary["command"] == "train mct");
    CHECK(summary["lookups"] == 20);
    CHECK(summary["coarse_lookups"] == 4);
    CHECK(summary["data"]["faces"] == 220);
    CHECK(summary["validation"]["faces"] == 10);
    CHECK(summary["validation"]["backgrounds"] == 2);

    const MctModel read = read_mct_model(model);
    CHECK(read.name == "drawn");
    CHECK(read.cascade.lookups.size() == 20);
    CHECK(!read.confidence.empty());
    CHECK(read.face.w == Approx(24 / 1.1));
    CHECK(read.training["settings"]["negatives"]["count"] == 300);
    CHECK(read.training["data"]["strips"][0]["tiles"] == 200);
    CHECK(read.training["validation"]["rates"].size() == 11);
    CHECK(!read.training["mining"].empty());
    // The model does not tell the place of the data.
    CHECK(read_bytes(model).find(w.folder.path().string()) == std::string::npos);

    const Json report = Json::parse(read_bytes(w.path("report/training.json")));
    CHECK(report["steps"].size() == 20);
    CHECK(report["validation"]["curve"].size() > 0);
    CHECK(report["seconds"].contains("training"));
    const std::string page = read_bytes(w.path("report/training.html"));
    CHECK_THAT(page, Contains("Training of drawn") && Contains("coarse") && Contains("</html>"));
    CHECK_THAT(page, Contains("default-src 'none'") && Contains("\"jpeg\":\"/9j/"));
    CHECK_THAT(read_bytes(w.path("report/training.md")), Contains("## Stage by stage"));
    CHECK(std::filesystem::is_regular_file(w.path("report/training_roc.svg")));
    CHECK(std::filesystem::is_regular_file(w.path("report/training_rates.svg")));

    // The model finds most of the faces that it was trained on.
    const ProgramResult found =
        run_fovea({"detect", w.path("portraits"), "--model", model, "--device", "cpu", "--min-score", "0"});
    CAPTURE(found.err);
    REQUIRE(found.exit_code == 0);
    CHECK(detections_in(found.out) >= 15);
}

TEST_CASE("training gives the same bytes for every number of threads, others for another seed",
          "[cli][train]") {
    const MctWorkshop w;
    const auto model_of = [&](const std::string& name, const std::vector<std::string>& flags) {
        std::vector<std::string> all{"--out", w.path(name), "--lookups", "8"};
        all.insert(all.end(), flags.begin(), flags.end());
        const ProgramResult result = w.train(all);
        CAPTURE(result.err);
        REQUIRE(result.exit_code == 0);
        CHECK_THAT(result.out + result.err, Contains("8 look-ups in") && Contains(name));
        return read_bytes(w.path(name));
    };
    const std::string one = model_of("one.json", {"--threads", "1"});
    CHECK(one == model_of("two.json", {"--threads", "2"}));
    CHECK(one != model_of("other.json", {"--seed", "7"}));
}

TEST_CASE("a staged cascade is trained on request", "[cli][train]") {
    const MctWorkshop w;
    const ProgramResult result = w.train({"--cascade", "staged", "--out", w.path("staged.json")});
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 0);
    const MctCascade cascade = read_mct_model(w.path("staged.json")).cascade;
    REQUIRE(cascade.lookups.size() == 9);
    CHECK(cascade.lookups[0].starts_stage);
    CHECK(cascade.lookups[3].starts_stage);
    CHECK(cascade.coarse_lookups() == 0);
}

TEST_CASE("an interrupted training goes on from its checkpoint to the same model", "[cli][train]") {
    const MctWorkshop w;
    const std::vector<std::string> common{"--lookups", "150", "--threads", "1"};
    auto whole = common;
    whole.insert(whole.end(), {"--out", w.path("whole.json")});
    REQUIRE(w.train(whole).exit_code == 0);

    auto parts = common;
    parts.insert(parts.end(), {"--out", w.path("parts.json"), "--checkpoint", w.path("part.json")});
    auto interrupted = parts;
    interrupted.insert(interrupted.end(), {"--log-level", "debug"});
    auto command = w.command(interrupted);
    command.insert(command.begin(), fovea_program());
    StartedProgram program(command, w.options);
    // The second mining: the first checkpoint that holds look-ups is written.
    REQUIRE(program.wait_for_error_text(" 5 look-ups: "));
    program.send_signal(SIGINT);
    const ProgramResult stopped = program.wait();
    CAPTURE(stopped.err);
    REQUIRE(stopped.exit_code == 130);
    CHECK_THAT(stopped.err, Contains("--resume continues from " + w.path("part.json")));
    CHECK_FALSE(std::filesystem::exists(w.path("parts.json")));
    const std::string part = read_checkpoint(w.path("part.json"));
    const std::string model = part.substr(part.find('\n') + 1);
    REQUIRE(!parse_mct_model(model, "part.json").cascade.lookups.empty());

    auto resume = parts;
    resume.emplace_back("--resume");
    check_damage_is_noticed(w.path("part.json"), w.path("parts.json"), [&] { return w.train(resume); });
    auto of_other_settings = resume;
    of_other_settings.insert(of_other_settings.end(), {"--seed", "9"});
    const ProgramResult other = w.train(of_other_settings);
    CHECK(other.exit_code == 2);
    CHECK_THAT(other.err,
               Contains("part.json") && Contains("of other settings: 'seed' is 1 in it and 9 now"));
    const ProgramResult resumed = w.train(resume);
    CAPTURE(resumed.err);
    REQUIRE(resumed.exit_code == 0);
    CHECK(read_bytes(w.path("parts.json")) == read_bytes(w.path("whole.json")));

    // A finished training leaves nothing to go on from; a model is no checkpoint.
    CHECK_FALSE(std::filesystem::exists(w.path("part.json")));
    const ProgramResult finished =
        w.train({"--out", w.path("x.json"), "--checkpoint", w.path("whole.json"), "--resume"});
    CHECK(finished.exit_code == 1);
    CHECK_THAT(finished.err,
               Contains("whole.json' does not begin with a checksum") && Contains("no checkpoint"));
}

TEST_CASE("a failed report of train mct costs neither model nor checkpoint", "[cli][train][gnuplot]") {
    const MctWorkshop w;
    check_failed_report_costs_nothing(
        w.folder, w.options, "report", "part.json", "m.json",
        [&](std::vector<std::string> flags, const ProgramOptions& options) {
            flags.insert(flags.end(), {"--out", w.path("m.json"), "--report", w.path("report"),
                                       "--checkpoint", w.path("part.json")});
            return run_fovea(w.command(flags), options);
        });
}

TEST_CASE("train mct refuses wrong flags and configurations with exit code 2", "[cli][train]") {
    const MctWorkshop w;
    const auto refusal = [&](const std::vector<std::string>& arguments) {
        return refusal_of(arguments, w.options);
    };
    CHECK_THAT(refusal(w.command({})), Contains("--out"));
    CHECK_THAT(refusal(w.command({"--out", w.path("m.json"), "--resume"})), Contains("--checkpoint"));
    CHECK_THAT(refusal(w.command({"--out", w.path("m.json"), "--cascade", "hard"})), Contains("--cascade"));
    CHECK_THAT(refusal(w.command({"--out", w.path("m.json"), "--lookups", "3"})),
               Contains("'--lookups 3' must be"));
    CHECK_THAT(refusal(w.command({"--out", w.path("m.json"), "--negatives", "9"})),
               Contains("'--negatives 9' must be at least 100"));
    CHECK_THAT(refusal(w.command({"--out", w.path("m.json"), "--positives", "pts:" + w.path("nowhere")})),
               Contains("nowhere"));
    CHECK_THAT(refusal({"train", "mct", "--out", w.path("m.json")}), Contains("no faces to train on"));
    const auto config = w.folder.write("wrong.json", R"({"cascade": {"look_ups": 3}})").string();
    CHECK_THAT(refusal({"train", "mct", "--config", config, "--out", w.path("m.json")}),
               Contains("wrong.json") && Contains("cascade.look_ups"));
    CHECK_FALSE(std::filesystem::exists(w.path("m.json")));

    // Data that cannot be trained on is no matter of flags.
    w.folder.write("strip.pgm", pgm_of(noise(24, 100, 1)));
    const ProgramResult result = w.train({"--out", w.path("m.json")});
    CHECK(result.exit_code == 1);
    CHECK_THAT(result.err, Contains("strip.pgm") && Contains("not tiles of 24x24"));
}

TEST_CASE("train mct prints its effective configuration, flags over files", "[cli][train]") {
    const MctWorkshop w;
    const ProgramResult result = w.train({"--seed", "5", "--negatives", "777", "--positives", "pts:a",
                                          "pts:b", "--cascade", "staged", "--print-config"});
    REQUIRE(result.exit_code == 0);
    const Json config = Json::parse(result.out);
    CHECK(config["seed"] == 5);
    CHECK(config["negatives"]["count"] == 777);
    CHECK(config["datasets"] == Json{"pts:a", "pts:b"});
    CHECK(config["strips"].empty());
    CHECK(config["cascade"]["kind"] == "staged");
    CHECK(config["cascade"]["lookups"] == 20);
    CHECK(config["backgrounds"][0] == "folder:" + w.path("grounds"));
}

TEST_CASE("training data that cannot be read is said by exit code 3", "[cli][train]") {
    const MctWorkshop w;
    w.folder.write("grounds/3.pgm", "P5\n");
    const ProgramResult result = w.train({"--out", w.path("m.json"), "--lookups", "6"});
    CAPTURE(result.err);
    CHECK(result.exit_code == 3);
    CHECK_THAT(result.err, Contains("3.pgm is left out"));
    CHECK(read_mct_model(w.path("m.json")).training["data"]["unreadable_images"] == 1);
}
