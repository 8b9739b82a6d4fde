#pragma once

#include <string>
#include <vector>

#include "lib/device/detection_device.hpp"

namespace fovea {

/// The device that a step is measured on.
struct BenchDevice {
    DetectionDevice device;
    int threads = 1;  ///< the CPU's

    /// "cuda:0", "cpu, 1 thread".
    std::string name() const;
};

/// The CPU with one thread and with `threads` threads (0 = all cores), then the GPUs of the device.
std::vector<BenchDevice> bench_devices(const DetectionDevice& device, int threads);

}  // namespace fovea
