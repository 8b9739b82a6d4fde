#include <spdlog/fmt/fmt.h>

#include "apps/commands.hpp"
#include "apps/common_options.hpp"
#include "apps/interrupt.hpp"
#include "apps/summary.hpp"
#include "lib/core/text.hpp"
#include "lib/pipeline/device_choice.hpp"
#include "lib/pipeline/verification.hpp"

namespace fovea {
namespace {

constexpr const char* footer = R"(Examples:
  fovea verify photos/ --model haarcascade_frontalface_alt --reference opencv
  fovea verify photos/ --model mine.xml --scale-factor 1.05 --min-size 40 --json

Compares, as sets, all windows that pass the cascade with their last stage sums, and the grouped boxes with their
scores, to the last bit. Exit code 5 if anything differs.)";

struct VerifyFlags {
    std::vector<std::string> images;
    std::string reference = "opencv";
    DatasetFlags dataset;
    SingleDetectorFlags detector;
};

Json box_json(const Detection& detection) {
    const Box& box = detection.box;
    Json json{{"box", {box.x, box.y, box.w, box.h}}, {"score", detection.score}};
    if (detection.stage_sum) json["stage_sum"] = *detection.stage_sum;
    return json;
}

Json difference_json(const DetectionDifference& difference) {
    Json json{{"only_fovea", Json::array()}, {"only_reference", Json::array()}};
    for (const Detection& detection : difference.only_first)
        json["only_fovea"].push_back(box_json(detection));
    for (const Detection& detection : difference.only_second)
        json["only_reference"].push_back(box_json(detection));
    return json;
}

std::string describe(const DetectionDifference& difference, const std::string& what) {
    constexpr std::size_t shown = 5;
    std::string text;
    const auto list = [&](const std::vector<Detection>& detections, const std::string& where) {
        for (std::size_t i = 0; i < detections.size() && i < shown; ++i) {
            const Detection& d = detections[i];
            text += fmt::format("  {} {}: x {} y {} w {} h {}, score {}{}\n", what, where, d.box.x, d.box.y,
                                d.box.w, d.box.h, d.score,
                                d.stage_sum ? fmt::format(", stage sum {}", *d.stage_sum) : std::string{});
        }
        if (detections.size() > shown)
            text += fmt::format("  {} {}: {} more\n", what, where, detections.size() - shown);
    };
    list(difference.only_first, "only in fovea");
    list(difference.only_second, "only in OpenCV");
    return text;
}

ExitCode exit_code_of(const VerificationOutcome& outcome) {
    if (!outcome.differing.empty()) return ExitCode::backends_differ;
    if (outcome.interrupted) return ExitCode::interrupted;
    return outcome.unreadable.empty() ? ExitCode::done : ExitCode::inputs_skipped;
}

std::string verdict(const VerificationOutcome& outcome) {
    if (outcome.images == 0) return "nothing was compared\n";
    if (outcome.differing.empty()) return "fovea and OpenCV agree to the last bit\n";
    return fmt::format("fovea and OpenCV differ in {}\n", counted(outcome.differing.size(), "image"));
}

void show(const VerifyFlags& flags, const LoadedDetector& detector, const VerificationOutcome& outcome,
          const Console& console) {
    std::string text;
    Json differences = Json::array();
    for (const DifferingImage& image : outcome.differing) {
        text += image.image + "\n" + describe(image.raw, "window") + describe(image.grouped, "box");
        differences.push_back({{"image", image.image},
                               {"raw", difference_json(image.raw)},
                               {"grouped", difference_json(image.grouped)}});
    }
    text += fmt::format("{}{}, {}, {}: {}", outcome.interrupted ? "interrupted after " : "",
                        counted(outcome.images, "image"), counted(outcome.raw_windows, "window"),
                        counted(outcome.grouped_boxes, "box", "boxes"), verdict(outcome));
    console.print_summary(text);
    console.print_json({{"command", "verify"},
                        {"exit_code", static_cast<int>(exit_code_of(outcome))},
                        {"reference", flags.reference},
                        {"model", detector.model.string()},
                        {"options", detector_options_to_json(detector.config.options)},
                        {"images", outcome.images},
                        {"unreadable", outcome.unreadable.size()},
                        {"unreadable_images", unreadable_json(outcome.unreadable)},
                        {"interrupted", outcome.interrupted},
                        {"raw_windows", outcome.raw_windows},
                        {"grouped_boxes", outcome.grouped_boxes},
                        {"differing_images", outcome.differing.size()},
                        {"differences", differences}});
}

ExitCode verify(const VerifyFlags& flags, Console& console) {
    RunConfig config = single_detector_config("fovea verify", flags.detector);
    set_images(flags.images, config.dataset);
    apply(flags.dataset, config.dataset);
    finish_config(config);
    const Device device = open_detection_device(config.device);
    const std::vector<LoadedDetector> detectors = load_detectors(config, device);
    const InterruptGuard interrupt;
    const Dataset dataset = read_configured_dataset(config.dataset);
    const VerificationOutcome outcome =
        run_verification(dataset, detectors[0], config.threads, run_hooks(console, interrupt));
    console.clear_progress();
    warn_unreadable(outcome.unreadable, dataset.samples.size());
    show(flags, detectors[0], outcome, console);
    return exit_code_of(outcome);
}

}  // namespace

Command add_verify_command(CLI::App& program) {
    CLI::App* app =
        program.add_subcommand("verify", "Hold the detector against a reference on your own images");
    auto flags = std::make_shared<VerifyFlags>();
    app->footer(footer);
    app->add_option("IMAGES", flags->images,
                    "A folder, list or dataset (FORMAT:PATH), or several image files")
        ->type_name("")
        ->required();
    app->add_option("--reference", flags->reference, "What to compare with")
        ->check(CLI::IsMember({"opencv"}))
        ->type_name("REFERENCE")
        ->capture_default_str();
    add_dataset_flags(*app, flags->dataset);
    add_single_detector_flags(*app, flags->detector);
    auto output = add_output_flags(*app);
    return {app, output, [flags](Console& console) { return verify(*flags, console); }};
}

}  // namespace fovea
