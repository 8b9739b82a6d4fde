#include "lib/json/field.hpp"

#include <fstream>
#include <set>

#include <catch2/catch.hpp>

#include "lib/config/config.hpp"
#include "lib/core/error.hpp"
#include "lib/json/field_json.hpp"
#include "lib/json/json.hpp"
#include "tests/support/sources.hpp"
#include "tests/support/struct_members.hpp"

using namespace fovea;
using Catch::Matchers::Equals;

namespace {

RunConfig defaults_of_run() {
    RunConfig config;
    config.detectors.emplace_back();
    return config;
}

// The faults of a file that is to hold every field with its default, one sentence for each field.
std::vector<std::string> differences(const Json& file, const Json& defaults) {
    const Json found = file.flatten();
    const Json expected = defaults.flatten();
    std::vector<std::string> sentences;
    for (const auto& [key, value] : expected.items()) {
        if (!found.contains(key)) {
            sentences.push_back("the file lacks " + key);
        } else if (found[key] != value) {
            sentences.push_back(key + " is " + found[key].dump() + ", but the default is " + value.dump());
        }
    }
    for (const auto& [key, value] : found.items()) {
        if (!expected.contains(key)) sentences.push_back("no configuration has the field " + key);
    }
    return sentences;
}

template <class Config>
std::size_t fields_in() {
    Config config;
    std::set<std::string> members;
    for (const DescribedField& field : all_fields(fields_of(config))) {
        members.insert(field.key.substr(0, field.key.find('.')));
    }
    return members.size();
}

std::string error_of(const Json& json) {
    try {
        run_config_from_json(json);
    } catch (const UsageError& error) {
        return error.what();
    }
    return "no error";
}

// The fault of a field's value: the key's path, the range, and the value.
std::string range_error(const DescribedField& field, const std::string& element, const Json& value) {
    return "'" + field.key + element + "' must be " + field.field.range.expected + ", but is " + value.dump();
}

}  // namespace

TEST_CASE("configs/default.json differs from no default", "[config][field]") {
    std::ifstream stream(test::source_file("configs/default.json"));
    CHECK(differences(Json::parse(stream), run_config_to_json(defaults_of_run())) ==
          std::vector<std::string>{});
}

TEST_CASE("every member of a configuration's structs is described", "[config][field]") {
    // Whether the commands of a list may be run is for the command's line alone.
    CHECK(fields_in<DatasetConfig>() == test::members_of<DatasetConfig>() - 1);
    CHECK(fields_in<ImageConfig>() == test::members_of<ImageConfig>());
    CHECK(fields_in<DetectorOptions>() == test::members_of<DetectorOptions>());
    CHECK(fields_in<DetectorConfig>() ==
          test::members_of<DetectorConfig>() - 1 + test::members_of<DetectorOptions>());
    // "protocol" is that of the options, or of the dataset.
    CHECK(fields_in<EvaluationConfig>() ==
          test::members_of<EvaluationConfig>() - 2 + test::members_of<DetectionEvaluationOptions>());
    CHECK(fields_in<ReportConfig>() == test::members_of<ReportConfig>());
    CHECK(fields_in<LandmarkConfig>() == test::members_of<LandmarkConfig>());
    // The choice of faces is the command's.
    CHECK(fields_in<FaceFinderConfig>() == test::members_of<FaceFinderConfig>() - 1);
    // The finder's fields stand among the others; those of permutations, the dataset among them, in an
    // object.
    CHECK(fields_in<RecognitionConfig>() ==
          test::members_of<RecognitionConfig>() - 2 + fields_in<FaceFinderConfig>());
    // The defaults list no detector, and the file that a configuration was read from is no field.
    CHECK(fields_in<RunConfig>() == test::members_of<RunConfig>() - 2);
}

TEST_CASE("a run refuses every number that is out of its field's range", "[config][field]") {
    RunConfig config = defaults_of_run();
    const Json defaults = run_config_to_json(config);
    std::size_t checked = 0;
    for (const DescribedField& field : all_fields(fields_of(config))) {
        const FieldRange& range = field.field.range;
        if (range.expected.empty() || std::holds_alternative<std::size_t*>(field.value)) continue;
        CAPTURE(field.key);
        const bool is_list = std::holds_alternative<std::vector<int>*>(field.value) ||
                             std::holds_alternative<std::vector<double>*>(field.value);
        for (const double outside : {range.min - 1, range.max + 1}) {
            if (std::isinf(outside)) continue;
            // A JSON pointer: /detectors/0/step.
            std::string place = "/" + field.key;
            std::replace(place.begin(), place.end(), '.', '/');
            if (const std::size_t at = place.find("[0]"); at != std::string::npos) place.replace(at, 3, "/0");
            const bool is_integer = std::holds_alternative<int*>(field.value) ||
                                    std::holds_alternative<std::vector<int>*>(field.value);
            const Json number = is_integer ? Json(static_cast<int>(outside)) : Json(outside);
            Json json = defaults;
            REQUIRE(json.contains(Json::json_pointer(place)));
            json[Json::json_pointer(place)] = is_list ? Json::array({number}) : number;
            if (range.contains(outside)) continue;
            CHECK_THAT(error_of(json), Equals(range_error(field, is_list ? "[0]" : "", number)));
            ++checked;
        }
    }
    CHECK(checked > 20);
}

TEST_CASE("ranges hold their limits or not, as their words say", "[config][field]") {
    const auto holds = [](const FieldRange& range, std::vector<double> values) {
        std::vector<bool> results;
        for (const double value : values) results.push_back(range.contains(value));
        return results;
    };
    const std::vector<double> values{-1, 0, 0.5, 1, 2, std::nan("")};
    CHECK(holds(FieldRange{}, values) == std::vector<bool>{true, true, true, true, true, true});
    CHECK(holds(between(0, 1), values) == std::vector<bool>{false, true, true, true, false, false});
    CHECK(holds(from_to(0, 1), values) == std::vector<bool>{false, true, true, true, false, false});
    CHECK(holds(inside(0, 1), values) == std::vector<bool>{false, false, true, false, false, false});
    CHECK(holds(above_at_most(0, 1), values) == std::vector<bool>{false, false, true, true, false, false});
    CHECK(holds(at_least_below(0, 1), values) == std::vector<bool>{false, true, true, false, false, false});
    CHECK(holds(at_least(1), values) == std::vector<bool>{false, false, false, true, true, false});
    CHECK(holds(above(0), values) == std::vector<bool>{false, false, true, true, true, false});
    CHECK(holds(zero_or("none", between(1, 2)), values) ==
          std::vector<bool>{false, true, false, true, true, false});
    CHECK_FALSE(above(0).contains(std::numeric_limits<double>::infinity()));
    CHECK(between(0, 1024, "all cores").expected == "between 0 (all cores) and 1024");
    CHECK(inside(0.5, 3).expected == "between 0.5 and 3");
    CHECK(from_to(8, 4096, "pixels").expected == "8 to 4096 pixels");
    CHECK(above_at_most(0, 1e6).expected == "above 0 and at most 1000000");
    CHECK(at_least_below(0, 1).expected == "at least 0 and below 1");
    CHECK(at_least(100).expected == "at least 100");
    CHECK(above(0).expected == "above 0");
    CHECK(zero_or("none", between(2, 1e6)).expected == "0 (none), or between 2 and 1000000");
}
