#include "kernels/mct/scan_mct.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <optional>

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include "kernels/mct/pyramid_simd.hpp"
#include "kernels/mct/scan_tile.hpp"

namespace fovea {
namespace {

// Calls use(index of the tile, tile, its level's resampler) for all tiles, those of most windows first, so
// that no thread is left with a large one at the end.
template <class Use>
void for_each_tile(ImageView<const std::uint8_t> image, std::span<const PyramidLevel> levels,
                   const std::vector<MctTile>& tiles, const Use& use) {
    const std::vector<GreyBuffer> octaves = halve_often(image, levels);
    std::vector<std::optional<LevelResampler>> resamplers(levels.size());
    tbb::parallel_for(std::size_t{0}, levels.size(), [&](std::size_t i) {
        const int octave = level_source(levels[i].scale).octave;
        resamplers[i].emplace(octave == 0 ? image : octaves[octave - 1].view(), levels[i].size,
                              levels[i].scale);
    });
    std::vector<std::size_t> order(tiles.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return tiles[a].columns * tiles[a].rows > tiles[b].columns * tiles[b].rows;
    });
    std::atomic<std::size_t> next = 0;
    const auto workers = std::min<std::size_t>(tbb::this_task_arena::max_concurrency(), tiles.size());
    tbb::parallel_for(std::size_t{0}, workers, [&](std::size_t) {
        for (std::size_t i = next++; i < order.size(); i = next++) {
            const MctTile& tile = tiles[order[i]];
            use(order[i], tile, *resamplers[tile.level]);
        }
    });
}

TileScanner& thread_scanner() {
    thread_local TileScanner scanner;
    return scanner;
}

}  // namespace

std::vector<CascadeWindow> scan_mct(const MctCascade& cascade, ImageView<const std::uint8_t> image,
                                    std::span<const PyramidLevel> levels) {
    const PackedMct packed(cascade);
    const std::vector<MctTile> tiles = mct_tiles(levels);
    std::vector<std::vector<CascadeWindow>> found(tiles.size());
    for_each_tile(image, levels, tiles, [&](std::size_t i, const MctTile& tile, const LevelResampler& level) {
        thread_scanner().scan(packed, level, tile, levels[tile.level].step, found[i]);
    });
    std::size_t count = 0;
    for (const auto& part : found) count += part.size();
    std::vector<CascadeWindow> windows;
    windows.reserve(count);
    for (const auto& part : found) windows.insert(windows.end(), part.begin(), part.end());
    // Tiles side by side share rows.
    if (!std::is_sorted(windows.begin(), windows.end(), comes_before)) {
        std::sort(windows.begin(), windows.end(), comes_before);
    }
    return windows;
}

void transform_levels(const MctCascade& cascade, ImageView<const std::uint8_t> image,
                      std::span<const PyramidLevel> levels) {
    const PackedMct packed(cascade);
    for_each_tile(image, levels, mct_tiles(levels),
                  [&](std::size_t, const MctTile& tile, const LevelResampler& level) {
                      thread_scanner().transform(packed, level, tile);
                  });
}

}  // namespace fovea
