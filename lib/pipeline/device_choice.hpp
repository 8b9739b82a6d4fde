#pragma once

#include <string>
#include <vector>

#include "kernels/device.hpp"

namespace fovea {

/// What --device asks for.
struct DeviceChoice {
    enum class Kind { automatic, cpu, cuda };

    Kind kind = Kind::automatic;
    std::vector<int> cuda_indices;  ///< the GPUs listed, in that order; empty for a plain "cuda" (= GPU 0)

    friend bool operator==(const DeviceChoice&, const DeviceChoice&) = default;
};

/// Reads "auto", "cpu", "cuda", "cuda:N" or "cuda:N,M,...".
/// \throws UsageError for anything else, and for a GPU listed twice.
DeviceChoice parse_device(const std::string& text);

/// The device that detection runs on. "auto" is the CPU as long as detection has no CUDA body.
/// \throws UsageError if CUDA was asked for: what was asked for is never silently done elsewhere.
Device open_detection_device(const std::string& text);

}  // namespace fovea
