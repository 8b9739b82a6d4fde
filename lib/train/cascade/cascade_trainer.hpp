#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/core/device.hpp"
#include "lib/core/job_hooks.hpp"
#include "lib/detect/cascade_detector.hpp"
#include "lib/detect/cascade_xml_writer.hpp"
#include "lib/json/field.hpp"
#include "lib/train/cascade/boosting.hpp"
#include "lib/train/cascade/mine_windows.hpp"
#include "lib/train/checkpoint.hpp"

namespace fovea {

struct StageSettings {
    int stages = 20;
    double min_hit_rate = 0.995;   ///< of the positives that a stage must keep
    double max_false_alarm = 0.5;  ///< of the negatives that a stage may let pass
    int max_weak_count = 200;      ///< trees of a stage
    std::size_t negatives = 4000;  ///< windows that a stage is trained against
    /// No stage is trained with fewer negatives: see least_negatives().
    std::size_t min_negatives = 100;
    /// Share of the sources, and of the negatives, that are not trained on but decide when a stage is done.
    /// 0: the training samples decide, as in opencv_traincascade.
    double held_out = 0.1;
};

/// Negatives that a stage needs: min_negatives, but no more than are wanted.
std::size_t least_negatives(const StageSettings& settings);

/// The largest threshold of a stage, as its file has it, that keeps the wanted share of the positives: at
/// most ⌊(1 − min_hit_rate) · count⌋ of their sums are below it. \param sums at least one.
float stage_threshold(std::vector<double> sums, double min_hit_rate);

/// Everything that a cascade depends on, beside the samples.
struct CascadeTrainerSettings {
    Size window{24, 24};
    TreeSettings trees;
    StageSettings stages;
    double scale_factor = 1.1;    ///< of neighbouring window sizes in the search for negatives
    double max_object_iou = 0.2;  ///< of a negative and an annotated object
    std::size_t max_bin_bytes = std::size_t{1600} << 20;  ///< memory for the features' bins
    std::uint64_t seed = 1;
};

/// The samples of a training. Positives are windows, [sample][y][x].
struct CascadeSamples {
    std::vector<std::uint8_t> positives;
    std::vector<std::uint8_t> held_out;  ///< positives; empty: none
    std::vector<BackgroundImage> backgrounds;
};

/// A stage as it was trained.
struct CascadeStageResult {
    std::size_t positives = 0, negatives = 0;  ///< trained on
    std::size_t trees = 0, nodes = 0;
    float threshold = 0;
    double hit_rate = 0, false_alarm = 0;  ///< of the stage, on the samples that decide
    double training_hit_rate = 0, training_false_alarm = 0;
    std::size_t lost_positives = 0;      ///< that do not pass it
    std::uint64_t windows_searched = 0;  ///< for its negatives
    double pass_rate = 0;                ///< of all windows, through the stages before it
    bool ran_dry = false;                ///< fewer negatives were found than wanted
    double mining_seconds = 0, bin_seconds = 0, boosting_seconds = 0;
};

/// A stage as checkpoints and reports have it.
void describe(FieldVisitor& visitor, CascadeStageResult& stage);

/// Why no further stage was trained. no_split: no tree could be grown, or the trees of the stage let every
/// negative pass.
enum class TrainingEnd { all_stages, no_negatives, no_positives, no_split };

struct CascadeTrainerResult {
    Cascade cascade;  ///< thresholds as its file has them
    std::vector<CascadeStageResult> stages;
    TrainingEnd end = TrainingEnd::all_stages;
    std::size_t negatives_left = 0;  ///< found for the stage that was not trained
    /// Without contrast (σ <= 10 grey levels): a Haar cascade never finds them.
    std::size_t flat_positives = 0;
};

/// The devices of a training.
struct CascadeTrainerDevices {
    /// Makes the engine of a cascade; must not be empty. The cascade outlives the engine.
    CascadeDetector::EngineMaker make_engine;
    /// Trees are grown on it; null: on the CPU. The trees are the same.
    const Device* trees = nullptr;
};

/// Trains a boosted cascade (P. Viola, M. Jones, 2001; R. Lienhart, J. Maydt, 2002): in each stage trees are
/// added until it keeps min_hit_rate of the positives and lets pass no more than max_false_alarm of the
/// negatives, which are windows that all earlier stages let pass. The same samples and settings give the same
/// cascade on every device and for every number of threads.
/// \param begin stages of an earlier run to continue; empty: none. Its `cascade` numbers its own features,
/// not the pool's.
/// \param save is called after every stage, with the result so far.
/// \throws std::invalid_argument without positives or backgrounds; JobCancelled; what hooks and
/// engines throw.
CascadeTrainerResult train_cascade(const WindowFeatures& pool, const CascadeSamples& samples,
                                   const CascadeTrainerSettings& settings,
                                   const CascadeTrainerDevices& devices, const JobHooks& hooks = {},
                                   const SaveState<CascadeTrainerResult>& save = {},
                                   CascadeTrainerResult begin = {});

/// How far a window comes in a cascade.
struct WindowFate {
    static constexpr int flat = -1;  ///< not evaluated: σ <= 10 grey levels (Haar)
    int stages_passed = 0;           ///< or `flat`
    double last_sum = 0;             ///< of the leaves of the last stage that was evaluated
};

/// The fate of each window, as a scan decides it: [sample]. \param cascade with thresholds as a file
/// has them.
std::vector<WindowFate> fates_of_windows(const Cascade& cascade, std::span<const std::uint8_t> windows);

/// Whether each window passes all stages of a cascade, as a scan decides it: [sample].
/// \param cascade with thresholds as a file has them.
std::vector<bool> windows_that_pass(const Cascade& cascade, std::span<const std::uint8_t> windows);

/// The cascade as it is read from its file.
Cascade as_read(const Cascade& cascade);

}  // namespace fovea
