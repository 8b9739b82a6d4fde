#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "lib/core/types.hpp"

namespace fovea {

/// A face and the detection that lies on it.
struct OverlapPair {
    std::size_t face = 0;
    std::size_t detection = 0;
    double iou = 0;
};

/// The one-to-one pairs of counted faces and detections with an IoU > min_iou whose summed IoU is largest
/// (Hungarian method, IoU in units of 2^-40), by face.
std::vector<OverlapPair> overlap_pairs(std::span<const Face> faces, std::span<const Detection> detections,
                                       double min_iou);

}  // namespace fovea
