#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "kernels/core/share_work.hpp"
#include "kernels/engine/engine.hpp"
#include "kernels/engine/gpu_batch.cuh"
#include "kernels/engine/gpu_cascade.hpp"
#include "kernels/engine/gpu_engine.hpp"
#include "kernels/engine/scan_jobs.hpp"

namespace fovea::cuda_backend {

/// One cascade on one GPU. Divides what it is given into batches, several of which are in work at once, so
/// that the next is prepared and copied while one is scanned. Serves one thread after the other.
class GpuWorker {
  public:
    /// \throws DeviceError if there is no such GPU; std::invalid_argument if the cascade cannot run on it.
    GpuWorker(const GpuCascadeKind& kind, int gpu, const EngineOptions& options);

    int gpu() const { return gpu_; }
    /// All but EngineCounters::images.
    EngineCounters counters() const;

    /// The findings of each job, in order. \param landmarks to find in groups, if there is a model for this
    /// GPU; null = none. \param memory where the images lie.
    std::vector<CascadeResult> run(std::span<const ScanJob> jobs, int min_neighbors,
                                   const GroupLandmarks* landmarks = nullptr,
                                   ImageMemory memory = ImageMemory::host);
    /// Groups windows that were found elsewhere, in image pixels.
    std::vector<RectGroup> group(std::span<const CascadeWindow> windows, std::span<const Rect> rects,
                                 int min_neighbors);
    /// Do GpuBatch::trace() and GpuBatch::measure().
    WindowTrace trace(const ScanJob& job);
    std::vector<PartTimes> measure(std::span<const ScanJob> jobs, int min_neighbors, int repeat);

  private:
    /// Jobs that run together.
    struct Part {
        IndexRange jobs;
        bool is_retry = false;
    };

    BatchLandmarks landmarks_here(const GroupLandmarks* landmarks) const;
    std::deque<Part> divide(std::span<const ScanJob> jobs, ImageMemory memory) const;
    std::size_t max_pixels_of_part(std::span<const ScanJob> jobs, ImageMemory memory) const;
    void collect_into(GpuBatch& batch, const Part& part, std::deque<Part>& parts,
                      std::vector<CascadeResult>& findings);
    void release_memory() noexcept;
    void shrink(const Part& part, std::deque<Part>& parts);

    const int gpu_;
    const EngineOptions options_;
    mutable std::mutex mutex_;
    EngineCounters counters_;
    std::unique_ptr<GpuCascade> cascade_;
    std::vector<std::unique_ptr<GpuBatch>> batches_;
};

}  // namespace fovea::cuda_backend
