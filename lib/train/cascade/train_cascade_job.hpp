#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "lib/device/detection_device.hpp"
#include "lib/json/json.hpp"
#include "lib/train/cascade/cascade_config.hpp"
#include "lib/train/cascade/cascade_data.hpp"

namespace fovea {

struct CascadeTrainJob {
    CascadeTrainConfig config;
    std::filesystem::path out;         ///< the cascade, for cv::CascadeClassifier and the program itself
    std::filesystem::path checkpoint;  ///< empty = none is kept
    bool resume = false;               ///< go on from the checkpoint if it is there
    std::filesystem::path report;      ///< folder; empty = none
    DetectionDevice device;            ///< negatives are searched on it, and trees grown on the first GPU
    int threads = 0;                   ///< 0 = all cores
    bool old_format = false;           ///< opencv_haartraining's; Haar cascades only
};

struct CascadeTrainHooks {
    /// A part of the work begins. May throw to stop, as the others.
    std::function<void(const std::string&)> stage;
    std::function<void(std::size_t done, std::size_t total)> progress;
    std::function<void(const CascadeTrainerResult&)> stage_done;
};

struct CascadeTrainResult {
    CascadeTrainerResult training;
    Json data;  ///< manifest of what was trained on
    double load_seconds = 0;
    double train_seconds = 0;
};

/// A sentence that says why a training ended before its last stage; empty if it did not.
std::string reason_of_end(const CascadeTrainerResult& result, const CascadeTrainConfig& config);

Json cascade_stage_to_json(const CascadeStageResult& stage);

/// Reads the data, trains and writes the cascade, beside it NAME.training.json (settings, data, stages), and
/// the report if one is wanted. The cascade is the same on every device and for every number of threads.
/// \throws UsageError for a checkpoint of other settings or data; Error if no stage could be trained; what
///         load_cascade_data and the hooks throw: the checkpoint is then that of the last stage. It is
///         removed once the cascade is written.
CascadeTrainResult train_cascade_job(const CascadeTrainJob& job, const CascadeTrainHooks& hooks);

}  // namespace fovea
