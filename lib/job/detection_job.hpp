#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lib/job/detection_files.hpp"
#include "lib/job/job_material.hpp"
#include "lib/job/stages/detect_images.hpp"
#include "lib/json/json.hpp"

namespace fovea {

/// A job whose landmarker finds landmarks in the boxes that the configuration names.
struct DetectionJob : JobMaterial {
    std::string command;  ///< the subcommand, for the manifest
    DetectionFiles files;
    /// Describes the faces, if files.features is wanted.
    std::optional<RecogniserConfig> recogniser{};
    /// The results have the faces' yaw and sharpness: see FaceMeter.
    bool measures_faces = false;
};

struct JobPlan;

struct DetectionJobResult {
    /// Includes an earlier run's images, detections and unreadable images.
    DetectImagesResult images;
    std::size_t resumed = 0;     ///< of the images, by an earlier run
    std::int64_t began = 0;      ///< the first run, in seconds since 1970
    std::vector<BoxRule> boxes;  ///< of JobPlan
    Json manifest;               ///< as written; null without a manifest file
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
