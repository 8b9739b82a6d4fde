#include "lib/train/face_net/face_net_config.hpp"

#include <functional>

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "lib/files/find_model.hpp"
#include "lib/files/sha256.hpp"
#include "lib/json/field_json.hpp"
#include "lib/train/config_file.hpp"
#include "lib/train/face_net/read_photographs.hpp"
#include "tests/lib/train/cascade/crosses.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

std::string refusal_of_change(const std::function<void(FaceNetTrainConfig&)>& change) {
    FaceNetTrainConfig config;
    config.photographs.push_back({"folder:a"});
    change(config);
    try {
        validate_face_net_config(config);
    } catch (const UsageError& error) {
        return error.what();
    }
    return "none";
}

}  // namespace

TEST_CASE("a network's configuration survives JSON, every member", "[face-net][config]") {
    const Json json = Json::parse(R"({
        "name": "mine",
        "photographs": [{"dataset": "voc:a", "share": 0.5, "is_complete": false,
                         "left": -0.25, "top": -0.5, "right": 1.25, "bottom": 1.5}],
        "kept": ["coco:b"], "max_side": 500, "width": {"stem": 32, "quarter": 48, "trunk": 96},
        "crops": {"side": 160, "min_face": 10.5, "max_face": 99, "max_enlargement": 2.5, "turn_deg": 12,
                  "aspect": 0.125, "contrast": 0.25, "light": 11, "max_noise": 5, "filled": 0.5,
                  "mosaic": 0.25, "clutter": 0.375},
        "mining": {"share": 0.125, "interval": 700, "min_score": 0.25, "max_places": 99},
        "teacher": {"model": "wild", "share": 0.25},
        "batch": 48, "steps": 777, "warm_up": 33, "learning_rate": 0.125, "weight_decay": 0.0625,
        "max_gradient": 7, "average": 0.75, "seed": 12345678901})");
    const FaceNetTrainConfig config = training_config_of<FaceNetTrainConfig>(json);
    CHECK(json_of(config) == json);
    CHECK_NOTHROW(validate_face_net_config(config));
    CHECK(config.training.width.trunk == 96);
    CHECK(config.training.crops.side == 160);
    // A model does not depend on where its teacher lies, but on what it is.
    CHECK(settings_without_paths(config)["teacher"]["model"] == sha256_of_file(find_model("wild")));
    CHECK_THROWS_WITH(
        training_config_of<FaceNetTrainConfig>(Json::parse(R"({"photographs": [{"datset": "a"}]})")),
        Contains("photographs[0].datset"));
}

TEST_CASE("a network's configuration is refused with the name of what is wrong", "[face-net][config]") {
    CHECK(refusal_of_change([](FaceNetTrainConfig&) {}) == "none");
    CHECK_THAT(refusal_of_change([](auto& c) { c.photographs.clear(); }), Contains("photographs"));
    CHECK_THAT(refusal_of_change([](auto& c) { c.photographs[0].dataset = ""; }), Contains("dataset"));
    CHECK_THAT(refusal_of_change([](auto& c) { c.photographs[0].share = 0; }), Contains("share"));
    CHECK_THAT(refusal_of_change([](auto& c) { c.photographs[0].right = -1; }), Contains("right"));
    CHECK_THAT(refusal_of_change([](auto& c) { c.training.width.trunk = 136; }), Contains("width.trunk"));
    CHECK_THAT(refusal_of_change([](auto& c) { c.training.width.stem = 128; }), Contains("width.stem"));
    CHECK_THAT(refusal_of_change([](auto& c) { c.training.width.quarter = 80; }), Contains("width.quarter"));
    CHECK_THAT(refusal_of_change([](auto& c) { c.training.crops.side = 100; }), Contains("crops.side"));
    CHECK_THAT(refusal_of_change([](auto& c) { c.training.crops.max_face = 5; }), Contains("crops.max_face"));
    CHECK_THAT(refusal_of_change([](auto& c) { c.training.teacher.share = 1.5; }), Contains("teacher.share"));
    CHECK_THAT(refusal_of_change([](auto& c) { c.training.learning_rate = 0; }), Contains("learning_rate"));
}

TEST_CASE("photographs of a network are read with the boxes that it learns", "[face-net]") {
    const TempDir folder;
    const GreyImage image{50, 40, std::vector<std::uint8_t>(2000, 77)};
    folder.write("a.pgm", pgm_of(image));
    folder.write("broken.pgm", "P5 nothing");
    folder.write("faces.json", R"({"images": [{"id": 1, "file_name": "a.pgm", "width": 50, "height": 40},
                                              {"id": 2, "file_name": "broken.pgm", "width": 50, "height": 40}],
        "annotations": [{"id": 1, "image_id": 1, "category_id": 1, "bbox": [10, 20, 10, 10], "area": 100,
                         "iscrowd": 0},
                        {"id": 2, "image_id": 1, "category_id": 1, "bbox": [30, 4, 6, 8], "area": 48, "iscrowd": 0,
                         "ignore": 1}],
        "categories": [{"id": 1, "name": "face"}]})");
    FaceNetTrainConfig config;
    PhotographSettings settings{"coco:" + (folder.path() / "faces.json").string()};
    settings.share = 0.25;
    settings.top = -0.5;
    settings.right = 0.5;
    settings.is_complete = false;
    config.photographs = {settings};
    ReadPhotographs read = read_photographs(config, 1);
    REQUIRE(read.sources.size() == 1);
    CHECK(read.sources[0].share == 0.25);
    REQUIRE(read.sources[0].photographs.size() == 1);
    const FacePhotograph& photograph = read.sources[0].photographs[0];
    CHECK(photograph.image.pixels == image.pixels);
    CHECK_FALSE(photograph.is_complete);
    CHECK(photograph.faces == std::vector<Box>{{10, 15, 5, 15}});
    CHECK(photograph.ignored == std::vector<Box>{{30, 0, 3, 12}});
    REQUIRE(read.unreadable.size() == 1);
    CHECK(read.unreadable[0].image == "broken.pgm");
    CHECK(read.images == 2);
    CHECK(read.manifest[0]["faces"] == 1);

    // 50 pixels are more than 25: half of all.
    config.max_side = 32;
    read = read_photographs(config, 1);
    CHECK(read.sources[0].photographs[0].image.width == 25);
    CHECK(read.sources[0].photographs[0].faces == std::vector<Box>{{5, 7.5, 2.5, 7.5}});

    config.photographs[0].dataset = "folder:" + folder.path().string();
    CHECK_THROWS_WITH(read_photographs(config, 1), Contains("no photograph shows a face"));
}
