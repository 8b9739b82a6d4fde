#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "lib/core/job_hooks.hpp"
#include "lib/run/recognition/describe_dataset.hpp"

namespace fovea {

struct ThresholdTraining {
    const Dataset* dataset = nullptr;  ///< with subjects
    const Recogniser* recogniser = nullptr;
    FaceFinder finder;
    int threads = 0;                     ///< 0 = all cores
    std::size_t max_pairs = 20'000'000;  ///< if there are more pairs, a share of them is measured
};

struct ThresholdTrainingResult : DescribedImages {
    FarThresholds thresholds;
};

/// Measures the distances at which a recogniser accepts given shares of pairs of two people.
///
/// All pairs of the dataset's faces are compared, each with weights that have seen neither of its subjects;
/// pairs without such weights are left out. Pairs share faces, so that the thresholds are less certain than
/// with as many independent pairs. The result is equal on every device.
///
/// \throws what describe_dataset, distances_of_people and far_thresholds throw.
ThresholdTrainingResult train_thresholds(const ThresholdTraining& training, const DetectionDevice& device,
                                         const JobHooks& hooks);

/// The text of a recogniser's file with thresholds in it; its other members stay as they are. \param file of
/// the recogniser. \param folder where the text will lie: if it is not the folder of `file`, a relative path
/// of weights becomes an absolute one. \throws what load_recogniser throws.
std::string recogniser_text_with(const FarThresholds& thresholds, const std::filesystem::path& file,
                                 const std::filesystem::path& folder);

}  // namespace fovea
