#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lib/image/gpu_images.hpp"
#include "lib/image/loaded_image.hpp"

namespace fovea {

/// Results of one detector in the images of a batch, ready to be written.
struct BatchOutput {
    std::string lines;                    ///< of its results file
    std::vector<std::uint16_t> features;  ///< of its feature file
    std::size_t detections = 0;
    std::size_t crops = 0;
    double detect_seconds = 0;
};

/// Images that go through the stages together.
struct Batch {
    std::size_t number = 0;  ///< from 0 on, in the order of the images
    std::vector<LoadedImage> images;
    std::size_t host_bytes = 0;                  ///< that the images take on the host
    std::unique_ptr<ResidentImages> resident{};  ///< the images on a GPU; null: they are on the host
    std::vector<BatchOutput> outputs{};          ///< parallel to the detectors
};

}  // namespace fovea
