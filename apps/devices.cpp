#include <cstdlib>
#include <fstream>
#include <sstream>

#include <opencv2/core/utility.hpp>
#include <spdlog/fmt/fmt.h>
#include <sys/utsname.h>
#include <tbb/version.h>
#include <unistd.h>

#include "apps/commands.hpp"
#include "apps/common_options.hpp"
#include "kernels/cascade/scan.hpp"
#include "kernels/device.hpp"
#include "lib/image/decode.hpp"
#include "lib/pipeline/manifest.hpp"
#include "lib/pipeline/threads.hpp"

namespace fovea {
namespace {

constexpr const char* footer = R"(Example:
  fovea devices --json | jq .cuda)";

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

Json cuda_json() {
    std::string why_none;
    Json json;
    json["built"] = cuda_built();
    if (cuda_built()) json["version"] = cuda_build_version();
    json["devices"] = Json::array();
    for (const CudaDeviceInfo& device : cuda_devices(&why_none)) {
        json["devices"].push_back(
            {{"device", fmt::format("cuda:{}", device.index)},
             {"name", device.name},
             {"compute", fmt::format("{}.{}", device.compute_major, device.compute_minor)},
             {"multiprocessors", device.multiprocessors},
             {"memory_bytes", device.memory_bytes},
             {"clock_khz", device.clock_khz}});
    }
    if (json["devices"].empty()) json["why_none"] = why_none;
    return json;
}

std::string describe(const Json& json) {
    std::string text = fmt::format("cpu     {}, {} threads, cascades scanned with {}\n",
                                   json["cpu"]["name"].get<std::string>(), json["cpu"]["threads"].get<int>(),
                                   json["cpu"]["simd"].get<std::string>());
    for (const Json& device : json["cuda"]["devices"]) {
        text += fmt::format("{:<7} {}, compute {}, {} multiprocessors, {:.0f} GiB\n",
                            device["device"].get<std::string>(), device["name"].get<std::string>(),
                            device["compute"].get<std::string>(), device["multiprocessors"].get<int>(),
                            static_cast<double>(device["memory_bytes"].get<std::size_t>()) / (1 << 30));
    }
    if (json["cuda"]["devices"].empty())
        text += "cuda    none: " + json["cuda"]["why_none"].get<std::string>() + "\n";
    for (const auto& [name, version] : json["libraries"].items()) {
        text += fmt::format("{:<7} {}\n", name, version.is_null() ? "not found" : version.get<std::string>());
    }
    return text;
}

ExitCode devices(Console& console) {
    Json json;
    json["cpu"] = {{"name", cpu_name()}, {"threads", resolve_threads(0)}, {"simd", simd_target()}};
    json["cuda"] = cuda_json();
    json["libraries"]["fovea"] = fovea_version();
    json["libraries"]["decoder"] = decoder_description();
    json["libraries"]["opencv"] = cv::getVersionString();
    json["libraries"]["tbb"] = TBB_runtime_version();
    const std::string gnuplot = find_program("gnuplot");
    json["libraries"]["gnuplot"] = gnuplot.empty() ? Json(nullptr) : Json(gnuplot);
    console.print_summary(describe(json));
    console.print_json(json);
    return ExitCode::done;
}

}  // namespace

Command add_devices_command(CLI::App& program) {
    CLI::App* app = program.add_subcommand("devices", "Show the CPU, the GPUs and the libraries in use");
    app->footer(footer);
    auto output = add_output_flags(*app);
    return {app, output, devices};
}

}  // namespace fovea
