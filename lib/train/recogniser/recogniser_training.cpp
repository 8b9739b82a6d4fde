#include "lib/train/recogniser/recogniser_training.hpp"

#include "lib/job/job_images.hpp"
#include "lib/json/field.hpp"

namespace fovea {

void describe(FieldVisitor& visitor, RecogniserTrainConfig& config, const RecogniserTrainingHelp& help) {
    visitor.object("dataset",
                   [&](FieldVisitor& members) { describe(members, config.dataset, help.dataset); });
    visitor.value({.key = "recogniser",
                   .flag = {.name = "--recogniser",
                            .type = "RECOGNISER",
                            .group = "Training",
                            .help = help.recogniser,
                            .shows_default = true},
                   .is_path = true},
                  &config.recogniser);
    describe(visitor, config.finder);
}

RecogniserTrainingData::RecogniserTrainingData(const RecogniserTrainConfig& config,
                                               const RecogniserConfig& recogniser_config,
                                               const TextTrainingJob& job)
    : recogniser(recogniser_config, job.device),
      finder(config.finder, job.device),
      dataset(read_configured_dataset(config.dataset)),
      dataset_path(config.dataset.path) {
    inputs.add(find_recogniser(config.recogniser));
    finder.add_inputs(inputs);
    add_inputs(dataset, inputs);
    check_training_outputs(job, inputs);
}

DescribedDataset RecogniserTrainingData::describe(int threads, const JobHooks& hooks,
                                                  DescribedImages& outcome) const {
    hooks.begin_stage("describing faces");
    DescribedDataset described =
        describe_dataset(dataset, finder.finder(), recogniser, {.threads = threads, .hooks = hooks});
    outcome.images = described.outcome.images;
    outcome.faces = described.outcome.faces;
    outcome.fallbacks = described.fallbacks;
    outcome.interrupted = described.outcome.interrupted;
    for (const FaceFailure& failure : described.outcome.failures) {
        outcome.failures.push_back(
            {dataset_path, dataset.samples[failure.sample].image, failure.reason, failure.unreadable});
    }
    return described;
}

}  // namespace fovea
