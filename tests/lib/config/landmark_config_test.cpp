#include "lib/config/landmark_config.hpp"

#include <catch2/catch.hpp>

#include "lib/config/config.hpp"
#include "lib/core/error.hpp"
#include "lib/json/json.hpp"

using namespace fovea;
using Catch::Matchers::Contains;

namespace {

RunConfig config_of(const std::string& landmarks) {
    return run_config_from_json(Json::parse(R"({"landmarks": )" + landmarks + "}"));
}

std::string error_of(const std::string& landmarks) {
    try {
        config_of(landmarks);
    } catch (const UsageError& error) {
        return error.what();
    }
    return "no error";
}

}  // namespace

TEST_CASE("landmarks of a configuration are read and written", "[config][landmarks]") {
    const Json json =
        Json::parse(R"({"model": "m.dat", "boxes": ["truth", "detector"], "convention": "mct"})");
    const RunConfig config = run_config_from_json(Json{{"landmarks", json}});
    CHECK(config.landmarks.model == "m.dat");
    CHECK(config.landmarks.boxes == std::vector<BoxSource>{BoxSource::truth, BoxSource::detector});
    CHECK(config.landmarks.convention == "mct");
    CHECK(run_config_to_json(config)["landmarks"] == json);
    CHECK(runs_detectors(config));
    CHECK_FALSE(runs_detectors(config_of(R"({"model": "m", "boxes": ["truth"]})")));
    // Without a model there are no landmarks, whatever the boxes.
    CHECK(runs_detectors(config_of(R"({"boxes": ["truth"]})")));
}

TEST_CASE("landmarks that no run can work with are refused, with the key's path", "[config][landmarks]") {
    CHECK_THAT(error_of(R"({"boxs": []})"), Contains("unknown key 'landmarks.boxs' (did you mean 'boxes'?)"));
    CHECK_THAT(error_of(R"({"model": 68})"), Contains("'landmarks.model' must be a string, but is 68"));
    CHECK_THAT(error_of(R"({"boxes": "truth"})"), Contains("'landmarks.boxes' must be a list of strings"));
    CHECK_THAT(error_of(R"({"boxes": ["detector", "faces"]})"),
               Contains("'landmarks.boxes[1]' must be detector or truth, but is the string \"faces\""));
    CHECK_THAT(error_of(R"({"boxes": []})"), Contains("'landmarks.boxes' must be a list of detector, truth"));
    CHECK_THAT(error_of(R"({"boxes": ["truth", "truth"]})"), Contains("names each only once"));
    CHECK_THAT(error_of(R"({"convention": ""})"), Contains("'landmarks.convention' must be auto, none or"));
    CHECK_THAT(error_of(R"({"jitter": {"enabled": false}})"), Contains("unknown key 'landmarks.jitter'"));
}

TEST_CASE("no detector has the name of the annotated boxes' results", "[config][landmarks]") {
    const auto load = [](const std::string& boxes) {
        return run_config_from_json(Json::parse(R"({"detectors": [{"name": "truth"}], "landmarks":
            {"model": "default", "boxes": [)" + boxes +
                                                "]}}"));
    };
    CHECK_THROWS_WITH(load(R"("detector", "truth")"), Contains("the annotated boxes, have the name 'truth'"));
    CHECK_NOTHROW(load(R"("detector")"));
}
