#pragma once

#include <vector>

#include "lib/evaluate/detection/optimal_trace.hpp"

namespace fovea {

/// Which faces every detection may take, for the assignment of smallest summed S_eyes.
///
/// strict: as printed, S_eyes is the cost of every pair, however far, and as many pairs as possible are made:
/// a face can lose a detection that would find it to one that does not. S_eyes above 16,384 are all alike.
/// corrected: only pairs with S_eyes < 0.5 are made, most of them, and among these assignments that of the
/// smallest sum. In both, a pair is a hit if its S_eyes is below 0.5. Ignored faces take no detection; a
/// detection without a face that overlaps one of them is ignored.
/// \throws Error for more than 100,000 faces.
std::vector<PairedDetection> s_eyes_pairs(const std::vector<Face>& faces,
                                          std::span<const Detection> detections, ProtocolMode mode);

}  // namespace fovea
