#pragma once

#include <array>
#include <span>
#include <vector>

#include "lib/evaluate/protocols/coco_curve.hpp"

namespace fovea {

/// COCO's twelve numbers: AP at all thresholds, at 0.5, at 0.75, of small, medium and large faces; AR with 1,
/// 10 and 100 detections per image, of small, medium and large faces.
std::vector<Quantity> coco_quantities();

/// The twelve numbers of one or several categories, NaN where no category has faces in the range of areas.
/// Numbers of several categories are means over thresholds, recalls and categories at once, summed in
/// numpy's order.
/// Source: pycocotools 2.0.11, summarize().
std::array<double, 12> coco_numbers(std::span<const CocoCurves* const> categories);

/// COCO's ten numbers of keypoints: AP at all thresholds of OKS, at 0.5, at 0.75, of medium and large faces;
/// then AR in the same five ways.
std::vector<Quantity> oks_quantities();

/// The ten numbers, NaN where no face is in the range of areas. Source: pycocotools 2.0.11, summarize()
/// of keypoints.
std::array<double, 10> oks_numbers(const CocoCurves& curves);

}  // namespace fovea
