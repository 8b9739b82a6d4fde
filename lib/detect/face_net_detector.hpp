#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/core/idle_pool.hpp"
#include "kernels/face_net/gpu_face_net.hpp"
#include "kernels/face_net/run_face_net.hpp"
#include "lib/detect/detector.hpp"
#include "lib/detect/face_net_model.hpp"

namespace fovea {

/// A face network: finds faces in all poses, from about 12 pixels on.
///
/// The network sees faces of 12 to about 250 pixels. Larger images are seen a second time at a quarter of
/// their size, and so on, and the faces of all sizes are made one list by non-maximum suppression. Boxes are
/// those of WIDER FACE, clipped to the image. Options of cascades are refused; min_size and max_size drop
/// faces by their box. The result is equal in every bit on every processor and GPU, in every batch and for
/// every number of threads.
class FaceNetDetector : public Detector {
  public:
    /// On the CPU. \throws std::invalid_argument if the network has a fault (find_fault).
    explicit FaceNetDetector(FaceNetModel model);
    /// On GPUs, which share the images. \throws std::invalid_argument as above; DeviceError if a GPU is not
    /// there or fails.
    FaceNetDetector(FaceNetModel model, std::span<const int> gpus, GpuShare share = GpuShare::all);

    /// Cells of a lower score are hardly ever faces, and there are many of them.
    static constexpr double min_score = 0.005;

    static DetectorTraits traits_of_kind();
    DetectorTraits traits() const override { return traits_of_kind(); }
    std::string description() const override;
    Size window() const override { return {12, 16}; }
    std::vector<int> gpus() const override { return gpus_; }
    EngineCounters counters() const override;
    std::unique_ptr<Detector> copy_for_gpus(std::span<const int> gpus,
                                            const EngineOptions& variant) const override;

  private:
    std::vector<std::vector<Detection>> detect_resolved(const ImageBatch& images,
                                                        const DetectorOptions& options,
                                                        const LandmarkStage* landmarks) const override;
    /// A network on the i-th GPU that no call is using.
    std::unique_ptr<GpuFaceNet> take(std::size_t i) const;
    std::vector<ImageCells> cells_on_gpus(const ImageBatch& images, float min_logit) const;
    /// On the CPU.
    ImageCells cells_of(const ImageBatch::View& image, float min_logit) const;
    std::vector<Detection> faces_of(const ImageCells& cells, Size image,
                                    const DetectorOptions& options) const;

    FaceNetModel model_;
    std::optional<FaceNetRunner> runner_;  // on the CPU
    std::vector<int> gpus_;
    GpuShare share_ = GpuShare::all;
    // One for each GPU; a deque, as pools do not move.
    mutable std::deque<IdlePool<GpuFaceNet>> idle_;
    mutable std::atomic<std::size_t> images_{0};
};

}  // namespace fovea
