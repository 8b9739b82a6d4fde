#include "lib/train/checkpoint.hpp"

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "lib/files/file.hpp"
#include "lib/json/field_json.hpp"
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
          "fovea checkpoint 3, SHA-256 of the rest: "
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
    for (const std::string& earlier :
         {std::string(R"({"fovea_cascade_checkpoint": 1})"),
          "fovea checkpoint 2" + whole.substr(std::string("fovea checkpoint 3").size())}) {
        write_file(file, earlier);
        CHECK_THROWS_WITH(read_checkpoint(file),
                          Contains("an earlier version of this program") && Contains("remove the file"));
    }
    CHECK_THROWS_AS(read_checkpoint(folder.path() / "none"), UsageError);
}

namespace {

struct State {
    int step = 0;
};

void describe(FieldVisitor& visitor, State& state) {
    visitor.value({.key = "step"}, &state.step);
}

}  // namespace

TEST_CASE("a checkpoint is of one training, and names what differs", "[train][checkpoint]") {
    const TempDir folder;
    TrainingJob job;
    job.checkpoint = folder.path() / "part";
    const Json settings{{"name", "a"}, {"boosting", {{"seed", 1}, {"rates", {0.5, 0.25}}}}};
    const Json data{{"images", 3}};
    const auto resumed = [&](const std::string& kind, const Json& of, const Json& on) {
        State state;
        const std::optional<std::string> model = Checkpoint(job, kind, of, on).resume(fields_of(state));
        return model ? std::to_string(state.step) + *model : "anew";
    };
    State state{7};
    Checkpoint(job, "mct", settings, data).write(fields_of(state), std::string(" looks\n\0\xFF", 9));
    CHECK(resumed("mct", settings, data) == "anew");  // nobody asks for it
    job.resume = true;
    CHECK(resumed("mct", settings, data) == std::string("7 looks\n\0\xFF", 10));
    CHECK(read_checkpoint(job.checkpoint) ==
          R"({"kind":"mct","settings":{"name":"a","boosting":{"seed":1,"rates":[0.5,0.25]}},)"
          R"("data":{"images":3},"state":{"step":7}})"
          "\n" +
              std::string(" looks\n\0\xFF", 9));

    const auto refusal = [&](const std::string& kind, const Json& of, const Json& on) {
        try {
            resumed(kind, of, on);
        } catch (const UsageError& error) {
            return std::string(error.what());
        }
        return std::string("none");
    };
    const std::string name = "The checkpoint " + job.checkpoint.string();
    const std::string advice = "; remove it, or name another one, to begin anew.";
    CHECK(refusal("net", settings, data) == name +
                                                " is of another kind of training: 'kind' is the string "
                                                "\"mct\" in it and the string \"net\" now" +
                                                advice);
    Json other = settings;
    other["boosting"]["seed"] = 2;
    CHECK(refusal("mct", other, data) ==
          name + " is of other settings: 'boosting.seed' is 1 in it and 2 now" + advice);
    other = settings;
    other["boosting"]["rates"][1] = 0.125;
    CHECK_THAT(refusal("mct", other, data), Contains("'boosting.rates[1]' is 0.25 in it and 0.125 now"));
    other["boosting"]["rates"] = {0.5};
    CHECK_THAT(refusal("mct", other, data),
               Contains("'boosting.rates' is a list of 2 in it and a list of 1 now"));
    other = settings;
    other["more"] = true;
    CHECK_THAT(refusal("mct", other, data), Contains("'more' is missing in it and true now"));
    other.erase("more");
    other.erase("name");
    CHECK_THAT(refusal("mct", other, data), Contains("'name' is the string \"a\" in it and missing now"));
    CHECK(refusal("mct", settings, {{"images", 4}}) ==
          name + " is of other data: 'images' is 3 in it and 4 now" + advice);

    // A file with a checksum that holds no state.
    const auto of_rest = [&](const std::string& rest) {
        write_checkpoint(job.checkpoint, rest);
        return resumed("mct", settings, data);
    };
    CHECK_THROWS_WITH(of_rest("{"),
                      Contains("part:1: cannot read") && Contains("no checkpoint of a training"));
    CHECK_THROWS_WITH(of_rest("{}"), Contains("part: there is no \"kind\""));
    Json json = Json::parse(R"({"kind": "mct", "settings": {}, "data": {}, "state": {"step": "7"}})");
    json["settings"] = settings;
    json["data"] = data;
    CHECK_THROWS_WITH(of_rest(json.dump()), Contains("'state.step'") && Contains("the string \"7\""));
    json["state"]["step"] = 8;
    CHECK(of_rest(json.dump()) == "8");
    std::filesystem::remove(job.checkpoint);
    CHECK(resumed("mct", settings, data) == "anew");
    job.checkpoint.clear();
    Checkpoint(job, "mct", settings, data).write(fields_of(state));
    CHECK(resumed("mct", settings, data) == "anew");
    CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("names that are not UTF-8 do not make a checkpoint one of other data", "[train][checkpoint]") {
    const TempDir folder;
    TrainingJob job;
    job.checkpoint = folder.path() / "part";
    job.resume = true;
    const Json data{{"dataset", "caf\xE9"}};
    State state{3};
    Checkpoint(job, "mct", {}, data).write(fields_of(state));
    state.step = 0;
    CHECK(Checkpoint(job, "mct", {}, data).resume(fields_of(state)) == "");
    CHECK(state.step == 3);
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
