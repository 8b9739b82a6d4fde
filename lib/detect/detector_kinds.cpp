#include "lib/detect/detector_kinds.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>
#include <vector>

#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>

#include "kernels/core/device.hpp"
#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/detect/cascade_detector.hpp"
#include "lib/detect/cascade_xml.hpp"
#include "lib/detect/face_net_detector.hpp"
#include "lib/detect/mct_detector.hpp"
#include "lib/detect/yunet_detector.hpp"

namespace fovea {
namespace {

// Warns that the CPU serves instead. \throws UsageError if the device was asked for.
void fall_back_to_cpu(const DetectionDevice& device, const std::filesystem::path& file,
                      const std::string& why) {
    const std::string problem = "cannot run the model " + file.string() + " on " + device.name() + ": " + why;
    if (!device.automatic) throw UsageError(problem + "; use --device cpu");
    spdlog::warn("{}; it runs on the CPU", problem);
}

// On the device, or on the CPU where the program may choose that instead.
template <class Kind, auto read_model>
std::unique_ptr<Detector> detector_on(const std::filesystem::path& file, const DetectionDevice& device) {
    auto model = read_model(file);
    if (!device.is_cuda()) return std::make_unique<Kind>(std::move(model));
    try {
        return std::make_unique<Kind>(model, device.gpus);
    } catch (const std::invalid_argument& error) {
        fall_back_to_cpu(device, file, error.what());
    } catch (const DeviceError& error) {
        if (!device.automatic) throw;
        spdlog::warn("{} cannot be used: {}; the model {} runs on the CPU", device.name(), error.what(),
                     file.string());
    }
    return std::make_unique<Kind>(std::move(model));
}

std::unique_ptr<Detector> yunet_on(const std::filesystem::path& file, const DetectionDevice& device) {
    if (device.is_cuda()) fall_back_to_cpu(device, file, "OpenCV runs YuNet on the CPU alone");
    return std::make_unique<YunetDetector>(file);
}

bool is_any(const std::filesystem::path&) {
    return true;
}

}  // namespace

std::span<const DetectorKind> detector_kinds() {
    static const std::array<DetectorKind, 4> kinds{{
        {.name = "face network, e.g. `wild`",
         .suffix = ".json",
         .file = "a face network in JSON",
         .runs_on = "CPU, GPUs",
         .score = "confidence",
         .traits = FaceNetDetector::traits_of_kind(),
         .is_model = is_face_net_model,
         .load = detector_on<FaceNetDetector, read_face_net_model>},
        {.name = "MCT cascade, e.g. `mct`",
         .suffix = ".json",
         .file = "an MCT cascade in JSON",
         .runs_on = "CPU, GPUs",
         .score = "confidence",
         .traits = MctDetector::traits_of_kind(),
         .is_model = is_mct_model,
         .load = detector_on<MctDetector, read_mct_model>},
        {.name = "YuNet, a small neural network",
         .suffix = ".onnx",
         .file = "YuNet in ONNX, which OpenCV runs on the CPU",
         .runs_on = "CPU, by OpenCV",
         .score = "the network's confidence",
         .traits = YunetDetector::traits_of_kind(),
         .is_model = is_yunet_model,
         .load = yunet_on},
        {.name = "Haar or LBP cascade of OpenCV",
         .suffix = ".xml",
         .file = "an OpenCV cascade in XML",
         .runs_on = "CPU, GPUs",
         .score = "number of grouped windows",
         .is_model = is_any,
         .load = detector_on<CascadeDetector, read_cascade>},
    }};
    return kinds;
}

const DetectorKind& detector_kind_of(const std::filesystem::path& file) {
    const std::span<const DetectorKind> kinds = detector_kinds();
    return *std::find_if(kinds.begin(), kinds.end(),
                         [&](const DetectorKind& kind) { return kind.is_model(file); });
}

std::unique_ptr<Detector> load_detector(const std::filesystem::path& model, const DetectionDevice& device) {
    return detector_kind_of(model).load(model, device);
}

std::string detector_files_text() {
    std::vector<std::string> files;
    for (const DetectorKind& kind : detector_kinds()) files.push_back(kind.file);
    return fmt::format("{}", fmt::join(files, ", "));
}

std::string detector_kinds_table() {
    std::string text =
        "| detector | file | runs on | score | lowest score reported |\n|---|---|---|---|---|\n";
    for (const DetectorKind& kind : detector_kinds()) {
        const double lowest = kind.traits.min_score;
        text += fmt::format("| {} | `{}` | {} | {} | {} |\n", kind.name, kind.suffix, kind.runs_on,
                            kind.score, lowest > 0 ? fmt::format("{}", lowest) : "any");
    }
    return text;
}

}  // namespace fovea
