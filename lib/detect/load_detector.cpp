#include <array>
#include <stdexcept>
#include <string>
#include <system_error>

#include <spdlog/spdlog.h>

#include "kernels/device.hpp"
#include "lib/core/error.hpp"
#include "lib/detect/cascade_detector.hpp"
#include "lib/detect/cascade_xml.hpp"
#include "lib/detect/detector.hpp"

namespace fovea {

std::filesystem::path find_model(const std::string& model) {
    namespace fs = std::filesystem;
    if (model.empty())
        throw UsageError("no model was given; name a cascade file, e.g. haarcascade_frontalface_alt2.xml");
    std::error_code ignored;
    if (fs::is_regular_file(model, ignored)) return model;
    // A name with a folder in it is a path; nothing else is searched for it.
    const bool bare_name = !fs::path(model).has_parent_path();
    static constexpr std::array folders{"/usr/share/opencv4/haarcascades", "/usr/share/opencv4/lbpcascades",
                                        "/usr/local/share/opencv4/haarcascades",
                                        "/usr/local/share/opencv4/lbpcascades"};
    std::string searched;
    if (bare_name) {
        for (const char* folder : folders) {
            for (const char* extension : {"", ".xml"}) {
                const fs::path candidate = fs::path(folder) / (model + extension);
                if (fs::is_regular_file(candidate, ignored)) return candidate;
            }
            searched += std::string(searched.empty() ? "" : ", ") + folder;
        }
    }
    throw UsageError("there is no model '" + model + "'" +
                     (bare_name ? ": searched the current folder, " + searched +
                                      " (Debian's package opencv-data brings the cascades)"
                                : "; check the path"));
}

std::unique_ptr<Detector> load_detector(const std::filesystem::path& model, const DetectionDevice& device) {
    Cascade cascade = read_cascade(model);
    if (!device.is_cuda()) return std::make_unique<CascadeDetector>(std::move(cascade));
    try {
        return std::make_unique<CascadeDetector>(cascade, device.gpus);
    } catch (const std::invalid_argument& error) {
        const std::string problem =
            "cannot run the model " + model.string() + " on " + device.name() + ": " + error.what();
        if (!device.automatic) throw UsageError(problem + "; use --device cpu");
        spdlog::warn("{}; it runs on the CPU", problem);
    } catch (const DeviceError& error) {
        if (!device.automatic) throw;
        spdlog::warn("{} cannot be used: {}; the model {} runs on the CPU", device.name(), error.what(),
                     model.string());
    }
    return std::make_unique<CascadeDetector>(std::move(cascade));
}

}  // namespace fovea
