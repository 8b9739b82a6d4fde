#include <stdexcept>
#include <string>

#include <spdlog/spdlog.h>

#include "kernels/core/device.hpp"
#include "lib/core/error.hpp"
#include "lib/detect/cascade_detector.hpp"
#include "lib/detect/cascade_xml.hpp"
#include "lib/detect/detector.hpp"
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
template <class Kind, class Model>
std::unique_ptr<Detector> detector_on(const DetectionDevice& device, Model model,
                                      const std::filesystem::path& file) {
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

}  // namespace

std::unique_ptr<Detector> load_detector(const std::filesystem::path& model, const DetectionDevice& device) {
    if (is_yunet_model(model)) {
        if (device.is_cuda()) fall_back_to_cpu(device, model, "OpenCV runs YuNet on the CPU alone");
        return std::make_unique<YunetDetector>(model);
    }
    if (is_face_net_model(model))
        return detector_on<FaceNetDetector>(device, read_face_net_model(model), model);
    if (is_mct_model(model)) return detector_on<MctDetector>(device, read_mct_model(model), model);
    return detector_on<CascadeDetector>(device, read_cascade(model), model);
}

}  // namespace fovea
