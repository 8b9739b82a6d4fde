#pragma once

#include <functional>
#include <memory>
#include <span>

#include "kernels/cascade/cascade.hpp"
#include "kernels/cascade/engine.hpp"
#include "lib/detect/detector.hpp"

namespace fovea {

/// Haar and LBP cascades, equal to cv::CascadeClassifier::detectMultiScale of OpenCV 4.6 in every box.
class CascadeDetector : public Detector {
  public:
    /// On the CPU.
    explicit CascadeDetector(Cascade cascade);
    /// On GPUs. \throws what make_cuda_engine throws.
    CascadeDetector(Cascade cascade, std::span<const int> gpus, const EngineVariant& variant = {});
    /// On an engine of any kind, which is made for the detector's own copy of the cascade.
    using EngineMaker = std::function<std::unique_ptr<CascadeEngine>(const Cascade&)>;
    CascadeDetector(Cascade cascade, const EngineMaker& make_engine);

    std::vector<std::vector<Detection>> detect(std::span<const ImageView<const std::uint8_t>> images,
                                               const DetectorOptions& options) const override;
    std::string description() const override;
    Size window() const override { return cascade_.window; }
    std::string device_name() const override { return engine_->device_name(); }
    EngineCounters counters() const override { return engine_->counters(); }

    const Cascade& cascade() const { return cascade_; }
    CascadeEngine& engine() const { return *engine_; }

    /// What the engine is asked for with these options.
    static CascadeScan scan_of(const DetectorOptions& options);
    /// Detections, sorted as those of detect(), from what the engine found in an image of this size.
    std::vector<Detection> detections_of(const CascadeFindings& findings, Size image,
                                         const DetectorOptions& options) const;

  private:
    Cascade cascade_;
    std::unique_ptr<CascadeEngine> engine_;
};

}  // namespace fovea
