#pragma once

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

    std::vector<std::vector<Detection>> detect(std::span<const ImageView<const std::uint8_t>> images,
                                               const DetectorOptions& options) const override;
    std::string description() const override;
    Size window() const override { return cascade_.window; }

    const Cascade& cascade() const { return cascade_; }
    CascadeEngine& engine() const { return *engine_; }

    /// What the engine is asked for with these options.
    static CascadeScan scan_of(const DetectorOptions& options);

  private:
    Cascade cascade_;
    std::unique_ptr<CascadeEngine> engine_;
};

}  // namespace fovea
