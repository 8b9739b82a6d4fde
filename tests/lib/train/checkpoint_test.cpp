#include "lib/train/checkpoint.hpp"

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "lib/files/file.hpp"
#include "lib/json/json.hpp"
#include "lib/train/training_job.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

TEST_CASE("a checkpoint reads as it was written, and no bit of it may differ", "[train][checkpoint]") {
    const TempDir folder;
    const auto file = folder.path() / "part";
    const std::string state("{\"a\": 1}\n\0\xFF\n", 12);
    for (const std::string& some : {state, std::string()}) {
        write_checkpoint(file, some);
        CHECK(read_checkpoint(file) == some);
    }
    write_checkpoint(file, state);
    const std::string whole = read_file(file);
    // sha256sum gave the checksum.
    CHECK(whole ==
          "fovea checkpoint 2, SHA-256 of the rest: "
          "af9cf86b30728b59891bb28888a145cc32e5503040b20e370233cab20404ba04\n" +
              state);
    for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
        std::string damaged = whole;
        damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
        write_file(file, damaged);
        CAPTURE(bit);
        CHECK_THROWS_WITH(read_checkpoint(file), Contains("is damaged"));
    }
    for (std::size_t length = 0; length < whole.size(); ++length) {
        write_file(file, whole.substr(0, length));
        CHECK_THROWS_WITH(read_checkpoint(file), Contains("is damaged"));
    }
    write_file(file, whole + "\n");
    CHECK_THROWS_WITH(read_checkpoint(file), Contains("is damaged"));
    write_file(file, R"({"fovea_cascade_checkpoint": 1})");
    CHECK_THROWS_WITH(read_checkpoint(file),
                      Contains("of an earlier version") && Contains("remove the file"));
    CHECK_THROWS_AS(read_checkpoint(folder.path() / "none"), UsageError);
}

TEST_CASE("a checkpoint is of one training", "[train][checkpoint]") {
    const Json checkpoint{{"settings", {{"seed", 1}}}, {"data", {{"images", 3}}}};
    const auto read = [](const Json& state, const Json& settings, const Json& data) {
        read_state("part", state.dump(),
                   [&](FieldVisitor& visitor) { describe_training(visitor, "part", settings, data); });
    };
    CHECK_NOTHROW(read(checkpoint, {{"seed", 1}}, {{"images", 3}}));
    CHECK_THROWS_AS(read(checkpoint, {{"seed", 2}}, {{"images", 3}}), UsageError);
    CHECK_THROWS_WITH(read(checkpoint, {{"seed", 1}}, {{"images", 4}}),
                      Contains("part is of other settings or other data"));
    CHECK_THROWS_WITH(read(Json::object(), {}, {}), Contains("part: there is no \"settings\""));
    CHECK_THROWS_WITH(read_state("part", "{", [](FieldVisitor&) {}), Contains("part:1: cannot read"));
}

TEST_CASE("a training ends with its report, and then without a checkpoint", "[train][checkpoint]") {
    const TempDir folder;
    const auto file = folder.path() / "part";
    write_checkpoint(file, "state");
    struct Stopped {};
    TrainingJob job;
    job.out = "m.json";
    job.checkpoint = file;
    job.report = "report";
    TrainingJob without_checkpoint = job;
    without_checkpoint.checkpoint.clear();
    CHECK_THROWS_AS(finish_training(job, [] { throw Stopped{}; }), Stopped);
    CHECK_THROWS_WITH(finish_training(job, [] { throw Error("the disk is full."); }),
                      Contains("m.json is written, but not the report") && Contains("the disk is full.") &&
                          Contains("part stays: --resume"));
    CHECK(read_checkpoint(file) == "state");
    bool is_written = false;
    finish_training(job, [&] { is_written = std::filesystem::exists(file); });
    CHECK(is_written);
    CHECK_FALSE(std::filesystem::exists(file));
    CHECK_THROWS_WITH(finish_training(without_checkpoint, [] { throw Error("no gnuplot."); }),
                      Contains("Train again for a report") && !Contains("stays"));
    CHECK_THROWS_WITH(finish_training(job, [] { throw Error("no gnuplot."); }),
                      Contains("Train again for a report") && !Contains("stays"));
    job.report.clear();
    finish_training(job, [] { throw Error("a report that nobody wants."); });
}

TEST_CASE("a training does not end in place of what it was made from", "[train][checkpoint]") {
    const TempDir folder;
    TrainingJob job;
    job.config_file = folder.write("config.json", "{}");
    job.out = folder.path() / "model.json";
    job.checkpoint = folder.path() / "part";
    const auto picture = folder.write("picture.png", "x");
    InputFiles inputs;
    inputs.add(picture);
    CHECK_NOTHROW(check_training_outputs(job, inputs));
    for (const auto& input : {picture, job.config_file}) {
        job.out = input;
        CHECK_THROWS_WITH(check_training_outputs(job, inputs), Contains("is also an input"));
    }
    job.out = job.checkpoint;
    CHECK_THROWS_WITH(check_training_outputs(job, inputs), Contains("model and checkpoint would both"));
}
