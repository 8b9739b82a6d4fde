#include <filesystem>
#include <iostream>

#include <CLI/CLI.hpp>
#include <spdlog/fmt/fmt.h>

#include "apps/commands/commands.hpp"
#include "apps/commands/train/training_flags.hpp"
#include "apps/options/common_options.hpp"
#include "apps/terminal/interrupt.hpp"
#include "lib/core/text.hpp"
#include "lib/files/staged_files.hpp"
#include "lib/json/field_json.hpp"
#include "lib/json/json_text.hpp"
#include "lib/train/cascade/sample_files_job.hpp"

namespace fovea {
namespace {

constexpr const char* train_samples_footer = R"(Examples:
  fovea train samples --config train.json --sheet samples.png
  fovea train samples --positives voc:cars --width 40 --height 20 --mirrored --out cars.vec
  fovea train samples --config train.json --part test --out test.vec --sheet test.png

Writes the positives that 'fovea train cascade' sees with the same configuration, without training. The .vec
file is that of opencv_createsamples.)";

struct TrainSamplesFlags {
    TrainingFlags training;
    std::string sheet;
    std::string part = "training";
};

/// Fields that samples do not depend on.
const std::vector<std::string> other_fields{"features",
                                            "boosting.kind",
                                            "boosting.max_depth",
                                            "stages.count",
                                            "stages.min_hit_rate",
                                            "stages.max_false_alarm",
                                            "stages.negatives",
                                            "sweep"};

void show(const SampleFilesJob& job, const std::string& part, const SampleFilesResult& result, ExitCode code,
          const Console& console) {
    const std::string window = text_of(result.window);
    std::string text = fmt::format("{} of {} pixels ({})\n",
                                   number_of(static_cast<long long>(result.samples), "sample"), window, part);
    if (!job.vec.empty()) text += "samples: " + job.vec.string() + "\n";
    if (!job.sheet.empty()) {
        text += fmt::format("contact sheet: {} ({} of them)\n", job.sheet.string(),
                            grouped(static_cast<long long>(result.shown)));
    }
    console.print_summary(text);
    Json json = {{"command", "train samples"},
                 {"exit_code", static_cast<int>(code)},
                 {"part", part},
                 {"samples", result.samples},
                 {"width", result.window.width},
                 {"height", result.window.height}};
    if (!job.vec.empty()) json["vec"] = job.vec.string();
    if (!job.sheet.empty()) {
        json["sheet"] = job.sheet.string();
        json["samples_on_sheet"] = result.shown;
    }
    json["data"] = result.data;
    console.print_json(json);
}

ExitCode run(const TrainSamplesFlags& flags, Console& console) {
    SampleFilesJob job;
    job.config = training_config<CascadeTrainConfig>(flags.training);
    if (flags.training.print_config) {
        std::cout << indented_text(json_of(job.config)) << "\n";
        return ExitCode::done;
    }
    job.config_file = flags.training.config.value_or("");
    job.part = sample_part_of(flags.part);
    job.vec = flags.training.out;
    job.sheet = flags.sheet;
    job.threads = flags.training.threads.value_or(0);
    for (const std::filesystem::path& file : {job.vec, job.sheet}) {
        if (file.empty()) continue;
        prepare_output(file, file == job.vec ? "--out" : "--sheet");
        refuse_to_replace(file, flags.training.overwrite);
    }
    const InterruptGuard interrupt;
    console.stage("reading");
    const JobHooks hooks = job_hooks(console, interrupt);
    try {
        const SampleFilesResult result = write_sample_files(job, hooks.counter("images"));
        console.clear_progress();
        const ExitCode code =
            result.data.at("unreadable_images").get<int>() > 0 ? ExitCode::inputs_skipped : ExitCode::done;
        show(job, flags.part, result, code, console);
        return code;
    } catch (const JobCancelled&) {
        console.clear_progress();
        return ExitCode::interrupted;
    }
}

}  // namespace

Command add_train_samples_command(CLI::App& train) {
    CLI::App* app = train.add_subcommand("samples", "Write the positives that a cascade would be trained on");
    auto flags = std::make_shared<TrainSamplesFlags>();
    app->footer(train_samples_footer);
    flags->training.fields.add<CascadeTrainConfig>(*app, other_fields);
    add_config_file_flags(*app, flags->training);
    app->add_option("--part", flags->part,
                    "Samples that are trained on (default), that decide when a stage is done, or that the "
                    "cascade is tested on")
        ->check(CLI::IsMember(sample_part_names()))
        ->group("Output");
    app->add_option("--out,-o", flags->training.out, "File of the samples (.vec)")
        ->type_name("FILE")
        ->group("Output");
    app->add_option("--sheet", flags->sheet, "Contact sheet of 400 samples at most (PNG)")
        ->type_name("FILE")
        ->group("Output");
    add_overwrite_flag(*app, flags->training.overwrite, "a file");
    add_threads_flag(*app, flags->training.threads);
    auto output = add_output_flags(*app);
    return {app, output, [flags](Console& console) { return run(*flags, console); }};
}

}  // namespace fovea
