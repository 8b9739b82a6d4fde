#include <CLI/CLI.hpp>
#include <spdlog/fmt/fmt.h>

#include "apps/options/bench_options.hpp"
#include "apps/terminal/interrupt.hpp"
#include "apps/terminal/summary.hpp"
#include "lib/config/device_choice.hpp"
#include "lib/core/job_hooks.hpp"
#include "lib/core/threads.hpp"
#include "lib/json/field_json.hpp"
#include "tests/lab/engine_record.hpp"
#include "tests/lab/lab.hpp"

namespace fovea {
namespace {

constexpr const char* rejections_footer = R"(Examples:
  fovea-lab rejections photos/ --limit 4 --model mct --sizes 640x480,1920x1080 --out bench/

Counts on the CPU what each stage (of an MCT cascade, each look-up) rejects, by scale.)";

constexpr const char* optimisations_footer = R"(Examples:
  fovea-lab optimisations photos/ --model mct --device cuda --out bench/
  fovea-lab optimisations photos/ --model mct --optimisation graphs,pinned --sizes 1920x1080

Measures the GPU's engine with and without each optimisation, in turns. Boxes are held against the CPU's; the exit
code is 5 if any differ.)";

struct EngineFlags {
    std::vector<std::string> images;
    DatasetFlags dataset;
    std::string sizes = "1920x1080";
    std::vector<std::string> optimisations{"all"};
    int batch = 32, repeat = 20;
    BenchOutput output;
    SingleDetectorFlags detector;
};

/// A cascade and the photographs that it is to scan.
struct Subject {
    Subject(const EngineFlags& flags, const std::string& command, const std::string& what)
        : config(single_detector_config(command, flags.detector)),
          sizes(parse_sizes(flags.sizes, "--sizes")) {
        set_images(flags.images, config.dataset);
        apply(flags.dataset, config.dataset);
        finish_config(config);
        for (const Size size : sizes) check_benchmark_size(size);
        loaded = load_detectors(config, DetectionDevice::cpu());
        cascade = &require_cascade(*loaded[0].detector, loaded[0].model, what);
        scan = cascade->scan_of(loaded[0].config.options);
        prepare_benchmark_folder(flags.output);
        const Dataset dataset = read_configured_dataset(config.dataset);
        photographs = read_photographs(dataset);
        warn_unreadable(photographs.unreadable, dataset.samples.size());
    }

    ExitCode code(bool interrupted) const {
        return interrupted                       ? ExitCode::interrupted
               : !photographs.unreadable.empty() ? ExitCode::inputs_skipped
                                                 : ExitCode::done;
    }
    Json head() const {
        return {{"model", loaded[0].model.string()}, {"options", json_of(loaded[0].config.options)}};
    }

    RunConfig config;
    std::vector<Size> sizes;
    std::vector<LoadedDetector> loaded;
    const EngineDetector* cascade = nullptr;
    CascadeScan scan;
    Photographs photographs;
};

ExitCode run_rejections(const EngineFlags& flags, Console& console) {
    const Subject subject(flags, "fovea-lab rejections", "fovea-lab counts what stages reject");
    const InterruptGuard interrupt;
    const JobHooks hooks = job_hooks(console, interrupt);
    std::vector<SizeRejections> rejections;
    ThreadLimit limit(subject.config.threads);
    limit.run([&] {
        rejections = count_rejections(*subject.cascade, subject.scan, subject.photographs.images,
                                      subject.sizes, hooks);
    });
    report::BenchRecord record = report::rejections_record(rejections);
    record.interrupted = hooks.is_cancelled();
    const ExitCode code = subject.code(record.interrupted);
    return show_benchmark(console, flags.output,
                          {"rejections", code, subject.head(), {}, {}, std::move(record)});
}

ExitCode run_optimisations(const EngineFlags& flags, Console& console) {
    EngineStudyRequest request;
    request.optimisations = resolve_optimisations(flags.optimisations);
    request.repetitions = flags.repeat;
    request.batch = flags.batch;
    const DetectionDevice device = open_detection_device(flags.detector.device.value_or("auto"));
    if (!device.is_cuda()) {
        throw UsageError(
            "the optimisations are those of the GPU's engine, and no GPU is measured; use --device "
            "cuda on a machine that has one");
    }
    const Subject subject(flags, "fovea-lab optimisations", "fovea-lab measures the engines of cascades");
    request.sizes = subject.sizes;
    const InterruptGuard interrupt;
    const EngineStudy study = study_optimisations(
        subject.cascade->engine(),
        [&](const EngineOptions& variant) {
            const std::shared_ptr<Detector> copy = subject.cascade->copy_for_gpus(device.gpus, variant);
            return std::shared_ptr<CascadeEngine>(copy, &copy->as_cascade()->engine());
        },
        subject.scan, subject.photographs.images, request, job_hooks(console, interrupt));
    const std::string machine = machine_of(device);
    Json head = subject.head();
    head["machine"] = machine;
    head["same_boxes"] = study.differences.empty();
    const ExitCode code =
        study.differences.empty() ? subject.code(study.interrupted) : ExitCode::backends_differ;
    return show_benchmark(
        console, flags.output,
        {"optimisations", code, std::move(head), {}, {}, report::optimisations_record(study, machine)});
}

void add_engine_flags(CLI::App& app, EngineFlags& flags) {
    app.add_option("IMAGES", flags.images,
                   "Photographs: image files, or a folder, list or dataset (FORMAT:PATH)")
        ->type_name("")
        ->required();
    app.add_option("--sizes", flags.sizes,
                   fmt::format("Resize the photographs to each of these sizes (default: {})", flags.sizes))
        ->type_name("tek|WxH,WxH,...");
    add_bench_output_flags(app, flags.output);
    add_dataset_flags(app, flags.dataset);
    add_single_detector_flags(app, flags.detector);
}

}  // namespace

Command add_rejections_command(CLI::App& program) {
    CLI::App* app = program.add_subcommand("rejections", "The windows that each stage of a cascade rejects");
    auto flags = std::make_shared<EngineFlags>();
    app->footer(rejections_footer);
    add_engine_flags(*app, *flags);
    return {app, add_output_flags(*app),
            [flags](Console& console) { return run_rejections(*flags, console); }};
}

Command add_optimisations_command(CLI::App& program) {
    CLI::App* app =
        program.add_subcommand("optimisations", "The gain of each optimisation of the GPU's engine");
    auto flags = std::make_shared<EngineFlags>();
    app->footer(optimisations_footer);
    add_engine_flags(*app, *flags);
    app->add_option("--optimisation", flags->optimisations, "Measure these alone (default: all)")
        ->delimiter(',')
        ->type_name("NAME,NAME,...");
    app->add_option("--batch", flags->batch,
                    fmt::format("Images at once, beside one by one (default: {})", flags->batch))
        ->check(CLI::Range(1, 4096))
        ->type_name("N");
    app->add_option("--repeat", flags->repeat, fmt::format("Repetitions (default: {})", flags->repeat))
        ->check(CLI::Range(1, 1000000))
        ->type_name("N");
    return {app, add_output_flags(*app),
            [flags](Console& console) { return run_optimisations(*flags, console); }};
}

}  // namespace fovea
