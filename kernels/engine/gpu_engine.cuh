#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "kernels/engine/engine.hpp"
#include "kernels/engine/gpu_batch.cuh"
#include "kernels/engine/gpu_cascade.hpp"
#include "kernels/engine/gpu_engine.hpp"
#include "kernels/engine/scan_jobs.hpp"

namespace fovea::cuda_backend {

/// Detects with one cascade on one GPU. Divides what it is given into batches, several of which are in work
/// at once, so that the next is prepared and copied while one is scanned.
class GpuEngine : public CascadeEngine {
  public:
    /// \throws DeviceError if there is no such GPU; std::invalid_argument if the cascade cannot run on it.
    GpuEngine(const GpuCascadeKind& kind, int gpu, const EngineOptions& options);

    std::vector<CascadeResult> detect(const ImageBatch& images, const CascadeScan& scan,
                                      const GroupLandmarks* landmarks) override;
    WindowTrace trace(ImageView<const std::uint8_t> image, const ScanParameters& parameters) override;
    EngineTimes measure(std::span<const ImageView<const std::uint8_t>> images, const CascadeScan& scan,
                        int repeat) override;
    std::vector<PyramidLevel> levels(Size image, const ScanParameters& parameters) const override {
        return kind_.levels(image, parameters);
    }
    std::string device_name() const override { return "cuda:" + std::to_string(gpu_); }
    std::vector<int> gpus() const override { return {gpu_}; }
    EngineCounters counters() const override;

    /// Findings of each job, in order. \param landmarks of groups; null = none. Their model for this GPU is
    /// used, if there is one. \param memory where the images lie.
    std::vector<CascadeResult> run(std::span<const ScanJob> jobs, int min_neighbors,
                                   const GroupLandmarks* landmarks = nullptr,
                                   ImageMemory memory = ImageMemory::host);
    /// Groups windows that were found elsewhere, in image pixels.
    std::vector<RectGroup> group(std::span<const CascadeWindow> windows, std::span<const Rect> rects,
                                 int min_neighbors);

  private:
    /// Jobs that run together.
    struct Part {
        JobRange jobs;
        bool is_retry = false;
    };

    std::vector<ScanJob> jobs_of(std::span<const ImageView<const std::uint8_t>> images,
                                 const ScanParameters& parameters) const;
    std::vector<CascadeResult> run_unlocked(std::span<const ScanJob> jobs, const BatchRequest& request);
    BatchLandmarks landmarks_here(const GroupLandmarks* landmarks) const;
    std::deque<Part> divide(std::span<const ScanJob> jobs, ImageMemory memory) const;
    std::size_t max_pixels_of_part(std::span<const ScanJob> jobs, ImageMemory memory) const;
    void collect_into(GpuBatch& batch, const Part& part, std::deque<Part>& parts,
                      std::vector<CascadeResult>& findings);
    void release_memory() noexcept;
    void shrink(const Part& part, std::deque<Part>& parts);

    const GpuCascadeKind kind_;
    const int gpu_;
    const EngineOptions options_;
    mutable std::mutex mutex_;
    EngineCounters counters_;
    std::unique_ptr<GpuCascade> cascade_;
    std::vector<std::unique_ptr<GpuBatch>> batches_;
};

}  // namespace fovea::cuda_backend
