#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "lib/config/config.hpp"
#include "lib/dataset/dataset.hpp"
#include "lib/landmark/add_landmarks.hpp"

namespace fovea {

/// How the boxes of one detector, or of the annotation, become those of the landmark model.
struct BoxRule {
    std::string of;          ///< the detector's name, or "truth"
    std::string convention;  ///< name of the convention; empty = as they are
    BoxTransform edges;      ///< edges of the model's box in these boxes
};

/// The landmarker of a job.
struct LoadedLandmarker {
    std::filesystem::path model;
    std::unique_ptr<Landmarker> landmarker;

    LandmarkStage stage(const BoxRule& rule) const { return {landmarker.get(), rule.edges}; }
};

/// Finds and loads the model of a configuration that wants landmarks.
/// \throws what find_landmark_model, read_landmark_model and Landmarker throw.
LoadedLandmarker load_landmarker(const LandmarkConfig& config, const DetectionDevice& device);

/// The rule for a detector's boxes. "auto" takes the convention named as the model file's stem; if there is
/// none, boxes are taken as they are, with a warning. Conventions are of 68 points: with "auto", models of
/// other numbers of points get boxes as they are. \param model the detector's file. \throws UsageError if the
/// configuration names a convention that is not there or that the model cannot have.
BoxRule rule_for_detector(const LandmarkConfig& config, const Landmarker& landmarker,
                          const std::string& detector, const std::filesystem::path& model);

/// The rule for annotated boxes. "auto" takes "landmarks" if the boxes are the tight ones of 68 landmarks
/// (has_landmark_boxes), else boxes as they are, because dlib's models are trained with the boxes of its
/// lists. All else is as in rule_for_detector().
BoxRule rule_for_truth(const LandmarkConfig& config, const Landmarker& landmarker, const Dataset& dataset);

/// True if most faces of a dataset that count have 68 landmarks, and boxes that are the tight boxes of these
/// up to a pixel. Warns if only some faces are like that.
bool has_landmark_boxes(const Dataset& dataset);

}  // namespace fovea
