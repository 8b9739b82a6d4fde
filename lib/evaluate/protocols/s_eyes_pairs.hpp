#pragma once

#include <vector>

#include "lib/evaluate/detection/optimal_trace.hpp"

namespace fovea {

/// Which faces every detection may take, for the assignment of smallest summed S_eyes.
///
/// strict: as printed, S_eyes is the cost of every pair, however far, and as many pairs as possible are made.
/// So a face can get a far detection in place of one that would find it. S_eyes above 16,384 all count the
/// same. corrected: only pairs with S_eyes < 0.5 are made, as many as possible, and then with the smallest
/// sum. In both modes, a pair is a hit if its S_eyes is below 0.5. Ignored faces take no detection; a
/// detection without a face that overlaps an ignored one is ignored.
/// \throws Error for more than 100,000 faces.
std::vector<PairedDetection> s_eyes_pairs(const std::vector<Face>& faces,
                                          std::span<const Detection> detections, ProtocolMode mode);

}  // namespace fovea
