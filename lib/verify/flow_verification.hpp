#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/core/device.hpp"
#include "kernels/optical_flow/flow.hpp"
#include "lib/dataset/dataset.hpp"
#include "lib/job/detection_job.hpp"

namespace fovea {

/// A point for which the two sides disagree, or the scalar arithmetic does.
struct FlowDifference {
    FlowPoint point;
    std::string side;  ///< who differs from the CPU's vectors: "OpenCV", "cuda:0", "the CPU without vectors"
    FlowPoint moved, reference_moved;
    bool found = false, reference_found = false;
    float error = 0, reference_error = 0;
};

/// Two frames between which something differs.
struct DifferingFrames {
    std::string from, to;         ///< as in Sample::image
    bool corners_differ = false;  ///< OpenCV finds other corners
    std::size_t differing_points = 0;
    std::vector<FlowDifference> differences;  ///< the first of them
};

struct FlowVerificationResult {
    std::size_t pairs = 0;   ///< of frames that were compared
    std::size_t points = 0;  ///< that were followed
    std::size_t found = 0;
    std::size_t differing_points = 0;
    std::vector<DifferingFrames> differing;
    std::vector<UnreadableImage> unreadable;
    bool interrupted = false;
};

/// Follows corners from every `every`-th image of a dataset into the one behind it, to the last bit: the CPU
/// in vectors against the CPU without vectors and against the reference. Corners are those of good_features,
/// 1,000 at most. Pairs of images of different sizes are left out.
///
/// \param every 1 or more. \param gpu the GPU to compare with; without one, OpenCV is the reference, and its
/// corners are compared, too. \param threads 0 = all cores. An image that cannot be decoded is recorded; its
/// pairs are left out. \throws DeviceError if the GPU fails.
FlowVerificationResult run_flow_verification(const Dataset& dataset, int every, const Device* gpu,
                                             int threads, const RunHooks& hooks);

}  // namespace fovea
