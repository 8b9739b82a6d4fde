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
/// Images are those of the results, in their order. An image in which the other detector finds nothing is no
/// basis for a judgement, the same as there (543 of 600 images): it is not annotated, like one that it could
/// not read.
///
/// \param images the dataset that the results are of, which gives the files, subjects and sizes; nullptr if
/// there is none, then images are their names. Source: C. Helf, "Real-Time Facial Feature Detection on Mobile
/// Graphics Processing Units", Universität Wien, 2018, section 5.3.2 and figure 5.10.
Dataset dataset_from_results(const DetectionResults& results, const Dataset* images, const std::string& name);

/// The share of the counted faces with IoU >= `iou`.
struct IouShare {
    double iou = 0;
    double share = 0;
};

/// How well every counted face's box is met, at IoU = 0, 0.01, ... 1 (Helf's figure 5.10b, counted from the
/// right): faces and detections are paired one to one with the largest summed IoU, whatever the evaluation's
/// rule; a face without a detection has IoU 0. Empty without faces.
std::vector<IouShare> iou_shares(const Dataset& dataset, const DetectionEvaluation& evaluation);

}  // namespace fovea
