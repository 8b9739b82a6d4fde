#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "lib/config/config.hpp"
#include "lib/detect/detector.hpp"

namespace fovea {

/// The least confidence of a detection where faces are wanted, not a curve: below it, a detection is more
/// likely wrong than right.
inline constexpr double default_min_confidence = 0.5;

/// A detector as configured, with its model in memory.
struct LoadedDetector {
    DetectorConfig config;
    std::filesystem::path model;
    std::unique_ptr<Detector> detector;
};

/// Finds and loads the models of a configuration, and resolves their options. \param min_confidence as in
/// resolve_options(). \throws UsageError if there is no detector, a detector has no model, a model is not
/// found, or its kind cannot do what the options ask for (naming the model); what load_detector throws.
std::vector<LoadedDetector> load_detectors(const RunConfig& config, const DetectionDevice& device,
                                           double min_confidence = 0);

/// The configuration with the options of its detectors as they were resolved.
RunConfig effective_config(const RunConfig& config, std::span<const LoadedDetector> detectors);

}  // namespace fovea
