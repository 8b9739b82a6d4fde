#include "lib/recognise/recogniser_config.hpp"

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "lib/json/field_json.hpp"
#include "lib/recognise/lbp_config.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

// A recogniser of faces of 40×40 with 2×2 regions, changed by a JSON merge patch.
RecogniserConfig config_of(const std::string& patch, const std::filesystem::path& folder = {}) {
    Json json = Json::parse(R"({"format": "fovea-recogniser", "version": 1, "name": "mine",
        "face": {"width": 40, "height": 40, "left_eye": [10, 12], "right_eye": [30, 12]},
        "normalisation": {"mask": false, "equalise": true, "standardise": false},
        "features": [{"points": 8, "radius": 1, "regions": {"columns": 2, "rows": 2}}]})");
    json.merge_patch(Json::parse(patch));
    return recogniser_config_from_json(json, folder);
}

std::string error_of(const std::string& patch) {
    try {
        config_of(patch);
    } catch (const UsageError& error) {
        return error.what();
    }
    return "no error";
}

}  // namespace

TEST_CASE("a recogniser's JSON is read and written in one form", "[recognise]") {
    const RecogniserConfig config =
        config_of(R"({"distance": "l1", "weights": [1, 0, 2.5, 4], "mirror": true})");
    CHECK(config.name == "mine");
    CHECK(config.geometry.size == Size{40, 40});
    CHECK(config.geometry.eyes == CropEyes{{10, 12}, {30, 12}});
    CHECK(config.alignment == FaceAlignment::eyes);
    CHECK_FALSE(config.normalisation.mask);
    CHECK(config.normalisation.equalise);
    CHECK(config.distance == HistogramDistance::l1);
    REQUIRE(config.features.size() == 1);
    CHECK(config.features[0].regions ==
          std::vector<Rect>{{0, 0, 20, 20}, {20, 0, 20, 20}, {0, 20, 20, 20}, {20, 20, 20, 20}});
    // In 20×20 pixels, a row and a column lie in the margin: 19², twice with the mirror image.
    const HistogramLayout layout = histogram_layout(config);
    CHECK(layout.bins == 4 * 59);
    CHECK(layout.blocks[2] == HistogramBlock{59, 2 * 361, 640});
    CHECK(layout.blocks[1].weight == 0);

    const Json canonical = recogniser_config_to_json(config);
    const RecogniserConfig again = recogniser_config_from_json(canonical, {});
    CHECK(recogniser_config_to_json(again) == canonical);
    CHECK(feature_fingerprint(again) == feature_fingerprint(config));
    // Distance, weights and name do not change features; everything else does.
    CHECK(feature_fingerprint(config_of(R"({"mirror": true, "name": "x"})")) == feature_fingerprint(config));
    CHECK(feature_fingerprint(config_of("{}")) != feature_fingerprint(config));
    CHECK(feature_fingerprint(config_of(R"({"mirror": true, "face": {"align": "landmarks"}})")) !=
          feature_fingerprint(config));
}

TEST_CASE("regions of a recogniser", "[recognise]") {
    const auto regions = [](const std::string& json) {
        return config_of(R"({"features": [{"points": 8, "radius": 1, "regions": )" + json + "}]}")
            .features[0]
            .regions;
    };
    CHECK(regions(R"({"cell": [18, 21]})") ==
          std::vector<Rect>{{0, 0, 18, 21}, {18, 0, 22, 21}, {0, 21, 18, 19}, {18, 21, 22, 19}});
    CHECK(regions(R"({"columns": 4, "rows": 1, "left_half": true})") ==
          std::vector<Rect>{{0, 0, 10, 40}, {10, 0, 10, 40}});
    CHECK(regions(R"({"size": [30, 40], "stride": [10, 40]})") ==
          std::vector<Rect>{{0, 0, 30, 40}, {10, 0, 30, 40}});
    CHECK(regions(R"({"rectangles": [[1, 2, 3, 4]]})") == std::vector<Rect>{{1, 2, 3, 4}});
}

TEST_CASE("recognisers that cannot be are refused, with the key's path", "[recognise]") {
    CHECK_THAT(error_of(R"({"format": "x"})"), Contains("'format' must be \"fovea-recogniser\""));
    CHECK_THAT(error_of(R"({"version": 2})"), Contains("'version' must be 1, but is 2"));
    CHECK_THAT(error_of(R"({"wieghts": []})"), Contains("unknown key 'wieghts' (did you mean 'weights'?)"));
    CHECK_THAT(error_of(R"({"face": {"width": 0}})"), Contains("'face': a face crop is 0x40"));
    CHECK_THAT(error_of(R"({"face": {"left_eye": [30, 12]}})"), Contains("both eyes at the same place"));
    CHECK_THAT(error_of(R"({"face": {"align": "nose"}})"),
               Contains("'face.align' must be eyes, landmarks, dlib or arcface"));
    CHECK_THAT(error_of(R"({"features": []})"), Contains("'features' must be a list of at least one"));
    CHECK_THAT(error_of(R"({"features": [{"points": 3, "regions": {"columns": 1, "rows": 1}}]})"),
               Contains("'features[0]'"));
    CHECK_THAT(error_of(R"({"features": [{"regions": {}}]})"), Contains("must say what the regions are"));
    CHECK_THAT(error_of(R"({"features": [{"regions": {"columns": 3, "rows": 1, "left_half": true}}]})"),
               Contains("'features[0].regions.columns' must be even"));
    CHECK_THAT(error_of(R"({"features": [{"regions": {"rectangles": [[30, 0, 20, 20]]}}]})"),
               Contains("'features'"));
    CHECK_THAT(error_of(R"({"weights": [1, 1, 1]})"),
               Contains("'weights' must be one weight for each of the 4 regions, but there are 3"));
    CHECK_THAT(error_of(R"({"weights": [1, 1, 1, 256]})"),
               Contains("'weights[3]' must be between 0 and 255"));
    CHECK_THAT(error_of(R"({"weights": "ahonen"})"), Contains("there are 49"));
    CHECK_THAT(error_of(R"({"distance": "l3"})"),
               Contains("'distance' must be chi-square,") && Contains("\"l3\""));
}

TEST_CASE("weights come from files that were made for the same features", "[recognise]") {
    const TempDir folder;
    RegionWeights weights;
    weights.weights = {1, 2, 3, 0.25};
    weights.fingerprint = feature_fingerprint(config_of("{}"));
    weights.origin = "a test";
    weights.folds = {{{"a"}, {"b", "c"}}, 1.5, {{0, 1, 2, 3}, {4, 5, 6, 7}}};
    folder.write("w.json", json_of(weights).dump());
    const RecogniserConfig config = config_of(R"({"weights": "w.json"})", folder.path());
    CHECK(config.weights == weights.weights);
    CHECK(config.fold_weights.weights == weights.folds.weights);
    CHECK(config.fold_weights.threshold == 1.5);
    CHECK(config.fold_weights.subjects == weights.folds.subjects);
    CHECK_THROWS_WITH(config_of(R"({"weights": "w.json", "mirror": true})", folder.path()),
                      Contains("other features"));
    CHECK_THROWS_WITH(config_of(R"({"weights": "none.json"})", folder.path()), Contains("none.json"));
    folder.write("broken.json", R"({"format": "fovea-region-weights", "version": 1, "weights": [1, "x"]})");
    CHECK_THROWS_WITH(config_of(R"({"weights": "broken.json"})", folder.path()), Contains("'weights[1]'"));
}

TEST_CASE("the recognisers that ship", "[recognise]") {
    const RecogniserConfig csu = load_recogniser("lbp-csu");
    CHECK(csu.geometry == CropGeometry{});
    CHECK(csu.normalisation == FaceNormalisation{});
    CHECK(histogram_layout(csu).bins == 2891);
    CHECK(csu.weights == ahonen_weights());
    const RecogniserConfig lbp = load_recogniser(default_recogniser);
    CHECK(lbp.name == "lbp");
    CHECK(histogram_layout(lbp).bins == 3245);
    CHECK_FALSE(lbp.weights.empty());
    const RecogniserConfig unweighted = load_recogniser("lbp-unweighted");
    CHECK(unweighted.weights.empty());
    CHECK(feature_fingerprint(unweighted) == feature_fingerprint(lbp));
    CHECK_THROWS_WITH(load_recogniser("none"), Contains("there is no recogniser 'none': searched"));
}
