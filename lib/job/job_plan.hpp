#pragma once

#include <vector>

#include "lib/config/decoder_choice.hpp"
#include "lib/job/detection_job.hpp"
#include "lib/job/landmark_stage.hpp"
#include "lib/json/json.hpp"

namespace fovea {

/// What follows from a job before anything is written.
struct JobPlan {
    RunConfig config;  ///< with the detectors' options as they were resolved
    std::vector<BoxRule>
        boxes;  ///< how landmarks are found in the boxes of each task; empty without a landmarker
    bool is_resident = false;  ///< images stay on the GPUs from decoding to results
    ChosenDecoder decoder;
    Json work;         ///< as result_fingerprint
    Json description;  ///< as job_fingerprint
};

/// \throws UsageError if annotated boxes are wanted of a dataset without, crops or features without landmarks of the eyes, or
/// if the earlier job that is to be resumed did other work; what choose_decoder throws.
JobPlan plan_job(const DetectionJob& job);

/// True if landmarks are found in annotated boxes, too: the last of the tasks.
bool has_truth_task(const DetectionJob& job);

/// How detect_images() goes through the job's images: memory, decoders, GPUs, and the first image that is not done yet.
DetectImagesOptions image_options(const DetectionJob& job, const JobPlan& plan);

}  // namespace fovea
