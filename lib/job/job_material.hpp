#pragma once

#include <span>
#include <string>

#include "lib/config/config.hpp"
#include "lib/config/decoder_choice.hpp"
#include "lib/device/detection_device.hpp"
#include "lib/files/input_files.hpp"
#include "lib/job/job_images.hpp"
#include "lib/job/landmark_stage.hpp"
#include "lib/job/loaded_detector.hpp"
#include "lib/json/json_fwd.hpp"

namespace fovea {

/// The parts that every job over images is made from. All references must outlive it.
struct JobMaterial {
    const RunConfig& config;
    const JobImages& images;
    std::span<const LoadedDetector> detectors;
    const DetectionDevice& device;
    const LoadedLandmarker* landmarker = nullptr;           ///< null: no landmarks
    ExistingResults existing = ExistingResults::overwrite;  ///< what is done about an earlier job's results
};

/// Adds the files that a job reads: configuration, models, lists and images.
void add_inputs(const JobMaterial& material, InputFiles inputs);

/// Describes everything that decides a job's results, and nothing else: configuration of images,
/// detectors and landmarks, models, decoders and their versions, names of all images. Jobs with equal
/// descriptions write equal bytes on any device, with any number of threads; all shards of a job have one
/// description. \param more what else decides the results of this kind of job.
Json result_fingerprint(const JobMaterial& material, const ChosenDecoder& decoder, const Json& more);

/// The properties that a job must share with the job that it resumes: {"work": its description, "request":
/// the images as they were asked for, "shard": "2/8" or null}.
Json job_fingerprint(const JobMaterial& material, const Json& work);

/// Hexadecimal SHA-256 of a description of work.
std::string work_sha256(const Json& work);

}  // namespace fovea
