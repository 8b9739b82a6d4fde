#include "lib/device/detection_device.hpp"

namespace fovea {

std::string DetectionDevice::name() const {
    if (gpus.empty()) return "cpu";
    std::string text = "cuda:";
    for (std::size_t i = 0; i < gpus.size(); ++i) text += (i > 0 ? "," : "") + std::to_string(gpus[i]);
    return text;
}

}  // namespace fovea
