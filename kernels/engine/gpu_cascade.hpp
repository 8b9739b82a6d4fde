#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kernels/core/device.hpp"
#include "kernels/engine/scan_jobs.hpp"
#include "kernels/group/group.hpp"
#include "kernels/windows/found_windows.hpp"

namespace fovea::cuda_backend {

/// The memory that the scan of a batch needs. Its input is `table_bytes` of tables, then the images.
struct ScanLayout {
    std::size_t table_bytes = 0;
    std::size_t image_bytes = 0;
    std::vector<std::size_t> image_offsets;  ///< of every job, from the first image
    std::int64_t windows = 0;                ///< 0 if there is nothing to scan
    std::size_t counter_words = 0;           ///< words for the kernels' own counters
    /// All other values, except addresses, on which a captured graph of the kernels' launches depends.
    std::vector<std::size_t> shape;
};

/// A batch on the device, and where its results go.
struct ScanTarget {
    const std::byte* input = nullptr;
    FoundWindows found;
    /// The words that enqueue() clears: ScanLayout::counter_words of the kernels' own, then found.counts.
    unsigned* counters = nullptr;
    std::size_t cleared_words = 0;
    std::int16_t* trace_stages = nullptr;  ///< as WindowTrace, all levels in a row; null = no trace
    double* trace_sums = nullptr;
};

/// The kernels that find the windows which pass a cascade, with the memory that they need beside the batch
/// itself: one per GpuBatch, made by a GpuCascade. Called with the device selected; one batch at a time.
class GpuCascadeBatch {
  public:
    virtual ~GpuCascadeBatch() = default;

    /// Takes up a batch. \throws std::length_error if it is too large.
    virtual ScanLayout plan(std::span<const ScanJob> jobs) = 0;
    /// Writes the planned batch's tables to host memory.
    virtual void write_tables(std::byte* target) const = 0;

    /// True if reserve() would move memory whose address a captured graph holds.
    virtual bool memory_moves() const = 0;
    /// Makes room for the planned batch. \throws std::bad_alloc; DeviceError.
    virtual void reserve() = 0;
    virtual void release_memory() noexcept = 0;

    /// Queues the batch's work on the device's stream: clears the counters, makes what the cascade reads, and
    /// if `with_cascade`, evaluates it.
    virtual void enqueue(const Device& device, const ScanTarget& target, bool with_cascade) = 0;
};

/// A cascade on one GPU: its tables, and what its programs have in common.
class GpuCascade {
  public:
    virtual ~GpuCascade() = default;
    virtual std::unique_ptr<GpuCascadeBatch> make_batch() const = 0;
    /// How the scores of a class of windows become the group's.
    virtual GroupScore group_score() const = 0;
};

}  // namespace fovea::cuda_backend
