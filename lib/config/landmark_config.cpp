#include "lib/config/landmark_config.hpp"

#include <algorithm>

#include "lib/config/config.hpp"
#include "lib/core/error.hpp"
#include "lib/json/json_fields.hpp"

namespace fovea {
namespace {

void read_sources(JsonFields& fields, std::vector<BoxSource>& sources) {
    std::vector<std::string> names;
    for (const BoxSource source : sources) names.push_back(to_string(source));
    fields.read("boxes", names);
    sources.clear();
    for (std::size_t i = 0; i < names.size(); ++i) {
        try {
            sources.push_back(box_source_from_string(names[i]));
        } catch (const UsageError& error) {
            throw UsageError("'" + fields.path_of("boxes") + "[" + std::to_string(i) + "]': " + error.what());
        }
    }
}

JitterConfig jitter_from_json(const Json& json, const std::string& path) {
    JitterConfig jitter;
    JsonFields fields(json, path);
    fields.read("enabled", jitter.enabled);
    fields.read("shifts", jitter.options.shifts);
    fields.read("scales", jitter.options.scales);
    fields.read("draws", jitter.options.draws);
    std::size_t seed = jitter.options.seed;
    fields.read("seed", seed);
    jitter.options.seed = seed;
    fields.finish();
    return jitter;
}

void validate_levels(const std::vector<double>& levels, const std::string& path, double least, double most,
                     const std::string& expected) {
    constexpr std::size_t max_levels = 100;
    require_field(levels.size() <= max_levels, path, "a list of at most 100 numbers");
    for (std::size_t i = 0; i < levels.size(); ++i) {
        const bool rises = i == 0 || levels[i] > levels[i - 1];
        require_field(levels[i] >= least && levels[i] <= most && rises, path + "[" + std::to_string(i) + "]",
                      expected + ", and larger than the one before");
    }
}

}  // namespace

std::string to_string(BoxSource source) {
    return source == BoxSource::detector ? "detector" : "truth";
}

BoxSource box_source_from_string(const std::string& name) {
    for (const BoxSource source : {BoxSource::detector, BoxSource::truth}) {
        if (name == to_string(source)) return source;
    }
    throw UsageError("there are no boxes '" + name + "': use detector or truth");
}

bool LandmarkConfig::uses(BoxSource source) const {
    return wanted() && std::find(boxes.begin(), boxes.end(), source) != boxes.end();
}

LandmarkConfig landmark_config_from_json(const Json& json, const std::string& path) {
    LandmarkConfig landmarks;
    JsonFields fields(json, path);
    fields.read("model", landmarks.model);
    read_sources(fields, landmarks.boxes);
    fields.read("convention", landmarks.convention);
    if (const Json* jitter = fields.find("jitter")) {
        landmarks.jitter = jitter_from_json(*jitter, fields.path_of("jitter"));
    }
    fields.finish();
    return landmarks;
}

Json landmark_config_to_json(const LandmarkConfig& config) {
    Json boxes = Json::array();
    for (const BoxSource source : config.boxes) boxes.push_back(to_string(source));
    return {{"model", escape_environment(config.model)},
            {"boxes", std::move(boxes)},
            {"convention", config.convention},
            {"jitter",
             {{"enabled", config.jitter.enabled},
              {"shifts", config.jitter.options.shifts},
              {"scales", config.jitter.options.scales},
              {"draws", config.jitter.options.draws},
              {"seed", config.jitter.options.seed}}}};
}

void validate_landmark_config(const LandmarkConfig& config, const std::string& path) {
    require_field(!config.boxes.empty(), path + ".boxes", "a list of detector, truth or both");
    const bool twice =
        config.boxes.size() > 2 || (config.boxes.size() == 2 && config.boxes[0] == config.boxes[1]);
    require_field(!twice, path + ".boxes", "a list that names each only once");
    require_field(!config.convention.empty(), path + ".convention", "auto, none or the name of a convention");
    const BoxJitterOptions& jitter = config.jitter.options;
    validate_levels(jitter.shifts, path + ".jitter.shifts", 0, 1, "between 0 and 1");
    validate_levels(jitter.scales, path + ".jitter.scales", 0.1, 10, "between 0.1 and 10");
    require_field(jitter.draws >= 1 && jitter.draws <= 1000, path + ".jitter.draws", "between 1 and 1000");
}

}  // namespace fovea
