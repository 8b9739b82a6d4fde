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

/// \throws UsageError if the size has no pixel or above 400 million.
void check_benchmark_size(Size size);

/// Resized with cv::resize: INTER_AREA if it shrinks in both directions, else INTER_LINEAR. The shape is not
/// kept: the pixels are what is measured.
GreyImage resized(const GreyImage& image, Size size);

}  // namespace fovea
