#pragma once

#include <optional>
#include <string>

#include "lib/image/nvjpeg.hpp"
#include "lib/inputs/image_list.hpp"
#include "lib/inputs/shard.hpp"
#include "lib/job/detection_job.hpp"

namespace fovea {

/// Describes everything that decides a job's results, and nothing else: configuration of images,
/// detectors and landmarks, models, recogniser, decoders and their versions, names of all images. Jobs
/// with equal descriptions write equal bytes on any device, with any number of threads; all shards of a
/// job have one description.
Json result_fingerprint(const DetectionJob& job, const RunConfig& effective, const ChosenDecoder& decoder);

/// The properties that a job must share with the job that it resumes: {"work": its description, "request":
/// the images as they were asked for, "shard": "2/8" or null}.
Json job_fingerprint(const DetectionJob& job, const Json& work);

/// Hexadecimal SHA-256 of a description of work.
std::string work_sha256(const Json& work);

}  // namespace fovea
