#include "lib/train/landmarks/train_landmarks.hpp"

#include "lib/core/text.hpp"
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

class Run {
  public:
    Run(const LandmarkTrainJob& job, const JobHooks& hooks) : job_(job), hooks_(hooks) {}

    LandmarkTrainingResult train() {
        Stopwatch watch = begin_timed(hooks_, "reading");
        LandmarkTrainingData data = load_landmark_training_data(job_.config, hooks_.counter("images"));
        check_training_outputs(job_, data.inputs);
        outcome_.faces = data.faces.size();
        outcome_.validation_faces = data.validation_faces.size();
        outcome_.unreadable = data.unreadable;
        outcome_.sources = source_names(data);
        outcome_.load_seconds = watch.seconds();

        watch = begin_timed(hooks_, "training");
        const Checkpoint checkpoint(job_, "landmarks", settings_of(job_.config), data.manifest);
        LandmarkTrainingState state =
            train_landmark_cascades(job_.config, data, resumed(checkpoint), hooks_,
                                    [&](const LandmarkTrainingState& now) { save(checkpoint, data, now); });
        outcome_.train_seconds = watch.seconds();
        outcome_.levels = state.levels;
        outcome_.landmarks = landmarks_of(data, state,
                                          {{"data", data.manifest},
                                           {"settings", settings_of(job_.config)},
                                           {"levels", levels_json(state)}});
        write_quantised_model(outcome_.landmarks, job_.out);
        finish_training(job_, [&] {
            hooks_.begin_stage("report");
            report::write_landmark_training_report({job_.report, data.inputs}, outcome_);
        });
        return std::move(outcome_);
    }

  private:
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

    // The part of a checkpoint besides its cascades. Random numbers need nothing: they are named by cascade,
    // tree and node.
    DescribeFields fields_of_state(std::vector<LandmarkLevel>& levels) const {
        return [&](FieldVisitor& visitor) {
            visitor.objects("levels",
                            list_of<LandmarkLevel>(levels, [&](FieldVisitor& members, LandmarkLevel& level) {
                                describe(members, level, outcome_.sources);
                            }));
        };
    }

    void save(const Checkpoint& checkpoint, const LandmarkTrainingData& data,
              const LandmarkTrainingState& state) const {
        if (job_.checkpoint.empty()) return;
        std::vector<LandmarkLevel> levels = state.levels;
        checkpoint.write(fields_of_state(levels), quantised_model_bytes(landmarks_of(data, state, nullptr)));
    }

    LandmarkTrainingState resumed(const Checkpoint& checkpoint) const {
        LandmarkTrainingState state;
        if (const std::optional<std::string> model = checkpoint.resume(fields_of_state(state.levels))) {
            state.cascades = parse_quantised_model(*model, job_.checkpoint.string()).model.cascades;
            checkpoint.tell_resumed(counted(state.cascades.size(), "cascade"));
        }
        return state;
    }

    const LandmarkTrainJob& job_;
    const JobHooks& hooks_;
    LandmarkTrainingResult outcome_;
};

}  // namespace

LandmarkTrainingResult train_landmarks(const LandmarkTrainJob& job, const JobHooks& hooks) {
    validate_landmark_train_config(job.config);
    return run_training_job(job, [&] { return Run(job, hooks).train(); });
}

}  // namespace fovea
