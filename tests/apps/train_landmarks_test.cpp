// fovea train landmarks from the command line to its files.
#include <csignal>
#include <filesystem>

#include <catch2/catch.hpp>

#include "lib/files/file.hpp"
#include "lib/json/field_json.hpp"
#include "lib/landmark/quantised_model.hpp"
#include "lib/train/checkpoint.hpp"
#include "tests/apps/checkpoint_damage.hpp"
#include "tests/apps/refusal.hpp"
#include "tests/lib/train/landmarks/synthetic_landmarks.hpp"
#include "tests/support/cascade_files.hpp"
#include "tests/support/run_program.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

// Drawn faces, and a configuration that trains on them in less than a second.
struct Workshop {
    explicit Workshop(int faces = 40) {
        write_landmark_faces(folder, "faces", faces);
        const LandmarkTrainConfig config = small_landmark_training("pts:${WORKSHOP}/faces");
        config_file = folder.write("train.json", json_of(config).dump(2)).string();
        options.environment["WORKSHOP"] = folder.path().string();
    }
    std::string path(const std::string& name) const { return (folder.path() / name).string(); }
    std::vector<std::string> command(std::vector<std::string> more) const {
        more.insert(more.begin(), {"train", "landmarks", "--config", config_file});
        return more;
    }
    ProgramResult train(const std::vector<std::string>& more) const {
        return run_fovea(command(more), options);
    }

    TempDir folder;
    ProgramOptions options;
    std::string config_file;
};

}  // namespace

TEST_CASE("train landmarks makes a model and a report", "[cli][train][landmark]") {
    const Workshop w;
    const std::string model = w.path("drawn.fvlm");
    const ProgramResult result =
        w.train({"--out", model, "--report", w.path("report"), "--json", "--threads", "2"});
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 0);
    const Json summary = Json::parse(result.out);
    CHECK(summary["command"] == "train landmarks");
    CHECK(summary["points"] == 5);
    CHECK(summary["trees"] == 90);
    CHECK(summary["data"]["faces"] == 30);
    CHECK(summary["data"]["validation_faces"] == 10);

    const TrainedLandmarks landmarks = read_quantised_model(model);
    CHECK(landmarks.name == "drawn");
    CHECK(landmarks.model.points == 5);
    CHECK(landmarks.model.cascades.size() == 3);
    CHECK(landmarks.training["settings"]["trees"]["depth"] == 3);
    CHECK(landmarks.training["levels"].size() == 4);
    CHECK(landmarks.training["levels"][3] == summary["nme"]);
    CHECK(landmarks.training["data"]["datasets"][0]["images"] == 40);
    // The model does not tell the place of the data.
    CHECK_THAT(landmarks.training.dump(), !Contains(w.folder.path().string()));

    const Json report = Json::parse(read_file(w.path("report/training.json")));
    CHECK(report["levels"] == landmarks.training["levels"]);
    CHECK(report["seconds"]["training"].get<double>() > 0);
    const std::string page = read_file(w.path("report/training.html"));
    CHECK_THAT(page, Contains("Training of drawn") && Contains("5 landmarks") && Contains("90 trees") &&
                         Contains("\"stem\":\"training_error\"") && Contains("Cascade by cascade"));
    CHECK_THAT(read_file(w.path("report/training.md")), Contains("## Cascade by cascade"));
    CHECK(std::filesystem::exists(w.path("report/training_error.svg")));
}

TEST_CASE("the name of a detector's file is text in the report of a training",
          "[cli][train][landmark][gnuplot]") {
    const Workshop w(60);
    // Every window passes, and together they are about the face.
    const std::string cascade =
        haar_cascade_xml({40, 40}, {{-1, {{"<_>0 0 40 40 -1.</_><_>0 0 20 40 2.</_>", 0, 1, 1}}}});
    for (const auto& [name, shown] :
         {std::pair{"a'.system(\"touch PWNED\").'", "a'.system(\"touch PWNED\").'"},
          {"bob's", "bob's"},
          {"'quoted'", "'quoted'"},
          {"<b>&", "&lt;b>&amp;"}}) {
        CAPTURE(name);
        LandmarkTrainConfig config = small_landmark_training("pts:" + w.path("faces"));
        config.boxes.detectors = {w.folder.write(std::string(name) + ".xml", cascade).string()};
        config.boxes.tight_share = 0.5;
        w.folder.write("boxed.json", json_of(config).dump());
        ProgramOptions options;
        options.folder = w.folder.path();
        const ProgramResult result = run_fovea({"train", "landmarks", "--config", "boxed.json", "--trees",
                                                "5", "--out", "m.fvlm", "--report", "report", "--overwrite"},
                                               options);
        CAPTURE(result.err);
        CHECK(result.exit_code == 0);
        CHECK_FALSE(std::filesystem::exists(w.path("PWNED")));
        CHECK_THAT(read_file(w.path("report/training_error.svg")),
                   Contains(std::string(">validation, boxes of ") + shown + "</text>"));
        const std::string page = read_file(w.path("report/training.html"));
        CHECK_THAT(page, Contains("Validation, boxes of ") && !Contains("<b>&"));
        std::filesystem::remove_all(w.path("report"));
    }
}

TEST_CASE("train landmarks gives the same bytes for every number of threads, others for another seed",
          "[cli][train][landmark]") {
    const Workshop w(20);
    const auto model_of = [&](const std::string& name, std::vector<std::string> flags) {
        flags.insert(flags.end(), {"--out", w.path(name), "--trees", "10"});
        const ProgramResult result = w.train(flags);
        CAPTURE(result.err);
        REQUIRE(result.exit_code == 0);
        CHECK_THAT(result.out + result.err, Contains("30 trees in") && Contains(name));
        return read_file(w.path(name));
    };
    const std::string one = model_of("one.fvlm", {"--threads", "1"});
    CHECK(one == model_of("two.fvlm", {"--threads", "2"}));
    CHECK(one != model_of("other.fvlm", {"--seed", "7"}));
}

TEST_CASE("an interrupted training of landmarks goes on from its checkpoint to the same model",
          "[cli][train][landmark]") {
    const Workshop w(20);
    const std::vector<std::string> common{"--cascades", "40", "--trees", "20", "--threads", "1"};
    auto whole = common;
    whole.insert(whole.end(), {"--out", w.path("whole.fvlm")});
    REQUIRE(w.train(whole).exit_code == 0);

    auto parts = common;
    parts.insert(parts.end(), {"--out", w.path("parts.fvlm"), "--checkpoint", w.path("part.fvlm")});
    auto interrupted = w.command(parts);
    interrupted.insert(interrupted.end(), {"--log-level", "debug"});
    interrupted.insert(interrupted.begin(), fovea_program());
    StartedProgram program(interrupted, w.options);
    REQUIRE(program.wait_for_error_text("2 cascades: "));
    program.send_signal(SIGINT);
    const ProgramResult stopped = program.wait();
    CAPTURE(stopped.err);
    REQUIRE(stopped.exit_code == 130);
    CHECK_THAT(stopped.err, Contains("--resume continues from " + w.path("part.fvlm")));
    CHECK_FALSE(std::filesystem::exists(w.path("parts.fvlm")));
    const std::string part = read_checkpoint(w.path("part.fvlm"));
    const std::string model = part.substr(part.find('\n') + 1);
    const std::size_t done = parse_quantised_model(model, "part.fvlm").model.cascades.size();
    CHECK(done >= 1);
    CHECK(done < 40);

    auto resume = parts;
    resume.emplace_back("--resume");
    check_damage_is_noticed(w.path("part.fvlm"), w.path("parts.fvlm"), [&] { return w.train(resume); });
    auto of_other_settings = resume;
    of_other_settings.insert(of_other_settings.end(), {"--seed", "9"});
    const ProgramResult other = w.train(of_other_settings);
    CHECK(other.exit_code == 2);
    CHECK_THAT(other.err,
               Contains("part.fvlm") && Contains("of other settings: 'seed' is 1 in it and 9 now"));
    const ProgramResult resumed = w.train(resume);
    CAPTURE(resumed.err);
    REQUIRE(resumed.exit_code == 0);
    CHECK(read_file(w.path("parts.fvlm")) == read_file(w.path("whole.fvlm")));

    // A finished training leaves nothing to go on from; a model is no checkpoint; another face is other data.
    CHECK_FALSE(std::filesystem::exists(w.path("part.fvlm")));
    const ProgramResult finished =
        w.train({"--out", w.path("x.fvlm"), "--checkpoint", w.path("whole.fvlm"), "--resume"});
    CHECK(finished.exit_code == 1);
    CHECK_THAT(finished.err,
               Contains("whole.fvlm' does not begin with a checksum") && Contains("no checkpoint"));
}

TEST_CASE("a failed report of train landmarks costs neither model nor checkpoint",
          "[cli][train][landmark][gnuplot]") {
    const Workshop w(20);
    check_failed_report_costs_nothing(
        w.folder, w.options, "report", "part.fvlm", "m.fvlm",
        [&](std::vector<std::string> flags, const ProgramOptions& options) {
            flags.insert(flags.end(), {"--cascades", "3", "--trees", "10", "--out", w.path("m.fvlm"),
                                       "--report", w.path("report"), "--checkpoint", w.path("part.fvlm")});
            return run_fovea(w.command(flags), options);
        });
}

TEST_CASE("train landmarks refuses wrong flags and configurations with exit code 2",
          "[cli][train][landmark]") {
    const Workshop w(3);
    const auto refusal = [&](const std::vector<std::string>& arguments) {
        return refusal_of(arguments, w.options);
    };
    CHECK_THAT(refusal(w.command({})), Contains("--out"));
    CHECK_THAT(refusal(w.command({"--out", w.path("m.fvlm"), "--resume"})), Contains("--checkpoint"));
    CHECK_THAT(refusal(w.command({"--out", w.path("m.fvlm"), "--depth", "11"})),
               Contains("'--depth 11' must be 1 to 10"));
    CHECK_THAT(refusal(w.command({"--out", w.path("m.fvlm"), "--trees", "0"})),
               Contains("'--trees 0' must be 1 to 100000"));
    CHECK_THAT(refusal(w.command({"--out", w.path("m.fvlm"), "--oversampling", "0"})),
               Contains("'--oversampling 0' must be 1 to 1000"));
    CHECK_THAT(refusal(w.command({"--out", w.path("m.fvlm"), "--dataset", "pts:" + w.path("nowhere")})),
               Contains("nowhere"));
    CHECK_THAT(refusal({"train", "landmarks", "--out", w.path("m.fvlm")}), Contains("no faces to train on"));
    const auto config = w.folder.write("wrong.json", R"({"boxes": {"detector": "mct"}})").string();
    CHECK_THAT(refusal({"train", "landmarks", "--config", config, "--out", w.path("m.fvlm")}),
               Contains("wrong.json") && Contains("boxes.detector"));
    // Data that cannot be trained on is no matter of flags.
    const ProgramResult result = w.train({"--out", w.path("m.fvlm")});
    CHECK(result.exit_code == 1);
    CHECK_THAT(result.err, Contains("too few faces"));
    CHECK_FALSE(std::filesystem::exists(w.path("m.fvlm")));
}

TEST_CASE("train landmarks prints its effective configuration, flags over files", "[cli][train][landmark]") {
    const Workshop w(1);
    const ProgramResult result =
        w.train({"--seed", "5", "--dataset", "pts:a", "pts:b", "--cascades", "2", "--trees", "33", "--depth",
                 "4", "--oversampling", "9", "--print-config"});
    REQUIRE(result.exit_code == 0);
    const Json config = Json::parse(result.out);
    CHECK(config["seed"] == 5);
    CHECK(config["datasets"] == Json{"pts:a", "pts:b"});
    CHECK(config["trees"]["cascades"] == 2);
    CHECK(config["trees"]["trees"] == 33);
    CHECK(config["trees"]["depth"] == 4);
    CHECK(config["copies"]["count"] == 9);
    CHECK(config["pixels"]["count"] == 150);
}

TEST_CASE("unreadable faces of a landmark training are said by exit code 3", "[cli][train][landmark]") {
    const Workshop w(20);
    w.folder.write("faces/03.pgm", "P5\n");
    const ProgramResult result = w.train({"--out", w.path("m.fvlm"), "--trees", "5"});
    CAPTURE(result.err);
    CHECK(result.exit_code == 3);
    CHECK_THAT(result.err, Contains("03.pgm is left out"));
    CHECK(read_quantised_model(w.path("m.fvlm")).training["data"]["unreadable_images"] == 1);
}
