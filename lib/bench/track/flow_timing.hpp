#pragma once

#include <cstddef>
#include <vector>

#include "kernels/core/device.hpp"
#include "lib/core/threads.hpp"
#include "lib/image/formats/image.hpp"
#include "lib/job/detection_job.hpp"

namespace fovea {

struct FlowTimingPlan {
    std::vector<int> points{68, 100, 500, 1000, 5000};
    std::vector<int> windows{11, 15, 21, 31};
    std::vector<int> levels{1, 2, 3, 4};
    std::vector<int> iterations{5, 10, 30};
    int repeat = 7;  ///< behind one that warms up
};

/// One setting: milliseconds of each frame, from its grey pixels to the places of the points in it, in host
/// memory. That is one pyramid, and the points followed one way. On a GPU the pixels lie in its memory.
struct FlowTimes {
    int points = 0, window = 0, levels = 0, iterations = 0;
    std::vector<double> fovea_ms, opencv_ms, gpu_ms;  ///< gpu_ms: empty without a GPU
    std::size_t found = 0;                            ///< points
    bool equal = true;  ///< all found the same points at the same places, in every bit
};

/// Fovea on the CPU, OpenCV's calcOpticalFlowPyrLK with as many threads, and Fovea on the GPU take turns,
/// frame by frame. \param frames at least two, of one size; the first follows the last. \param device the
/// CPU: no GPU is timed. \return as far as it came, if it was cancelled. \throws DeviceError
std::vector<FlowTimes> time_flow(const FlowTimingPlan& plan, const std::vector<GreyImage>& frames,
                                 const Device& device, ThreadLimit& limit, const RunHooks& hooks);

}  // namespace fovea
