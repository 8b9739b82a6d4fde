#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "lib/evaluate/detection/detection.hpp"

namespace fovea {

/// 2 TP / (2 TP + FP + FN) with FN = faces - TP, the harmonic mean of precision and recall, in [0, 1]; 0 if
/// all are 0.
double f1_score(int true_positives, int false_positives, int faces);

/// Area under the precision-recall curve with the precision at a recall r replaced by the largest at any
/// recall >= r (all points), in [0, 1]; 0 without faces or detections. Detections of one score enter
/// together. Source: PASCAL VOC development kit 2010, section 3.4.1.
double average_precision(std::span<const RocPoint> roc, int faces);

/// The most faces found by any threshold with at most `false_positives` false positives, and the highest such
/// threshold. \param roc by falling threshold.
RateAtFalsePositives rate_at_false_positives(std::span<const RocPoint> roc, int false_positives);

/// Counts of values in [0, 1] in 20 bins of width 0.05; a value on a border falls into the upper bin, 1 into
/// the last.
std::vector<int> iou_histogram(std::span<const double> values);

/// 1, 2, 3, 5, 9, 17, 33, ...: one face, two, 3-4, 5-8, 9-16 and so on, up to beyond `largest`.
std::vector<double> face_count_edges(double largest);

/// 0, 16, 32, 64, ... pixels, up to beyond `largest`.
std::vector<double> face_width_edges(double largest);

/// At most `most` points that draw the same curve as far as possible: the first and last, and the points
/// before and at every rise of the true positives (between these only false positives are added); if these
/// are still too many, evenly spaced ones of them. Points are copied, never interpolated.
std::vector<RocPoint> thin_roc(std::span<const RocPoint> roc, std::size_t most);

}  // namespace fovea
