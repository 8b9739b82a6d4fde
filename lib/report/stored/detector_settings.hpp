#pragma once

#include <string>
#include <vector>

#include "lib/evaluate/compare/comparison.hpp"
#include "lib/json/json_fwd.hpp"

namespace fovea {

/// A setting that two reports' detectors may differ in: "scale_factor", "1.1".
struct DetectorSetting {
    std::string name;
    std::string value;
};

/// The settings with which a report's detections were made, as far as the report tells: those of its
/// detector, the hash of its model, and how images were decoded; empty if the report tells nothing.
/// \param report report.json. \param name of the detector; it does not matter if the manifest has one
/// detector only.
std::vector<DetectorSetting> detector_settings(const Json& report, const std::string& name);

/// The settings that differ, and the settings that one side alone has ("–" for the other).
std::vector<SettingDifference> differing_settings(const std::vector<DetectorSetting>& first,
                                                  const std::vector<DetectorSetting>& second);

}  // namespace fovea
