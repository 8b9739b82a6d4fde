#include "lib/train/landmarks/landmark_config.hpp"

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "lib/json/field_json.hpp"
#include "lib/train/config_file.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

TEST_CASE("a configuration of landmark training is read strictly and written in full", "[train][landmark]") {
    const Json json = Json::parse(R"({
        "name": "n", "datasets": ["pts:a", "pts:b"],
        "boxes": {"detectors": ["mct", "other"], "tight_share": 0.5, "widening": 1.5, "margin": 0.25,
                  "refit_error": {"shift": 0.125, "scale": 0.25, "turn_deg": 7.5}},
        "copies": {"count": 7, "mirrored": false, "rotation_deg": 3},
        "pixels": {"count": 123, "padding": 0.2, "prior": 0.3},
        "trees": {"cascades": 4, "refit_after": 3, "trees": 5, "depth": 6, "shrinkage": 0.2, "sample_share": 0.5, "tests": 8},
        "subpixels": 4, "holdout": 0.2, "seed": 9})");
    const LandmarkTrainConfig config = training_config_of<LandmarkTrainConfig>(json);
    CHECK(json_of(config) == json);
    CHECK_NOTHROW(validate_landmark_train_config(config));

    const auto refusal = [](const std::string& text) {
        try {
            training_config_of<LandmarkTrainConfig>(Json::parse(text));
        } catch (const UsageError& error) {
            return std::string(error.what());
        }
        return std::string("no error");
    };
    CHECK_THAT(refusal(R"({"trees": {"tree": 3}})"), Contains("trees.tree"));
    CHECK_THAT(refusal(R"({"copies": 20})"), Contains("copies"));
    CHECK_THAT(refusal(R"({"pixels": {"count": "many"}})"), Contains("pixels.count"));
    CHECK_THAT(refusal(R"({"boxes": {"detectors": "mct"}})"), Contains("boxes.detectors"));
}

TEST_CASE("values of a landmark training out of range are named", "[train][landmark]") {
    const auto refusal = [](const Json& changed) {
        Json json{{"datasets", {"pts:a"}}};
        json.update(changed, true);
        try {
            validate_landmark_train_config(training_config_of<LandmarkTrainConfig>(json));
        } catch (const UsageError& error) {
            return std::string(error.what());
        }
        return std::string("no error");
    };
    CHECK(refusal(Json::object()) == "no error");
    CHECK_THAT(refusal({{"datasets", Json::array()}}), Contains("no faces to train on"));
    for (const auto& [object, key, wrong] :
         std::vector<std::tuple<const char*, const char*, Json>>{{"boxes", "tight_share", 1.5},
                                                                 {"boxes", "widening", -1},
                                                                 {"boxes", "margin", 3},
                                                                 {"copies", "count", 0},
                                                                 {"copies", "rotation_deg", 181},
                                                                 {"pixels", "count", 1},
                                                                 {"pixels", "padding", -0.5},
                                                                 {"pixels", "prior", 0},
                                                                 {"trees", "cascades", 0},
                                                                 {"trees", "refit_after", 15},
                                                                 {"trees", "refit_after", -1},
                                                                 {"trees", "trees", 0},
                                                                 {"trees", "depth", 11},
                                                                 {"trees", "shrinkage", 0},
                                                                 {"trees", "sample_share", 0},
                                                                 {"trees", "tests", 0}}) {
        const std::string path = std::string(object) + "." + key;
        CAPTURE(path);
        CHECK_THAT(refusal({{object, {{key, wrong}}}}), Contains("'" + path + "' must be"));
    }
    CHECK_THAT(refusal(Json::parse(R"({"boxes": {"refit_error": {"turn_deg": 91}}})")),
               Contains("'boxes.refit_error.turn_deg' must be"));
    CHECK_THAT(refusal({{"subpixels", 0}}), Contains("'subpixels'"));
    CHECK_THAT(refusal({{"holdout", 1}}), Contains("'holdout'"));
    CHECK_THAT(refusal({{"boxes", {{"detectors", Json::array()}, {"tight_share", 0.5}}}}),
               Contains("no detectors"));
    CHECK(refusal({{"boxes", {{"detectors", Json::array()}, {"tight_share", 1}}}}) == "no error");
}

TEST_CASE("a file of a landmark training's configuration is named in errors", "[train][landmark]") {
    const TempDir folder;
    const auto broken = folder.write("broken.json", "{\n  \"seed\": ,\n}");
    CHECK_THROWS_WITH(load_training_config<LandmarkTrainConfig>(broken), Contains("broken.json:2"));
    const auto unknown = folder.write("unknown.json", R"({"tree": {}})");
    CHECK_THROWS_WITH(load_training_config<LandmarkTrainConfig>(unknown),
                      Contains("unknown.json") && Contains("tree"));
    const auto unset = folder.write("unset.json", R"({"datasets": ["pts:${NO_SUCH_VARIABLE}/a"]})");
    CHECK_THROWS_WITH(load_training_config<LandmarkTrainConfig>(unset), Contains("NO_SUCH_VARIABLE"));
}
