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

/// A point that another side follows to another place than the CPU's vectors.
struct FlowDifference {
    FlowPoint point;
    std::string side;  ///< the other side: "OpenCV", "cuda:0", "the CPU without vectors"
    FlowPoint moved, reference_moved;
    bool found = false, reference_found = false;
    float error = 0, reference_error = 0;
};

/// Two frames between which something differs.
struct DifferingFrames {
    std::string from, to;         ///< as in Sample::image
    bool corners_differ = false;  ///< OpenCV finds other corners
    std::size_t differing_points = 0;
    std::vector<FlowDifference> differences;  ///< the first ones
};

struct FlowVerificationResult {
    std::size_t pairs = 0;   ///< pairs of frames that were compared
    std::size_t points = 0;  ///< points that were followed
    std::size_t found = 0;   ///< points that were found again
    std::size_t differing_points = 0;
    std::vector<DifferingFrames> differing;
    std::vector<UnreadableImage> unreadable;
    bool interrupted = false;
};

/// Follows corners from every `every`-th image of a dataset into the next image, and compares the CPU's
/// vectors with the CPU without vectors and with a reference, to the last bit. Corners are at most 1,000 of
/// good_features(). Pairs of images of different sizes are left out. An image that cannot be decoded is
/// recorded, and its pairs are left out.
///
/// \param every 1 or more. \param gpu the reference; null: OpenCV is the reference, and its corners are
/// compared, too.
/// \param threads 0 = all cores. \throws DeviceError if the GPU fails.
FlowVerificationResult run_flow_verification(const Dataset& dataset, int every, const Device* gpu,
                                             int threads, const JobHooks& hooks);

}  // namespace fovea
