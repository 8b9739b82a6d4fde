#include "lib/train/thresholds/train_thresholds.hpp"

#include <spdlog/fmt/fmt.h>

#include "lib/core/text.hpp"
#include "lib/files/model_file.hpp"
#include "lib/json/field_json.hpp"
#include "lib/json/json_text.hpp"
#include "lib/train/data_sources.hpp"

namespace fovea {
namespace fs = std::filesystem;

namespace {

/// The text of a recogniser's file with thresholds in it; its other members stay as they are. \param folder
/// where the text will lie: if it is not the folder of `file`, a relative path of weights becomes absolute.
std::string recogniser_text_with(const FarThresholds& thresholds, const fs::path& file,
                                 const fs::path& folder) {
    const RecogniserConfig config = load_measured_recogniser(file.string());
    Json json = parse_json(read_model_file(file, "recogniser"));
    const bool moves = fs::weakly_canonical(folder.empty() ? fs::path(".") : folder) !=
                       fs::weakly_canonical(file.has_parent_path() ? file.parent_path() : fs::path("."));
    const bool names_file =
        json.contains("weights") && json["weights"].is_string() && json["weights"] != "ahonen";
    if (moves && names_file) {
        const fs::path weights = json["weights"].get<std::string>();
        if (weights.is_relative()) json["weights"] = fs::absolute(file.parent_path() / weights).string();
    }
    json.erase("thresholds");
    json["thresholds"] = {{"fingerprint", distance_fingerprint(config)}};
    json["thresholds"].update(json_of(thresholds));
    return indented_text(json) + "\n";
}

}  // namespace

void describe(FieldVisitor& visitor, ThresholdTrainConfig& config) {
    describe(visitor, config,
             {"Dataset with subjects, FORMAT:PATH or a path", "Recogniser to measure: a name or a file"});
}

void validate_threshold_train_config(const ThresholdTrainConfig& config) {
    require_dataset(config.dataset, "subjects");
    check_config("", config);
}

ThresholdTrainingResult train_thresholds(const ThresholdTrainJob& job, const JobHooks& hooks) {
    const fs::path file = find_recogniser(job.config.recogniser);
    const RecogniserTrainingData data(job.config, load_measured_recogniser(job.config.recogniser), job);
    ThresholdTrainingResult outcome;
    const DescribedDataset described = data.describe(job.threads, hooks, outcome);
    if (outcome.interrupted) return outcome;
    hooks.begin_stage("comparing faces");
    constexpr std::size_t max_pairs = 20'000'000;
    DistancesOfPeople distances =
        distances_of_people(data.dataset, described, data.recogniser, job.device, max_pairs);
    std::string origin =
        fmt::format("pairs among {} of {}", counted(outcome.faces, "face"), name_without_place(data.dataset));
    if (!data.recogniser.config().fold_weights.empty()) {
        origin += ", with weights that have not seen their subjects";
    }
    outcome.thresholds =
        far_thresholds(std::move(distances.impostors), std::move(distances.genuine), std::move(origin));
    publish_product(job, recogniser_text_with(outcome.thresholds, file, job.out.parent_path()), data.inputs);
    return outcome;
}

}  // namespace fovea
