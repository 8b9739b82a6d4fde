#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>

#include "apps/commands.hpp"
#include "apps/common_options.hpp"
#include "apps/summary.hpp"
#include "lib/detect/opencv_reference.hpp"
#include "lib/image/prefetch.hpp"
#include "lib/pipeline/detection_job.hpp"
#include "lib/pipeline/device_choice.hpp"
#include "lib/pipeline/threads.hpp"

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
    std::optional<std::string> device;
    std::optional<int> threads;
    DatasetFlags dataset;
    DetectorFlags detector;
};

struct VerifyTotals {
    std::size_t images = 0;
    std::size_t raw = 0;
    std::size_t grouped = 0;
    std::size_t differing_images = 0;
    Json differences = Json::array();
    std::vector<UnreadableImage> unreadable;
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

class Verifier {
  public:
    Verifier(const Detector& detector, OpenCvReference& reference, const DetectorOptions& options)
        : detector_(detector), reference_(reference), options_(options) {
        raw_options_.raw = true;
        options_.raw = false;
        raw_options_.scale_factor = options.scale_factor;
        raw_options_.min_size = options.min_size;
        raw_options_.max_size = options.max_size;
    }

    // Compares one image; text for people goes to `report`.
    void compare(const std::string& name, const GreyImage& image, VerifyTotals& totals, std::string& report) {
        const ImageView<const std::uint8_t> view = image.view();
        const std::vector<Detection> raw = detector_.detect({&view, 1}, raw_options_).at(0);
        const std::vector<Detection> grouped = detector_.detect({&view, 1}, options_).at(0);
        ++totals.images;
        totals.raw += raw.size();
        totals.grouped += grouped.size();
        const DetectionDifference raw_difference = compare_detections(
            raw, reference_.raw_windows(view, raw_options_), ComparedValues::box_and_stage_sum);
        const DetectionDifference grouped_difference =
            compare_detections(grouped, reference_.grouped(view, options_), ComparedValues::box_and_score);
        if (raw_difference.empty() && grouped_difference.empty()) return;
        ++totals.differing_images;
        report += name + "\n" + describe(raw_difference, "window") + describe(grouped_difference, "box");
        totals.differences.push_back({{"image", name},
                                      {"raw", difference_json(raw_difference)},
                                      {"grouped", difference_json(grouped_difference)}});
    }

  private:
    const Detector& detector_;
    OpenCvReference& reference_;
    DetectorOptions options_;
    DetectorOptions raw_options_;
};

RunConfig effective_config(const VerifyFlags& flags) {
    RunConfig config;
    if (flags.device) config.device = *flags.device;
    if (flags.threads) config.threads = *flags.threads;
    set_images(flags.images, config.dataset);
    apply(flags.dataset, config.dataset);
    apply(flags.detector, config);
    if (config.detectors.size() > 1) throw UsageError("fovea verify takes one --model");
    finish_config(config);
    return config;
}

ExitCode verify(const VerifyFlags& flags, Console& console) {
    const RunConfig config = effective_config(flags);
    const Device device = open_detection_device(config.device);
    const std::vector<LoadedDetector> detectors = load_detectors(config, device);
    OpenCvReference reference(detectors[0].model);
    const Dataset dataset = read_configured_dataset(config.dataset);
    ThreadLimit limit(config.threads);
    Verifier verifier(*detectors[0].detector, reference, config.detectors[0].options);

    std::vector<std::filesystem::path> paths;
    for (const Sample& sample : dataset.samples) paths.push_back(sample.path);
    ImagePrefetcher prefetcher(std::move(paths), {1, std::size_t{64} << 20, {}});
    VerifyTotals totals;
    std::string report;
    console.stage("comparing");
    while (const std::optional<LoadedImage> loaded = prefetcher.next()) {
        const std::string& name = dataset.samples[loaded->index].image;
        if (loaded->unreadable.empty()) {
            limit.run([&] { verifier.compare(name, loaded->image, totals, report); });
        } else {
            totals.unreadable.push_back({name, loaded->unreadable});
        }
        console.progress({loaded->index + 1, dataset.samples.size(), totals.unreadable.size()});
    }
    console.clear_progress();
    warn_unreadable(totals.unreadable, dataset.samples.size());

    const ExitCode code = totals.differing_images > 0  ? ExitCode::backends_differ
                          : !totals.unreadable.empty() ? ExitCode::inputs_skipped
                                                       : ExitCode::done;
    report +=
        fmt::format("{}, {}, {}: ", count_of(totals.images, "image", "images"),
                    count_of(totals.raw, "window", "windows"), count_of(totals.grouped, "box", "boxes"));
    report += totals.differing_images == 0
                  ? "fovea and OpenCV agree to the last bit\n"
                  : fmt::format("fovea and OpenCV differ in {}\n",
                                count_of(totals.differing_images, "image", "images"));
    console.print_summary(report);
    console.print_json({{"command", "verify"},
                        {"exit_code", static_cast<int>(code)},
                        {"reference", flags.reference},
                        {"model", detectors[0].model.string()},
                        {"options", detector_options_to_json(config.detectors[0].options)},
                        {"images", totals.images},
                        {"unreadable", totals.unreadable.size()},
                        {"raw_windows", totals.raw},
                        {"grouped_boxes", totals.grouped},
                        {"differing_images", totals.differing_images},
                        {"differences", totals.differences}});
    return code;
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
    add_detector_flags(*app, flags->detector, false);
    add_device_flag(*app, flags->device);
    add_threads_flag(*app, flags->threads);
    auto output = add_output_flags(*app);
    return {app, output, [flags](Console& console) { return verify(*flags, console); }};
}

}  // namespace fovea
