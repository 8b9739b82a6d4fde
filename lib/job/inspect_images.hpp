#pragma once

#include <vector>

#include "lib/healthcheck/healthcheck.hpp"
#include "lib/job/detection_job.hpp"

namespace fovea {

struct ImageInspection {
    std::vector<ImageFacts> facts;  ///< parallel to the dataset's samples
    bool interrupted = false;
};

/// Inspects the files of a dataset on all cores: whether they are there and, with `read_images`, their
/// SHA-256 and decoded size, or why they cannot be decoded.
ImageInspection inspect_images(const Dataset& dataset, bool read_images, const JobHooks& hooks);

}  // namespace fovea
