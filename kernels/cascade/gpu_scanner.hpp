#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kernels/cascade/engine.hpp"
#include "kernels/image_memory.hpp"

namespace fovea::cuda_backend {

/// One image and the levels of it that are to be scanned.
struct ScanJob {
    ImageView<const std::uint8_t> image;
    std::vector<PyramidLevel> levels;
    std::vector<int> level_numbers;  ///< of each: what CascadeWindow::level is to say
};

/// Device time of the parts of one repetition, milliseconds.
struct PartTimes {
    double upload = 0;
    double preprocessing = 0;
    double scan = 0;
    double grouping = 0;
    double download = 0;
    double resident = 0;
    double pinned = 0;  ///< by the host's clock, upload to download
};

/// One cascade on one GPU. Not for several threads at once.
class GpuScanner {
  public:
    /// \throws DeviceError if there is no such GPU; std::invalid_argument if the cascade cannot run on it.
    GpuScanner(const Cascade& cascade, int device, const EngineVariant& variant);
    GpuScanner(const MctCascade& cascade, int device, const EngineVariant& variant);
    ~GpuScanner();
    GpuScanner(const GpuScanner&) = delete;
    GpuScanner& operator=(const GpuScanner&) = delete;

    /// Findings of each job, in order. \param landmarks of groups; their model for this GPU is used, if there is one.
    /// \param memory where the images lie; on the device nothing may be pending that writes them.
    /// \throws std::bad_alloc if one image alone does not fit; DeviceError.
    std::vector<CascadeFindings> run(std::span<const ScanJob> jobs, int min_neighbors,
                                     const GroupLandmarks* landmarks = nullptr,
                                     ImageMemory memory = ImageMemory::host);

    /// Groups windows that were found elsewhere, in image pixels. Errors as run.
    std::vector<RectGroup> group(std::span<const CascadeWindow> windows, std::span<const Rect> rects,
                                 int min_neighbors);

    WindowTrace trace(const ScanJob& job);

    /// \throws as run; the jobs must fit at once.
    std::vector<PartTimes> measure(std::span<const ScanJob> jobs, int min_neighbors, int repeat);

    const EngineCounters& counters() const;

  private:
    class Implementation;
    std::unique_ptr<Implementation> implementation_;
};

}  // namespace fovea::cuda_backend
