#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kernels/core/view.hpp"
#include "kernels/group/group.hpp"
#include "kernels/windows/found_windows.hpp"
#include "kernels/windows/levels.hpp"

namespace fovea::cuda_backend {

/// One image and the levels of it that are to be scanned.
struct ScanJob {
    ImageView<const std::uint8_t> image;
    std::vector<PyramidLevel> levels;
    std::vector<int> level_numbers;  ///< of each: what CascadeWindow::level is to say
};

/// What a slot has to know of a batch to hold it: its input is `table_bytes` of tables, then the images.
struct BatchLayout {
    std::size_t table_bytes = 0;
    std::size_t image_bytes = 0;
    std::vector<std::size_t> image_offsets;  ///< of every job, from the first image
    std::int64_t windows = 0;                ///< 0 if there is nothing to scan
    std::size_t counter_words = 0;           ///< that the program counts in, beside the windows found
    /// With the above all that a captured graph of the program's launches depends on, but for addresses.
    std::vector<std::size_t> shape;
};

/// A batch on the device, and where its results go.
struct ScanTarget {
    const std::byte* input = nullptr;
    FoundWindows found;
    /// Words that enqueue clears: BatchLayout::counter_words of the program's own, and behind them found.counts.
    unsigned* counters = nullptr;
    std::size_t cleared_words = 0;
    std::int16_t* trace_stages = nullptr;  ///< as WindowTrace, all levels in a row; null = no trace
    double* trace_sums = nullptr;
};

/// The kernels that find the windows which pass a cascade, with the memory that they need beside the batch itself:
/// one for each slot, made by a ScanModel. Called with the device selected; one batch at a time.
class ScanProgram {
  public:
    virtual ~ScanProgram() = default;

    /// Takes up a batch. \throws std::length_error if it is too large.
    virtual BatchLayout plan(std::span<const ScanJob> jobs) = 0;
    /// Writes the planned batch's tables to host memory.
    virtual void write_tables(std::byte* target) const = 0;

    /// True if reserve() would move memory whose address a captured graph holds.
    virtual bool memory_moves() const = 0;
    /// Makes room for the planned batch. \throws std::bad_alloc; DeviceError.
    virtual void reserve() = 0;
    virtual void release_memory() noexcept = 0;

    /// Queues the batch's work, on a stream: clears the counters, makes what the cascade reads, and if
    /// `with_cascade`, evaluates it.
    virtual void enqueue(void* stream, const ScanTarget& target, bool with_cascade) = 0;
};

/// A cascade on one GPU: its tables, and what its programs have in common.
class ScanModel {
  public:
    virtual ~ScanModel() = default;
    virtual std::unique_ptr<ScanProgram> make_program() const = 0;
    /// What of the scores of a class of windows becomes the group's.
    virtual GroupScore group_score() const = 0;
};

}  // namespace fovea::cuda_backend
