#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "kernels/core/view.hpp"
#include "lib/core/types.hpp"
#include "lib/detect/detector_options.hpp"

namespace fovea {

/// Sorts by score (falling), then y, x, w, h (rising), then stage sum (falling), as Detector::detect does.
void sort_detections(std::vector<Detection>& detections);

/// Adds a detection whose box is the part of `box` inside the image.
/// \return it, until the next one is added; nullptr if no part is inside.
Detection* add_inside(const Box& box, Size image, std::vector<Detection>& detections);

/// For detectors that are no cascade: the faces whose boxes min_size and max_size allow, each cut to the
/// image afterwards, sorted by sort_detections(). \param faces boxes and scores.
std::vector<Detection> wanted_inside(std::span<const Detection> faces, Size image,
                                     const DetectorOptions& options);

/// Drops detections of a lower score.
void drop_below(double min_score, std::vector<Detection>& detections);

/// Non-maximum suppression: in the order of `boxes`, each box that was not dropped drops the later ones for
/// which suppresses(box, later) is true. \param suppresses is true only for boxes that share a point.
/// \return the indices of the boxes that stay, rising.
std::vector<std::size_t> strongest(std::span<const Box> boxes,
                                   const std::function<bool(const Box&, const Box&)>& suppresses);

/// Keeps, among detections that overlap, the one with the highest score: going through them in the order of
/// sort_detections, one is dropped if a detection that was kept
/// - has an IoU above `max_iou` with it, or
/// - differs from it in area by a factor of more than 2, and the centre of the smaller one lies in the larger
///   one (a part of a face taken for a face, or several faces taken for one): their IoU is low by necessity.
///
/// The result is sorted and does not depend on the order of the input.
/// \param max_iou 0...1; with 1, only the second rule is left.
void suppress_overlaps(std::vector<Detection>& detections, double max_iou);

}  // namespace fovea
