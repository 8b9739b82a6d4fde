#pragma once

#include <memory>

#include "lib/job/detection_files.hpp"
#include "lib/job/job_images.hpp"
#include "lib/job/loaded_detector.hpp"
#include "lib/job/manifest.hpp"

namespace fovea {

/// The least confidence of a detection where faces are wanted, not a curve: below it, a detection is more
/// likely wrong than right.
inline constexpr double default_min_confidence = 0.5;

/// All that a detection job is made of; what it points to must outlive it.
struct DetectionJob {
    std::string command;  ///< the subcommand, for the manifest
    const RunConfig& config;
    const JobImages& images;
    const std::vector<LoadedDetector>& detectors;
    const DetectionDevice& device;
    DetectionFiles files;
    /// Finds landmarks in the boxes that the configuration names.
    const LoadedLandmarker* landmarker = nullptr;
    /// Describes the faces, if files.features is wanted.
    std::optional<RecogniserConfig> recogniser{};
    ExistingResults existing = ExistingResults::overwrite;  ///< what plan_job() does about finished results
};

struct JobPlan;

struct DetectionJobResult {
    /// Includes an earlier run's images, detections and unreadable images.
    DetectImagesResult images;
    std::size_t resumed = 0;  ///< of the images, by an earlier run
    std::vector<ManifestDetector> detectors;
    std::optional<ManifestLandmarks> landmarks;
    Json manifest;  ///< as written; null without a manifest file
};

/// Detects in all images of a job with all of its detectors and writes results and manifest, also if it is
/// cancelled. Missing folders are made. Until the job is complete, a journal beside the results says how far
/// it has come: see Journal.
/// \param plan plan_job(job), which has refused what cannot be done.
/// \throws what detect_images and make_manifest throw; DeviceError if a device failed on the way. Results and
/// manifest are then complete as far as the job came, and the message says how many images that is and where
/// they are.
DetectionJobResult run_detection_job(const DetectionJob& job, const JobPlan& plan, const JobHooks& hooks);

}  // namespace fovea
