#pragma once

#include <filesystem>

#include "lib/files/input_files.hpp"
#include "lib/train/mct/train_mct.hpp"

namespace fovea::report {

/// Writes training.json (settings, data, every step, the validation curve), training.html (one page without
/// references to the outside), training.md and its plots as SVG and PDF into a folder, which is made if it
/// is missing:
/// - training_rates: faces kept and backgrounds' windows passing, by look-ups;
/// - training_roc: detection rate by false positives on the validation set, with 95 % intervals in the table;
/// - the positions that were chosen, on the mean face, plane by plane.
/// \throws Error if a file cannot be written, and as run_gnuplot().
void write_training_report(const OutputFolder& folder, const MctTrainingResult& outcome,
                           const TrainingData& data);

}  // namespace fovea::report
