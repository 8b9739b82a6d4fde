#include "lib/train/mct/train_mct.hpp"

#include "kernels/mct/mct_engine.hpp"
#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/files/find_model.hpp"
#include "lib/files/sha256.hpp"
#include "lib/json/field_json.hpp"
#include "lib/train/checkpoint.hpp"
#include "lib/train/mct/training_report.hpp"

namespace fovea {

namespace {

// The paths of a configuration are this machine's: a model is the same wherever its data lies.
Json settings_of(const TrainConfig& config) {
    Json json = json_of(config);
    for (const char* key : {"strips", "datasets", "backgrounds"}) json.erase(key);
    Json strips = Json::array();
    for (const TileStrip& strip : config.strips) {
        strips.push_back({{"tile", strip.tile}, {"x", strip.x}, {"y", strip.y}, {"side", strip.side}});
    }
    json["strip_windows"] = strips;
    const std::string& cleaner = config.negatives.portraits_cleaned_by;
    if (!cleaner.empty()) json["negatives"]["portraits_cleaned_by"] = sha256_of_file(find_model(cleaner));
    return json;
}

void save(const TrainJob& job, const Checkpoint& checkpoint, TrainingState state) {
    // Without a look-up there is nothing to go on from, and a model has at least one.
    if (job.checkpoint.empty() || state.cascade.lookups.empty()) return;
    MctModel model;
    model.name = job.config.name;
    model.cascade = state.cascade;
    model.face = {0, 0, MctCascade::window, MctCascade::window};
    checkpoint.write(fields_of(state), mct_model_text(model, job.checkpoint.string()));
}

TrainingState resumed(const TrainJob& job, const Checkpoint& checkpoint) {
    TrainingState state;
    if (const std::optional<std::string> model = checkpoint.resume(fields_of(state))) {
        state.cascade = parse_mct_model(*model, job.checkpoint.string()).cascade;
        checkpoint.tell_resumed(counted(state.cascade.lookups.size(), "look-up"));
    }
    return state;
}

// The face's box in a window: centred, as patches are cut.
Box face_in_window(double window_over_face) {
    const double side = MctCascade::window / window_over_face;
    const double edge = (MctCascade::window - side) / 2;
    return {edge, edge, side, side};
}

std::unique_ptr<CascadeEngine> make_engine(const MctCascade& cascade, const DetectionDevice& device) {
    return device.is_cuda() ? make_cuda_engine(cascade, device.gpus) : make_cpu_engine(cascade);
}

MctTrainingResult train_in_arena(const TrainJob& job, const JobHooks& hooks) {
    MctTrainingResult outcome;
    Stopwatch watch = begin_timed(hooks, "reading");
    TrainingData data = load_training_data(job.config, hooks.counter("images"));
    check_training_outputs(job, data.inputs);
    outcome.data = data.manifest;
    outcome.load_seconds = watch.seconds();

    watch = begin_timed(hooks, "training");
    const Checkpoint checkpoint(job, "mct", settings_of(job.config), data.manifest);
    const auto engine_maker = [&](const MctCascade& cascade) { return make_engine(cascade, job.device); };
    TrainingState state = train_cascade(
        job.config, data, resumed(job, checkpoint), hooks,
        [&](const TrainingState& now) { save(job, checkpoint, now); }, engine_maker);
    outcome.train_seconds = watch.seconds();
    outcome.steps = state.steps;

    watch = begin_timed(hooks, "validating");
    outcome.model.name = job.config.name;
    outcome.model.cascade = std::move(state.cascade);
    outcome.model.face = face_in_window(job.config.window_over_face);
    const MctDetector detector(outcome.model, engine_maker);
    outcome.validation = validate_model(detector, data.validation_images, hooks.counter("images"));
    outcome.model.confidence = calibrate(outcome.validation);
    outcome.validate_seconds = watch.seconds();
    Json mined = Json::array();
    for (const TrainingStep& step : outcome.steps) {
        if (step.windows_searched > 0) mined.push_back(json_of(step));
    }
    outcome.model.training = {{"settings", settings_of(job.config)},
                              {"data", data.manifest},
                              {"mining", mined},
                              {"validation", validation_to_json(outcome.validation)}};
    write_mct_model(outcome.model, job.out);
    finish_training(job, [&] {
        hooks.begin_stage("report");
        report::write_training_report({job.report, data.inputs}, outcome, data);
    });
    return outcome;
}

}  // namespace

MctTrainingResult train_mct(const TrainJob& job, const JobHooks& hooks) {
    validate_train_config(job.config);
    return run_training_job(job, [&] { return train_in_arena(job, hooks); });
}

}  // namespace fovea
