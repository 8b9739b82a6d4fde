#include "lib/train/mct/train_config.hpp"

#include <cstdlib>

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "lib/json/field_json.hpp"
#include "lib/train/config_file.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

template <class Action>
std::string usage_error_of(const Action& action) {
    try {
        action();
    } catch (const UsageError& error) {
        return error.what();
    }
    return "none";
}

std::string reading(const std::string& json) {
    return usage_error_of([&] { training_config_of<TrainConfig>(Json::parse(json)); });
}

TrainConfig valid() {
    TrainConfig config = training_config_of<TrainConfig>(Json::object());
    config.datasets = {"pts:faces"};
    config.backgrounds = {"folder:grounds"};
    return config;
}

template <class Change>
std::string validating(const Change& change) {
    TrainConfig config = valid();
    change(config);
    return usage_error_of([&] { validate_train_config(config); });
}

}  // namespace

TEST_CASE("a training's configuration survives JSON, every member", "[train][config]") {
    const Json json = Json::parse(R"({
        "name": "mine",
        "strips": [{"path": "a.pgm", "tile": 32, "x": 15.5, "y": 16.5, "side": 28}],
        "datasets": ["pts:a", "feret:b"], "backgrounds": ["folder:c"], "window_over_face": 1.25,
        "jitter": {"copies": 5, "shift": 0.03, "scale": 0.07, "rotation_deg": 4, "noise": 2.5, "blur": 0.5},
        "boosting": {"smoothing": 0.001, "weight_unit": 32, "shrinkage": 0.75},
        "cascade": {"kind": "staged", "coarse_lookups": 7, "coarse_loss": 0.01, "lookups": 99,
                    "losses": [[10, 0.125], [20, 0.25]], "stage_positions": [3, 9], "stage_loss": 0.02},
        "negatives": {"count": 1234, "scale_factor": 1.3, "max_face_iou": 0.4, "portraits": false,
                      "portraits_cleaned_by": "mct"},
        "validation_every": 7, "seed": 12345678901})");
    const TrainConfig config = training_config_of<TrainConfig>(json);
    CHECK(json_of(config) == json);
    CHECK(config.cascade.kind == CascadeKind::staged);
    CHECK(config.cascade.losses[1].lookups == 20);
    CHECK(config.strips[0].side == 28);
    CHECK(config.seed == 12345678901);
    validate_train_config(config);
}

TEST_CASE("the defaults are a soft cascade that can be trained", "[train][config]") {
    const TrainConfig config = valid();
    validate_train_config(config);
    CHECK(config.cascade.kind == CascadeKind::soft);
    CHECK(config.cascade.losses.size() == 9);
    CHECK(json_of(training_config_of<TrainConfig>(json_of(config))) == json_of(config));
}

TEST_CASE("unknown keys and wrong types are named with their path", "[train][config]") {
    CHECK_THAT(reading(R"({"cascade": {"lookup": 3}})"), Contains("cascade.lookup") && Contains("lookups"));
    CHECK_THAT(reading(R"({"sed": 3})"), Contains("sed"));
    CHECK_THAT(reading(R"({"strips": [{"path": "a"}, {"pth": "a"}]})"), Contains("strips[1].pth"));
    CHECK_THAT(reading(R"({"strips": {}})"), Contains("'strips' must be a list"));
    CHECK_THAT(reading(R"({"jitter": {"copies": "3"}})"), Contains("jitter.copies"));
    CHECK_THAT(reading(R"({"jitter": 3})"), Contains("jitter"));
    CHECK_THAT(reading(R"({"cascade": {"kind": "hard"}})"),
               Contains("'cascade.kind'") && Contains("\"hard\""));
    CHECK_THAT(reading(R"({"cascade": {"losses": [[5, 0.1], 3]}})"), Contains("cascade.losses"));
    CHECK_THAT(reading(R"({"cascade": {"losses": [[5.5, 0.1]]}})"), Contains("cascade.losses"));
    CHECK_THAT(reading(R"({"cascade": {"stage_positions": [1.5]}})"), Contains("cascade.stage_positions"));
    CHECK_THAT(reading(R"({"negatives": {"count": -3}})"), Contains("negatives.count"));
    CHECK_THAT(reading(R"([])"), Contains("object"));
}

TEST_CASE("values out of range are refused by name", "[train][config]") {
    CHECK(validating([](TrainConfig&) {}) == "none");
    CHECK_THAT(validating([](auto& c) { c.datasets.clear(); }), Contains("no faces to train on"));
    CHECK_THAT(validating([](auto& c) {
                   c.backgrounds.clear();
                   c.negatives.portraits = false;
               }),
               Contains("no backgrounds"));
    // The portraits' own grounds are enough.
    CHECK(validating([](auto& c) { c.backgrounds.clear(); }) == "none");
    CHECK_THAT(validating([](auto& c) { c.strips = {{"", 24, 12, 12, 24}}; }), Contains("strips[0].path"));
    CHECK_THAT(validating([](auto& c) { c.strips = {{"a", 7, 12, 12, 24}}; }), Contains("strips[0].tile"));
    CHECK_THAT(validating([](auto& c) { c.strips = {{"a", 24, 12, 12, 0}}; }), Contains("strips[0].side"));
    CHECK_THAT(validating([](auto& c) { c.window_over_face = 0.5; }), Contains("window_over_face"));
    CHECK_THAT(validating([](auto& c) { c.jitter.copies = 0; }), Contains("jitter.copies"));
    CHECK_THAT(validating([](auto& c) { c.jitter.scale = 1; }), Contains("jitter.scale"));
    CHECK_THAT(validating([](auto& c) { c.jitter.blur = 1.01; }), Contains("jitter.blur"));
    CHECK_THAT(validating([](auto& c) { c.boosting.smoothing = 0; }), Contains("boosting.smoothing"));
    CHECK_THAT(validating([](auto& c) { c.boosting.weight_unit = 128; }), Contains("boosting.weight_unit"));
    CHECK_THAT(validating([](auto& c) { c.boosting.shrinkage = 0; }), Contains("boosting.shrinkage"));
    CHECK_THAT(validating([](auto& c) { c.cascade.coarse_lookups = 129; }),
               Contains("cascade.coarse_lookups"));
    CHECK_THAT(validating([](auto& c) { c.cascade.lookups = c.cascade.coarse_lookups - 1; }),
               Contains("cascade.lookups"));
    CHECK_THAT(validating([](auto& c) { c.cascade.lookups = 4097; }), Contains("4096"));
    CHECK_THAT(validating([](auto& c) {
                   c.cascade.losses = {{5, .1}, {5, .2}};
               }),
               Contains("cascade.losses"));
    CHECK_THAT(validating([](auto& c) { c.cascade.losses = {{5, 1.0}}; }), Contains("cascade.losses"));
    CHECK_THAT(validating([](auto& c) {
                   c.cascade.stage_positions = {3, 0};
               }),
               Contains("cascade.stage_positions"));
    CHECK_THAT(validating([](auto& c) { c.cascade.stage_positions = std::vector<int>(9, 500); }),
               Contains("4096 positions"));
    CHECK_THAT(validating([](auto& c) { c.negatives.count = 99; }), Contains("negatives.count"));
    CHECK_THAT(validating([](auto& c) { c.negatives.scale_factor = 1; }), Contains("negatives.scale_factor"));
    CHECK_THAT(validating([](auto& c) { c.negatives.max_face_iou = -0.1; }),
               Contains("negatives.max_face_iou"));
    CHECK_THAT(validating([](auto& c) { c.validation_every = 1; }), Contains("validation_every"));
}

TEST_CASE("a configuration file names itself in errors and may name variables", "[train][config]") {
    const TempDir folder;
    ::setenv("FOVEA_TEST_FACES", "/faces", 1);
    const auto good = folder.write("good.json", R"({
        "strips": [{"path": "${FOVEA_TEST_FACES}/a.pgm"}], "datasets": ["pts:${FOVEA_TEST_FACES}/b"],
        "backgrounds": ["folder:${FOVEA_TEST_FACES}/c"]})");
    const TrainConfig config = load_training_config<TrainConfig>(good);
    CHECK(config.strips[0].path == "/faces/a.pgm");
    CHECK(config.datasets[0] == "pts:/faces/b");
    CHECK(config.backgrounds[0] == "folder:/faces/c");

    const auto message = [&](const std::string& text) {
        const auto file = folder.write("broken.json", text);
        return usage_error_of([&] { load_training_config<TrainConfig>(file); });
    };
    CHECK_THAT(message("{\n\"seed\": 3,\n}"), Contains("broken.json:3:") && Contains("not JSON"));
    CHECK_THAT(message(R"({"seeds": 3})"), Contains("broken.json: ") && Contains("seeds"));
}
