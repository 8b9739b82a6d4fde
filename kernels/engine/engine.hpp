#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernels/core/device.hpp"
#include "kernels/core/image_batch.hpp"
#include "kernels/group/group.hpp"
#include "kernels/landmark/face_box.hpp"
#include "kernels/windows/cascade_window.hpp"
#include "kernels/windows/levels.hpp"
#include "kernels/windows/window_trace.hpp"

namespace fovea {

namespace cuda_backend {
class GpuLandmarks;
}

/// The landmarks to find in the groups of a detection while the groups are on the device.
struct GroupLandmarks {
    std::vector<cuda_backend::GpuLandmarks*> models;  ///< the model, once on every GPU that may use it
    WindowFace face;                                  ///< what a detection reports of a group's rectangle
    BoxTransform edges;                               ///< edges of the model's box in the reported face
};

/// The work to do on the images of a batch.
struct CascadeScan {
    ScanParameters parameters;
    int min_neighbors = 3;  ///< groups of more windows than this are kept; 0 = windows, not grouped

    friend bool operator==(const CascadeScan&, const CascadeScan&) = default;
};

/// The findings in one image.
struct CascadeResult {
    std::vector<CascadeWindow> windows;  ///< if min_neighbors is 0, in rising order of level, y, x
    std::vector<RectGroup> groups;       ///< else, in the order of group_rects
    /// [group][2 · points]: landmarks as find_landmarks gives them, of the first groups only, as far as they
    /// were found on the device; the caller finds the others.
    std::vector<std::int32_t> landmarks;

    friend bool operator==(const CascadeResult&, const CascadeResult&) = default;
};

/// The optimisations of the CUDA engine, each of which can be turned off to measure what it brings. Results
/// are the same with any of them. Stumps are staged only together with compaction, bank_queues, warp_windows
/// and window_sets: what turning off one of these costs includes what staging brings. Without shared_integral
/// the tables are the general ones, of unmerged corners.
struct EngineOptions {
    bool compaction = true;       ///< survivors of a stage are shared out anew over all threads
    bool bank_queues = true;      ///< survivors are queued by shared-memory bank, so that loads never collide
    bool warp_windows = true;     ///< a stage of few windows is spread over the lanes of a warp
    bool merged_corners = true;   ///< corners that rectangles share are loaded once
    bool staged_stumps = true;    ///< threads read a stage's nodes from parameters or shared memory
    bool window_sets = true;      ///< a thread evaluates several windows at once
    bool shared_integral = true;  ///< a tile's integral image lies in shared memory
    bool graphs = true;           ///< repeated shapes are replayed as a CUDA graph
    bool pinned = true;           ///< images are staged in page-locked memory
    bool streams = true;          ///< a batch is split over several streams, so that copies overlap

    /// Not an optimisation: whether to leave multiprocessors to other work on the GPU.
    GpuShare share = GpuShare::all;

    friend bool operator==(const EngineOptions&, const EngineOptions&) = default;
};

/// The counts of an engine since its construction.
struct EngineCounters {
    std::size_t images = 0;
    std::size_t graph_replays = 0;
    /// Batches done again with a larger buffer, because more windows passed than it had room for.
    std::size_t repeats = 0;
    /// Images of so many windows that group_rects on the host grouped them.
    std::size_t host_groupings = 0;
    /// Batches halved, or images done again alone, because the device ran out of memory.
    std::size_t shrinks = 0;

    EngineCounters& operator+=(const EngineCounters& other) {
        images += other.images;
        graph_replays += other.graph_replays;
        repeats += other.repeats;
        host_groupings += other.host_groupings;
        shrinks += other.shrinks;
        return *this;
    }
};

/// Times of repeated work on one batch, one entry a repetition, milliseconds for the whole batch. A part that
/// cannot be measured alone on an engine is empty.
struct EngineTimes {
    std::vector<double> upload_ms;         ///< host to device
    std::vector<double> preprocessing_ms;  ///< pyramid, integral images, standard deviations
    std::vector<double> scan_ms;           ///< cascade
    std::vector<double> grouping_ms;
    std::vector<double> download_ms;  ///< device to host
    std::vector<double> resident_ms;  ///< preprocessing to grouped boxes, all staying on the device
    std::vector<double> total_ms;     ///< images in host memory to boxes in host memory
    std::vector<double> pinned_ms;    ///< images in page-locked memory to boxes in host memory
};

/// Detects with one cascade (Haar, LBP or MCT) on the CPU or on GPUs. Windows of an MCT cascade have margins
/// as sums, its groups have the sum of these margins as score, and its traces count look-ups, not stages.
///
/// The results are the same on every engine, in every bit, for every batch size and every number of threads,
/// streams and GPUs.
///
/// An engine may be used from several threads at once; a GPU serves one after the other.
class CascadeEngine {
  public:
    virtual ~CascadeEngine() = default;

    /// Detects in every image of a batch.
    /// \param images in host memory, or in the memory of one of the engine's GPUs, which then works alone;
    /// the results are equal in every bit. \param landmarks to find in groups, where the engine has the
    /// groups and the model on a GPU; null = none. \return one entry per image. \throws std::bad_alloc if one
    /// image alone does not fit; std::length_error if its rows are too long (as scan_cascade), or on a GPU if
    /// it has 2^32 pixels or more, or over 2^30 tiles or passing windows; std::logic_error if the images are
    /// on another GPU; DeviceError, which names the GPU, if a GPU fails.
    virtual std::vector<CascadeResult> detect(const ImageBatch& images, const CascadeScan& scan,
                                              const GroupLandmarks* landmarks = nullptr) = 0;

    /// The fate of every window of one image. Errors as detect.
    virtual WindowTrace trace(ImageView<const std::uint8_t> image, const ScanParameters& parameters) = 0;

    /// Times a batch `repeat` times after a warm-up. Errors as detect.
    /// \param images in host memory.
    virtual EngineTimes measure(std::span<const ImageView<const std::uint8_t>> images,
                                const CascadeScan& scan, int repeat) = 0;

    /// The levels that are scanned in an image of this size; CascadeWindow::level is an index into them.
    virtual std::vector<PyramidLevel> levels(Size image, const ScanParameters& parameters) const = 0;

    /// "cpu", "cuda:0" or "cuda:0,1".
    std::string device_name() const;
    /// Indices of the GPUs that share the work; none on the CPU.
    virtual std::vector<int> gpus() const { return {}; }
    virtual EngineCounters counters() const = 0;

  protected:
    /// \throws std::logic_error if the images are on a GPU that is not the engine's.
    void check_can_read(const ImageBatch& images) const;
};

}  // namespace fovea
