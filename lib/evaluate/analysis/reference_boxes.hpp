#pragma once

#include <string>
#include <vector>

#include "lib/dataset/dataset.hpp"
#include "lib/evaluate/detection/detection.hpp"
#include "lib/results/results.hpp"

namespace fovea {

/// A dataset whose ground truth is what another detector found, to tell how well two detectors agree: Helf's
/// evaluation on Labeled Faces in the Wild against OpenCV's detector.
///
/// The images are those of the results, in their order. An image that the other detector could not read, or
/// in which it finds nothing, is not annotated. Helf leaves such images out, too, and keeps 543 of 600.
///
/// Source: C. Helf, "Real-Time Facial Feature Detection on Mobile Graphics Processing Units", Universität
/// Wien, 2018, section 5.3.2 and figure 5.10.
/// \param images the dataset that was searched, which gives files, subjects and sizes; nullptr: only names
/// are known.
Dataset dataset_from_results(const DetectionResults& results, const Dataset* images, const std::string& name);

/// The share of the counted faces with IoU >= `iou`.
struct IouShare {
    double iou = 0;
    double share = 0;
};

/// The shares of counted faces at IoU = 0, 0.01, ... 1 (Helf's figure 5.10b, counted from the right). Faces
/// and detections are paired one to one with the largest summed IoU, whatever the evaluation's rule; a face
/// without a detection has IoU 0. Empty without faces.
std::vector<IouShare> iou_shares(const Dataset& dataset, const DetectionEvaluation& evaluation);

}  // namespace fovea
