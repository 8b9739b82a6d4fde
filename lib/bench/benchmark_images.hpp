#pragma once

#include <string>
#include <vector>

#include "kernels/core/view.hpp"
#include "lib/image/formats/image.hpp"
#include "lib/job/detection_job.hpp"

namespace fovea {

/// A photograph to measure on.
struct Photograph {
    std::string name;  ///< as in Sample::image
    GreyImage image;
};

struct Photographs {
    std::vector<Photograph> images;  ///< at least one
    std::vector<UnreadableImage> unreadable;
};

/// Decodes all images of a dataset into memory.
/// \throws Error if none can be read (with the reason of the first), or if together they exceed 4 GiB.
Photographs read_photographs(const Dataset& dataset);

/// \throws UsageError unless the size has 1 to 400 million pixels.
void check_benchmark_size(Size size);

/// Resizes an image with cv::resize: INTER_AREA if it shrinks in both directions, else INTER_LINEAR. The
/// aspect ratio may change: only the number of pixels matters.
GreyImage resized(const GreyImage& image, Size size);

}  // namespace fovea
