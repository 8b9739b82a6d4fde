#include "lib/train/landmarks/train_landmarks.hpp"

#include <spdlog/spdlog.h>

#include "kernels/core/stopwatch.hpp"
#include "lib/core/text.hpp"
#include "lib/core/threads.hpp"
#include "lib/files/folder.hpp"
#include "lib/json/field_json.hpp"
#include "lib/train/checkpoint.hpp"
#include "lib/train/landmarks/landmark_training_report.hpp"

namespace fovea {
namespace {

// The paths of a configuration are this machine's: a model is the same wherever its data lies. The data's
// manifest says which datasets and detectors there were.
Json settings_of(const LandmarkTrainConfig& config) {
    Json json = json_of(config);
    json.erase("datasets");
    json["boxes"].erase("detectors");
    return json;
}

// An error, which is 0 where there is no face and then null in files.
JsonValue nme_value(double& nme) {
    return {[&nme] { return nme > 0 ? Json(nme) : Json(nullptr); },
            [&nme](const JsonPlace& place) { nme = place.json().is_null() ? 0 : place.number(); }};
}

// \param sources see LandmarkTrainingResult::sources
void describe_level(FieldVisitor& visitor, LandmarkLevel& level, const std::vector<std::string>& sources) {
    level.validation_nme.resize(sources.size());
    visitor.value({.key = "training_nme"}, &level.training_nme);
    visitor.object("validation_nme", [&](FieldVisitor& members) {
        for (std::size_t i = 0; i < sources.size(); ++i)
            members.value({.key = sources[i].c_str()}, nme_value(level.validation_nme[i]));
    });
    visitor.value({.key = "clipped"}, &level.clipped);
}

class Run {
  public:
    Run(const LandmarkTrainJob& job, const LandmarkTrainRunHooks& hooks) : job_(job), hooks_(hooks) {}

    LandmarkTrainingResult train() {
        Stopwatch watch = begin("reading");
        LandmarkTrainingData data = load_landmark_training_data(job_.config, hooks_.progress);
        check_training_outputs(job_, data.inputs);
        outcome_.faces = data.faces.size();
        outcome_.validation_faces = data.validation_faces.size();
        outcome_.unreadable = data.unreadable;
        for (const BoxErrorSource& source : data.sources) outcome_.sources.push_back(source.name);
        outcome_.load_seconds = watch.seconds();

        watch = begin("training");
        LandmarkTrainerHooks trainer;
        trainer.tree = hooks_.progress;
        trainer.level = [&](const LandmarkTrainingState& state) {
            if (hooks_.level) hooks_.level(state.levels.back(), state.cascades.size());
            if (!job_.checkpoint.empty()) write_checkpoint_of(data, state);
        };
        LandmarkTrainingState state =
            train_landmark_cascades(job_.config, data, checkpoint_of(data), trainer);
        outcome_.train_seconds = watch.seconds();
        outcome_.levels = state.levels;
        outcome_.landmarks = landmarks_of(data, state,
                                          {{"data", data.manifest},
                                           {"settings", settings_of(job_.config)},
                                           {"levels", levels_json(state)}});
        write_quantised_model(outcome_.landmarks, job_.out);
        finish_training(job_, [&] {
            begin("report");
            report::write_landmark_training_report({job_.report, data.inputs}, outcome_);
        });
        return std::move(outcome_);
    }

  private:
    Stopwatch begin(const std::string& stage) const {
        if (hooks_.stage) hooks_.stage(stage);
        return Stopwatch();
    }

    Json levels_json(const LandmarkTrainingState& state) const {
        Json levels = Json::array();
        for (const LandmarkLevel& level : state.levels) {
            levels.push_back(landmark_level_to_json(level, outcome_.sources));
        }
        return levels;
    }

    TrainedLandmarks landmarks_of(const LandmarkTrainingData& data, const LandmarkTrainingState& state,
                                  const Json& training) const {
        TrainedLandmarks landmarks;
        landmarks.name = job_.config.name;
        landmarks.model = untrained_landmarks(job_.config, data);
        landmarks.model.cascades = state.cascades;
        landmarks.training = training;
        return landmarks;
    }

    // The part of a checkpoint besides its cascades.
    void describe_state(FieldVisitor& visitor, const Json& settings, const Json& data,
                        std::vector<LandmarkLevel>& levels) const {
        describe_training(visitor, job_.checkpoint, settings, data);
        visitor.objects("levels",
                        list_of<LandmarkLevel>(levels, [&](FieldVisitor& members, LandmarkLevel& level) {
                            describe_level(members, level, outcome_.sources);
                        }));
    }

    // A checkpoint is a model that is not finished, with what the training needs to go on: random numbers
    // need nothing, as they are named by cascade, tree and node.
    void write_checkpoint_of(const LandmarkTrainingData& data, const LandmarkTrainingState& state) const {
        const Json settings = settings_of(job_.config);
        std::vector<LandmarkLevel> levels = state.levels;
        Json training;
        training["checkpoint"] = write_fields(
            [&](FieldVisitor& visitor) { describe_state(visitor, settings, data.manifest, levels); });
        write_checkpoint(job_.checkpoint, quantised_model_bytes(landmarks_of(data, state, training)));
    }

    LandmarkTrainingState checkpoint_of(const LandmarkTrainingData& data) const {
        if (!job_.resume || !is_file(job_.checkpoint)) return {};
        const TrainedLandmarks found =
            parse_quantised_model(read_checkpoint(job_.checkpoint), job_.checkpoint.string());
        const Json settings = settings_of(job_.config);
        LandmarkTrainingState state;
        read_fields(
            JsonPlace(found.training, job_.checkpoint.string(), "training")["checkpoint"],
            [&](FieldVisitor& visitor) { describe_state(visitor, settings, data.manifest, state.levels); },
            Absent::is_error);
        state.cascades = found.model.cascades;
        spdlog::info("going on from {} with {}", job_.checkpoint.string(),
                     counted(state.cascades.size(), "cascade"));
        return state;
    }

    const LandmarkTrainJob& job_;
    const LandmarkTrainRunHooks& hooks_;
    LandmarkTrainingResult outcome_;
};

}  // namespace

Json landmark_level_to_json(LandmarkLevel level, const std::vector<std::string>& sources) {
    return write_fields([&](FieldVisitor& visitor) { describe_level(visitor, level, sources); });
}

LandmarkTrainingResult train_landmarks(const LandmarkTrainJob& job, const LandmarkTrainRunHooks& hooks) {
    validate_landmark_train_config(job.config);
    check_training_report(job.report);
    ThreadLimit threads(job.threads);
    LandmarkTrainingResult outcome;
    threads.run([&] { outcome = Run(job, hooks).train(); });
    return outcome;
}

}  // namespace fovea
