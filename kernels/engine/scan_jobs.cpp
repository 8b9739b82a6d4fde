#include "kernels/engine/scan_jobs.hpp"

#include <algorithm>
#include <numeric>

namespace fovea::cuda_backend {

std::vector<ScanJob> make_scan_jobs(std::span<const ImageView<const std::uint8_t>> images,
                                    const LevelsOf& levels_of) {
    std::vector<ScanJob> jobs;
    jobs.reserve(images.size());
    for (const auto& image : images) {
        if (!jobs.empty() && jobs.back().image.width == image.width &&
            jobs.back().image.height == image.height) {
            jobs.push_back(jobs.back());
        } else {
            ScanJob& job = jobs.emplace_back();
            job.levels = levels_of({image.width, image.height});
            job.level_numbers.resize(job.levels.size());
            std::iota(job.level_numbers.begin(), job.level_numbers.end(), 0);
        }
        jobs.back().image = image;
    }
    return jobs;
}

std::int64_t window_count(const PyramidLevel& level) {
    return static_cast<std::int64_t>(level.windows_per_row()) * level.window_rows();
}

std::int64_t window_count(const ScanJob& job) {
    std::int64_t count = 0;
    for (const PyramidLevel& level : job.levels) count += window_count(level);
    return count;
}

std::size_t pixel_count(const ScanJob& job) {
    return static_cast<std::size_t>(std::max(job.image.width, 0)) *
           static_cast<std::size_t>(std::max(job.image.height, 0));
}

std::vector<IndexRange> divide_by_pixels(std::span<const ScanJob> jobs, std::size_t max_pixels,
                                         std::size_t max_images) {
    std::vector<IndexRange> ranges;
    std::size_t pixels = 0;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        const std::size_t size = pixel_count(jobs[i]);
        if (ranges.empty() || pixels + size > max_pixels || ranges.back().count == max_images) {
            ranges.push_back({i, 0});
            pixels = 0;
        }
        ++ranges.back().count;
        pixels += size;
    }
    return ranges;
}

std::vector<ScanJob> divide_levels(const ScanJob& job, std::size_t engines) {
    std::vector<ScanJob> shares(engines);
    std::vector<std::int64_t> windows(engines, 0);
    for (ScanJob& share : shares) share.image = job.image;
    for (std::size_t i = 0; i < job.levels.size(); ++i) {
        const auto fewest = std::min_element(windows.begin(), windows.end());
        ScanJob& share = shares[static_cast<std::size_t>(fewest - windows.begin())];
        share.levels.push_back(job.levels[i]);
        share.level_numbers.push_back(job.level_numbers[i]);
        *fewest += window_count(job.levels[i]);
    }
    return shares;
}

}  // namespace fovea::cuda_backend
