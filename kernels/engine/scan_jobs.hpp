#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "kernels/core/share_work.hpp"
#include "kernels/core/view.hpp"
#include "kernels/windows/levels.hpp"

namespace fovea::cuda_backend {

/// One image and the levels of it that are to be scanned.
struct ScanJob {
    ImageView<const std::uint8_t> image;
    std::vector<PyramidLevel> levels;
    std::vector<int> level_numbers;  ///< of each: what CascadeWindow::level is to say
};

/// The levels that a kind of cascade has in an image of a size.
using LevelsOf = std::function<std::vector<PyramidLevel>(Size image)>;

/// All levels of every image. Images of one size in a row share one call of `levels_of`.
std::vector<ScanJob> make_scan_jobs(std::span<const ImageView<const std::uint8_t>> images,
                                    const LevelsOf& levels_of);

std::int64_t window_count(const PyramidLevel& level);
std::int64_t window_count(const ScanJob& job);
/// Pixels of the job's image; 0 if it is empty.
std::size_t pixel_count(const ScanJob& job);

/// Divides jobs into ranges, in order, of at most `max_pixels` and `max_images` each; a larger image is a
/// range of its own.
std::vector<IndexRange> divide_by_pixels(std::span<const ScanJob> jobs, std::size_t max_pixels,
                                         std::size_t max_images);

/// Divides one job's levels over engines: each level goes to the engine that has the fewest windows so far
/// (Tek 2012, several GPUs). \param engines at least 1. \return one job per engine; some may have no level.
std::vector<ScanJob> divide_levels(const ScanJob& job, std::size_t engines);

}  // namespace fovea::cuda_backend
