#include "lib/train/cascade/train_cascade_job.hpp"

#include <system_error>

#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>

#include "kernels/core/device.hpp"
#include "kernels/core/stopwatch.hpp"
#include "kernels/haar_lbp/haar_lbp_engine.hpp"
#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/core/threads.hpp"
#include "lib/detect/cascade_xml.hpp"
#include "lib/files/command_files.hpp"
#include "lib/files/file.hpp"
#include "lib/files/folder.hpp"
#include "lib/files/staged_files.hpp"
#include "lib/json/json_text.hpp"
#include "lib/train/cascade/cascade_report.hpp"

namespace fovea {
namespace {

// The paths of a configuration are this machine's: a cascade is the same wherever its data lies.
Json settings_of(const CascadeTrainConfig& config) {
    Json json = cascade_config_to_json(config);
    for (const char* key : {"positives", "strips", "backgrounds"}) json.erase(key);
    json["positives"] = config.positives.size();
    Json strips = Json::array();
    for (const SampleStrip& strip : config.strips)
        strips.push_back({{"tile_height", strip.tile_height}, {"margin", strip.margin}});
    json["strips"] = std::move(strips);
    return json;
}

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

Json stages_to_json(const std::vector<CascadeStageResult>& stages) {
    Json list = Json::array();
    for (const CascadeStageResult& stage : stages) list.push_back(cascade_stage_to_json(stage));
    return list;
}

void write_checkpoint(const CascadeTrainJob& job, const CascadeTrainerResult& result, const Json& data) {
    const Json checkpoint = {{"fovea_cascade_checkpoint", 1},
                             {"settings", settings_of(job.config)},
                             {"data", data},
                             {"stages", stages_to_json(result.stages)},
                             {"cascade", cascade_xml(result.cascade, xml_info(job.config))}};
    replace_file(job.checkpoint, checkpoint.dump(1) + "\n");
}

/// The cascade of a file, with thresholds as the file has them.
Cascade unread(Cascade cascade, const std::vector<CascadeStageResult>& stages) {
    for (std::size_t s = 0; s < cascade.stages.size(); ++s) cascade.stages[s].threshold = stages[s].threshold;
    return cascade;
}

CascadeTrainerResult read_checkpoint(const CascadeTrainJob& job, const WindowFeatures& pool,
                                     const Json& data) {
    if (!job.resume || !is_file(job.checkpoint)) return {};
    const std::string text = read_file(job.checkpoint, "checkpoint");
    allow_replacing(job.checkpoint);
    CascadeTrainerResult result;
    try {
        const Json checkpoint = parse_json(text);
        if (checkpoint.at("settings") != settings_of(job.config) || checkpoint.at("data") != data) {
            throw UsageError(
                "The checkpoint " + job.checkpoint.string() +
                " is of other settings or other data; remove it, or name another one, to begin anew.");
        }
        for (const Json& stage : checkpoint.at("stages")) result.stages.push_back(stage_from_json(stage));
        const std::string xml = checkpoint.at("cascade").get<std::string>();
        result.cascade = parse_cascade({xml.data(), xml.size()}, job.checkpoint.string());
    } catch (const Json::exception&) {
        throw UsageError(job.checkpoint.string() + " is no checkpoint of a cascade; name another file.");
    }
    if (result.cascade.stages.size() != result.stages.size() || result.cascade.feature != pool.kind ||
        result.cascade.window != pool.window) {
        throw UsageError(job.checkpoint.string() + " is damaged: its stages do not fit its cascade.");
    }
    result.cascade = unread(std::move(result.cascade), result.stages);
    spdlog::info("going on from {} with {}", job.checkpoint.string(), counted(result.stages.size(), "stage"));
    return result;
}

/// Without times: the same training writes the same bytes.
Json stages_for_manifest(const std::vector<CascadeStageResult>& stages) {
    Json list = stages_to_json(stages);
    for (Json& stage : list) {
        for (const char* key : {"mining_seconds", "bin_seconds", "boosting_seconds"}) stage.erase(key);
    }
    return list;
}

std::filesystem::path manifest_path(const std::filesystem::path& out) {
    return std::filesystem::path(out).replace_extension(".training.json");
}

void write_cascade(const CascadeTrainJob& job, const CascadeTrainResult& result) {
    const Cascade& cascade = result.training.cascade;
    const std::string xml =
        job.old_format ? old_cascade_xml(cascade, "haarcascade") : cascade_xml(cascade, xml_info(job.config));
    replace_file(job.out, xml);
    const Json manifest = {{"name", job.config.name},
                           {"settings", settings_of(job.config)},
                           {"data", result.data},
                           {"stages", stages_for_manifest(result.training.stages)},
                           {"end", reason_of_end(result.training, job.config)}};
    replace_file(manifest_path(job.out), manifest.dump(2) + "\n");
}

CascadeTrainResult train_in_arena(const CascadeTrainJob& job, const CascadeTrainHooks& hooks) {
    const auto begin = [&](const std::string& stage) {
        if (hooks.stage) hooks.stage(stage);
        return Stopwatch();
    };
    CascadeTrainResult result;
    Stopwatch watch = begin("reading");
    CascadeData data = load_cascade_data(job.config, job.threads, hooks.progress);
    result.data = data.manifest;
    result.load_seconds = watch.seconds();

    watch = {};
    const WindowFeatures pool = features_of(job.config);
    CascadeTrainerHooks trainer;
    const Device device = job.device.is_cuda() ? Device::cuda(job.device.gpus.front()) : Device::cpu();
    trainer.device = &device;
    trainer.make_engine = [&](const Cascade& cascade) {
        return job.device.is_cuda() ? make_cuda_engine(cascade, job.device.gpus) : make_cpu_engine(cascade);
    };
    trainer.stage = hooks.stage;
    trainer.progress = hooks.progress;
    trainer.done = [&](const CascadeTrainerResult& so_far) {
        if (!job.checkpoint.empty()) write_checkpoint(job, so_far, data.manifest);
        if (hooks.stage_done) hooks.stage_done(so_far);
    };
    result.training = train_cascade(pool, data.take_samples(), trainer_settings(job.config), trainer,
                                    read_checkpoint(job, pool, data.manifest));
    result.train_seconds = watch.seconds();
    if (result.training.stages.empty()) {
        throw Error("no stage could be trained: " + reason_of_end(result.training, job.config));
    }
    write_cascade(job, result);
    // A training that is done leaves nothing to go on from.
    std::error_code ignored;
    if (!job.checkpoint.empty()) std::filesystem::remove(job.checkpoint, ignored);
    if (!job.report.empty()) {
        begin("report");
        report::write_cascade_report(job.report, job, result, data.positives);
    }
    return result;
}

}  // namespace

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

std::string reason_of_end(const CascadeTrainerResult& result, const CascadeTrainConfig& config) {
    const std::size_t next = result.stages.size() + 1;
    switch (result.end) {
        case TrainingEnd::all_stages:
            return {};
        case TrainingEnd::no_negatives:
            return fmt::format(
                "the backgrounds have {} left that pass {}, and stage {} needs {} or more: it is done, or "
                "add backgrounds",
                counted(result.negatives_left, "window"),
                result.stages.empty() ? "the check of contrast"
                                      : "all of " + counted(result.stages.size(), "stage"),
                next, least_negatives(config.stages));
        case TrainingEnd::no_positives:
            if (result.stages.empty()) {
                return fmt::format(
                    "all {} lack contrast (deviation of 10 grey levels or less), and Haar cascades never "
                    "find "
                    "such; train on LBP features",
                    counted(result.flat_positives, "positive"));
            }
            return fmt::format("no positive is left for stage {}", next);
        case TrainingEnd::no_split:
            return fmt::format("no feature separates the samples of stage {}", next);
    }
    return {};
}

CascadeTrainResult train_cascade_job(const CascadeTrainJob& job, const CascadeTrainHooks& hooks) {
    validate_cascade_config(job.config);
    if (job.old_format && (job.config.features == FeatureChoice::lbp))
        throw UsageError("the older format has no LBP cascades; leave out --old-format");
    refuse_clashes(std::vector<PlannedOutput>{
        {job.out, "cascade"}, {manifest_path(job.out), "manifest"}, {job.checkpoint, "checkpoint"}});
    ThreadLimit threads(job.threads);
    CascadeTrainResult result;
    threads.run([&] { result = train_in_arena(job, hooks); });
    return result;
}

}  // namespace fovea
