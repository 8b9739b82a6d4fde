#pragma once

#include <functional>
#include <memory>

#include "lib/job/detection_files.hpp"
#include "lib/job/job_images.hpp"
#include "lib/job/loaded_detector.hpp"
#include "lib/job/manifest.hpp"

namespace fovea {

/// The least confidence of a detection where faces are wanted and no curve of them: one less certain is more
/// likely none.
inline constexpr double default_min_confidence = 0.5;

/// How a long job talks to whoever started it. All may be empty.
struct RunHooks {
    std::function<void(const DetectProgress&)> progress;
    std::function<void(const std::string&)> stage;  ///< a new stage begins, e.g. "evaluating"
    const std::atomic<bool>* cancel = nullptr;      ///< see DetectImagesOptions
};

/// All that a detection job is made of; what it points to must outlive it.
struct DetectionJob {
    std::string command;  ///< the subcommand, for the manifest
    const RunConfig& config;
    const JobImages& images;
    const std::vector<LoadedDetector>& detectors;
    const DetectionDevice& device;
    DetectionFiles files;
    const LoadedLandmarker* landmarker =
        nullptr;  ///< finds landmarks in the boxes that the configuration names
    std::optional<RecogniserConfig> recogniser{};  ///< describes the faces, if files.features is wanted
    ExistingResults existing = ExistingResults::overwrite;  ///< what plan_job() does about finished results
};

struct JobPlan;

struct DetectionJobResult {
    DetectImagesResult images;  ///< an earlier run's images, detections and unreadable images included
    std::size_t resumed = 0;    ///< of the images, by an earlier run
    std::vector<ManifestDetector> detectors;
    std::optional<ManifestLandmarks> landmarks;
    Json manifest;  ///< as written; null without a manifest file
};

/// Detects in all images of a job with all of its detectors and writes results and manifest,
/// also if it was cancelled on the way. Folders are made where they are missing. A journal beside a file of
/// results says how far the job has come, until it is complete: see Journal.
/// \param plan  plan_job(job), which has refused what cannot be done.
/// \throws what detect_images and make_manifest throw; DeviceError if a device failed on the way, after
/// results and manifest are complete as far as the job came: it says how many images that is and where they
/// are.
DetectionJobResult run_detection_job(const DetectionJob& job, const JobPlan& plan, const RunHooks& hooks);

}  // namespace fovea
