#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lib/dataset/dataset.hpp"
#include "lib/results/results.hpp"

namespace fovea {

/// Which result belongs to which annotated image of a dataset.
struct ImagePairing {
    std::vector<std::size_t> samples;  ///< indices of the annotated samples, in dataset order
    /// Parallel to samples; nullptr if the results lack the image. Results that have no record of images
    /// without detections (DetectionResults::records_every_image) lack none: such an image has a result
    /// without detections.
    std::vector<const ImageResult*> results;
    int extra = 0;  ///< results of images that are not annotated or not in the dataset
    std::vector<std::string> warnings;
};

/// Pairs results with a dataset's annotated images by name.
///
/// Names are equal if they are the same relative path ("./", doubled '/' and '\' aside). If no name is equal,
/// names are compared more loosely, with a warning: first without extension and with leading folders missing
/// on either side ("voyager.gif" is "test/voyager.png"), then by file name without extension. A loose
/// comparison is used only if it pairs every name with at most one other.
///
/// \throws Error if no sample is annotated, an image stands twice in the dataset or in the results, or
/// results and dataset have no image in common (the message shows a name of each). Empty results are no
/// error: every image is then missing, or without detections.
ImagePairing pair_images(const Dataset& dataset, const DetectionResults& results);

}  // namespace fovea
