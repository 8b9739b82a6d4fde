#include <stdexcept>
#include <string>

#include <spdlog/spdlog.h>

#include "kernels/core/device.hpp"
#include "lib/core/error.hpp"
#include "lib/detect/cascade_detector.hpp"
#include "lib/detect/cascade_xml.hpp"
#include "lib/detect/detector.hpp"
#include "lib/detect/mct_detector.hpp"

namespace fovea {
namespace {

// On the device, or on the CPU where the program may choose that instead.
template <class Kind, class Model>
std::unique_ptr<Detector> detector_on(const DetectionDevice& device, Model model,
                                      const std::filesystem::path& file) {
    if (!device.is_cuda()) return std::make_unique<Kind>(std::move(model));
    try {
        return std::make_unique<Kind>(model, device.gpus);
    } catch (const std::invalid_argument& error) {
        const std::string problem =
            "cannot run the model " + file.string() + " on " + device.name() + ": " + error.what();
        if (!device.automatic) throw UsageError(problem + "; use --device cpu");
        spdlog::warn("{}; it runs on the CPU", problem);
    } catch (const DeviceError& error) {
        if (!device.automatic) throw;
        spdlog::warn("{} cannot be used: {}; the model {} runs on the CPU", device.name(), error.what(),
                     file.string());
    }
    return std::make_unique<Kind>(std::move(model));
}

}  // namespace

std::unique_ptr<Detector> load_detector(const std::filesystem::path& model, const DetectionDevice& device) {
    if (is_mct_model(model)) return detector_on<MctDetector>(device, read_mct_model(model), model);
    return detector_on<CascadeDetector>(device, read_cascade(model), model);
}

}  // namespace fovea
