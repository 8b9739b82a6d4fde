#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <vector>

#include "kernels/core/idle_pool.hpp"
#include "lib/detect/detector.hpp"
#include "lib/detect/yunet_network.hpp"

namespace fovea {

/// YuNet as OpenCV runs it on the CPU, see YunetNetwork: a reference to compare cascades with.
///
/// Images of a batch are worked on at once, each by one thread, up to YunetNetwork::max_pixels in all. Boxes
/// are clipped to the image. Options of cascades are refused; min_size and max_size drop faces by the box
/// that the network gives. The five points that FaceDetectorYN finds in a face are left out, because a face
/// that has landmarks gets none from a landmark model. Results do not depend on threads and batches, but may
/// differ in their last digits between processors, because OpenCV chooses vector instructions by processor.
class YunetDetector : public Detector {
  public:
    /// \throws what YunetNetwork throws.
    explicit YunetDetector(std::filesystem::path model);

    /// On MIT+CMU the faces above this score have the AP of all faces, 0.953, with 74 false positives an
    /// image. From 0.1 down, the network scores thousands of places, and suppressing overlaps takes a third
    /// more time.
    static constexpr double min_score = 0.15;

    static DetectorTraits traits_of_kind();
    DetectorTraits traits() const override { return traits_of_kind(); }
    std::string description() const override;
    Size window() const override { return {10, 10}; }
    EngineCounters counters() const override;

  private:
    std::vector<std::vector<Detection>> detect_resolved(const ImageBatch& images,
                                                        const DetectorOptions& options,
                                                        const LandmarkStage* landmarks) const override;
    std::vector<Detection> detect_one(const ImageBatch::View& image, const DetectorOptions& options) const;
    std::unique_ptr<YunetNetwork> take() const;
    void give_back(std::unique_ptr<YunetNetwork> network) const;

    std::filesystem::path model_;
    mutable IdlePool<YunetNetwork> networks_;
    mutable std::atomic<std::size_t> images_{0};
};

}  // namespace fovea
