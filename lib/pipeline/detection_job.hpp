#pragma once

#include <functional>
#include <memory>

#include "lib/pipeline/manifest.hpp"

namespace fovea {

/// The least confidence of a detection where faces are wanted and no curve of them: one less certain is more likely
/// none.
inline constexpr double least_confidence = 0.5;

/// How a long job talks to whoever started it. All may be empty.
struct RunHooks {
    std::function<void(const DetectProgress&)> progress;
    std::function<void(const std::string&)> stage;  ///< a new stage begins, e.g. "evaluating"
    const std::atomic<bool>* cancel = nullptr;      ///< see DetectImagesOptions
};

/// A detector as configured, with its model in memory.
struct LoadedDetector {
    DetectorConfig config;
    std::filesystem::path model;
    std::unique_ptr<Detector> detector;
};

/// Finds and loads the models of a configuration, and resolves their options. \param min_confidence as
/// resolve_options has it.
/// \throws UsageError naming the model if its kind cannot do what the options ask for;
/// \throws UsageError if there is no detector, a detector has no model, or a model is not found; Error if one
/// is broken; what load_detector throws of the device.
std::vector<LoadedDetector> load_detectors(const RunConfig& config, const DetectionDevice& device,
                                           double min_confidence = 0);

/// The configuration with the options of its detectors as they were resolved.
RunConfig effective_config(const RunConfig& config, const std::vector<LoadedDetector>& detectors);

/// Reads the dataset of a configuration and logs its warnings.
/// \throws UsageError if none is configured; what read_dataset and dataset_of_files throw.
Dataset read_configured_dataset(const DatasetConfig& config);

/// Which files a detection job writes.
struct DetectionFiles {
    std::vector<std::filesystem::path>
        results;  ///< one per detector, then that of annotated boxes; "-" is standard output
    std::filesystem::path manifest;  ///< empty = none
    std::filesystem::path crops{};   ///< folder for the aligned faces of the first results; empty = none
};

struct DetectionJobOutcome {
    DetectImagesOutcome images;
    std::vector<ManifestDetector> detectors;
    std::optional<ManifestLandmarks> landmarks;
    Json manifest;  ///< as written; null without a manifest file
};

/// Detects in all images of a dataset with all detectors of a configuration and writes results and manifest,
/// also if it was cancelled on the way. Folders are made where they are missing. \param command the
/// subcommand, for the manifest. \param landmarker finds landmarks in the boxes that the configuration names; null:
/// no landmarks. \throws UsageError if annotated boxes are wanted of a dataset without, or crops without landmarks
/// of the eyes; what detect_images and make_manifest throw; DeviceError if a device
/// failed on the way, after results and manifest are complete as far as the job came: it says how many images
/// that is and where they are.
DetectionJobOutcome run_detection_job(const std::string& command, const RunConfig& config,
                                      const Dataset& dataset, const std::vector<LoadedDetector>& detectors,
                                      const DetectionDevice& device, const DetectionFiles& files,
                                      const RunHooks& hooks, const LoadedLandmarker* landmarker = nullptr);

}  // namespace fovea
