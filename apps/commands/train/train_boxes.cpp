#include "lib/train/boxes/train_boxes.hpp"

#include <filesystem>

#include <CLI/CLI.hpp>
#include <spdlog/fmt/fmt.h>

#include "apps/commands/commands.hpp"
#include "apps/options/common_options.hpp"
#include "apps/terminal/interrupt.hpp"
#include "apps/terminal/summary.hpp"
#include "lib/config/device_choice.hpp"
#include "lib/core/text.hpp"
#include "lib/files/folder.hpp"
#include "lib/files/input_files.hpp"
#include "lib/files/publish.hpp"
#include "lib/files/staged_files.hpp"
#include "lib/json/json.hpp"
#include "lib/json/json_text.hpp"

namespace fovea {
namespace {

constexpr const char* train_boxes_footer = R"(Examples:
  fovea train boxes --dataset pts:helen --model mct --model haarcascade_frontalface_alt2 --out boxes.json
  fovea train boxes --dataset pts:portraits --model mine.json --out configs/models/landmarks/boxes.json

Fits the position of a face's landmarks in the boxes of each detector. A landmark model then gets boxes
of the kind that it was trained with, whatever the detector. Conventions in the file with other names
stay. The program looks up a convention by the name of the detector's model, in landmarks/boxes.json
beside the program's models (FOVEA_MODELS).)";

struct BoxFlags {
    std::optional<std::string> dataset;
    std::vector<std::string> models;
    std::string out;
    DatasetFlags images;
    std::optional<std::string> device;
    std::optional<int> threads;
};

RunConfig effective_config(const BoxFlags& flags) {
    RunConfig config;
    if (!flags.dataset) throw UsageError("no dataset was given: name one with landmarks with --dataset");
    if (flags.models.empty()) throw UsageError("no detector was given: name its model with --model");
    if (flags.out.empty())
        throw UsageError("name the file of the conventions with --out, e.g. --out boxes.json");
    config.dataset.path = *flags.dataset;
    apply(flags.images, config.dataset);
    for (const std::string& model : flags.models) config.detectors.push_back({"", model, {}});
    return config;
}

// Edges in the detector's box and their spread, one row a convention.
std::string conventions_table(const BoxTrainingResult& outcome) {
    std::vector<std::vector<std::string>> rows{
        {"boxes of", "faces", "share", "left", "top", "right", "bottom"}};
    for (const BoxConvention& convention : outcome.conventions) {
        const double share = static_cast<double>(convention.faces) / static_cast<double>(outcome.faces);
        rows.push_back(
            {convention.name, std::to_string(convention.faces), fmt::format("{:.1f} %", 100 * share)});
        const BoxTransform& edges = convention.landmarks;
        const double values[] = {edges.left, edges.top, edges.right, edges.bottom};
        for (std::size_t i = 0; i < 4; ++i) {
            rows.back().push_back(fmt::format("{:.3f} ± {:.3f}", values[i], convention.spread[i]));
        }
    }
    return format_table(rows);
}

void show(const BoxFlags& flags, const BoxTrainingResult& outcome, ExitCode code, const Console& console) {
    std::string text;
    if (outcome.interrupted) {
        text = "interrupted: no conventions were written\n";
    } else {
        text = fmt::format("{} in {}; edges of the mean face's tight box, ± their standard deviation\n",
                           counted(outcome.faces, "face"), counted(outcome.images, "image")) +
               conventions_table(outcome);
        if (flags.out != "-") text += "conventions: " + flags.out + "\n";
    }
    console.print_summary(text);
    Json json{{"command", "train boxes"},
              {"exit_code", static_cast<int>(code)},
              {"interrupted", outcome.interrupted},
              {"images", outcome.images},
              {"unreadable_images", unreadable_json(outcome.unreadable)},
              {"faces", outcome.faces}};
    json["conventions"] = conventions_to_json(outcome.conventions).at("conventions");
    console.print_json(json);
}

ExitCode run(const BoxFlags& flags, Console& console) {
    const RunConfig config = effective_config(flags);
    const bool to_stdout = flags.out == "-";
    if (to_stdout)
        console.reserve_stdout("the conventions");
    else
        prepare_output(flags.out, "--out");
    // Read before the work, so that a broken file is known before it.
    std::vector<BoxConvention> older;
    if (!to_stdout && is_there(flags.out)) older = read_conventions(flags.out);
    const std::vector<LoadedDetector> detectors =
        load_detectors(config, open_detection_device(flags.device.value_or("auto")), default_min_confidence);
    const Dataset dataset = read_configured_dataset(config.dataset);
    InputFiles inputs;
    add_inputs(dataset, inputs);
    for (const LoadedDetector& detector : detectors) inputs.add(detector.model);
    inputs.refuse(flags.out);
    const InterruptGuard interrupt;
    const BoxTrainingResult outcome =
        train_boxes({&dataset, &detectors, decode_options(config.image), flags.threads.value_or(0)},
                    job_hooks(console, interrupt));
    console.clear_progress();

    warn_unreadable(outcome.unreadable, outcome.images);
    if (!outcome.interrupted) {
        const Json json = conventions_to_json(merged_conventions(std::move(older), outcome.conventions));
        publish({false, {{"", indented_text(json) + "\n"}}}, flags.out, true, inputs);
    }
    const ExitCode code = outcome.interrupted           ? ExitCode::interrupted
                          : !outcome.unreadable.empty() ? ExitCode::inputs_skipped
                                                        : ExitCode::done;
    show(flags, outcome, code, console);
    return code;
}

}  // namespace

Command add_train_boxes_command(CLI::App& train) {
    CLI::App* app = train.add_subcommand("boxes", "Fit where landmarks lie in detectors' boxes");
    auto flags = std::make_shared<BoxFlags>();
    app->footer(train_boxes_footer);
    app->add_option("--dataset", flags->dataset, "Dataset with landmarks, FORMAT:PATH or a path")
        ->type_name("DATASET")
        ->group("Images");
    add_dataset_flags(*app, flags->images);
    app->add_option("--model,-m", flags->models, "Detector, by file or name; several may be given")
        ->type_name("MODEL")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->allow_extra_args(false)
        ->group("Detector");
    app->add_option("--out,-o", flags->out, "File of the conventions; those of other names stay")
        ->type_name("FILE")
        ->group("Output");
    add_device_flag(*app, flags->device);
    add_threads_flag(*app, flags->threads);
    auto output = add_output_flags(*app);
    return {app, output, [flags](Console& console) { return run(*flags, console); }};
}

}  // namespace fovea
