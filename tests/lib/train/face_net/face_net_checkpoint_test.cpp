// A network's state in a checkpoint.
#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "lib/json/field_json.hpp"
#include "lib/train/face_net/face_net_config.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

TEST_CASE("a network's checkpoint is read as it was written, or refused", "[face-net]") {
    const TempDir folder;
    TrainingJob job;
    job.checkpoint = folder.path() / "part";
    job.resume = true;
    FaceNetTrainConfig config;
    config.photographs.push_back({"folder:here"});
    const Json data = {{"images", 3}};
    FaceNetState state;
    state.step = 100;
    state.parameters = {0.1F, -1e-30F};
    state.averaged = {1, 2};
    state.momentum = {3, 4};
    state.spread = {5, 6};
    state.statistics = {7};
    state.losses = {{100, 0.5, 0.25, 2}};
    state.hard_negatives = {{1, 2, {3, 4.5, 5, 6}, 0.75}};
    const auto checkpoint_of = [&](const FaceNetTrainConfig& of, const Json& on) {
        return Checkpoint(job, "net", settings_without_paths(of), on);
    };
    const auto read_for = [&](const FaceNetTrainConfig& of, const Json& on) {
        FaceNetState read;
        const std::optional<std::string> model = checkpoint_of(of, on).resume(fields_of(read));
        CHECK(model == "");
        return read;
    };
    checkpoint_of(config, data).write(fields_of(state));
    const FaceNetState read = read_for(config, data);
    CHECK(read.step == 100);
    CHECK(read.parameters == state.parameters);
    CHECK(read.averaged == state.averaged);
    CHECK(read.momentum == state.momentum);
    CHECK(read.spread == state.spread);
    CHECK(read.statistics == state.statistics);
    REQUIRE(read.losses.size() == 1);
    CHECK(read.losses[0].box_loss == 0.25);
    REQUIRE(read.hard_negatives.size() == 1);
    CHECK(read.hard_negatives[0].source == 1);
    CHECK(read.hard_negatives[0].photograph == 2);
    CHECK(read.hard_negatives[0].box == Box{3, 4.5, 5, 6});
    CHECK(read.hard_negatives[0].score == 0.75);

    // Elsewhere it is the same data.
    FaceNetTrainConfig moved = config;
    moved.photographs[0].dataset = "folder:there";
    CHECK_NOTHROW(read_for(moved, data));
    FaceNetTrainConfig other = config;
    other.training.seed = 2;
    CHECK_THROWS_WITH(read_for(other, data),
                      Contains("other settings") && Contains("seed' is 1 in it and 2"));
    CHECK_THROWS_WITH(read_for(config, {{"images", 4}}), Contains("other data"));

    std::string text = read_checkpoint(job.checkpoint);
    const auto at = text.find("\"momentum\":[");
    REQUIRE(at != std::string::npos);
    text.insert(at + 12, "9,");
    write_checkpoint(job.checkpoint, text);
    CHECK_THROWS_WITH(read_for(config, data), Contains("damaged") && Contains("momentum"));
    write_checkpoint(job.checkpoint, "[1, 2");
    CHECK_THROWS_WITH(read_for(config, data), Contains("no checkpoint of a training"));
}
