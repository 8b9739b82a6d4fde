#include "lib/train/cascade/cascade_checkpoint.hpp"

#include <string>
#include <utility>

#include "lib/core/error.hpp"
#include "lib/detect/cascade_xml.hpp"
#include "lib/json/json_text.hpp"
#include "lib/train/checkpoint.hpp"

namespace fovea {
namespace {

CascadeStageResult stage_from_json(const Json& json) {
    CascadeStageResult stage;
    json.at("positives").get_to(stage.positives);
    json.at("negatives").get_to(stage.negatives);
    json.at("trees").get_to(stage.trees);
    json.at("nodes").get_to(stage.nodes);
    json.at("threshold").get_to(stage.threshold);
    json.at("hit_rate").get_to(stage.hit_rate);
    json.at("false_alarm").get_to(stage.false_alarm);
    json.at("training_hit_rate").get_to(stage.training_hit_rate);
    json.at("training_false_alarm").get_to(stage.training_false_alarm);
    json.at("lost_positives").get_to(stage.lost_positives);
    json.at("windows_searched").get_to(stage.windows_searched);
    json.at("pass_rate").get_to(stage.pass_rate);
    json.at("ran_dry").get_to(stage.ran_dry);
    json.at("mining_seconds").get_to(stage.mining_seconds);
    json.at("bin_seconds").get_to(stage.bin_seconds);
    json.at("boosting_seconds").get_to(stage.boosting_seconds);
    return stage;
}

constexpr std::pair<TrainingEnd, const char*> end_names[] = {{TrainingEnd::all_stages, "all_stages"},
                                                             {TrainingEnd::no_negatives, "no_negatives"},
                                                             {TrainingEnd::no_positives, "no_positives"},
                                                             {TrainingEnd::no_split, "no_split"}};

/// Stages and cascade; of a training that is done also why it ended.
Json result_to_json(const CascadeTrainerResult& result, const CascadeTrainConfig& config, bool is_done) {
    Json json = {{"stages", Json::array()}};
    for (const CascadeStageResult& stage : result.stages)
        json["stages"].push_back(cascade_stage_to_json(stage));
    if (!result.stages.empty()) json["cascade"] = cascade_xml(result.cascade, xml_info(config));
    if (!is_done) return json;
    for (const auto& [end, name] : end_names) {
        if (end == result.end) json["end"] = name;
    }
    json["negatives_left"] = result.negatives_left;
    json["flat_positives"] = result.flat_positives;
    return json;
}

CascadeTrainerResult result_from_json(const Json& json, const std::filesystem::path& file,
                                      const WindowFeatures& pool, bool is_done) {
    CascadeTrainerResult result;
    for (const Json& stage : json.at("stages")) result.stages.push_back(stage_from_json(stage));
    if (is_done) {
        const std::string end = json.at("end").get<std::string>();
        for (const auto& [value, name] : end_names) {
            if (end == name) result.end = value;
        }
        json.at("negatives_left").get_to(result.negatives_left);
        json.at("flat_positives").get_to(result.flat_positives);
    }
    if (result.stages.empty() && !json.contains("cascade")) return result;
    const std::string xml = json.at("cascade").get<std::string>();
    result.cascade = parse_cascade({xml.data(), xml.size()}, file.string());
    if (result.cascade.stages.size() != result.stages.size() || result.cascade.feature != pool.kind ||
        result.cascade.window != pool.window) {
        throw UsageError(file.string() + " is damaged: its stages do not fit its cascade.");
    }
    // The thresholds become those of the file again: the reader lowers them.
    for (std::size_t s = 0; s < result.stages.size(); ++s)
        result.cascade.stages[s].threshold = result.stages[s].threshold;
    return result;
}

}  // namespace

Json settings_without_paths(const CascadeTrainConfig& config) {
    Json json = cascade_config_to_json(config);
    for (const char* key : {"positives", "backgrounds"}) json.erase(key);
    json["positives"] = config.positives.size();
    json["test"]["positives"] = config.test.positives.size();
    json["test"]["backgrounds"] = config.test.backgrounds.size();
    Json strips = Json::array();
    for (Json strip : json.at("strips")) {
        strip.erase("path");
        strips.push_back(std::move(strip));
    }
    json["strips"] = std::move(strips);
    return json;
}

Json cascade_stage_to_json(const CascadeStageResult& stage) {
    return {{"positives", stage.positives},
            {"negatives", stage.negatives},
            {"trees", stage.trees},
            {"nodes", stage.nodes},
            {"threshold", stage.threshold},
            {"hit_rate", stage.hit_rate},
            {"false_alarm", stage.false_alarm},
            {"training_hit_rate", stage.training_hit_rate},
            {"training_false_alarm", stage.training_false_alarm},
            {"lost_positives", stage.lost_positives},
            {"windows_searched", stage.windows_searched},
            {"pass_rate", stage.pass_rate},
            {"ran_dry", stage.ran_dry},
            {"mining_seconds", stage.mining_seconds},
            {"bin_seconds", stage.bin_seconds},
            {"boosting_seconds", stage.boosting_seconds}};
}

void write_cascade_checkpoint(const std::filesystem::path& file, const CascadeTrainConfig& config,
                              const Json& data, const CascadeCheckpoint& checkpoint) {
    Json json = {
        {"fovea_cascade_checkpoint", 1}, {"settings", settings_without_paths(config)}, {"data", data}};
    json.update(result_to_json(checkpoint.current, config, false));
    if (!config.sweep.empty()) {
        json["done"] = Json::array();
        for (const CascadeTrainerResult& result : checkpoint.done)
            json["done"].push_back(result_to_json(result, config, true));
    }
    write_checkpoint(file, json.dump(1) + "\n");
}

CascadeCheckpoint read_cascade_checkpoint(const std::filesystem::path& file, const CascadeTrainConfig& config,
                                          const WindowFeatures& pool, const Json& data) {
    const std::string text = read_checkpoint(file);
    CascadeCheckpoint checkpoint;
    try {
        const Json json = parse_json(text);
        require_same_training(file, json, settings_without_paths(config), data);
        checkpoint.current = result_from_json(json, file, pool, false);
        if (config.sweep.empty()) return checkpoint;
        for (const Json& done : json.at("done"))
            checkpoint.done.push_back(result_from_json(done, file, pool, true));
    } catch (const Json::exception&) {
        throw UsageError(file.string() + " is no checkpoint of a cascade; name another file.");
    }
    return checkpoint;
}

}  // namespace fovea
