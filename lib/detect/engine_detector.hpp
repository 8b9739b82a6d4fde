#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "kernels/engine/engine.hpp"
#include "lib/detect/detector.hpp"

namespace fovea {

class Landmarker;

/// A detector that computes with a CascadeEngine: what all kinds of cascades have in common.
class EngineDetector : public Detector {
  public:
    std::vector<std::vector<Detection>> detect(std::span<const ImageView<const std::uint8_t>> images,
                                               const DetectorOptions& options) const final;
    std::vector<std::vector<Detection>> detect_with_landmarks(
        std::span<const ImageView<const std::uint8_t>> images, const DetectorOptions& options,
        const LandmarkStage& landmarks) const final;
    std::vector<std::vector<Detection>> detect_resident(std::span<const ImageView<const std::uint8_t>> images,
                                                        const DetectorOptions& options,
                                                        const LandmarkStage* landmarks) const final;
    std::string device_name() const override { return engine_->device_name(); }
    EngineCounters counters() const override { return engine_->counters(); }
    const EngineDetector* engine_detector() const final { return this; }

    CascadeEngine& engine() const { return *engine_; }

    /// What the engine is asked for with these options. \throws UsageError as resolve_options.
    CascadeScan scan_of(const DetectorOptions& options) const;

    /// Detections, sorted as those of detect(), from what the engine found in an image of this size; without the
    /// landmarks that it may have found. \throws UsageError as resolve_options.
    std::vector<Detection> detections_of(const CascadeFindings& findings, Size image,
                                         const DetectorOptions& options) const;

    /// Weak classifiers of each stage, as traces count them: of an MCT cascade every look-up is one.
    virtual std::vector<int> weak_classifiers_by_stage() const = 0;

    /// A detector with a copy of the model that computes on one GPU. \throws what make_cuda_engine throws.
    virtual std::unique_ptr<Detector> copy_for_gpu(int gpu, const EngineVariant& variant = {}) const = 0;

    /// Makes engines for the detector's cascade; the detector must outlive them.
    virtual std::unique_ptr<CascadeEngine> make_cpu() const = 0;
    /// \throws what make_cuda_engine throws.
    virtual std::unique_ptr<CascadeEngine> make_cuda(std::span<const int> gpus,
                                                     const EngineVariant& variant = {}) const = 0;

  protected:
    /// To be called once, by the constructor of each kind.
    void set_engine(std::unique_ptr<CascadeEngine> engine) { engine_ = std::move(engine); }

    /// What a detection reports of a window, or of a group's mean window.
    virtual WindowFace window_face() const { return {}; }
    /// \param windows how many, with `sum` as their score: a window's last sum, or a group's RectGroup::score.
    virtual double score_of(ScoreKind kind, int windows, double sum) const;
    /// What is done with detections of groups once all are there and weak ones are dropped.
    virtual void finish_groups(std::vector<Detection>&) const {}

  private:
    Box box_of(const Rect& window) const;
    // As detections_of; neither sorted nor dropped by score. The options are resolved.
    std::vector<Detection> from_windows(const std::vector<CascadeWindow>& windows, Size image,
                                        const DetectorOptions& options) const;
    std::vector<Detection> from_groups(const CascadeFindings& findings, Size image,
                                       const DetectorOptions& options, const Landmarker* landmarker) const;
    // Those of groups whose landmarks the engine found have them, if there is a landmarker to read them.
    std::vector<Detection> resolved_detections(const CascadeFindings& findings, Size image,
                                               const DetectorOptions& options,
                                               const Landmarker* landmarker = nullptr) const;
    // The same for each image of a batch.
    std::vector<std::vector<Detection>> batch_detections(
        const std::vector<CascadeFindings>& findings, std::span<const ImageView<const std::uint8_t>> images,
        const DetectorOptions& options, const Landmarker* landmarker = nullptr) const;

    std::unique_ptr<CascadeEngine> engine_;
};

}  // namespace fovea
