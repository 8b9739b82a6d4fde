#include "apps/options/bench_options.hpp"

#include <algorithm>
#include <cstdlib>
#include <system_error>
#include <thread>

#include <CLI/CLI.hpp>

#include "kernels/core/device.hpp"
#include "lib/core/error.hpp"
#include "lib/core/text.hpp"

namespace fovea {
namespace fs = std::filesystem;
namespace {

constexpr const char* default_photographs = "/usr/share/doc/libdlib19.1/examples/faces";
constexpr std::size_t max_sources = 64;

}  // namespace

std::string machine_of(const DetectionDevice& device) {
    std::string text = counted(std::thread::hardware_concurrency(), "core") + " of this machine";
    if (!device.is_cuda()) return text;
    for (const CudaDeviceInfo& info : cuda_devices()) {
        if (std::find(device.gpus.begin(), device.gpus.end(), info.index) != device.gpus.end())
            text += " and cuda:" + std::to_string(info.index) + " (" + info.name + ")";
    }
    return text;
}

BenchWorkFolder::BenchWorkFolder(const std::optional<std::string>& given, const std::string& name)
    : is_temporary_(!given) {
    if (given) {
        if (given->empty()) throw UsageError("--work names no folder");
        path_ = fs::path(*given) / name;
        return;
    }
    std::string made = (fs::temp_directory_path() / (name + "-XXXXXX")).string();
    if (::mkdtemp(made.data()) == nullptr)
        throw Error("cannot make the folder " + made + "; name one with --work");
    path_ = made;
}

BenchWorkFolder::~BenchWorkFolder() {
    std::error_code none;
    if (is_temporary_) fs::remove_all(path_, none);
}

void add_archive_photographs(CLI::App& app, ArchivePhotographs& photographs) {
    app.add_option("IMAGES", photographs.images,
                   "Photographs to make the archives of: image files, or a folder, list or dataset "
                   "(FORMAT:PATH); up to 64 are used (default: those of Debian's libdlib19.1)")
        ->type_name("");
    add_dataset_flags(app, photographs.dataset);
}

std::vector<ArchiveSource> read_sources(const ArchivePhotographs& photographs) {
    RunConfig config;
    std::vector<std::string> images = photographs.images;
    if (images.empty()) {
        if (!fs::is_directory(default_photographs)) {
            throw UsageError(std::string("name photographs to make archives of: there is no ") +
                             default_photographs + " (of Debian's libdlib19.1)");
        }
        images = {default_photographs};
    }
    set_images(images, config.dataset);
    apply(photographs.dataset, config.dataset);
    config.detectors.emplace_back().model = default_model;
    finish_config(config);
    const std::vector<LoadedDetector> detectors =
        load_detectors(config, DetectionDevice::cpu(), default_min_confidence);
    return read_archive_sources(read_configured_dataset(config.dataset), *detectors[0].detector,
                                detectors[0].config.options, max_sources);
}

}  // namespace fovea
