#pragma once

#include <functional>
#include <memory>
#include <span>

#include "lib/detect/engine_detector.hpp"
#include "lib/detect/mct_model.hpp"

namespace fovea {

/// Cascades of look-up tables on the modified census transform: the project's own detector.
///
/// A detection's box is the model's face box placed in the mean of the group's windows, computed in double
/// and cut to the image. Its score is the confidence that the model gives to the sum of the windows' margins,
/// or that sum itself (stage_sum) if the model has no confidence. Among groups that overlap,
/// suppress_overlaps() keeps the one with the higher score.
class MctDetector : public EngineDetector {
  public:
    /// On the CPU.
    explicit MctDetector(MctModel model);
    /// On GPUs. \throws what make_cuda_engine throws.
    MctDetector(MctModel model, std::span<const int> gpus, const EngineOptions& variant = {});
    /// On an engine of any kind, which is made for the detector's own copy of the cascade.
    using EngineMaker = std::function<std::unique_ptr<CascadeEngine>(const MctCascade&)>;
    MctDetector(MctModel model, const EngineMaker& make_engine);

    /// Faces whose boxes have a larger IoU than this are one.
    static constexpr double max_iou = 0.3;

    /// \param has_confidence  false: of a model without a calibration
    static DetectorTraits traits_of_kind(bool has_confidence = true);
    DetectorTraits traits() const override { return traits_of_kind(!model_.confidence.empty()); }
    std::string description() const override;
    Size window() const override { return {MctCascade::window, MctCascade::window}; }
    std::vector<int> weak_classifiers_by_stage() const override;
    std::unique_ptr<Detector> copy_for_gpus(std::span<const int> gpus,
                                            const EngineOptions& variant) const override;

    const MctModel& model() const { return model_; }

  private:
    WindowFace window_face() const override;
    double score_of(ScoreKind kind, int windows, double margins) const override;
    void finish_groups(std::vector<Detection>& detections) const override;
    MctModel model_;
};

}  // namespace fovea
