#include "lib/config/recognition_config.hpp"

#include <catch2/catch.hpp>

#include "lib/config/config.hpp"
#include "lib/core/error.hpp"
#include "lib/json/field_json.hpp"
#include "lib/json/json.hpp"

using namespace fovea;
using Catch::Matchers::Contains;

namespace {

std::string error_of(const std::string& recognition) {
    try {
        run_config_from_json(Json::parse(R"({"recognition": )" + recognition + "}"));
    } catch (const UsageError& error) {
        return error.what();
    }
    return "no error";
}

}  // namespace

TEST_CASE("recognition alone goes through no images of its own", "[config][recognise]") {
    RunConfig config;
    CHECK(processes_images(config));
    config.recognition.recognisers = {"lbp"};
    CHECK_FALSE(processes_images(config));
    config.dataset.path = "photos";
    CHECK(processes_images(config));
}

TEST_CASE("environment variables are replaced in all paths of a recognition", "[config][recognise]") {
    RecognitionConfig config;
    config.recognisers = {"a"};
    config.pairs = "b";
    config.gallery = "c";
    config.probes = {"d", "e"};
    config.permuted = "f";
    std::vector<std::string> paths;
    change_paths("recognition", fields_of(config), [&](std::string& value, const std::string& path) {
        paths.push_back(path);
        value += "!";
    });
    CHECK(paths == std::vector<std::string>{"recognition.recognisers[0]", "recognition.detector",
                                            "recognition.landmarks", "recognition.pairs",
                                            "recognition.gallery", "recognition.probes[0]",
                                            "recognition.probes[1]", "recognition.permutations.dataset"});
    CHECK(config.probes[1] == "e!");
    CHECK(config.permuted == "f!");
}

TEST_CASE("recognition that no run can do is refused, with the key's path", "[config][recognise]") {
    CHECK_THAT(error_of(R"({"recogniser": ["lbp"]})"),
               Contains("unknown key 'recognition.recogniser' (did you mean 'recognisers'?)"));
    CHECK_THAT(error_of(R"({"recognisers": ["lbp", "lbp"]})"), Contains("names each only once"));
    CHECK_THAT(
        error_of(R"({"faces": "eyes"})"),
        Contains("'recognition.faces' must be auto, truth, detector or image, but is the string \"eyes\""));
    CHECK_THAT(error_of(R"({"fallback_eyes": [1, 2, 3]})"),
               Contains("'recognition.fallback_eyes' must be null or"));
    CHECK_THAT(error_of(R"({"fallback_eyes": [1, 2, 1, 2]})"), Contains("two different places"));
    CHECK_THAT(error_of(R"({"gallery": "g"})"), Contains("'recognition.probes' must be given together"));
    CHECK_THAT(error_of(R"({"gallery": "g", "probes": ["p"], "permutations": {"count": 5}})"),
               Contains("'recognition.permutations.dataset' must be given"));
    CHECK_THAT(error_of(R"({"pairs": "p", "permutations": {"count": 5, "dataset": "d"}})"),
               Contains("'recognition.gallery' must be given"));
    CHECK_THAT(error_of(R"({"permutations": {"folds": 1}})"), Contains("'recognition.permutations.folds'"));
    CHECK_THAT(error_of(R"({"permutations": {"enrolled": 0}})"),
               Contains("'recognition.permutations.enrolled'"));
    CHECK(error_of(R"({"gallery": "g", "probes": ["g"], "permutations": {"count": 5}})") == "no error");
}
