#include "kernels/engine/cpu_engine.hpp"

#include <algorithm>
#include <chrono>

#include <tbb/parallel_for.h>

namespace fovea {
namespace {

template <class Work>
double time_ms(const Work& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

std::vector<CascadeResult> CpuEngine::detect(const ImageBatch& images, const CascadeScan& scan,
                                             const GroupLandmarks*) {
    check_can_read(images);
    std::vector<CascadeResult> findings(images.size());
    tbb::parallel_for(std::size_t{0}, images.size(), [&](std::size_t i) {
        const std::vector<PyramidLevel> pyramid = levels_of(images.views[i], scan.parameters);
        findings[i].windows = find_windows(images.views[i], pyramid);
        if (scan.min_neighbors > 0) {
            findings[i].groups = group(findings[i].windows, pyramid, scan.min_neighbors);
            findings[i].windows.clear();
        }
    });
    const std::lock_guard lock(mutex_);
    counters_.images += images.size();
    return findings;
}

std::vector<RectGroup> CpuEngine::group(const std::vector<CascadeWindow>& windows,
                                        const std::vector<PyramidLevel>& levels, int min_neighbors) const {
    std::vector<ScoredRect> rects;
    rects.reserve(windows.size());
    for (const CascadeWindow& window : windows) {
        const PyramidLevel& level = levels[window.level];
        rects.push_back({window_rect(window.x, window.y, level.scale, level.box), window.last_sum});
    }
    return group_rects(rects, min_neighbors, default_group_eps, group_score());
}

EngineTimes CpuEngine::measure(std::span<const ImageView<const std::uint8_t>> images, const CascadeScan& scan,
                               int repeat) {
    std::vector<std::vector<PyramidLevel>> pyramids;
    for (const auto& image : images) pyramids.push_back(levels_of(image, scan.parameters));
    CascadeScan ungrouped = scan;
    ungrouped.min_neighbors = 0;
    // Also the warm-up.
    const std::vector<CascadeResult> found = detect(images, ungrouped);

    const auto preprocess_all = [&] {
        tbb::parallel_for(std::size_t{0}, images.size(),
                          [&](std::size_t i) { preprocess(images[i], pyramids[i]); });
    };
    const auto group_all = [&] {
        tbb::parallel_for(std::size_t{0}, images.size(),
                          [&](std::size_t i) { group(found[i].windows, pyramids[i], scan.min_neighbors); });
    };
    preprocess_all();
    EngineTimes times;
    for (int i = 0; i < repeat; ++i) {
        times.total_ms.push_back(time_ms([&] { detect(images, scan); }));
        times.preprocessing_ms.push_back(time_ms(preprocess_all));
        double grouping_ms = 0;
        if (scan.min_neighbors > 0) {
            grouping_ms = time_ms(group_all);
            times.grouping_ms.push_back(grouping_ms);
        }
        times.scan_ms.push_back(
            std::max(0.0, times.total_ms.back() - times.preprocessing_ms.back() - grouping_ms));
    }
    times.resident_ms = times.total_ms;
    return times;
}

}  // namespace fovea
