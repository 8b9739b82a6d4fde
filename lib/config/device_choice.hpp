#pragma once

#include <functional>
#include <string>
#include <vector>

#include "lib/device/detection_device.hpp"

namespace fovea {

/// The devices that --device asks for.
struct DeviceChoice {
    enum class Kind { automatic, cpu, cuda };

    Kind kind = Kind::automatic;
    std::vector<int> cuda_indices;  ///< the GPUs listed, in that order; empty for a plain "cuda" (= GPU 0)
    bool all = false;               ///< every GPU that CUDA sees

    friend bool operator==(const DeviceChoice&, const DeviceChoice&) = default;
};

/// Reads "auto", "cpu", "cuda", "cuda:all", "cuda:N" or "cuda:N,M,...".
/// \throws UsageError for anything else, and for a GPU listed twice.
DeviceChoice parse_device(const std::string& text);

/// The GPUs of a machine, as far as the choice of a device asks.
struct GpusPresent {
    std::vector<int> indices;
    std::string why_none;                 ///< a sentence, if there are none
    std::function<void(int index)> open;  ///< throws DeviceError if the GPU cannot be used

    /// The GPUs that CUDA sees.
    static GpusPresent here();
};

/// The device that detection runs on. "auto" is GPU 0 where there is one that works, else the CPU: their
/// results are equal in every bit. Which, and why, is logged.
/// \throws UsageError as parse_device, and if a GPU that was asked for is not there or cannot be used: what
/// was asked for is never silently done elsewhere.
DetectionDevice choose_detection_device(const std::string& text, const GpusPresent& present);

/// The same on this machine.
DetectionDevice open_detection_device(const std::string& text);

/// Says at the beginning of a job that it runs on the CPU, and why, if the program was free to take a GPU and
/// there is none. A GPU that cannot be used was warned of before.
void tell_why_no_gpu(const DetectionDevice& device, const GpusPresent& present = GpusPresent::here());

}  // namespace fovea
