#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "lib/core/threads.hpp"
#include "lib/job/stages/batch_pipeline.hpp"
#include "lib/job/stages/detect_images.hpp"

namespace fovea {

/// Seconds that the threads of the stages worked.
struct StageTimes {
    BusySeconds decode_wait;  ///< waiting for a decoded image
    BusySeconds gpu_decoding;
    BusySeconds uploading;
    BusySeconds video_decoding;
    BusySeconds detecting;
    BusySeconds describing;
    BusySeconds writing;
};

/// Counts JPEG files that wait for the GPUs' decoders, up to a limit. If decoders are mixed, the CPU decodes
/// the others.
class GpuDecodeQuota {
  public:
    explicit GpuDecodeQuota(std::size_t max_files) : max_files_(max_files) {}

    /// False if enough files wait. From any thread.
    bool try_reserve() {
        if (waiting_.load() >= max_files_) return false;
        ++waiting_;
        return true;
    }
    void release(std::size_t files) { waiting_ -= files; }

  private:
    const std::size_t max_files_;
    std::atomic<std::size_t> waiting_{0};
};

/// All that a station needs of the job; must outlive it.
struct StationContext {
    const ImageList& images;
    const std::vector<DetectorTask>& tasks;
    const DetectImagesOptions& options;
    ThreadLimit& limit;
    StageTimes& times;
    GpuDecodeQuota* quota = nullptr;  ///< null: decoders are not mixed
};

/// A station and its detectors.
struct DetectionStation {
    BatchStation work;
    /// The counts of the station's own detectors of a task; empty if the task's own detector did the work. To
    /// be called when no batch is in work.
    std::function<std::optional<EngineCounters>(std::size_t task)> counters{};
};

/// A GPU: threads that decode or upload batches there, and some that detect, find landmarks and
/// describe faces.
/// \throws NvJpegUnavailable; DeviceError; what BatchDetector throws.
DetectionStation make_gpu_station(int gpu, const StationContext& context);

/// Detection on the host, with all cores: the tasks' own detectors. \throws what BatchDetector throws.
DetectionStation make_host_station(const StationContext& context);

}  // namespace fovea
