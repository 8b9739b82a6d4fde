#include "lib/train/cascade/cascade_checkpoint.hpp"

#include <string>
#include <utility>

#include "lib/core/error.hpp"
#include "lib/detect/cascade_xml.hpp"
#include "lib/json/field_json.hpp"
#include "lib/json/names.hpp"
#include "lib/train/checkpoint.hpp"

namespace fovea {
namespace {

constexpr NameTable<TrainingEnd, 4> end_names{{"all_stages", "no_negatives", "no_positives", "no_split"},
                                              "is no end of a training"};

/// A result, and its cascade as a file has it.
struct StoredResult {
    CascadeTrainerResult result;
    std::string xml;
};

StoredResult stored(const CascadeTrainerResult& result, const CascadeTrainConfig& config) {
    return {result, result.stages.empty() ? "" : cascade_xml(result.cascade, xml_info(config))};
}

/// Stages and cascade; of a training that is done also why it ended.
void describe_result(FieldVisitor& visitor, StoredResult& stored, bool is_done) {
    CascadeTrainerResult& result = stored.result;
    visitor.objects("stages", list_of(result.stages));
    visitor.value({.key = "cascade", .presence = Presence::optional}, &stored.xml);
    if (!is_done) return;
    visitor.value({.key = "end"}, named(result.end, end_names));
    visitor.value({.key = "negatives_left"}, &result.negatives_left);
    visitor.value({.key = "flat_positives"}, &result.flat_positives);
}

/// All that a checkpoint holds.
struct StoredTraining {
    const std::filesystem::path& file;
    const Json settings;
    const Json& data;
    const bool is_sweep;
    StoredResult current{};
    std::vector<StoredResult> done{};
};

void describe_checkpoint(FieldVisitor& visitor, StoredTraining& training) {
    int version = 1;
    visitor.value({.key = "fovea_cascade_checkpoint"}, integer_value(version, version, version));
    describe_training(visitor, training.file, training.settings, training.data);
    describe_result(visitor, training.current, false);
    if (!training.is_sweep) return;
    visitor.objects("done",
                    list_of<StoredResult>(training.done, [](FieldVisitor& members, StoredResult& done) {
                        describe_result(members, done, true);
                    }));
}

CascadeTrainerResult restored(StoredResult stored, const std::filesystem::path& file,
                              const WindowFeatures& pool) {
    CascadeTrainerResult& result = stored.result;
    if (result.stages.empty() && stored.xml.empty()) return std::move(result);
    result.cascade = parse_cascade({stored.xml.data(), stored.xml.size()}, file.string());
    if (result.cascade.stages.size() != result.stages.size() || result.cascade.feature != pool.kind ||
        result.cascade.window != pool.window) {
        throw UsageError(file.string() + " is damaged: its stages do not fit its cascade.");
    }
    // The thresholds become those of the file again: the reader lowers them.
    for (std::size_t s = 0; s < result.stages.size(); ++s)
        result.cascade.stages[s].threshold = result.stages[s].threshold;
    return std::move(result);
}

}  // namespace

Json settings_without_paths(const CascadeTrainConfig& config) {
    Json json = json_of(config);
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

void describe(FieldVisitor& visitor, CascadeStageResult& stage) {
    visitor.value({.key = "positives"}, &stage.positives);
    visitor.value({.key = "negatives"}, &stage.negatives);
    visitor.value({.key = "trees"}, &stage.trees);
    visitor.value({.key = "nodes"}, &stage.nodes);
    visitor.value({.key = "threshold"}, real_value(stage.threshold));
    visitor.value({.key = "hit_rate"}, &stage.hit_rate);
    visitor.value({.key = "false_alarm"}, &stage.false_alarm);
    visitor.value({.key = "training_hit_rate"}, &stage.training_hit_rate);
    visitor.value({.key = "training_false_alarm"}, &stage.training_false_alarm);
    visitor.value({.key = "lost_positives"}, &stage.lost_positives);
    visitor.value({.key = "windows_searched"}, &stage.windows_searched);
    visitor.value({.key = "pass_rate"}, &stage.pass_rate);
    visitor.value({.key = "ran_dry"}, &stage.ran_dry);
    visitor.value({.key = "mining_seconds"}, &stage.mining_seconds);
    visitor.value({.key = "bin_seconds"}, &stage.bin_seconds);
    visitor.value({.key = "boosting_seconds"}, &stage.boosting_seconds);
}

void write_cascade_checkpoint(const std::filesystem::path& file, const CascadeTrainConfig& config,
                              const Json& data, const CascadeCheckpoint& checkpoint) {
    StoredTraining training{file, settings_without_paths(config), data, !config.sweep.empty()};
    training.current = stored(checkpoint.current, config);
    for (const CascadeTrainerResult& result : checkpoint.done)
        training.done.push_back(stored(result, config));
    const Json json = write_fields([&](FieldVisitor& visitor) { describe_checkpoint(visitor, training); });
    write_checkpoint(file, json.dump(1) + "\n");
}

CascadeCheckpoint read_cascade_checkpoint(const std::filesystem::path& file, const CascadeTrainConfig& config,
                                          const WindowFeatures& pool, const Json& data) {
    StoredTraining training{file, settings_without_paths(config), data, !config.sweep.empty()};
    read_state(file, read_checkpoint(file),
               [&](FieldVisitor& visitor) { describe_checkpoint(visitor, training); });
    CascadeCheckpoint checkpoint;
    checkpoint.current = restored(std::move(training.current), file, pool);
    for (StoredResult& done : training.done) checkpoint.done.push_back(restored(std::move(done), file, pool));
    return checkpoint;
}

}  // namespace fovea
