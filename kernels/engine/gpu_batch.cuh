#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kernels/core/gpu_memory.cuh"
#include "kernels/core/image_memory.hpp"
#include "kernels/engine/engine.hpp"
#include "kernels/engine/gpu_batch_layout.hpp"
#include "kernels/engine/gpu_cascade.hpp"
#include "kernels/engine/gpu_gather.hpp"
#include "kernels/engine/gpu_graph_cache.cuh"
#include "kernels/engine/scan_jobs.hpp"
#include "kernels/group/gpu_group.hpp"
#include "kernels/landmark/gpu_landmarks.hpp"

namespace fovea::cuda_backend {

/// Landmarks to find in the groups of a batch; none without a model.
struct BatchLandmarks {
    GpuLandmarks* model = nullptr;
    WindowFace face;
    BoxTransform edges;
};

/// The work to do on the jobs of a batch.
struct BatchRequest {
    int min_neighbors = 0;  ///< 0 = windows, not grouped
    BatchLandmarks landmarks{};
    ImageMemory memory = ImageMemory::host;  ///< where the images lie
};

/// Times of the parts of one repetition, milliseconds.
struct PartTimes {
    double upload = 0;
    double preprocessing = 0;
    double scan = 0;
    double grouping = 0;
    double download = 0;
    double resident = 0;
    double pinned = 0;  ///< by the host's clock, upload to download
};

/// group_rects of windows with the rectangles that they stand for.
std::vector<RectGroup> group_windows_on_host(std::span<const CascadeWindow> windows,
                                             std::span<const Rect> rects, int min_neighbors,
                                             GroupScore score);

/// A stream with its memory: takes one batch of images after the other through upload, scan, grouping,
/// landmarks and download. Not for several threads at once.
class GpuBatch {
  public:
    /// \param cascade on this GPU. \param counters to which this adds. Both must outlive this.
    /// \throws DeviceError.
    GpuBatch(int gpu, const GpuCascade& cascade, const EngineOptions& options, EngineCounters& counters);

    bool busy() const { return busy_; }
    /// Waits for a batch that failed, and forgets it.
    void abandon() noexcept;

    /// Queues the work of a batch; it is done when collect() returns. The images must stay until then.
    /// \throws std::bad_alloc if the memory does not suffice; std::length_error; DeviceError.
    void start(std::span<const ScanJob> jobs, const BatchRequest& request);
    /// The findings of the batch that was started, in order. Errors as start.
    std::vector<CascadeResult> collect();

    /// Groups windows that were found elsewhere, by their rectangles in image pixels. Errors as start.
    std::vector<RectGroup> group(std::span<const CascadeWindow> windows, std::span<const Rect> rects,
                                 int min_neighbors);
    /// The fate of every window of an image. Errors as start.
    WindowTrace trace(const ScanJob& job);
    /// Times a batch `repeat` times after a warm-up. Errors as start.
    std::vector<PartTimes> measure(std::span<const ScanJob> jobs, int min_neighbors, int repeat);

    /// Gives all memory back.
    void release_memory() noexcept;

  private:
    cudaStream_t stream() const { return static_cast<cudaStream_t>(device_.stream()); }
    void copy(void* target, const void* source, std::size_t bytes);

    // gpu_batch.cu: making room and queuing.
    void prepare(std::span<const ScanJob> jobs, const BatchRequest& request, bool is_traced);
    void set_capacity(std::size_t capacity);
    void reserve_input();
    void reserve_results();
    GraphKey graph_key() const;
    template <class Memory>
    void grow(Memory& memory, std::size_t bytes);
    void stage_image(const ImageView<const std::uint8_t>& image, int number);
    bool wants_landmarks() const { return size_.landmarks > 0; }
    FoundWindows found_windows() const;
    Grouping grouping() const;
    void enqueue_input();
    void enqueue_scan(bool with_cascade);
    void enqueue_grouping();
    void enqueue_landmarks();
    void enqueue_download();
    void enqueue_all();
    void repeat_until_all_fit();

    // gpu_batch_fetch.cu: reading what was downloaded, and fetching what was not.
    const unsigned* windows_found() const { return output_.at<unsigned>(layout_.output.windows_found); }
    const unsigned* groups_found() const { return output_.at<unsigned>(layout_.output.groups_found); }
    unsigned max_windows_found() const;
    std::vector<CascadeResult> fetch();
    void fetch_groups(std::vector<CascadeResult>& findings);
    void fetch_landmarks(std::vector<CascadeResult>& findings);
    void fetch_windows(std::vector<CascadeResult>& findings);
    std::vector<RectGroup> group_on_host(std::size_t image);

    const int gpu_;
    const GroupScore group_score_;
    const EngineOptions options_;
    EngineCounters& counters_;
    Device device_;
    std::unique_ptr<GpuCascadeBatch> cascade_;
    HostMemory staging_;
    HostMemory output_;
    DeviceMemory input_;
    DeviceMemory results_;
    DeviceMemory found_;
    DeviceMemory scratch_;
    DeviceMemory traces_;
    DeviceMemory landmarks_;
    GraphCache graphs_;

    // State of the current batch.
    BatchRequest request_;
    ScanLayout scan_;
    GpuBatchSize size_;
    GpuBatchLayout layout_;
    bool busy_ = false;

    unsigned max_found_before_ = 0;  ///< windows in an image of the batch before
};

}  // namespace fovea::cuda_backend
