#pragma once

#include <filesystem>
#include <vector>

#include "lib/config/decoder_choice.hpp"
#include "lib/job/detection_job.hpp"
#include "lib/job/landmark_stage.hpp"
#include "lib/job/stages/detect_images.hpp"
#include "lib/json/json.hpp"

namespace fovea {

/// The decisions about a job before anything is written. Everything that can be refused is refused
/// by plan_job().
struct JobPlan {
    /// How landmarks are found in the boxes of each task; empty without a landmarker.
    std::vector<BoxRule> boxes;
    /// Landmarks are found in annotated boxes, too, by the last of the tasks.
    bool has_truth_task = false;
    ChosenDecoder decoder;
    /// How detect_images() goes through the job's images: memory, decoders, GPUs, and the first image that is
    /// not done yet.
    DetectImagesOptions options;
    std::filesystem::path journal;  ///< empty where results are no file
    bool is_resumable = false;      ///< by the same command with --resume
    std::size_t feature_bins = 0;   ///< of a face; 0 = no features
    Json work;                      ///< as result_fingerprint
    Json description;               ///< as job_fingerprint
};

/// Plans a job. \throws UsageError if annotated boxes are wanted and the dataset has none, if crops or
/// features are wanted without landmarks of the eyes, if two of the job's files are the same or one is an
/// input, or if the job to be resumed did other work; what choose_decoder throws.
JobPlan plan_job(const DetectionJob& job);

}  // namespace fovea
