#pragma once

#include <atomic>
#include <cstddef>
#include <vector>

#include "kernels/face_net/run_face_net.hpp"
#include "lib/detect/detector.hpp"
#include "lib/detect/face_net_model.hpp"

namespace fovea {

/// A face network, run on the CPU: finds faces in all poses, from about 12 pixels on.
///
/// The network sees faces of 12 to about 250 pixels. Larger images are seen a second time at a quarter of
/// their size, and so on, and the faces of all sizes are made one list by non-maximum suppression. Boxes are
/// those of WIDER FACE, clipped to the image. Options that are no cascade's: min_size and max_size drop faces
/// by their box. The result is the same in every bit on every processor, in every batch and for every number
/// of threads.
class FaceNetDetector : public Detector {
  public:
    /// \throws Error if the network has a fault.
    explicit FaceNetDetector(FaceNetModel model);

    /// Cells of a lower score are hardly ever faces, and there are many of them.
    static constexpr double min_score = 0.05;

    static DetectorTraits traits_of_kind();
    DetectorTraits traits() const override { return traits_of_kind(); }
    std::string description() const override;
    Size window() const override { return {12, 16}; }
    std::string device_name() const override { return "cpu"; }
    EngineCounters counters() const override;

  private:
    std::vector<std::vector<Detection>> detect_resolved(const ImageBatch& images,
                                                        const DetectorOptions& options,
                                                        const LandmarkStage* landmarks) const override;
    std::vector<Detection> detect_one(const ImageBatch::View& image, const DetectorOptions& options) const;

    FaceNetModel model_;
    FaceNetRunner runner_;
    mutable std::atomic<std::size_t> images_{0};
};

}  // namespace fovea
