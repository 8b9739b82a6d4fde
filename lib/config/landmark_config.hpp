#pragma once

#include <string>
#include <vector>

namespace fovea {

class FieldVisitor;

/// The boxes in which landmarks are found.
enum class BoxSource {
    detector,  ///< those that the detectors find
    truth,     ///< those of the dataset's annotation
};

/// "detector" or "truth".
std::string to_string(BoxSource source);

/// The convention of boxes that follows from their source, see choose_box_edges().
inline const std::string auto_convention = "auto";
/// Boxes are those of the landmark model as they stand.
inline const std::string no_convention = "none";

struct LandmarkConfig {
    std::string model;  ///< a file, or a name that find_landmark_model knows; empty = no landmarks
    std::vector<BoxSource> boxes{BoxSource::detector};
    std::string convention = auto_convention;  ///< or "none", or the name of one that find_convention knows

    bool wanted() const { return !model.empty(); }
    /// True if landmarks are found in such boxes.
    bool uses(BoxSource source) const;
};

/// Its fields, with their ranges and flags: see FieldVisitor.
void describe(FieldVisitor& visitor, LandmarkConfig& config);

}  // namespace fovea
