#include "lib/pipeline/device_choice.hpp"

#include <algorithm>
#include <charconv>

#include "lib/core/error.hpp"
#include "lib/detect/detector.hpp"

namespace fovea {
namespace {

[[noreturn]] void fail(const std::string& text) {
    throw UsageError("'" + text +
                     "' is not a device: use auto, cpu, cuda, or cuda:N[,M...] with the numbers that " +
                     "'fovea devices' shows");
}

}  // namespace

DeviceChoice parse_device(const std::string& text) {
    if (text == "auto") return {};
    if (text == "cpu") return {DeviceChoice::Kind::cpu, {}};
    if (text == "cuda") return {DeviceChoice::Kind::cuda, {}};
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

Device open_detection_device(const std::string& text) {
    require_detection_device(text, parse_device(text).kind == DeviceChoice::Kind::cuda);
    return Device::cpu();
}

}  // namespace fovea
