#include "lib/job/loaded_detector.hpp"

#include <spdlog/spdlog.h>

#include "lib/core/error.hpp"
#include "lib/files/find_model.hpp"

namespace fovea {

std::vector<LoadedDetector> load_detectors(const RunConfig& config, const DetectionDevice& device,
                                           double min_confidence) {
    if (config.detectors.empty()) {
        throw UsageError(
            "no detector was given: name a model with --model, or list 'detectors' in the configuration");
    }
    std::vector<LoadedDetector> loaded;
    for (const DetectorConfig& detector : config.detectors) {
        if (detector.model.empty()) {
            throw UsageError("detector " + std::to_string(loaded.size() + 1) +
                             " has no model: name one with --model, or set 'model' in the configuration");
        }
        const std::filesystem::path model = find_model(detector.model);
        loaded.push_back({detector, model, load_detector(model, device)});
        DetectorOptions& options = loaded.back().config.options;
        try {
            options = resolve_options(options, loaded.back().detector->traits(), min_confidence);
        } catch (const UsageError& error) {
            throw UsageError("the model " + model.string() +
                             " cannot run with these options: " + error.what());
        }
        spdlog::debug("{}: {}", detector_name(detector), loaded.back().detector->description());
    }
    return loaded;
}

RunConfig effective_config(const RunConfig& config, std::span<const LoadedDetector> detectors) {
    RunConfig effective = config;
    effective.detectors.clear();
    for (const LoadedDetector& loaded : detectors) effective.detectors.push_back(loaded.config);
    return effective;
}

}  // namespace fovea
