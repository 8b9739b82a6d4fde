#include "apps/options/bench_machine.hpp"

#include <algorithm>
#include <thread>

#include "kernels/core/device.hpp"
#include "lib/core/text.hpp"

namespace fovea {

std::string machine_of(const DetectionDevice& device) {
    std::string text = counted(std::thread::hardware_concurrency(), "core") + " of this machine";
    if (!device.is_cuda()) return text;
    for (const CudaDeviceInfo& info : cuda_devices()) {
        if (std::find(device.gpus.begin(), device.gpus.end(), info.index) != device.gpus.end())
            text += " and cuda:" + std::to_string(info.index) + " (" + info.name + ")";
    }
    return text;
}

}  // namespace fovea
