#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "lib/core/job_hooks.hpp"
#include "lib/json/json.hpp"
#include "lib/train/cascade/cascade_config.hpp"
#include "lib/train/samples/window_samples.hpp"

namespace fovea {

/// Which samples of a training are written.
enum class SamplePart {
    training,
    held_out,  ///< that decide when a stage is done
    test,
};

/// "training", "held-out" and "test".
std::vector<std::string> sample_part_names();
/// The part of this name. \throws UsageError for another name.
SamplePart sample_part_of(const std::string& name);

struct SampleFilesJob {
    CascadeTrainConfig config;
    std::filesystem::path config_file{};  ///< that it was read from; empty without one
    SamplePart part = SamplePart::training;
    std::filesystem::path vec;    ///< .vec file; empty = none
    std::filesystem::path sheet;  ///< contact sheet, PNG; empty = none
    int threads = 0;              ///< 0 = all cores
};

struct SampleFilesResult {
    std::size_t samples = 0;
    std::size_t shown = 0;  ///< of these, on the contact sheet
    Size window;
    Json data;  ///< manifest of the sources
};

/// Writes the positives that a training of this configuration sees, without training. A .vec file that is
/// read again with the same window gives the same pixels. \param progress called with the images done and all
/// of a dataset; may throw to stop. \throws UsageError if neither file is named, both are the same, one is an
/// input, or the part has no samples; what load_cascade_data throws.
SampleFilesResult write_sample_files(const SampleFilesJob& job, const CountProgress& progress = {});

}  // namespace fovea
