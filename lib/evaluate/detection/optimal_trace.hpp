#pragma once

#include <cstdint>
#include <vector>

#include "lib/evaluate/detection/image_trace.hpp"

namespace fovea {

/// Sums of IoU and of S_eyes are held in units of 2^-40: integers, whose sums depend on no order.
constexpr double units_per_one = 1099511627776.0;

/// A face that a detection may be paired with.
struct PairCandidate {
    int face = 0;
    std::int64_t weight = 0;  ///< as HungarianMatcher::Edge
    double iou = 0;           ///< shown with the pair if it is a hit
    double value = 0;         ///< what the pair adds to the protocol's sum
    bool is_hit = false;      ///< the pair is a true positive; other pairs only keep the face taken
};

/// An evaluated detection: the faces that it may take, and whether it is ignored if it takes none.
struct PairedDetection {
    std::vector<PairCandidate> candidates;
    bool hits_ignored_face = false;
};

struct OptimalTrace {
    ImageTrace trace;
    /// Parallel to trace.steps: what the sum gains, in 1 / units_per_one.
    std::vector<std::int64_t> values;
};

/// Adds detections by falling score, each time restoring the assignment of largest total weight
/// (HungarianMatcher). After the last detection of a score, the counts are those of the assignment solved for
/// these detections alone.
///
/// True positives are the pairs that are hits, false positives all other detections that hit no ignored face.
/// Both counts may fall as well as rise from one step to the next.
/// \param pairs parallel to `detections`. \param order the indices of the detections by falling score.
OptimalTrace trace_optimal_pairs(const Sample& sample, std::size_t sample_index,
                                 std::span<const Detection> detections,
                                 const std::vector<PairedDetection>& pairs,
                                 const std::vector<std::size_t>& order);

}  // namespace fovea
