#pragma once

#include <cstddef>
#include <filesystem>

#include "lib/core/job_hooks.hpp"
#include "lib/files/input_files.hpp"
#include "lib/train/cascade/train_cascade_job.hpp"

namespace fovea::report {

/// The subject of a report. All references must outlive it.
struct CascadeReportInput {
    const CascadeTrainJob& job;
    const CascadeTrainResult& result;
    const CascadeData& data;
    const CascadeSamples& samples;  ///< of the training, with the backgrounds
};

/// Writes training.html (one page without references to the outside), its plots, training.json with their
/// numbers, and samples.png, the contact sheet of the positives, into a folder, which is made if it is
/// missing. The page has the stages with their rates and rejections, the ROC of windows, the speed (see
/// cascade_speeds), and the first features that were chosen, drawn on the mean positive. Rejections and
/// ROC are measured on the test's samples. Without a test, they are measured on the held-out positives (or
/// the training's) and the backgrounds in which negatives were searched, and the page says so. A sweep
/// also has sweep.html.
/// \throws Error if a file cannot be written, or without gnuplot; JobCancelled.
void write_cascade_report(const OutputFolder& folder, const CascadeReportInput& input, const JobHooks& hooks);

}  // namespace fovea::report
