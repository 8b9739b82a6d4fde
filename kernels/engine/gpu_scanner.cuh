#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "kernels/core/image_memory.hpp"
#include "kernels/engine/engine.hpp"
#include "kernels/engine/gpu_slot.cuh"
#include "kernels/engine/scan_program.hpp"

namespace fovea::cuda_backend {

/// One cascade on one GPU. Not for several threads at once.
class GpuScanner {
  public:
    /// \param make_cascade gives the cascade on a GPU, by its index.
    /// \throws DeviceError if there is no such GPU; std::invalid_argument if the cascade cannot run on it.
    GpuScanner(int device, const EngineVariant& variant,
               const std::function<std::unique_ptr<ScanModel>(int)>& make_cascade);

    /// Findings of each job, in order. \param landmarks of groups; their model for this GPU is used, if there is one.
    /// \param memory where the images lie; on the device nothing may be pending that writes them.
    /// \throws std::bad_alloc if one image alone does not fit; DeviceError.
    std::vector<CascadeFindings> run(std::span<const ScanJob> jobs, int min_neighbors,
                                     const GroupLandmarks* landmarks = nullptr,
                                     ImageMemory memory = ImageMemory::host);

    /// Groups windows that were found elsewhere, in image pixels. Errors as run.
    std::vector<RectGroup> group(std::span<const CascadeWindow> windows, std::span<const Rect> rects,
                                 int min_neighbors);

    WindowTrace trace(const ScanJob& job) { return slots_[0]->trace(job); }

    /// \throws as run; the jobs must fit at once.
    std::vector<PartTimes> measure(std::span<const ScanJob> jobs, int min_neighbors, int repeat) {
        return slots_[0]->measure(jobs, min_neighbors, repeat);
    }

    const EngineCounters& counters() const { return counters_; }

  private:
    /// Jobs [first, first + count) that run together.
    struct Part {
        std::size_t first = 0;
        std::size_t count = 0;
        bool is_retry = false;
    };

    SlotLandmarks landmarks_here(const GroupLandmarks* landmarks) const;
    std::size_t most_bytes_of_part(std::span<const ScanJob> jobs, ImageMemory memory) const;
    std::deque<Part> divide(std::span<const ScanJob> jobs, ImageMemory memory) const;
    void collect_into(Slot& slot, const Part& part, std::deque<Part>& parts,
                      std::vector<CascadeFindings>& findings);
    void release_memory() noexcept;
    void shrink(const Part& part, std::deque<Part>& parts);

    int device_;
    EngineVariant variant_;
    std::unique_ptr<ScanModel> model_;
    EngineCounters counters_;
    std::vector<std::unique_ptr<Slot>> slots_;
};

}  // namespace fovea::cuda_backend
