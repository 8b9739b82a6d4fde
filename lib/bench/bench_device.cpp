#include "lib/bench/bench_device.hpp"

#include "lib/core/text.hpp"
#include "lib/core/threads.hpp"

namespace fovea {

std::string BenchDevice::name() const {
    return device.is_cuda() ? device.name() : "cpu, " + counted(static_cast<std::size_t>(threads), "thread");
}

std::vector<BenchDevice> bench_devices(const DetectionDevice& device, int threads) {
    const int all = resolve_threads(threads);
    std::vector<BenchDevice> devices{{DetectionDevice::cpu(), 1}};
    if (all > 1) devices.push_back({DetectionDevice::cpu(), all});
    if (device.is_cuda()) devices.push_back({device, all});
    return devices;
}

}  // namespace fovea
