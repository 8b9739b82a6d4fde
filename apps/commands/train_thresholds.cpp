#include "lib/train/thresholds/train_thresholds.hpp"

#include <filesystem>

#include <CLI/CLI.hpp>
#include <spdlog/fmt/fmt.h>

#include "apps/commands/commands.hpp"
#include "apps/commands/recognition_tables.hpp"
#include "apps/options/common_options.hpp"
#include "apps/options/recogniser_flags.hpp"
#include "apps/terminal/interrupt.hpp"
#include "apps/terminal/percent.hpp"
#include "lib/config/device_choice.hpp"
#include "lib/core/text.hpp"
#include "lib/files/publish.hpp"
#include "lib/files/staged_files.hpp"
#include "lib/json/json.hpp"
#include "lib/run/face_finder.hpp"

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

struct ThresholdFlags {
    std::optional<std::string> dataset;
    std::string recogniser = default_recogniser;
    std::string out;
    DatasetFlags images;
    FaceFinderFlags finder;
    std::optional<std::string> device;
    std::optional<int> threads;
    bool overwrite = false;
};

void check_flags(const ThresholdFlags& flags) {
    if (!flags.dataset) throw UsageError("no dataset was given: name one with subjects with --dataset");
    if (flags.out.empty()) {
        throw UsageError("name the file of the recogniser with thresholds with --out, e.g. --out mine.json");
    }
}

std::string summary_text(const ThresholdFlags& flags, const ThresholdTrainingResult& outcome) {
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

ExitCode run(const ThresholdFlags& flags, Console& console) {
    check_flags(flags);
    const bool to_stdout = flags.out == "-";
    if (to_stdout && console.json()) {
        throw UsageError(
            "--json and the recogniser cannot both go to standard output; name a file with --out");
    }
    if (to_stdout) {
        console.reserve_stdout();
    } else {
        prepare_output(flags.out, "--out");
        refuse_to_replace(flags.out, flags.overwrite);
    }
    const std::filesystem::path file = find_recogniser(flags.recogniser);
    RunConfig config;
    config.dataset.path = *flags.dataset;
    apply(flags.images, config.dataset);
    const DetectionDevice device = open_detection_device(flags.device.value_or("auto"));
    const Recogniser recogniser(load_measured_recogniser(flags.recogniser), device);
    FaceFinderConfig finder;
    apply(flags.finder, finder);
    const LoadedFaceFinder loaded(finder, device);
    const Dataset dataset = read_configured_dataset(config.dataset);
    const InterruptGuard interrupt;
    ThresholdTraining training;
    training.dataset = &dataset;
    training.recogniser = &recogniser;
    training.finder = loaded.finder();
    training.enrolment.threads = flags.threads.value_or(0);
    training.enrolment.decode = decode_options(config.image);
    training.enrolment.cancel = interrupt.flag();
    training.enrolment.progress = [&console](std::size_t done, std::size_t total) {
        console.progress({done, total, 0});
    };
    const ThresholdTrainingResult outcome = train_thresholds(training, device, run_hooks(console, interrupt));
    console.clear_progress();

    const RecognitionResult faces = faces_of_training(outcome, *flags.dataset, dataset);
    warn_failures(faces);
    if (!outcome.interrupted) {
        const std::filesystem::path folder = std::filesystem::path(flags.out).parent_path();
        publish({false, {{"", recogniser_text_with(outcome.thresholds, file, folder)}}}, flags.out,
                flags.overwrite);
    }
    const ExitCode code = outcome.interrupted       ? ExitCode::interrupted
                          : !faces.failures.empty() ? ExitCode::inputs_skipped
                                                    : ExitCode::done;
    console.print_summary(summary_text(flags, outcome));
    Json json{{"command", "train thresholds"}, {"exit_code", static_cast<int>(code)}};
    add_recognition_json(json, faces);
    if (!outcome.interrupted) {
        json["thresholds"] = far_thresholds_to_json(outcome.thresholds);
        if (!to_stdout) json["out"] = flags.out;
    }
    console.print_json(json);
    return code;
}

}  // namespace

Command add_train_thresholds_command(CLI::App& train) {
    CLI::App* app =
        train.add_subcommand("thresholds", "Measure a recogniser's thresholds at false accept rates");
    auto flags = std::make_shared<ThresholdFlags>();
    app->footer(train_thresholds_footer);
    app->add_option("--dataset", flags->dataset, "Dataset with subjects, FORMAT:PATH or a path")
        ->type_name("DATASET")
        ->group("Images");
    add_dataset_flags(*app, flags->images);
    app->add_option("--recogniser", flags->recogniser, "Recogniser to measure: a name or a file")
        ->type_name("RECOGNISER")
        ->capture_default_str()
        ->group("Training");
    add_face_finder_flags(*app, flags->finder);
    app->add_option("--out,-o", flags->out,
                    "File of the recogniser with thresholds, another than its own; '-' is standard output")
        ->type_name("FILE")
        ->group("Output");
    add_overwrite_flag(*app, flags->overwrite, "a file");
    add_device_flag(*app, flags->device);
    add_threads_flag(*app, flags->threads);
    auto output = add_output_flags(*app);
    return {app, output, [flags](Console& console) { return run(*flags, console); }};
}

}  // namespace fovea
