#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lib/dataset/dataset.hpp"
#include "lib/evaluate/detection/image_pairing.hpp"
#include "lib/results/results.hpp"

namespace fovea {

/// A sentence if results that name only images with detections leave out a tenth or more of the images
/// with faces.
std::optional<std::string> doubt_about_images(const Dataset& dataset, const ImagePairing& pairing);

/// A sentence if boxes are probably meant in another way than they were read: all are smaller than a pixel,
/// or they would hit (IoU 0.5) at least three times as many faces and 30 % of all if they were corners, came
/// after the score, or were scaled by one factor. Nothing if they look right, or if there are fewer than 10
/// faces. At most 500 images are looked at.
std::optional<std::string> doubt_about_boxes(const Dataset& dataset, const ImagePairing& pairing);

/// Sentences on results that are probably not those of the dataset's images as they are, to be read before
/// any number:
/// - there is no detection at all
/// - doubt_about_images
/// - a tenth or more of the images have another size in the results than in the dataset
/// - doubt_about_boxes, unless the results are calibrated
std::vector<std::string> doubts_about_results(const Dataset& dataset, const DetectionResults& results,
                                              const ImagePairing& pairing);

}  // namespace fovea
