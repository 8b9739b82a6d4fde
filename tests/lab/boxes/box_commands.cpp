#include <algorithm>

#include <CLI/CLI.hpp>

#include "apps/options/bench_options.hpp"
#include "apps/terminal/interrupt.hpp"
#include "apps/terminal/summary.hpp"
#include "lib/config/device_choice.hpp"
#include "lib/core/job_hooks.hpp"
#include "lib/core/threads.hpp"
#include "lib/job/job_images.hpp"
#include "lib/job/landmark_stage.hpp"
#include "lib/json/json.hpp"
#include "tests/lab/boxes/box_jitter_study.hpp"
#include "tests/lab/boxes/box_record.hpp"
#include "tests/lab/lab.hpp"

namespace fovea {
namespace {

constexpr const char* boxes_footer = R"(Examples:
  fovea-lab boxes pts:faces/ --landmarks helen --out boxes/
  fovea-lab boxes dlib:faces.xml --landmarks default --shifts 0,0.05 --scales 0.9,1,1.1

Finds the landmarks of every annotated face in its box, and in boxes that are moved in random directions and
resized about their centre: how much the error (NME) grows, with 95 % intervals.)";

/// The variations, and how often each is drawn.
struct BoxLevels {
    BoxJitterOptions jitter;
    int resamples = BoxJitterStudyOptions{}.bootstrap_resamples;
};

FieldFlag box_flag(const char* name, const char* type, const char* help, bool is_checked = false) {
    return {.name = name, .type = type, .group = "Boxes", .help = help, .is_checked = is_checked};
}

void describe(FieldVisitor& visitor, BoxLevels& levels) {
    visitor.value({.key = "shifts",
                   .range = between(0, 1),
                   .flag = box_flag("--shifts", "N,N,...", "Shifts, shares of the box (default {default})")},
                  &levels.jitter.shifts);
    visitor.value({.key = "scales",
                   .range = between(0.1, 10),
                   .flag = box_flag("--scales", "N,N,...", "Sizes, shares of the box (default {default})")},
                  &levels.jitter.scales);
    visitor.value({.key = "draws",
                   .range = between(1, 1000),
                   .flag = box_flag("--draws", "N", "Directions of each shift (default {default})", true)},
                  &levels.jitter.draws);
    visitor.value(
        {.key = "seed", .flag = box_flag("--seed", "N", "Seed of the directions (default {default})")},
        &levels.jitter.seed);
    visitor.value({.key = "resamples",
                   .range = between(0, 1e6),
                   .flag = box_flag("--resamples", "N",
                                    "Resamples for the intervals; 0 for none (default {default})", true)},
                  &levels.resamples);
}

struct BoxFlags {
    std::string dataset;
    DatasetFlags images;
    LandmarkingFlags landmarks;
    FieldFlags levels;  ///< of BoxLevels
    std::optional<std::string> device;
    std::optional<int> threads;
    BenchOutput output;
};

/// Each once, from the least to the largest.
void sort_levels(std::vector<double>& levels) {
    std::sort(levels.begin(), levels.end());
    levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
}

BoxJitterStudyOptions study_options(const BoxFlags& flags) {
    BoxLevels levels;
    flags.levels.apply(levels, FlagPaths::as_they_are);
    sort_levels(levels.jitter.shifts);
    sort_levels(levels.jitter.scales);
    BoxJitterStudyOptions options;
    options.jitter = levels.jitter;
    options.bootstrap_resamples = levels.resamples;
    return options;
}

void require_landmarks(const Dataset& dataset) {
    for (const Sample& sample : dataset.samples) {
        if (sample.annotated && std::any_of(sample.faces.begin(), sample.faces.end(), counts_for_landmarks))
            return;
    }
    throw UsageError(dataset.name + " has no faces with landmarks; name a dataset that has, as pts:FOLDER");
}

ExitCode run_boxes(const BoxFlags& flags, Console& console) {
    BoxJitterStudyOptions options = study_options(flags);
    RunConfig config;
    set_images({flags.dataset}, config.dataset);
    apply(flags.images, config.dataset);
    config.landmarks.boxes = {BoxSource::truth};
    apply(flags.landmarks, {}, config);
    config.threads = flags.threads.value_or(config.threads);
    finish_config(config);
    prepare_benchmark_folder(flags.output);
    const DetectionDevice device = open_detection_device(flags.device.value_or(config.device));
    const LoadedLandmarker landmarker = load_landmarker(config.landmarks, device);
    const Dataset dataset = read_configured_dataset(config.dataset);
    require_landmarks(dataset);
    const BoxRule rule = rule_for_truth(config.landmarks, *landmarker.landmarker, dataset);

    const InterruptGuard interrupt;
    const JobHooks hooks = job_hooks(console, interrupt);
    console.stage("moving the boxes");
    ThreadLimit limit(config.threads);
    options.decode = decode_options(config.image);
    options.threads = limit.threads();
    options.progress = [&](std::size_t done, std::size_t all) {
        hooks.progress({done, all, 0});
        return !hooks.is_cancelled();
    };
    std::optional<BoxSensitivity> study;
    limit.run([&] { study = study_box_jitter(dataset, landmarker.stage(rule), options); });
    const BoxSensitivity found = study.value_or(BoxSensitivity{options.jitter});
    console.clear_progress();
    warn_unreadable(found.unreadable, dataset.samples.size());

    const std::string machine = machine_of(device);
    report::BenchRecord record = report::box_record(found, machine);
    record.interrupted = !study;
    const ExitCode code = record.interrupted          ? ExitCode::interrupted
                          : !found.unreadable.empty() ? ExitCode::inputs_skipped
                                                      : ExitCode::done;
    const std::string headline = record.lead + "\n\n";
    Json head{{"machine", machine},
              {"dataset", dataset.name},
              {"landmarks", landmarker.model.string()},
              {"convention", rule.convention.empty() ? "none" : rule.convention},
              {"normaliser", normaliser_name(found.normaliser)},
              {"faces", found.faces},
              {"draws", options.jitter.draws},
              {"seed", options.jitter.seed},
              {"resamples", options.bootstrap_resamples}};
    return show_benchmark(console, flags.output,
                          {"boxes", code, std::move(head), headline, {}, std::move(record)});
}

}  // namespace

Command add_boxes_command(CLI::App& program) {
    CLI::App* app =
        program.add_subcommand("boxes", "The landmarks' error in boxes that are moved and resized");
    auto flags = std::make_shared<BoxFlags>();
    app->footer(boxes_footer);
    app->add_option("DATASET", flags->dataset, "Faces with landmarks (FORMAT:PATH)")
        ->type_name("")
        ->required();
    add_bench_output_flags(*app, flags->output);
    flags->levels.add<BoxLevels>(*app);
    flags->landmarks.add<LandmarkConfig>(*app, {"boxes"});
    app->get_option("--landmarks")->required();
    add_dataset_flags(*app, flags->images);
    add_device_flag(*app, flags->device);
    add_threads_flag(*app, flags->threads);
    return {app, add_output_flags(*app), [flags](Console& console) { return run_boxes(*flags, console); }};
}

}  // namespace fovea
