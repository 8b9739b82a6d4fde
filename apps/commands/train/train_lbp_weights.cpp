#include "lib/train/lbp_weights/train_lbp_weights.hpp"

#include <algorithm>

#include <CLI/CLI.hpp>
#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>

#include "apps/commands/commands.hpp"
#include "apps/options/recogniser_training.hpp"
#include "lib/core/text.hpp"
#include "lib/files/publish.hpp"
#include "lib/json/field_json.hpp"
#include "lib/json/json_text.hpp"
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

struct WeightFlags : RecogniserTrainingFlags {
    std::optional<std::string> method;
    std::vector<int> folds;
    std::optional<double> ridge;
};

void check_flags(const WeightFlags& flags) {
    if (!flags.dataset)
        throw UsageError("no dataset was given: name one with pairs or subjects with --dataset");
    if (flags.out.empty()) {
        throw UsageError("name the file of the weights with --out, e.g. --out weights.json");
    }
    if (flags.ridge && !(*flags.ridge >= 1e-9 && *flags.ridge <= 1e9)) {
        throw UsageError("--ridge must be between 1e-9 and 1e9");
    }
    for (const int fold : flags.folds) {
        if (fold < 1) throw UsageError("--folds counts from 1, but there is " + std::to_string(fold));
    }
}

WeightMethod method_of(const WeightFlags& flags, const Dataset& dataset) {
    if (!flags.method) return dataset.pairs.empty() ? WeightMethod::rank : WeightMethod::logistic;
    try {
        return weight_method_from_string(*flags.method);
    } catch (const UsageError& error) {
        throw UsageError(std::string("--method: ") + error.what());
    }
}

WeightTraining training_of(const WeightFlags& flags, const Dataset& dataset) {
    WeightTraining training;
    training.dataset = &dataset;
    training.method = method_of(flags, dataset);
    if (flags.ridge && training.method == WeightMethod::rank) {
        throw UsageError("--ridge is for the method logistic");
    }
    if (flags.ridge) training.ridge = *flags.ridge;
    for (const int fold : flags.folds) training.folds.push_back(fold - 1);
    training.threads = flags.threads.value_or(0);
    return training;
}

std::string summary_text(const WeightFlags& flags, const WeightTrainingResult& outcome, bool pairs) {
    if (outcome.interrupted) return "interrupted: no weights were written\n";
    const std::vector<double>& weights = outcome.weights.weights;
    const auto unused = static_cast<std::size_t>(std::count(weights.begin(), weights.end(), 0.0));
    std::string text = fmt::format("weights of {}, {} of them 0: {}\n", counted(weights.size(), "region"),
                                   unused, outcome.weights.origin);
    std::vector<std::vector<std::string>> rows{{pairs ? "accuracy" : "rank 1", "all equal", "weighted"}};
    const auto add = [&](const std::string& name, const WeightFigures& figures) {
        rows.push_back({name, percent(figures.all_equal, 2), percent(figures.weighted, 2)});
    };
    if (outcome.other_folds) add("each fold, by the others", *outcome.other_folds);
    add("on the data learned from", outcome.training);
    text += format_table(rows);
    if (flags.out != "-") text += "weights: " + flags.out + "\n";
    return text;
}

Json figures_json(const WeightFigures& figures) {
    return {{"all_equal", figures.all_equal}, {"weighted", figures.weighted}};
}

void show(const WeightFlags& flags, const WeightTrainingResult& outcome, const RecognitionResult& faces,
          bool pairs, ExitCode code, const Console& console) {
    console.print_summary(summary_text(flags, outcome, pairs));
    Json json{{"command", "train lbp-weights"}, {"exit_code", static_cast<int>(code)}};
    add_recognition_json(json, faces);
    if (!outcome.interrupted) {
        json["pairs"] = outcome.pairs;
        json["pairs_without_faces"] = outcome.pairs_failed;
        json["pairs_of_shared_subjects"] = outcome.shared_subjects;
        json["origin"] = outcome.weights.origin;
        json["weights"] = outcome.weights.weights;
        json["training"] = figures_json(outcome.training);
        json["other_folds"] = outcome.other_folds ? figures_json(*outcome.other_folds) : Json();
        if (flags.out != "-") json["out"] = flags.out;
    }
    console.print_json(json);
}

ExitCode run(const WeightFlags& flags, Console& console) {
    check_flags(flags);
    prepare_training_output(flags, "the weights", console);
    const RecogniserTrainingInputs inputs(flags, load_unweighted_recogniser(flags.recogniser));
    const Dataset& dataset = inputs.dataset;
    const InterruptGuard interrupt;
    WeightTraining training = training_of(flags, dataset);
    training.recogniser = &inputs.recogniser;
    training.finder = inputs.finder.finder();
    const WeightTrainingResult outcome = train_lbp_weights(training, job_hooks(console, interrupt));
    console.clear_progress();

    const RecognitionResult faces = faces_of_training(outcome, flags, dataset);
    warn_failures(faces);
    if (outcome.pairs_failed > 0) {
        spdlog::warn("{} left out, as an image gave no face",
                     counted(outcome.pairs_failed, "pair was", "pairs were"));
    }
    if (outcome.shared_subjects > 0) {
        spdlog::warn("{} kept from the folds whose subjects they show",
                     counted(outcome.shared_subjects, "pair was", "pairs were"));
    }
    if (!outcome.interrupted) {
        publish({false, {{"", indented_text(json_of(outcome.weights)) + "\n"}}}, flags.out, flags.overwrite,
                inputs.files);
    }
    const ExitCode code = exit_code_of_training(faces);
    show(flags, outcome, faces, !dataset.pairs.empty(), code, console);
    return code;
}

}  // namespace

Command add_train_lbp_weights_command(CLI::App& train) {
    CLI::App* app = train.add_subcommand("lbp-weights", "Learn the weights of a recogniser's face regions");
    auto flags = std::make_shared<WeightFlags>();
    app->footer(train_lbp_weights_footer);
    add_recogniser_training_flags(
        *app, *flags,
        {"Dataset with pairs or subjects, FORMAT:PATH or a path",
         "Recogniser to learn weights for: a name or a file", "File of the weights; '-' is standard output"});
    app->add_option("--method", flags->method,
                    "logistic (default for datasets with pairs) or rank (default for others)")
        ->type_name("logistic|rank")
        ->group("Training");
    app->add_option("--folds", flags->folds, "Learn from the pairs of these folds only, counted from 1")
        ->delimiter(',')
        ->type_name("N,N...")
        ->group("Advanced");
    app->add_option(
           "--ridge", flags->ridge,
           fmt::format("How strongly logistic weights are drawn towards 0, and so together (default {})",
                       WeightTraining{}.ridge))
        ->type_name("R")
        ->group("Advanced");
    auto output = add_output_flags(*app);
    return {app, output, [flags](Console& console) { return run(*flags, console); }};
}

}  // namespace fovea
