#pragma once

#include <filesystem>

#include "lib/files/input_files.hpp"
#include "lib/train/landmarks/train_landmarks.hpp"

namespace fovea::report {

/// Writes training.json (settings, data, errors after every cascade, times), training.html (one page without
/// references to the outside), training.md and its plot as SVG and PDF into a folder, which is made if it is
/// missing. \throws Error if a file cannot be written, and as run_gnuplot().
void write_landmark_training_report(const OutputFolder& folder, const LandmarkTrainingResult& outcome);

}  // namespace fovea::report
