#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "lib/core/job_hooks.hpp"
#include "lib/dataset/dataset.hpp"
#include "lib/job/loaded_detector.hpp"
#include "lib/landmark/box_convention.hpp"
#include "lib/results/tally.hpp"

namespace fovea {

struct BoxTraining {
    const Dataset* dataset = nullptr;
    const std::vector<LoadedDetector>* detectors = nullptr;
    DecodeOptions decode;
    int threads = 0;  ///< 0 = all cores
};

struct BoxTrainingResult {
    /// One for each detector, in their order and named as their model files, then one for tight
    /// boxes, "landmarks".
    std::vector<BoxConvention> conventions;
    std::size_t images = 0;
    std::size_t faces = 0;  ///< with landmarks, in images that can be read
    std::vector<UnreadableImage> unreadable;
    bool interrupted = false;  ///< before the last image: there are no conventions then
};

/// Fits the box conventions of detectors to a dataset's faces. Each detector searches all images,
/// detection_of_face() chooses the detection of each face, and fit_convention() fits the convention to the
/// mean shape of all faces. Faces without landmarks, and faces marked ignore, are left out. The result is
/// equal on every device and for every number of threads.
/// \throws UsageError if the dataset has no landmarks, or faces differ in their number; Error naming the
/// detector if it found fewer than 10 faces; what the detectors throw.
BoxTrainingResult train_boxes(const BoxTraining& training, const JobHooks& hooks);

/// Merges two lists of conventions: a newer convention takes the place of an older one of the same name.
std::vector<BoxConvention> merged_conventions(std::vector<BoxConvention> older,
                                              const std::vector<BoxConvention>& newer);

}  // namespace fovea
