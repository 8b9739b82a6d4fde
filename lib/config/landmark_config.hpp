#pragma once

#include <string>
#include <vector>

namespace fovea {

class FieldVisitor;

/// The boxes in which landmarks are found.
enum class BoxSource {
    detector,  ///< the detectors' boxes
    truth,     ///< the boxes of the dataset's annotation
};

/// "detector" or "truth".
std::string to_string(BoxSource source);

/// The name that lets the boxes' source choose their convention, see choose_box_edges().
inline const std::string auto_convention = "auto";
/// The name for boxes that already have the landmark model's convention.
inline const std::string no_convention = "none";

struct LandmarkConfig {
    std::string model;  ///< a file, or a name for find_landmark_model(); empty = no landmarks
    std::vector<BoxSource> boxes{BoxSource::detector};
    std::string convention = auto_convention;  ///< or "none", or a name for find_convention()

    bool wanted() const { return !model.empty(); }
    /// True if landmarks are found in boxes of this source.
    bool uses(BoxSource source) const;
};

/// Its fields, with their ranges and flags: see FieldVisitor.
void describe(FieldVisitor& visitor, LandmarkConfig& config);

}  // namespace fovea
