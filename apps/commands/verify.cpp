#include <CLI/CLI.hpp>
#include <spdlog/fmt/fmt.h>

#include "apps/commands/commands.hpp"
#include "apps/commands/verify_flow.hpp"
#include "apps/options/common_options.hpp"
#include "apps/terminal/interrupt.hpp"
#include "apps/terminal/summary.hpp"
#include "kernels/core/device.hpp"
#include "lib/config/device_choice.hpp"
#include "lib/core/text.hpp"
#include "lib/json/field_json.hpp"
#include "lib/verify/verification.hpp"

namespace fovea {
namespace {

constexpr const char* verify_footer = R"(Examples:
  fovea verify photos/ --model haarcascade_frontalface_alt --reference opencv
  fovea verify photos/ --model mct --reference cuda
  fovea verify film.mp4 --flow --flow-every 25

Compares, to the last bit, all windows that pass the cascade, their last stage sums, the grouped boxes
and their scores. With --reference opencv the detector runs on --device; OpenCV has no MCT cascades.
With --reference cuda the program compares the CPU with the GPU that --device names (default: GPU 0),
and for every window of every level also the number of stages passed (look-ups of an MCT cascade) and
the last sum. A face network has no windows: its faces are compared. The exit code is 5 if anything
differs.

With --flow no detector runs: corners of every N-th frame are followed into the next one, and position,
status and error of each point are compared, as is the CPU's arithmetic with and without vectors. With
--reference opencv, which is calcOpticalFlowPyrLK, the corners of goodFeaturesToTrack are compared, too.)";

struct VerifyFlags {
    std::vector<std::string> images;
    std::string reference = "opencv";
    bool flow = false;
    int every = 10;
    DatasetFlags dataset;
    SingleDetectorFlags detector;
};

Json box_json(const Detection& detection) {
    const Box& box = detection.box;
    Json json{{"box", {box.x, box.y, box.w, box.h}}, {"score", detection.score}};
    if (detection.details->stage_sum)
        json["stage_sum"] = *detection.details->stage_sum;
    else if (detection.details->neighbors)
        json["neighbors"] = *detection.details->neighbors;
    return json;
}

// The two sides of the comparison: detector and reference, by the names that people use.
struct ComparedSides {
    std::string device;
    std::string detector;   ///< "fovea", or "the CPU"
    std::string reference;  ///< "OpenCV", or "cuda:0"
};

std::string window_fate(std::int16_t stages_passed) {
    if (stages_passed == WindowTrace::skipped) return "skipped";
    return stages_passed == WindowTrace::flat ? "flat" : "evaluated";
}

Json fate_json(std::int16_t stages_passed, double last_sum) {
    Json json{{"window", window_fate(stages_passed)}};
    if (stages_passed >= 0) {
        json["stages_passed"] = stages_passed;
        json["last_sum"] = last_sum;
    }
    return json;
}

Json trace_json(const TraceComparison& trace) {
    Json json{{"windows", trace.windows}, {"differing", trace.differing}, {"first", Json::array()}};
    if (!trace.different_shape.empty()) json["different_shape"] = trace.different_shape;
    for (const TraceDifference& d : trace.differences) {
        json["first"].push_back({{"level", d.level},
                                 {"scale", d.scale},
                                 {"x", d.x},
                                 {"y", d.y},
                                 {"fovea", fate_json(d.first_stages, d.first_sum)},
                                 {"reference", fate_json(d.second_stages, d.second_sum)}});
    }
    return json;
}

std::string describe(const TraceComparison& trace, const ComparedSides& sides) {
    constexpr std::size_t shown = 5;
    if (!trace.different_shape.empty()) return "  " + trace.different_shape + "\n";
    std::string text;
    for (std::size_t i = 0; i < trace.differences.size() && i < shown; ++i) {
        const TraceDifference& d = trace.differences[i];
        text += fmt::format("  level {} (scale {}), x {} y {}: {} says {}; {} says {}\n", d.level, d.scale,
                            d.x, d.y, sides.detector, describe_window(d.first_stages, d.first_sum),
                            sides.reference, describe_window(d.second_stages, d.second_sum));
    }
    if (trace.differing > shown) text += fmt::format("  {} more windows differ\n", trace.differing - shown);
    return text;
}

Json difference_json(const DetectionDifference& difference) {
    Json json{{"only_fovea", Json::array()}, {"only_reference", Json::array()}};
    for (const Detection& detection : difference.only_first)
        json["only_fovea"].push_back(box_json(detection));
    for (const Detection& detection : difference.only_second)
        json["only_reference"].push_back(box_json(detection));
    return json;
}

std::string describe(const DetectionDifference& difference, const std::string& what,
                     const ComparedSides& sides) {
    constexpr std::size_t shown = 5;
    std::string text;
    const auto list = [&](const std::vector<Detection>& detections, const std::string& where) {
        for (std::size_t i = 0; i < detections.size() && i < shown; ++i) {
            const Detection& d = detections[i];
            text += fmt::format(
                "  {} {}: x {} y {} w {} h {}, score {}{}{}\n", what, where, d.box.x, d.box.y, d.box.w,
                d.box.h, d.score,
                d.details->neighbors && !d.details->stage_sum
                    ? fmt::format(", {} neighbors", *d.details->neighbors)
                    : std::string{},
                d.details->stage_sum ? fmt::format(", stage sum {}", *d.details->stage_sum) : std::string{});
        }
        if (detections.size() > shown)
            text += fmt::format("  {} {}: {} more\n", what, where, detections.size() - shown);
    };
    list(difference.only_first, "only with " + sides.detector);
    list(difference.only_second, "only with " + sides.reference);
    return text;
}

ExitCode exit_code_of(const VerificationResult& outcome) {
    if (!outcome.differing.empty()) return ExitCode::backends_differ;
    if (outcome.interrupted) return ExitCode::interrupted;
    return outcome.unreadable.empty() ? ExitCode::done : ExitCode::inputs_skipped;
}

std::string verdict(const VerificationResult& outcome, const ComparedSides& sides) {
    if (outcome.images == 0) return "nothing was compared\n";
    if (outcome.differing.empty())
        return fmt::format("{} and {} agree to the last bit\n", sides.detector, sides.reference);
    return fmt::format("{} and {} differ in {}\n", sides.detector, sides.reference,
                       counted(outcome.differing.size(), "image"));
}

void show(const VerifyFlags& flags, const LoadedDetector& detector, const ComparedSides& sides,
          const VerificationResult& outcome, const Console& console) {
    const bool is_cascade = detector.detector->traits().is_cascade;
    const bool traced = is_cascade && flags.reference == "cuda";
    std::string text;
    Json differences = Json::array();
    for (const DifferingImage& image : outcome.differing) {
        text += image.image + "\n" + describe(image.trace, sides) + describe(image.raw, "window", sides) +
                describe(image.grouped, "box", sides);
        differences.push_back({{"image", image.image},
                               {"raw", difference_json(image.raw)},
                               {"grouped", difference_json(image.grouped)}});
        if (traced) differences.back()["trace"] = trace_json(image.trace);
    }
    text += fmt::format("{}{}, ", outcome.interrupted ? "interrupted after " : "",
                        counted(outcome.images, "image"));
    if (traced) {
        text +=
            fmt::format("{} traced ({} evaluated), {} passing, ", counted(outcome.traced_windows, "window"),
                        outcome.evaluated_windows, outcome.raw_windows);
    } else if (is_cascade) {
        text += counted(outcome.raw_windows, "window") + ", ";
    }
    text += fmt::format("{}: {}", counted(outcome.grouped_boxes, "box", "boxes"), verdict(outcome, sides));
    console.print_summary(text);
    Json json{{"command", "verify"},
              {"exit_code", static_cast<int>(exit_code_of(outcome))},
              {"reference", flags.reference},
              {"device", sides.device},
              {"model", detector.model.string()},
              {"options", json_of(detector.config.options)},
              {"images", outcome.images},
              {"unreadable", outcome.unreadable.size()},
              {"unreadable_images", unreadable_json(outcome.unreadable)},
              {"interrupted", outcome.interrupted},
              {"raw_windows", outcome.raw_windows},
              {"grouped_boxes", outcome.grouped_boxes},
              {"differing_images", outcome.differing.size()},
              {"differences", differences}};
    if (flags.reference == "cuda") json["reference_device"] = sides.reference;
    if (traced) {
        json["traced_windows"] = outcome.traced_windows;
        json["evaluated_windows"] = outcome.evaluated_windows;
        json["differing_windows"] = outcome.differing_windows;
    }
    console.print_json(json);
}

// The GPUs that the CPU is held against: those of --device, else GPU 0. There is no comparison without one.
DetectionDevice reference_gpus(const std::string& device) {
    const DeviceChoice choice = parse_device(device);
    std::string why_none;
    if (cuda_devices(&why_none).empty()) {
        throw UsageError("cannot compare with CUDA: " + why_none +
                         "; see 'fovea devices', or use --reference opencv");
    }
    return open_detection_device(choice.kind == DeviceChoice::Kind::cuda ? device : "cuda");
}

// A detector's flags say nothing about points.
ExitCode verify_flow_of(const VerifyFlags& flags, Console& console) {
    if (!flags.detector.detector.models.empty()) {
        throw UsageError("fovea verify --flow follows points and takes no --model");
    }
    RunConfig config;
    if (flags.detector.device) config.device = *flags.detector.device;
    if (flags.detector.threads) config.threads = *flags.detector.threads;
    set_images(flags.images, config.dataset);
    apply(flags.dataset, config.dataset);
    finish_config(config);
    std::optional<Device> gpu;
    if (flags.reference == "cuda") gpu = Device::cuda(reference_gpus(config.device).gpus.at(0));
    return verify_flow(config, flags.every, gpu ? &*gpu : nullptr, console);
}

ExitCode verify(const VerifyFlags& flags, Console& console) {
    if (flags.flow) return verify_flow_of(flags, console);
    if (flags.detector.detector.models.empty()) {
        throw UsageError(
            "fovea verify needs a cascade: name a file, mct, or one of opencv-data, with --model");
    }
    RunConfig config = single_detector_config("fovea verify", flags.detector);
    set_images(flags.images, config.dataset);
    apply(flags.dataset, config.dataset);
    finish_config(config);
    const bool against_cuda = flags.reference == "cuda";
    const DetectionDevice device =
        against_cuda ? DetectionDevice::cpu() : open_detection_device(config.device);
    const DetectionDevice gpus = against_cuda ? reference_gpus(config.device) : DetectionDevice::cpu();
    const std::vector<LoadedDetector> detectors = load_detectors(config, device);
    std::unique_ptr<Detector> reference;
    ComparedSides sides{detectors[0].detector->device_name(), "fovea", "OpenCV"};
    if (sides.device != "cpu") sides.detector += " on " + sides.device;
    if (against_cuda) {
        reference = load_detector(detectors[0].model, gpus);
        sides = {sides.device, "the CPU", reference->device_name()};
    }
    const Dataset dataset = read_configured_dataset(config.dataset);
    const InterruptGuard interrupt;
    const JobHooks hooks = job_hooks(console, interrupt);
    const VerificationResult outcome =
        against_cuda ? run_backend_verification(dataset, detectors[0], *reference, config.threads, hooks)
                     : run_verification(dataset, detectors[0], config.threads, hooks);
    console.clear_progress();
    warn_unreadable(outcome.unreadable, dataset.samples.size());
    show(flags, detectors[0], sides, outcome, console);
    return exit_code_of(outcome);
}

}  // namespace

Command add_verify_command(CLI::App& program) {
    CLI::App* app =
        program.add_subcommand("verify", "Compare the detector with a reference on your own images");
    auto flags = std::make_shared<VerifyFlags>();
    app->footer(verify_footer);
    app->add_option("IMAGES", flags->images,
                    "A folder, list or dataset (FORMAT:PATH), or several image files")
        ->type_name("")
        ->required();
    app->add_option("--reference", flags->reference, "Reference to compare with")
        ->check(CLI::IsMember({"opencv", "cuda"}))
        ->type_name("REFERENCE")
        ->group("Detector")
        ->capture_default_str();
    app->add_flag("--flow", flags->flow, "Compare the following of points instead of a detector")
        ->group("Points");
    app->add_option("--flow-every", flags->every, "Frames from one that points start in to the next one")
        ->check(CLI::Range(1, 1'000'000))
        ->type_name("N")
        ->group("Points")
        ->capture_default_str();
    add_dataset_flags(*app, flags->dataset);
    add_single_detector_flags(*app, flags->detector);
    auto output = add_output_flags(*app);
    return {app, output, [flags](Console& console) { return verify(*flags, console); }};
}

}  // namespace fovea
