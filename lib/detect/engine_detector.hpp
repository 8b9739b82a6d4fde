#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lib/detect/detector.hpp"

namespace fovea {

class Landmarker;

/// A detector that is a cascade, and the engine that evaluates it. Each kind of cascade says what its
/// windows mean.
class EngineDetector : public Detector {
  public:
    /// Weak classifiers of each stage, as traces count them. In an MCT cascade every look-up is one.
    virtual std::vector<int> weak_classifiers_by_stage() const = 0;

    const EngineDetector* as_cascade() const override { return this; }
    CascadeEngine& engine() const { return *engine_; }
    std::vector<int> gpus() const override { return engine_->gpus(); }
    EngineCounters counters() const override { return engine_->counters(); }

    /// The engine's request with these options. \throws UsageError as resolve_options.
    CascadeScan scan_of(const DetectorOptions& options) const;
    /// The detections in what the engine found in an image of this size, sorted as detect() sorts them.
    /// Landmarks that the engine found are left out. \throws UsageError as resolve_options.
    std::vector<Detection> detections_of(const CascadeResult& findings, Size image,
                                         const DetectorOptions& options) const;

  protected:
    /// The constructor of each kind calls it once.
    void set_engine(std::unique_ptr<CascadeEngine> engine) { engine_ = std::move(engine); }

    /// The place of the face in a window, or in a group's mean window.
    virtual WindowFace window_face() const { return {}; }
    /// The score of a window or a group. \param windows how many, with `sum` as their score: a window's last
    /// sum, or a group's RectGroup::score.
    virtual double score_of(ScoreKind kind, int windows, double sum) const;
    /// Called with the detections of an image's groups once all are there and weak ones are dropped.
    virtual void finish_groups(std::vector<Detection>&) const {}

  private:
    std::vector<std::vector<Detection>> detect_resolved(const ImageBatch& images,
                                                        const DetectorOptions& options,
                                                        const LandmarkStage* landmarks) const override;
    /// \param border of the scanned image, which the window's place includes.
    Box box_of(Rect window, int border) const;
    // These take resolved options; their results are neither sorted nor dropped by score.
    std::vector<Detection> from_windows(const std::vector<CascadeWindow>& windows, Size image,
                                        const DetectorOptions& options) const;
    std::vector<Detection> from_groups(const CascadeResult& findings, Size image,
                                       const DetectorOptions& options, const Landmarker* landmarker) const;
    // Does detections_of() with resolved options. A landmarker reads the landmarks that the engine found.
    std::vector<Detection> resolved_detections(const CascadeResult& findings, Size image,
                                               const DetectorOptions& options,
                                               const Landmarker* landmarker) const;

    std::unique_ptr<CascadeEngine> engine_;
};

/// The detector as a cascade. \param model its file. \param work that needs a cascade, e.g. "windows
/// are traced".
/// \throws UsageError naming the model if it is another kind.
const EngineDetector& require_cascade(const Detector& detector, const std::filesystem::path& model,
                                      const std::string& work);

}  // namespace fovea
