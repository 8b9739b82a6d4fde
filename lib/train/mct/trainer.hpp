#pragma once

#include <optional>
#include <span>
#include <vector>

#include "lib/core/job_hooks.hpp"
#include "lib/detect/mct_detector.hpp"
#include "lib/json/field.hpp"
#include "lib/train/checkpoint.hpp"
#include "lib/train/mct/boost.hpp"
#include "lib/train/mct/mine.hpp"
#include "lib/train/mct/training_data.hpp"

namespace fovea {

/// The result of one look-up of a soft cascade, or of one stage of a staged one.
struct TrainingStep {
    int lookups = 0;             ///< so far
    double loss = 0;             ///< of the table: Σ sqrt(w+ w-)
    double faces_kept = 1;       ///< share of the training patches that none has rejected
    double validation_kept = 1;  ///< that share of the validation patches
    double negatives_kept = 1;   ///< that share of the negatives that were mined last
    /// Share of all windows of the backgrounds that passed when they were mined.
    double pass_rate = 1;
    std::uint64_t windows_searched = 0;  ///< at that time; 0 if none were mined for this step

    friend bool operator==(const TrainingStep&, const TrainingStep&) = default;
};

/// A training as far as it has come.
struct TrainingState {
    MctCascade cascade;
    std::vector<TrainingStep> steps;
    double pass_rate = 1;  ///< of the last mining
};

/// A step as checkpoints, models and reports have it.
void describe(FieldVisitor& visitor, TrainingStep& step);
/// A state as checkpoints have it, without the cascade, which they hold as a model.
void describe(FieldVisitor& visitor, TrainingState& state);

/// Trains a cascade: boosted look-up tables, thresholds set on faces that were not trained on, negatives
/// mined with the cascade so far whenever two thirds of them are rejected. The same configuration, data and
/// seed give the same cascade, with any number of threads and any engine, in one go or from a checkpoint.
///
/// Ends early, with a warning, when fewer than 1 in 20 of the negatives wanted are left in the backgrounds.
/// \param hooks are told the look-ups so far after every step and while negatives are mined; a round is a
/// step that negatives were mined for. \param save is called before negatives are mined. \param make_engine
/// of the engine that mines negatives; empty: on the CPU. \throws Error if negatives end before a tenth of
/// the look-ups are there; JobCancelled.
TrainingState train_cascade(const TrainConfig& config, const TrainingData& data, TrainingState from,
                            const JobHooks& hooks, const SaveState<TrainingState>& save = {},
                            const MctDetector::EngineMaker& make_engine = {});

}  // namespace fovea
