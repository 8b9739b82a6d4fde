#include "lib/config/device_choice.hpp"

#include <algorithm>
#include <charconv>

#include <spdlog/spdlog.h>

#include "kernels/core/device.hpp"
#include "lib/core/error.hpp"

namespace fovea {
namespace {

[[noreturn]] void fail(const std::string& text) {
    throw UsageError(
        "'" + text +
        "' is not a device: use auto, cpu, cuda, cuda:all, or cuda:N[,M...] with the numbers that " +
        "'fovea devices' shows");
}

}  // namespace

DeviceChoice parse_device(const std::string& text) {
    if (text == "auto") return {};
    if (text == "cpu") return {DeviceChoice::Kind::cpu, {}};
    if (text == "cuda") return {DeviceChoice::Kind::cuda, {}};
    if (text == "cuda:all") return {DeviceChoice::Kind::cuda, {}, true};
    const std::string prefix = "cuda:";
    if (text.rfind(prefix, 0) != 0) fail(text);
    DeviceChoice choice{DeviceChoice::Kind::cuda, {}};
    const char* at = text.data() + prefix.size();
    const char* const end = text.data() + text.size();
    while (true) {
        int index = -1;
        const auto [rest, error] = std::from_chars(at, end, index);
        if (error != std::errc{} || index < 0) fail(text);
        if (std::find(choice.cuda_indices.begin(), choice.cuda_indices.end(), index) !=
            choice.cuda_indices.end()) {
            throw UsageError("the device '" + text + "' lists GPU " + std::to_string(index) + " twice");
        }
        choice.cuda_indices.push_back(index);
        if (rest == end) return choice;
        if (*rest != ',') fail(text);
        at = rest + 1;
    }
}

GpusPresent GpusPresent::here() {
    GpusPresent present;
    for (const CudaDeviceInfo& gpu : cuda_devices(&present.why_none)) present.indices.push_back(gpu.index);
    present.open = [](int index) { Device::cuda(index).synchronize(); };
    return present;
}

DetectionDevice choose_detection_device(const std::string& text, const GpusPresent& present) {
    const DeviceChoice choice = parse_device(text);
    if (choice.kind == DeviceChoice::Kind::cpu) return DetectionDevice::cpu();
    if (choice.kind == DeviceChoice::Kind::automatic) {
        DetectionDevice device{{}, true};
        if (present.indices.empty()) {
            spdlog::debug("detecting on the CPU: {}", present.why_none);
            return device;
        }
        try {
            present.open(present.indices.front());
            device.gpus = {present.indices.front()};
            spdlog::info("detecting on {}", device.name());
        } catch (const DeviceError& error) {
            spdlog::warn("detecting on the CPU: {}", error.what());
        }
        return device;
    }
    const std::string refused = "cannot detect on '" + text + "': ";
    const std::string advice = "; see 'fovea devices', or use --device cpu";
    if (present.indices.empty()) throw UsageError(refused + present.why_none + advice);
    DetectionDevice device{choice.cuda_indices, false};
    if (choice.all) device.gpus = present.indices;
    if (device.gpus.empty()) device.gpus = {0};
    for (const int gpu : device.gpus) {
        if (std::find(present.indices.begin(), present.indices.end(), gpu) == present.indices.end()) {
            throw UsageError(refused + "there is no GPU " + std::to_string(gpu) + advice);
        }
        try {
            present.open(gpu);
        } catch (const DeviceError& error) {
            throw UsageError(refused + error.what() + advice);
        }
    }
    return device;
}

DetectionDevice open_detection_device(const std::string& text) {
    return choose_detection_device(text, GpusPresent::here());
}

void tell_why_no_gpu(const DetectionDevice& device, const GpusPresent& present) {
    if (device.automatic && !device.is_cuda() && present.indices.empty())
        spdlog::info("running on the CPU: {}", present.why_none);
}

}  // namespace fovea
