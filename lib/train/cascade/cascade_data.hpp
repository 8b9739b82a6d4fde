#pragma once

#include <cstddef>
#include <utility>

#include "lib/core/job_hooks.hpp"
#include "lib/files/input_files.hpp"
#include "lib/json/json.hpp"
#include "lib/train/cascade/cascade_config.hpp"
#include "lib/train/samples/window_samples.hpp"

namespace fovea {

/// The samples of a training, as they were read.
struct CascadeData {
    WindowSamples positives;  ///< trained on
    WindowSamples held_out;   ///< of other files
    std::vector<BackgroundImage> backgrounds;
    WindowSamples test_positives;                   ///< of further files; none without a test
    std::vector<BackgroundImage> test_backgrounds;  ///< in which no negatives are searched
    Json manifest;                                  ///< sources with counts and SHA-256
    std::size_t unreadable = 0;
    std::size_t left_out = 0;  ///< boxes that are ignored, too small or unusable
    InputFiles inputs;         ///< the files of the sources

    /// For a training; takes the backgrounds, which are large.
    CascadeSamples take_samples() { return {positives.pixels, held_out.pixels, std::move(backgrounds)}; }
};

/// Reads everything that a configuration names, and makes the copies of training, held-out and test samples.
/// A file is in one part alone: a background image whose objects are test samples is a background of the
/// test, and a background image of the training is never one.
/// \param threads 0 = all cores. \param progress called with the images done and all of a dataset; may throw
/// to stop.
/// \param with_backgrounds false: the samples alone, as the training sees them, without the backgrounds to
/// search; the configuration may then name none.
/// \throws UsageError, Error for data that cannot be read, or if no positive or background is left.
CascadeData load_cascade_data(const CascadeTrainConfig& config, int threads,
                              const CountProgress& progress = {}, bool with_backgrounds = true);

}  // namespace fovea
