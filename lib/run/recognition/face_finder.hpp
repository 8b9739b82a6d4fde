#pragma once

#include <optional>
#include <vector>

#include "lib/config/face_finder_config.hpp"
#include "lib/files/input_files.hpp"
#include "lib/job/detection_job.hpp"
#include "lib/job/landmark_stage.hpp"

namespace fovea {

/// A face finder with its models in memory; they are loaded only if the source may need them.
class LoadedFaceFinder {
  public:
    /// \throws what load_detectors, load_landmarker and rule_for_detector throw; UsageError if the landmarks
    /// have no eyes.
    LoadedFaceFinder(const FaceFinderConfig& config, const DetectionDevice& device);

    const FaceFinder& finder() const { return finder_; }
    const FaceFinderConfig& config() const { return config_; }
    /// The configuration, and file and SHA-256 of the models that were loaded.
    Json to_json() const;
    /// Adds the models.
    void add_inputs(InputFiles& inputs) const;

  private:
    FaceFinderConfig config_;
    std::vector<LoadedDetector> detectors_;
    std::optional<LoadedLandmarker> landmarker_;
    FaceFinder finder_;
};

}  // namespace fovea
