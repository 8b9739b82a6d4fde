#include "apps/terminal/device_inventory.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <sstream>

#include <opencv2/core/utility.hpp>
#include <spdlog/fmt/fmt.h>
#include <sys/utsname.h>
#include <tbb/version.h>
#include <unistd.h>

#include "kernels/core/device.hpp"
#include "kernels/haar_lbp/scan.hpp"
#include "kernels/measure/measure.hpp"
#include "lib/core/threads.hpp"
#include "lib/core/version.hpp"
#include "lib/device/nvml.hpp"
#include "lib/image/formats/decode.hpp"
#include "lib/image/nvjpeg.hpp"
#include "lib/json/json.hpp"
#include "lib/process/dynamic_library.hpp"

namespace fovea {
namespace {

std::string cpu_name() {
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; std::getline(info, line);) {
        const std::size_t colon = line.find(": ");
        if (line.rfind("model name", 0) == 0 && colon != std::string::npos) return line.substr(colon + 2);
    }
    utsname system{};
    return ::uname(&system) == 0 ? system.machine : "unknown";
}

// Reports are plotted by gnuplot, which is a program and not linked: it can be missing at run time.
std::string find_program(const std::string& name) {
    const char* path = std::getenv("PATH");
    std::istringstream folders(path == nullptr ? "" : path);
    for (std::string folder; std::getline(folders, folder, ':');) {
        const std::string file = folder + "/" + name;
        if (::access(file.c_str(), X_OK) == 0) return file;
    }
    return {};
}

Json text_or_null(const std::string& text) {
    return text.empty() ? Json(nullptr) : Json(text);
}

template <class Value>
Json value_or_null(const std::optional<Value>& value) {
    return value ? Json(*value) : Json(nullptr);
}

Json reading_json(const NvmlReading& reading) {
    return {{"power_w", value_or_null(reading.power_w)},
            {"power_limit_w", value_or_null(reading.power_limit_w)},
            {"energy_j", value_or_null(reading.energy_j)},
            {"temperature_c", value_or_null(reading.temperature_c)},
            {"sm_clock_mhz", value_or_null(reading.sm_clock_mhz)},
            {"sm_clock_limit_mhz", value_or_null(reading.sm_clock_limit_mhz)},
            {"memory_clock_mhz", value_or_null(reading.memory_clock_mhz)},
            {"memory_clock_limit_mhz", value_or_null(reading.memory_clock_limit_mhz)},
            {"memory_used_bytes", value_or_null(reading.memory_used_bytes)},
            {"memory_total_bytes", value_or_null(reading.memory_total_bytes)},
            {"ecc", value_or_null(reading.ecc)}};
}

Json cuda_json(const Nvml& nvml) {
    std::string why_none;
    Json json;
    json["built"] = cuda_built();
    if (cuda_built()) {
        json["version"] = cuda_build_version();
        json["architectures"] = FOVEA_CUDA_ARCHITECTURES;
    }
    json["devices"] = Json::array();
    for (const CudaDeviceInfo& device : cuda_devices(&why_none)) {
        Json entry{{"device", fmt::format("cuda:{}", device.index)},
                   {"name", device.name},
                   {"compute", fmt::format("{}.{}", device.compute_major, device.compute_minor)},
                   {"multiprocessors", device.multiprocessors},
                   {"memory_bytes", device.memory_bytes},
                   {"clock_khz", device.clock_khz},
                   {"pci_bus_id", nullptr},
                   {"state", nullptr}};
        if (nvml.available()) {
            const std::string bus_id = cuda_pci_bus_id(device.index);
            entry["pci_bus_id"] = bus_id;
            entry["state"] = reading_json(nvml.read(bus_id));
        }
        json["devices"].push_back(std::move(entry));
    }
    if (json["devices"].empty()) json["why_none"] = why_none;
    return json;
}

Json nvidia_json(const Nvml& nvml) {
    Json json;
    json["nvml"] = {{"found", nvml.available()},
                    {"driver_version", text_or_null(nvml.driver_version())},
                    {"file", text_or_null(nvml.file())}};
    if (!nvml.available()) json["nvml"]["why_none"] = nvml.why_none();
    const NvJpegLibrary& nvjpeg = nvjpeg_library();
    json["nvjpeg"] = {{"built", nvjpeg.built},
                      {"built_version", text_or_null(nvjpeg.built_version)},
                      {"found", nvjpeg.loaded},
                      {"version", text_or_null(nvjpeg.version)},
                      {"file", text_or_null(nvjpeg.file)}};
    if (!nvjpeg.loaded) json["nvjpeg"]["why_none"] = nvjpeg.why_none;
    const DynamicLibrary nvdec({"libnvcuvid.so.1"});
    json["nvdec"] = {{"found", nvdec.loaded()}, {"file", text_or_null(nvdec.file())}};
    if (!nvdec.loaded())
        json["nvdec"]["why_none"] = "libnvcuvid.so.1 is not there; it comes with NVIDIA's driver";
    return json;
}

/// The GPUs that the CUDA kernels were compiled for, from CMake's list of architectures: "9.0", "7.5 and
/// newer (...)".
std::string describe_architectures(const std::string& list) {
    std::istringstream words(list);
    std::string text;
    for (std::string word; words >> word;) {
        const std::size_t dash = std::min(word.find('-'), word.size());
        const bool is_virtual = word.compare(dash, std::string::npos, "-virtual") == 0;
        if (dash > 1) word = word.substr(0, dash - 1) + "." + word.substr(dash - 1, 1);
        text += (text.empty() ? "" : ", ") + word;
        if (is_virtual) text += " and newer (the driver compiles them at their first use)";
    }
    return text;
}

std::string number_or_na(const Json& value, double scale, int digits) {
    return value.is_null() ? "n/a" : fmt::format("{:.{}f}", value.get<double>() / scale, digits);
}

std::string describe_state(const Json& state) {
    const auto of = [&](const char* value, const char* limit, double scale, int digits) {
        return number_or_na(state[value], scale, digits) + " of " + number_or_na(state[limit], scale, digits);
    };
    const Json& ecc = state["ecc"];
    return fmt::format("        {} W, {} °C, clock {} MHz, memory clock {} MHz, {} GiB used, ECC {}\n",
                       of("power_w", "power_limit_w", 1, 0), number_or_na(state["temperature_c"], 1, 0),
                       of("sm_clock_mhz", "sm_clock_limit_mhz", 1, 0),
                       of("memory_clock_mhz", "memory_clock_limit_mhz", 1, 0),
                       of("memory_used_bytes", "memory_total_bytes", 1 << 30, 1),
                       ecc.is_null() ? "n/a" : (ecc.get<bool>() ? "on" : "off"));
}

std::string describe_nvidia(const Json& nvidia) {
    const auto found_or_why = [](const Json& library, const std::string& found) {
        return library["found"].get<bool>() ? found : "not found: " + library["why_none"].get<std::string>();
    };
    const auto text = [](const Json& value) {
        return value.is_null() ? std::string("n/a") : value.get<std::string>();
    };
    const Json &nvml = nvidia["nvml"], &nvjpeg = nvidia["nvjpeg"], &nvdec = nvidia["nvdec"];
    return fmt::format("nvml    {}\nnvjpeg  {}\nnvdec   {}\n",
                       found_or_why(nvml, "driver " + text(nvml["driver_version"])),
                       found_or_why(nvjpeg, text(nvjpeg["version"]) + ", " + text(nvjpeg["file"])),
                       found_or_why(nvdec, text(nvdec["file"])));
}

}  // namespace

Json device_inventory() {
    const Nvml nvml;
    Json json;
    json["cpu"] = {{"name", cpu_name()}, {"threads", resolve_threads(0)}, {"simd", simd_target()}};
    json["cuda"] = cuda_json(nvml);
    json["nvidia"] = nvidia_json(nvml);
    json["libraries"]["fovea"] = fovea_version();
    json["libraries"]["decoder"] = decoder_description();
    json["libraries"]["opencv"] = cv::getVersionString();
    json["libraries"]["tbb"] = TBB_runtime_version();
    json["libraries"]["gnuplot"] = text_or_null(find_program("gnuplot"));
    return json;
}

std::string describe_inventory(const Json& json) {
    std::string text = fmt::format("cpu     {}, {} threads, cascades scanned with {}\n",
                                   json["cpu"]["name"].get<std::string>(), json["cpu"]["threads"].get<int>(),
                                   json["cpu"]["simd"].get<std::string>());
    for (const Json& device : json["cuda"]["devices"]) {
        text += fmt::format("{:<7} {}, compute {}, {} multiprocessors, {:.0f} GiB\n",
                            device["device"].get<std::string>(), device["name"].get<std::string>(),
                            device["compute"].get<std::string>(), device["multiprocessors"].get<int>(),
                            static_cast<double>(device["memory_bytes"].get<std::size_t>()) / (1 << 30));
        if (!device["state"].is_null()) text += describe_state(device["state"]);
    }
    if (json["cuda"]["devices"].empty())
        text += "cuda    none: " + json["cuda"]["why_none"].get<std::string>() + "\n";
    if (json["cuda"].contains("architectures"))
        text += "kernels built for compute capability " +
                describe_architectures(json["cuda"]["architectures"].get<std::string>()) + "\n";
    text += describe_nvidia(json["nvidia"]);
    for (const auto& [name, version] : json["libraries"].items()) {
        text += fmt::format("{:<7} {}\n", name, version.is_null() ? "not found" : version.get<std::string>());
    }
    return text;
}

}  // namespace fovea
