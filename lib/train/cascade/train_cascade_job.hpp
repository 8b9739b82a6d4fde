#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "lib/device/detection_device.hpp"
#include "lib/json/json.hpp"
#include "lib/train/cascade/cascade_checkpoint.hpp"
#include "lib/train/cascade/cascade_config.hpp"
#include "lib/train/cascade/cascade_data.hpp"
#include "lib/train/cascade/cascade_sweep.hpp"
#include "lib/train/cascade/window_test.hpp"
#include "lib/train/training_job.hpp"

namespace fovea {

/// Trains a cascade for cv::CascadeClassifier and the program itself.
struct CascadeTrainJob : TrainingJob {
    CascadeTrainConfig config;
    DetectionDevice device;   ///< negatives are searched on it, and trees grown on the first GPU
    bool old_format = false;  ///< opencv_haartraining's; Haar cascades only
};

/// A cascade of a sweep.
struct SweepPoint {
    SweepValue value;
    std::string field;
    std::filesystem::path out;
    CascadeTrainerResult training;  ///< without stages if none could be trained
    std::string end;                ///< reason_of_end()
    WindowTestResult test;          ///< if there are stages

    bool is_trained() const { return !training.stages.empty(); }
};

struct CascadeTrainResult {
    CascadeTrainerResult training;  ///< of a sweep, the best cascade's
    CascadeTrainConfig config;      ///< of that cascade
    std::optional<WindowTestResult> test;
    std::vector<SweepPoint> sweep;  ///< one for each value; empty without a sweep
    std::size_t best = 0;           ///< of the sweep
    Json data;                      ///< manifest of what was trained on
    double load_seconds = 0;
    double train_seconds = 0;  ///< with the test
};

/// A sentence that says why a training ended before its last stage; empty if it reached the last stage.
std::string reason_of_end(const CascadeTrainerResult& result, const CascadeTrainConfig& config);

/// "stage 11 reached 200 trees and lets 54.0 % of its negatives pass" if a stage lets pass more than
/// max_false_alarm; else empty. \param number from 1.
std::string shortfall_of(const CascadeStageResult& stage, std::size_t number,
                         const CascadeTrainConfig& config);
/// The shortfalls of all stages, in order.
std::vector<std::string> shortfalls_of(const CascadeTrainerResult& result, const CascadeTrainConfig& config);
/// A text for people: what helps against shortfalls.
extern const char* const shortfall_advice;

/// The stages as checkpoints have them, with "misses_max_false_alarm".
Json stages_to_json(const CascadeTrainerResult& result, const CascadeTrainConfig& config);

/// One entry for each value: the value, the cascade's file without its folder, stages, trees, why it ended
/// and the counts of the test.
Json sweep_to_json(const CascadeTrainResult& result);

/// The cascade of one value, beside --out: NAME-0.30.xml. \param out of the job.
std::filesystem::path sweep_path(const std::filesystem::path& out, const SweepValue& value);
/// The sweep's table: NAME.sweep.csv.
std::filesystem::path sweep_table_path(const std::filesystem::path& out);

/// Reads the data, trains and writes the cascade, beside it NAME.training.json (settings, data,
/// stages, test), and the report if one is wanted. The cascade is equal on every device and for every
/// number of threads.
///
/// A sweep reads the data once, trains a cascade for each value, tests each on the same windows, and writes
/// all of them (sweep_path) with a table (sweep_table_path). The cascade with the best F1 becomes the result;
/// of equals the one with fewer trees. The checkpoint holds the cascades that are done and the stages of the
/// next one. A stage is a round, and so is a cascade of a
/// sweep. If it is cancelled, or a hook throws, the checkpoint of the last stage stays.
/// \throws UsageError for a checkpoint of other settings or data; Error if no stage could be trained; what
/// load_cascade_data, the hooks, check_training_report and finish_training throw.
CascadeTrainResult train_cascade_job(const CascadeTrainJob& job, const JobHooks& hooks);

}  // namespace fovea
