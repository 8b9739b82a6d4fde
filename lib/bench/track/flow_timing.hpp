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
    int repeat = 7;  ///< repetitions after one that warms up
};

/// The times of one setting: milliseconds of each frame, from grey pixels to the places of the points in host
/// memory. This includes one pyramid, and following the points one way. On a GPU the pixels lie in
/// its memory.
struct FlowTimes {
    int points = 0, window = 0, levels = 0, iterations = 0;
    std::vector<double> fovea_ms, opencv_ms, gpu_ms;  ///< gpu_ms: empty without a GPU
    std::size_t found = 0;                            ///< number of points that were found
    bool equal = true;  ///< all three found the same points at the same places, in every bit
};

/// Times optical flow: Fovea on the CPU, OpenCV's calcOpticalFlowPyrLK with as many threads, and Fovea on the
/// GPU take turns, frame by frame. \param frames at least two, of one size; the first follows the last.
/// \param device the GPU, or the CPU, then no GPU is timed. \return the settings measured before it was
/// cancelled. \throws DeviceError
std::vector<FlowTimes> time_flow(const FlowTimingPlan& plan, const std::vector<GreyImage>& frames,
                                 const Device& device, ThreadLimit& limit, const JobHooks& hooks);

}  // namespace fovea
