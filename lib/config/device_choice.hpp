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
    std::vector<int> cuda_indices;  ///< the listed GPUs in their order; empty for "cuda" alone (= GPU 0)
    bool all = false;               ///< every GPU that CUDA sees

    friend bool operator==(const DeviceChoice&, const DeviceChoice&) = default;
};

/// Reads "auto", "cpu", "cuda", "cuda:all", "cuda:N" or "cuda:N,M,...".
/// \throws UsageError for anything else, and for a GPU listed twice.
DeviceChoice parse_device(const std::string& text);

/// The GPUs of a machine, for the choice of a device.
struct GpusPresent {
    std::vector<int> indices;
    std::string why_none;                 ///< the reason, a sentence, if there are none
    std::function<void(int index)> open;  ///< throws DeviceError if the GPU cannot be used

    /// The GPUs that CUDA sees.
    static GpusPresent here();
};

/// Chooses the device for detection, and logs the choice with its reason. "auto" is GPU 0 if it works, else
/// the CPU: their results are equal in every bit. \param text as for parse_device().
/// \throws UsageError as parse_device(), and if a named GPU is not there or cannot be used: another device
/// never takes its place.
DetectionDevice choose_detection_device(const std::string& text, const GpusPresent& present);

/// Chooses among the GPUs of this machine, as choose_detection_device() does.
DetectionDevice open_detection_device(const std::string& text);

/// Says at the beginning of a job that it runs on the CPU, and why, if the program chose it because there is
/// no GPU. (choose_detection_device() warns of a GPU that cannot be used.)
void tell_why_no_gpu(const DetectionDevice& device, const GpusPresent& present = GpusPresent::here());

}  // namespace fovea
