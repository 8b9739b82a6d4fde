#include "lib/train/cascade/cascade_config.hpp"

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "lib/json/field_json.hpp"
#include "lib/train/config_file.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

CascadeTrainConfig valid() {
    CascadeTrainConfig config = training_config_of<CascadeTrainConfig>(Json::object());
    config.positives = {"voc:cars"};
    config.backgrounds = {"folder:streets"};
    return config;
}

template <class Change>
std::string refusal_of_change(const Change& change) {
    CascadeTrainConfig config = valid();
    change(config);
    try {
        validate_cascade_config(config);
    } catch (const UsageError& error) {
        return error.what();
    }
    return "none";
}

}  // namespace

TEST_CASE("a cascade's configuration survives JSON, every member", "[train-cascade][config]") {
    const Json json = Json::parse(R"({
        "name": "mine", "width": 30, "height": 20, "features": "haar-oro",
        "positives": ["voc:a", "vec:b"], "strips": [{"path": "c.png", "tile_height": 40, "x": 20.5, "y": 19, "side": 30}],
        "backgrounds": ["folder:d"],
        "samples": {"margin": 0.25, "distorted": true, "min_box": 12, "mirrored": true, "plain": false,
                    "copies": 9, "max_sources": 63, "max_count": 1001,
                    "augment": {"max_angle_x_deg": 1, "max_angle_y_deg": 2, "max_angle_z_deg": 3,
                                "max_scale": 0.125, "max_shift": 0.0625, "max_light": 11, "max_contrast": 0.5,
                                "max_blur": 1.5, "max_noise": 6, "mirrored": true, "background_colour": 7,
                                "background_threshold": 9}},
        "boosting": {"kind": "logit", "max_depth": 3, "weight_trim_rate": 0.875, "balanced": false},
        "stages": {"count": 7, "min_hit_rate": 0.75, "max_false_alarm": 0.25, "max_weak_count": 99,
                   "negatives": 1234, "min_negatives": 56, "held_out": 0.5},
        "test": {"share": 0.125, "positives": ["vec:e"], "backgrounds": ["folder:f"], "copies": 27,
                 "max_positives": 307, "negatives": 308},
        "sweep": "max_false_alarm=0.30:0.95:0.05",
        "scale_factor": 1.25, "max_object_iou": 0.375, "bin_megabytes": 77, "seed": 12345678901})");
    const CascadeTrainConfig config = training_config_of<CascadeTrainConfig>(json);
    CHECK(json_of(config) == json);
    CHECK_NOTHROW(validate_cascade_config(config));
    CHECK(training_config_of<CascadeTrainConfig>(json_of(valid())).positives == valid().positives);

    const CascadeTrainerSettings settings = trainer_settings(config);
    CHECK(settings.window == Size{30, 20});
    CHECK(settings.trees.boosting == BoostKind::logit);
    CHECK(settings.stages.negatives == 1234);
    CHECK(settings.max_bin_bytes == std::size_t{77} << 20);
    CHECK(settings.scale_factor == 1.25);
    CHECK(settings.seed == 12345678901);
    const CascadeXmlInfo info = xml_info(config);
    CHECK(info.boost_type == "LB");
    CHECK(info.max_depth == 3);
    CHECK(info.max_weak_count == 99);
    CHECK(info.haar_mode == "BASIC");
}

TEST_CASE("a cascade's file names the kind of boosting as OpenCV does", "[train-cascade][config]") {
    CascadeTrainConfig config = valid();
    const std::pair<BoostKind, const char*> kinds[] = {{BoostKind::gentle, "GAB"},
                                                       {BoostKind::real, "RAB"},
                                                       {BoostKind::discrete, "DAB"},
                                                       {BoostKind::logit, "LB"}};
    for (const auto& [kind, name] : kinds) {
        config.trees.boosting = kind;
        CHECK(xml_info(config).boost_type == name);
    }
    const std::pair<FeatureChoice, const char*> pools[] = {{FeatureChoice::haar_basic, "BASIC"},
                                                           {FeatureChoice::haar_core, "CORE"},
                                                           {FeatureChoice::haar_all, "ALL"},
                                                           {FeatureChoice::haar_oro, "BASIC"}};
    for (const auto& [pool, mode] : pools) {
        config.features = pool;
        CHECK(xml_info(config).haar_mode == mode);
        CHECK(features_of(config).kind == Cascade::Feature::haar);
    }
    CHECK(features_of(config).size() == 103'607);
    config.features = FeatureChoice::lbp;
    CHECK(features_of(config).size() == 8'464);
}

TEST_CASE("a cascade's configuration is refused with the name of what is wrong", "[train-cascade][config]") {
    CHECK(refusal_of_change([](CascadeTrainConfig&) {}) == "none");
    CHECK_THAT(refusal_of_change([](auto& c) { c.positives.clear(); }), Contains("--positives"));
    CHECK_THAT(refusal_of_change([](auto& c) { c.backgrounds.clear(); }), Contains("--backgrounds"));
    CHECK_THAT(refusal_of_change([](auto& c) { c.width = 300; }), Contains("width"));
    CHECK_THAT(refusal_of_change([](auto& c) { c.stages.held_out = 0.9; }), Contains("stages.held_out"));
    CHECK_THAT(refusal_of_change([](auto& c) { c.scale_factor = 1; }), Contains("scale_factor"));
    CHECK_THAT(refusal_of_change([](auto& c) { c.trees.weight_trim_rate = 0; }),
               Contains("boosting.weight_trim_rate"));
    CHECK_THAT(refusal_of_change([](auto& c) { c.samples.augment.max_shift = 2; }),
               Contains("samples.augment.max_shift"));
    CHECK_THAT(refusal_of_change([](auto& c) { c.strips = {{"", 24, {}, {}, {}}}; }), Contains("strips"));
    CHECK_THAT(refusal_of_change([](auto& c) {
                   c.strips = {{"a", 24, 12, {}, 20}};
               }),
               Contains("strips[0].side") && Contains("'x' and 'y'"));
    CHECK_THAT(refusal_of_change([](auto& c) {
                   c.strips = {{"a", 24, 12, 12, 0.5}};
               }),
               Contains("strips[0].side"));
    // A window of which the pool has too many features.
    const auto square = [](int side) { return [side](CascadeTrainConfig& c) { c.width = c.height = side; }; };
    CHECK(refusal_of_change(square(66)) == "none");
    CHECK_THAT(refusal_of_change(square(68)), Contains("'haar-basic'") && Contains("68x68"));

    CHECK_THROWS_WITH(training_config_of<CascadeTrainConfig>(Json::parse(R"({"stages": {"counts": 3}})")),
                      Contains("stages.counts"));
    CHECK_THROWS_WITH(training_config_of<CascadeTrainConfig>(Json::parse(R"({"features": "hog"})")),
                      Contains("hog"));
    CHECK_THROWS_WITH(training_config_of<CascadeTrainConfig>(Json::parse(R"({"boosting": {"kind": 1}})")),
                      Contains("boosting.kind"));
    CHECK_THROWS_WITH(training_config_of<CascadeTrainConfig>(
                          Json::parse(R"({"samples": {"augment": {"background_colour": "red"}}})")),
                      Contains("background_colour"));
    const TempDir folder;
    CHECK_THROWS_WITH(
        load_training_config<CascadeTrainConfig>(folder.write("broken.json", "{\n\"width\": }")),
        Contains("broken.json:2"));
}
