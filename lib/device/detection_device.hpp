#pragma once

#include <string>
#include <vector>

namespace fovea {

/// The hardware that detection runs on: the CPU, or one or several GPUs that share the work.
struct DetectionDevice {
    std::vector<int> gpus;   ///< CUDA's numbers, in the order given; empty = the CPU
    bool automatic = false;  ///< chosen by the program: what a GPU cannot run may go to the CPU

    bool is_cuda() const { return !gpus.empty(); }
    /// "cpu", "cuda:0" or "cuda:0,1".
    std::string name() const;

    static DetectionDevice cpu() { return {}; }

    friend bool operator==(const DetectionDevice&, const DetectionDevice&) = default;
};

}  // namespace fovea
