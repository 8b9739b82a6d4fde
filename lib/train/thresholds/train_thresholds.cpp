#include "lib/train/thresholds/train_thresholds.hpp"

#include <spdlog/fmt/fmt.h>

#include "lib/core/text.hpp"
#include "lib/files/model_file.hpp"
#include "lib/json/field_json.hpp"
#include "lib/json/json_text.hpp"

namespace fovea {
namespace fs = std::filesystem;

ThresholdTrainingResult train_thresholds(const ThresholdTraining& training, const DetectionDevice& device,
                                         const JobHooks& hooks) {
    hooks.begin_stage("describing faces");
    const DescribedDataset described =
        describe_dataset(*training.dataset, training.finder, *training.recogniser,
                         {.threads = training.threads, .hooks = hooks});
    ThresholdTrainingResult outcome{images_of(described), {}};
    if (outcome.interrupted) return outcome;
    hooks.begin_stage("comparing faces");
    DistancesOfPeople distances =
        distances_of_people(*training.dataset, described, *training.recogniser, device, training.max_pairs);
    std::string origin = fmt::format("pairs among {} of {}", counted(outcome.faces, "face"),
                                     name_without_place(*training.dataset));
    if (!training.recogniser->config().fold_weights.empty()) {
        origin += ", with weights that have not seen their subjects";
    }
    outcome.thresholds =
        far_thresholds(std::move(distances.impostors), std::move(distances.genuine), std::move(origin));
    return outcome;
}

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

}  // namespace fovea
