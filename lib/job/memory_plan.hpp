#pragma once

#include <cstddef>

#include "lib/job/stages/detect_images.hpp"

namespace fovea {

/// The host memory that a job may take, and what takes it. Megabytes are of 2^20 bytes.
struct MemoryRequest {
    double limit_megabytes = 2048;
    double prefetch_megabytes = 256;  ///< read or decoded images that may wait, if the limit allows
    std::size_t images = 0;           ///< in the whole list
    int threads = 1;                  ///< of detection
    bool with_gpus = false;           ///< detection runs on GPUs
};

/// Divides the memory among the stages of detect_images, and sets how many images a batch takes: the options
/// of `request` and defaults for all else.
DetectImagesOptions plan_memory(const MemoryRequest& request);

}  // namespace fovea
