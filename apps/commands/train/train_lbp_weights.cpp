#include "lib/train/lbp_weights/train_lbp_weights.hpp"

#include <algorithm>

#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>

#include "apps/commands/train/training_command.hpp"
#include "apps/options/recogniser_flags.hpp"
#include "lib/core/text.hpp"
#include "lib/numbers/number_text.hpp"

namespace fovea {
namespace {

constexpr const char* train_lbp_weights_footer = R"(Examples:
  fovea train lbp-weights --dataset lfw:DIR --recogniser mine.json --out lfw-weights.json
  fovea train lbp-weights --dataset lfw:DIR --folds 2,3,4,5 --recogniser mine.json --out weights.json
  fovea train lbp-weights --dataset feret:feret_training.srt --method rank --recogniser lbp --out weights.json

Learns a weight for each region of the faces that a recogniser describes. A recogniser uses the file as
"weights": "FILE", a path relative to its own folder. It must have the same face, normalisation and
features. Weights that it already has are not used.

logistic  learns all regions together from labelled pairs. If the pairs stand in folds, it also learns
          weights for every fold from the other folds; 'fovea evaluate verification' compares the pairs
          of that list with them.
rank      rates each region alone, as Ahonen, Hadid and Pietikäinen published. The rate is rank 1 among
          the images of the dataset, or the accuracy on its pairs. The rates of a region and its mirror
          image are averaged. Regions below the 0.2 percentile weigh 0, above the 0.9 percentile 4,
          above the 0.8 percentile 2, all others 1.

The weights are the same for every number of threads.)";

std::string summary_text(const WeightTrainingResult& outcome) {
    if (outcome.interrupted) return "interrupted: no weights were written\n";
    const std::vector<double>& weights = outcome.weights.weights;
    const auto unused = static_cast<std::size_t>(std::count(weights.begin(), weights.end(), 0.0));
    std::string text = fmt::format("weights of {}, {} of them 0: {}\n", counted(weights.size(), "region"),
                                   unused, outcome.weights.origin);
    std::vector<std::vector<std::string>> rows{
        {outcome.pairs > 0 ? "accuracy" : "rank 1", "all equal", "weighted"}};
    const auto add = [&](const std::string& name, const WeightFigures& figures) {
        rows.push_back({name, percent(figures.all_equal, 2), percent(figures.weighted, 2)});
    };
    if (outcome.other_folds) add("each fold, by the others", *outcome.other_folds);
    add("on the data learned from", outcome.training);
    return text + format_table(rows);
}

Json figures_json(const WeightFigures& figures) {
    return {{"all_equal", figures.all_equal}, {"weighted", figures.weighted}};
}

TrainingSummary summarise(const WeightTrainJob& job, const WeightTrainingResult& outcome) {
    warn_failures(outcome);
    if (outcome.pairs_failed > 0) {
        spdlog::warn("{} left out, as an image gave no face",
                     counted(outcome.pairs_failed, "pair was", "pairs were"));
    }
    if (outcome.shared_subjects > 0) {
        spdlog::warn("{} kept from the folds whose subjects they show",
                     counted(outcome.shared_subjects, "pair was", "pairs were"));
    }
    Json json;
    add_recognition_json(json, outcome);
    if (!outcome.interrupted) {
        json["pairs"] = outcome.pairs;
        json["pairs_without_faces"] = outcome.pairs_failed;
        json["pairs_of_shared_subjects"] = outcome.shared_subjects;
        json["origin"] = outcome.weights.origin;
        json["weights"] = outcome.weights.weights;
        json["training"] = figures_json(outcome.training);
        json["other_folds"] = outcome.other_folds ? figures_json(*outcome.other_folds) : Json();
        if (job.out != "-") json["out"] = job.out.string();
    }
    return {summary_text(outcome), std::move(json), outcome.failures.empty(), outcome.interrupted};
}

}  // namespace

Command add_train_lbp_weights_command(CLI::App& train) {
    return add_training_command<WeightTrainJob, WeightTrainingResult>(
        train, {.name = "lbp-weights",
                .description = "Learn the weights of a recogniser's face regions",
                .footer = train_lbp_weights_footer,
                .output = {.example = "weights.json",
                           .product = "weights",
                           .file = "file of the weights",
                           .help = "File of the weights; '-' is standard output"},
                .validate = validate_weight_train_config,
                .train = train_lbp_weights,
                .summarise = summarise});
}

}  // namespace fovea
