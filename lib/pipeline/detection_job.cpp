#include "lib/pipeline/detection_job.hpp"

#include <algorithm>
#include <cmath>

#include <spdlog/spdlog.h>

#include "kernels/device.hpp"
#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/pipeline/crop_writer.hpp"
#include "lib/pipeline/output_guard.hpp"
#include "lib/pipeline/threads.hpp"

namespace fovea {
namespace {

// From the first new result on, an older manifest speaks of what is no longer there.
void remove_stale(const std::filesystem::path& manifest) {
    std::error_code error;
    if (manifest.empty() || !std::filesystem::is_regular_file(manifest, error)) return;
    if (!std::filesystem::remove(manifest, error) && error) {
        throw Error("cannot remove the manifest " + manifest.string() +
                    " of an earlier run: " + error.message());
    }
}

// Faces are turned by their eyes.
void check_has_eyes(const LoadedLandmarker* landmarker) {
    if (landmarker == nullptr) {
        throw UsageError(
            "crops of faces are aligned by landmarks, but none are looked for; name a model with "
            "--landmarks");
    }
    const int points = landmarker->landmarker->model().points;
    if (eye_landmarks(points).count > 0) return;
    throw UsageError("crops of faces need the eyes, which are not known among the " + std::to_string(points) +
                     " landmarks of " + landmarker->model.string() + "; use a model of 68 or 5");
}

// Where the detectors run: as chosen, unless none of them can.
std::string device_of(const std::vector<LoadedDetector>& detectors, const DetectionDevice& device) {
    const bool any = std::any_of(detectors.begin(), detectors.end(), [&](const LoadedDetector& loaded) {
        return loaded.detector->device_name() == device.name();
    });
    return any || detectors.empty() ? device.name() : detectors.front().detector->device_name();
}

// "64 of 200 images are finished; their results are in out/results.jsonl"
std::string what_is_finished(const DetectImagesOutcome& outcome, std::size_t total,
                             const DetectionFiles& files) {
    std::string text = std::to_string(outcome.images) + " of " + counted(total, "image") +
                       (outcome.images == 1 ? " is finished" : " are finished");
    std::string names;
    for (const std::filesystem::path& file : files.results) {
        names += (names.empty() ? "" : ", ") + (file == "-" ? "standard output" : file.string());
    }
    return outcome.images == 0 ? text : text + "; their results are in " + names;
}

// For the boxes of every task: those of the detectors, then those of the truth.
std::vector<BoxRule> box_rules(const LandmarkConfig& config, const Dataset& dataset,
                               const std::vector<LoadedDetector>& detectors, const Landmarker& landmarker) {
    std::vector<BoxRule> rules;
    for (const LoadedDetector& loaded : detectors) {
        rules.push_back(rule_for_detector(config, landmarker, detector_name(loaded.config), loaded.model));
    }
    if (config.uses(BoxSource::truth)) rules.push_back(rule_for_truth(config, landmarker, dataset));
    return rules;
}

DetectImagesOptions detect_options(const RunConfig& config, int threads, std::size_t gpus,
                                   const RunHooks& hooks) {
    DetectImagesOptions options;
    options.threads = threads;
    options.prefetch_bytes = static_cast<std::size_t>(std::ceil(config.image.prefetch_megabytes * (1 << 20)));
    options.decode = decode_options(config.image);
    // Enough images for every thread, few enough that progress is seen and an interruption is heard.
    options.batch_images = static_cast<std::size_t>(std::clamp(2 * threads, 8, 64));
    if (gpus > 0) {
        // A GPU wants many windows at once; decoding runs ahead meanwhile, as far as the prefetch allows.
        options.batch_images = 64 * gpus;
        options.batch_bytes = gpus * (std::size_t{256} << 20);
    }
    options.progress = hooks.progress;
    options.cancel = hooks.cancel;
    return options;
}

}  // namespace

std::vector<LoadedDetector> load_detectors(const RunConfig& config, const DetectionDevice& device,
                                           double min_confidence) {
    if (config.detectors.empty()) {
        throw UsageError(
            "no detector was given: name a model with --model, or list 'detectors' in the configuration");
    }
    std::vector<LoadedDetector> loaded;
    for (const DetectorConfig& detector : config.detectors) {
        if (detector.model.empty()) {
            throw UsageError("detector " + std::to_string(loaded.size() + 1) +
                             " has no model: name one with --model, or set 'model' in the configuration");
        }
        const std::filesystem::path model = find_model(detector.model);
        loaded.push_back({detector, model, load_detector(model, device)});
        DetectorOptions& options = loaded.back().config.options;
        try {
            options = resolve_options(options, loaded.back().detector->traits(), min_confidence);
        } catch (const UsageError& error) {
            throw UsageError("the model " + model.string() +
                             " cannot run with these options: " + error.what());
        }
        spdlog::debug("{}: {}", detector_name(detector), loaded.back().detector->description());
    }
    return loaded;
}

RunConfig effective_config(const RunConfig& config, const std::vector<LoadedDetector>& detectors) {
    RunConfig effective = config;
    effective.detectors.clear();
    for (const LoadedDetector& loaded : detectors) effective.detectors.push_back(loaded.config);
    return effective;
}

Dataset read_configured_dataset(const DatasetConfig& config) {
    if (config.path.empty() && config.files.empty()) {
        throw UsageError(
            "no images were given: name a folder, a list or a dataset (FORMAT:PATH), or set 'dataset.path' "
            "in the configuration");
    }
    const DatasetOptions options{config.pattern, config.limit, config.root};
    Dataset dataset =
        config.path.empty() ? dataset_of_files(config.files, options) : read_dataset(config.path, options);
    for (const std::string& warning : dataset.warnings) spdlog::warn("{}", warning);
    return dataset;
}

DetectionJobOutcome run_detection_job(const std::string& command, const RunConfig& config,
                                      const Dataset& dataset, const std::vector<LoadedDetector>& detectors,
                                      const DetectionDevice& device, const DetectionFiles& files,
                                      const RunHooks& hooks, const LoadedLandmarker* landmarker) {
    const bool in_truth = landmarker != nullptr && config.landmarks.uses(BoxSource::truth);
    if (in_truth && !dataset.has_ground_truth()) {
        throw UsageError("landmarks are wanted in annotated boxes, but the dataset '" + dataset.name +
                         "' has no annotated faces; use the boxes of a detector");
    }
    std::vector<BoxRule> rules;
    if (landmarker != nullptr)
        rules = box_rules(config.landmarks, dataset, detectors, *landmarker->landmarker);
    std::optional<CropWriter> crops;
    if (!files.crops.empty()) {
        check_has_eyes(landmarker);
        crops.emplace(files.crops, dataset);
    }
    if (hooks.stage) hooks.stage("detecting");
    std::vector<std::filesystem::path> models;
    for (const LoadedDetector& loaded : detectors) models.push_back(loaded.model);
    if (landmarker != nullptr) models.push_back(landmarker->model);
    for (const auto& results : files.results) refuse_to_overwrite_inputs(results, dataset, models);
    refuse_to_overwrite_inputs(files.manifest, dataset, models);
    remove_stale(files.manifest);
    std::vector<std::unique_ptr<ResultsWriter>> writers;
    std::vector<DetectTask> tasks;
    DetectionJobOutcome outcome;
    for (std::size_t i = 0; i < files.results.size(); ++i) {
        if (files.results[i] != "-") make_parent_folder(files.results[i]);
        writers.push_back(std::make_unique<ResultsWriter>(files.results[i]));
        DetectTask& task = tasks.emplace_back();
        task.writer = writers.back().get();
        if (landmarker != nullptr) task.landmarks = landmarker->stage(rules[i]);
        if (i == 0 && crops) task.crops = &*crops;
        if (i == detectors.size()) continue;  // the annotated boxes
        const LoadedDetector& loaded = detectors[i];
        task.detector = loaded.detector.get();
        task.options = loaded.config.options;
        outcome.detectors.push_back({loaded.config,
                                     loaded.model,
                                     loaded.detector->description(),
                                     loaded.detector->window(),
                                     files.results[i],
                                     "",
                                     {}});
    }
    if (landmarker != nullptr) {
        outcome.landmarks = {landmarker->model, landmarker->landmarker->description(),
                             landmarker->landmarker->device_name(), rules,
                             in_truth ? std::optional(files.results.back()) : std::nullopt};
    }
    const int threads = resolve_threads(config.threads);
    outcome.images =
        detect_images(dataset, tasks, detect_options(config, threads, device.gpus.size(), hooks));
    for (const auto& writer : writers) writer->close();
    for (std::size_t i = 0; i < detectors.size(); ++i) {
        outcome.detectors[i].device = detectors[i].detector->device_name();
        outcome.detectors[i].counters = detectors[i].detector->counters();
    }

    if (!files.manifest.empty()) {
        make_parent_folder(files.manifest);
        outcome.manifest = make_manifest(command, effective_config(config, detectors), dataset,
                                         outcome.detectors, outcome.landmarks, outcome.images,
                                         device_of(detectors, device), threads, files.manifest.parent_path());
        write_json_file(files.manifest, outcome.manifest);
    }
    if (!outcome.images.error.empty()) {
        throw DeviceError("detection on " + device.name() + " failed: " + outcome.images.error + "; " +
                          what_is_finished(outcome.images, dataset.samples.size(), files));
    }
    for (const DetectTaskOutcome& task : outcome.images.tasks) {
        if (task.crop_error.empty()) continue;
        throw Error("not all crops could be written, though all results were: " + task.crop_error);
    }
    return outcome;
}

}  // namespace fovea
