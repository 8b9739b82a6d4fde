#include "lib/train/face_net/face_net_checkpoint.hpp"

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "lib/train/checkpoint.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

TEST_CASE("a network's checkpoint is read as it was written, or refused", "[face-net]") {
    const TempDir folder;
    const auto file = folder.path() / "part";
    FaceNetTrainConfig config;
    config.photographs.push_back({"folder:here"});
    const Json data = {{"images", 3}};
    FaceNetState checkpoint;
    checkpoint.step = 100;
    checkpoint.parameters = {0.1F, -1e-30F};
    checkpoint.averaged = {1, 2};
    checkpoint.momentum = {3, 4};
    checkpoint.spread = {5, 6};
    checkpoint.statistics = {7};
    checkpoint.losses = {{100, 0.5, 0.25, 2}};
    write_face_net_checkpoint(file, config, data, checkpoint);
    const FaceNetState read = read_face_net_checkpoint(file, config, data);
    CHECK(read.step == 100);
    CHECK(read.parameters == checkpoint.parameters);
    CHECK(read.averaged == checkpoint.averaged);
    CHECK(read.momentum == checkpoint.momentum);
    CHECK(read.spread == checkpoint.spread);
    CHECK(read.statistics == checkpoint.statistics);
    REQUIRE(read.losses.size() == 1);
    CHECK(read.losses[0].box_loss == 0.25);

    // Elsewhere it is the same data.
    FaceNetTrainConfig moved = config;
    moved.photographs[0].dataset = "folder:there";
    CHECK_NOTHROW(read_face_net_checkpoint(file, moved, data));
    FaceNetTrainConfig other = config;
    other.training.seed = 2;
    CHECK_THROWS_WITH(read_face_net_checkpoint(file, other, data), Contains("other settings"));
    CHECK_THROWS_WITH(read_face_net_checkpoint(file, config, {{"images", 4}}), Contains("other data"));

    std::string text = read_checkpoint(file);
    const auto at = text.find("\"momentum\":[");
    REQUIRE(at != std::string::npos);
    text.insert(at + 12, "9,");
    write_checkpoint(file, text);
    CHECK_THROWS_WITH(read_face_net_checkpoint(file, config, data),
                      Contains("damaged") && Contains("momentum"));
    write_checkpoint(file, "[1, 2");
    CHECK_THROWS_WITH(read_face_net_checkpoint(file, config, data), Contains("no checkpoint of this kind"));
}
