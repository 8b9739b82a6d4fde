#pragma once

#include <filesystem>

#include "lib/files/input_files.hpp"
#include "lib/train/face_net/train_face_net_job.hpp"

namespace fovea::report {

/// Writes training.json (settings, data, losses, the datasets that were kept out), training.html (one page
/// without references to the outside), training.md, its plots as SVG and PDF, and crops.png (crops as the
/// training sees them) into a folder, which is made if it is missing. \throws Error if a file cannot be
/// written, and as run_gnuplot()
void write_face_net_report(const OutputFolder& folder, const FaceNetTrainResult& result);

}  // namespace fovea::report
