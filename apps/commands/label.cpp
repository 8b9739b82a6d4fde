#include <cstddef>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>
#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>

#include "apps/commands/commands.hpp"
#include "apps/options/common_options.hpp"
#include "apps/terminal/interrupt.hpp"
#include "apps/terminal/summary.hpp"
#include "lib/core/job_hooks.hpp"
#include "lib/core/text.hpp"
#include "lib/files/input_files.hpp"
#include "lib/files/publish.hpp"
#include "lib/files/staged_files.hpp"
#include "lib/json/json.hpp"
#include "lib/report/labels/label_page.hpp"
#include "lib/results/formats/read_results.hpp"

namespace fovea {
namespace {

constexpr const char* label_footer = R"(Examples:
  fovea label clip.mp4 --results tracks/results.jsonl --every 5 --out label.html
  fovea label mot:clip.txt,video=clip.mp4 --out label.html

Makes one HTML file to mark the true faces of a video, or of the numbered pictures of a folder. It opens
in any browser and needs no network. It shows the frames with the boxes that --results propose ('fovea
track' makes them), or with those of the dataset where it has some. Boxes are moved, resized, drawn,
deleted and numbered by person there; a face that nobody can judge is marked "ignored". The page saves
MOTChallenge's text, which names the frames that were looked at, and loads it again.

  fovea evaluate tracks --dataset mot:clip.txt,video=clip.mp4 --results tracks/results.jsonl

then judges these frames alone.)";

struct LabelFlags {
    std::optional<std::string> dataset;
    std::optional<std::string> results;
    std::string out;
    bool overwrite = false;
    DatasetFlags images;
};

Dataset read_dataset_of(const LabelFlags& flags) {
    if (!flags.dataset) throw UsageError("no video was given: name a DATASET");
    RunConfig config;
    set_images({*flags.dataset}, config.dataset);
    apply(flags.images, config.dataset);
    finish_config(config);
    return read_configured_dataset(config.dataset);
}

std::vector<UnreadableImage> unreadable_frames(const report::LabelSequence& sequence) {
    std::vector<UnreadableImage> unreadable;
    for (const report::LabelFrame& frame : sequence.frames) {
        if (!frame.unreadable.empty())
            unreadable.push_back(
                {sequence.name + ", frame " + std::to_string(frame.number), frame.unreadable});
    }
    return unreadable;
}

ExitCode label(const LabelFlags& flags, Console& console) {
    prepare_output(flags.out, "--out");
    refuse_to_replace(flags.out, flags.overwrite);
    const Dataset dataset = read_dataset_of(flags);
    InputFiles inputs;
    add_inputs(dataset, inputs);
    if (flags.results) add_inputs_of_results(*flags.results, inputs);
    inputs.refuse(flags.out);
    std::optional<DetectionResults> results;
    if (flags.results) results = read_results(*flags.results, dataset);
    if (results) {
        for (const std::string& warning : results->warnings) spdlog::warn("{}", warning);
    }
    const InterruptGuard interrupt;
    const JobHooks hooks = job_hooks(console, interrupt);
    hooks.begin_stage("reading frames");
    const report::LabelSequence sequence = report::read_label_sequence(dataset, results ? &*results : nullptr,
                                                                       share_hook(hooks, 0, 1), hooks.cancel);
    console.clear_progress();
    const bool is_interrupted = hooks.is_cancelled();
    const std::vector<UnreadableImage> unreadable = unreadable_frames(sequence);
    warn_unreadable(unreadable, sequence.frames.size());
    if (!is_interrupted) publish({false, {{"", label_page(sequence)}}}, flags.out, flags.overwrite, inputs);
    std::size_t boxes = 0;
    for (const report::LabelFrame& frame : sequence.frames) boxes += frame.boxes.size();
    const ExitCode code = is_interrupted       ? ExitCode::interrupted
                          : unreadable.empty() ? ExitCode::done
                                               : ExitCode::inputs_skipped;
    console.print_summary(is_interrupted
                              ? std::string("interrupted, nothing was written\n")
                              : fmt::format("{} with {}: {}\n", counted(sequence.frames.size(), "frame"),
                                            counted(boxes, "box", "boxes"), flags.out));
    console.print_json({{"command", "label"},
                        {"exit_code", static_cast<int>(code)},
                        {"output", flags.out},
                        {"frames", sequence.frames.size()},
                        {"boxes", boxes},
                        {"unreadable", unreadable.size()},
                        {"unreadable_images", unreadable_json(unreadable)},
                        {"interrupted", is_interrupted}});
    return code;
}

}  // namespace

Command add_label_command(CLI::App& program) {
    CLI::App* app = program.add_subcommand("label", "Make a page to mark the true faces of a video by hand");
    auto flags = std::make_shared<LabelFlags>();
    app->footer(label_footer);
    app->add_option("DATASET", flags->dataset,
                    "A video, a folder of numbered pictures, or a dataset with one sequence")
        ->type_name("");
    app->add_option("--results", flags->results, "Boxes to begin with, of 'fovea track' or any other program")
        ->type_name("RESULTS")
        ->group("Input");
    app->add_option("--out,-o", flags->out, "Page to write, e.g. label.html")
        ->required()
        ->type_name("FILE")
        ->group("Output");
    add_overwrite_flag(*app, flags->overwrite, "a file");
    add_dataset_flags(*app, flags->images);
    auto output = add_output_flags(*app);
    return {app, output, [flags](Console& console) { return label(*flags, console); }};
}

}  // namespace fovea
