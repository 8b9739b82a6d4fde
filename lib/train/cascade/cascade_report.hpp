#pragma once

#include <filesystem>

#include "lib/train/cascade/train_cascade_job.hpp"

namespace fovea::report {

/// Writes training.html (one page without references to the outside) and samples.png, the contact sheet of
/// the positives, into a folder, which is made if it is missing. The page has the stages with their rates,
/// and the first features that were chosen, drawn on the mean positive. \throws Error if a file cannot be
/// written.
void write_cascade_report(const std::filesystem::path& folder, const CascadeTrainJob& job,
                          const CascadeTrainResult& result, const WindowSamples& positives);

}  // namespace fovea::report
