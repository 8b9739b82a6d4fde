#pragma once

#include <string>
#include <vector>

#include "lib/evaluate/landmarks/box_jitter.hpp"
#include "lib/json/json_fwd.hpp"

namespace fovea {

/// Whose boxes the landmarks are found in.
enum class BoxSource {
    detector,  ///< those that the detectors find
    truth,     ///< those of the dataset's annotation
};

/// "detector" or "truth".
std::string to_string(BoxSource source);
/// \throws UsageError listing the names that there are.
BoxSource box_source_from_string(const std::string& name);

/// The convention of boxes that follows from their source, see choose_box_edges().
inline const std::string auto_convention = "auto";
/// Boxes are those of the landmark model as they stand.
inline const std::string no_convention = "none";

/// The study of what boxes that are a little off cost.
struct JitterConfig {
    bool enabled = true;  ///< in runs with boxes of the truth and true landmarks
    BoxJitterOptions options;
};

struct LandmarkConfig {
    std::string model;  ///< a file, or a name that find_landmark_model knows; empty = no landmarks
    std::vector<BoxSource> boxes{BoxSource::detector};
    std::string convention = auto_convention;  ///< or "none", or the name of one that find_convention knows
    JitterConfig jitter;

    bool wanted() const { return !model.empty(); }
    /// True if landmarks are found in such boxes.
    bool uses(BoxSource source) const;
};

/// Reads the object at `path` of a configuration. \throws UsageError as run_config_from_json.
LandmarkConfig landmark_config_from_json(const Json& json, const std::string& path);
Json landmark_config_to_json(const LandmarkConfig& config);

/// \throws UsageError naming the key at `path` that is out of its range.
void validate_landmark_config(const LandmarkConfig& config, const std::string& path);

}  // namespace fovea
