#pragma once

#include <functional>
#include <memory>
#include <span>

#include "kernels/haar_lbp/cascade.hpp"
#include "lib/detect/engine_detector.hpp"

namespace fovea {

/// Haar and LBP cascades, equal to cv::CascadeClassifier::detectMultiScale of OpenCV 4.6 in every box.
class CascadeDetector : public EngineDetector {
  public:
    /// On the CPU.
    explicit CascadeDetector(Cascade cascade);
    /// On GPUs. \throws what make_cuda_engine throws.
    CascadeDetector(Cascade cascade, std::span<const int> gpus, const EngineOptions& variant = {});
    /// On an engine of any kind, which is made for the detector's own copy of the cascade.
    using EngineMaker = std::function<std::unique_ptr<CascadeEngine>(const Cascade&)>;
    CascadeDetector(Cascade cascade, const EngineMaker& make_engine);

    std::string description() const override;
    Size window() const override { return cascade_.window; }
    std::vector<int> weak_classifiers_by_stage() const override;
    std::unique_ptr<Detector> copy_for_gpus(std::span<const int> gpus,
                                            const EngineOptions& variant) const override;

    const Cascade& cascade() const { return cascade_; }

  private:
    Cascade cascade_;
};

}  // namespace fovea
