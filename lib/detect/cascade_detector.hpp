#pragma once

#include <filesystem>

#include "kernels/cascade/cascade.hpp"
#include "kernels/cascade/scan.hpp"
#include "lib/detect/detector.hpp"

namespace fovea {

/// Haar and LBP cascades, equal to cv::CascadeClassifier::detectMultiScale of OpenCV 4.6 in every box.
class CascadeDetector : public Detector {
  public:
    explicit CascadeDetector(Cascade cascade) : cascade_(std::move(cascade)) {}

    std::vector<std::vector<Detection>> detect(std::span<const ImageView<const std::uint8_t>> images,
                                               const DetectorOptions& options) const override;
    std::string description() const override;
    Size window() const override { return cascade_.window; }

    const Cascade& cascade() const { return cascade_; }

  private:
    std::vector<Detection> detect_one(ImageView<const std::uint8_t> image,
                                      const DetectorOptions& options) const;

    Cascade cascade_;
};

}  // namespace fovea
