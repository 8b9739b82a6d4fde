#include "kernels/haar_lbp/scan_plan.hpp"

#include <limits>
#include <stdexcept>

#include "kernels/resize/resize.hpp"

namespace fovea::cuda_backend {

ScanPlan make_scan_plan(std::span<const ScanJob> jobs, const TileLayout* layouts) {
    ScanPlan plan;
    std::int64_t tiles = 0;
    std::size_t levels = 0;
    for (const ScanJob& job : jobs) levels += job.levels.size();
    plan.levels.reserve(levels);
    plan.first_tiles.reserve(levels + 1);
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        const ScanJob& job = jobs[i];
        plan.image_offsets.push_back(plan.image_bytes);
        for (std::size_t l = 0; l < job.levels.size(); ++l) {
            const PyramidLevel& level = job.levels[l];
            TiledLevel tiled;
            tiled.windows_per_row = level.windows_per_row();
            tiled.window_rows = level.window_rows();
            if (tiled.windows_per_row == 0 || tiled.window_rows == 0) continue;
            const TileLayout& layout = layouts[level.step - 1];
            tiled.image_offset = static_cast<unsigned>(plan.image_bytes);
            tiled.scale_x = resize_scale(job.image.width, level.size.width);
            tiled.scale_y = resize_scale(job.image.height, level.size.height);
            tiled.image_size = {job.image.width, job.image.height};
            tiled.step = level.step;
            tiled.tile_rows = layout.rows;
            tiled.tiles_per_column = (tiled.window_rows + tiled.tile_rows - 1) / tiled.tile_rows;
            tiled.image = static_cast<int>(i);
            tiled.level = job.level_numbers[l];
            tiled.scale = level.scale;
            tiled.box = level.box;
            tiled.first_window = plan.windows;
            plan.windows += static_cast<std::int64_t>(tiled.windows_per_row) * tiled.window_rows;
            plan.first_tiles.push_back(static_cast<int>(tiles));
            const int tile_columns = (tiled.windows_per_row + TileLayout::columns - 1) / TileLayout::columns;
            tiles += static_cast<std::int64_t>(tiled.tiles_per_column) * tile_columns;
            if (tiles > 1 << 30) throw std::length_error("the images have too many windows for one batch");
            plan.levels.push_back(tiled);
        }
        const std::size_t bytes =
            static_cast<std::size_t>(job.image.width) * static_cast<std::size_t>(job.image.height);
        plan.image_bytes += align_up(bytes, 16);
    }
    if (plan.image_bytes > std::numeric_limits<std::uint32_t>::max()) {
        throw std::length_error("the image has more than 4 gigapixels (2^32 bytes of grey levels)");
    }
    plan.first_tiles.push_back(static_cast<int>(tiles));
    plan.tiles = static_cast<int>(tiles);
    return plan;
}

}  // namespace fovea::cuda_backend
