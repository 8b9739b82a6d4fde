#pragma once

#include <string>
#include <vector>

#include "lib/device/detection_device.hpp"

namespace fovea {

/// The device that a step is measured on.
struct BenchDevice {
    DetectionDevice device;
    int threads = 1;  ///< of the CPU

    std::string name() const;  ///< "cuda:0", "cpu, 1 thread"
};

/// The CPU with one thread and with so many (0 = all cores), then the GPUs of the device.
std::vector<BenchDevice> bench_devices(const DetectionDevice& device, int threads);

}  // namespace fovea
