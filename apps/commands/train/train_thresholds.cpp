#include "lib/train/thresholds/train_thresholds.hpp"

#include <filesystem>

#include <CLI/CLI.hpp>
#include <spdlog/fmt/fmt.h>

#include "apps/commands/commands.hpp"
#include "apps/options/recogniser_training.hpp"
#include "lib/core/text.hpp"
#include "lib/files/publish.hpp"
#include "lib/json/field_json.hpp"
#include "lib/numbers/number_text.hpp"

namespace fovea {
namespace {

constexpr const char* train_thresholds_footer = R"(Examples:
  fovea train thresholds --dataset lfw:DIR --recogniser mine.json --out mine-measured.json
  fovea train thresholds --dataset folder:people/ --recogniser lbp --out lbp-here.json

Compares all faces of a dataset with each other, and writes a copy of the recogniser's file with the
distances at which given shares of the pairs of two people are accepted (false accept rates, FAR).
'fovea identify' takes its threshold from there. A rate is measured where at least 10 pairs of two
people are accepted at it.

Use people that the recogniser was not tuned on. Weights that were learned in folds are an exception: a
pair is compared with the weights that have not seen its subjects.)";

void check_flags(const RecogniserTrainingFlags& flags) {
    if (!flags.dataset) throw UsageError("no dataset was given: name one with subjects with --dataset");
    if (flags.out.empty()) {
        throw UsageError("name the file of the recogniser with thresholds with --out, e.g. --out mine.json");
    }
}

std::string summary_text(const RecogniserTrainingFlags& flags, const ThresholdTrainingResult& outcome) {
    if (outcome.interrupted) return "interrupted: no thresholds were written\n";
    const FarThresholds& thresholds = outcome.thresholds;
    std::string text = fmt::format("{}: {} pairs of two people, {} of one\n", thresholds.origin,
                                   grouped(static_cast<long long>(thresholds.impostor_pairs)),
                                   grouped(static_cast<long long>(thresholds.genuine_pairs)));
    std::vector<std::vector<std::string>> rows{{"FAR of a pair", "distance", "true accept rate"}};
    for (const FarThreshold& point : thresholds.points) {
        rows.push_back({fmt::format("{:g} %", 100 * point.far), fmt::format("{:.6g}", point.distance),
                        percent(point.tar, 2)});
    }
    text += format_table(rows);
    if (flags.out != "-") text += "recogniser: " + flags.out + "\n";
    return text;
}

ExitCode run(const RecogniserTrainingFlags& flags, Console& console) {
    check_flags(flags);
    prepare_training_output(flags, "the recogniser", console);
    const std::filesystem::path file = find_recogniser(flags.recogniser);
    const RecogniserTrainingInputs inputs(flags, load_measured_recogniser(flags.recogniser));
    const InterruptGuard interrupt;
    ThresholdTraining training;
    training.dataset = &inputs.dataset;
    training.recogniser = &inputs.recogniser;
    training.finder = inputs.finder.finder();
    training.threads = flags.threads.value_or(0);
    const ThresholdTrainingResult outcome =
        train_thresholds(training, inputs.device, job_hooks(console, interrupt));
    console.clear_progress();

    const RecognitionResult faces = faces_of_training(outcome, flags, inputs.dataset);
    warn_failures(faces);
    if (!outcome.interrupted) {
        const std::filesystem::path folder = std::filesystem::path(flags.out).parent_path();
        publish({false, {{"", recogniser_text_with(outcome.thresholds, file, folder)}}}, flags.out,
                flags.overwrite, inputs.files);
    }
    const ExitCode code = exit_code_of_training(faces);
    console.print_summary(summary_text(flags, outcome));
    Json json{{"command", "train thresholds"}, {"exit_code", static_cast<int>(code)}};
    add_recognition_json(json, faces);
    if (!outcome.interrupted) {
        json["thresholds"] = json_of(outcome.thresholds);
        if (flags.out != "-") json["out"] = flags.out;
    }
    console.print_json(json);
    return code;
}

}  // namespace

Command add_train_thresholds_command(CLI::App& train) {
    CLI::App* app =
        train.add_subcommand("thresholds", "Measure a recogniser's thresholds at false accept rates");
    auto flags = std::make_shared<RecogniserTrainingFlags>();
    app->footer(train_thresholds_footer);
    add_recogniser_training_flags(
        *app, *flags,
        {"Dataset with subjects, FORMAT:PATH or a path", "Recogniser to measure: a name or a file",
         "File of the recogniser with thresholds, another than its own; '-' is standard output"});
    auto output = add_output_flags(*app);
    return {app, output, [flags](Console& console) { return run(*flags, console); }};
}

}  // namespace fovea
