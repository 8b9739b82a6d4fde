#include "kernels/mct/mct_plan.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "kernels/align.hpp"
#include "kernels/mct/pyramid.hpp"

namespace fovea::cuda_backend {
namespace {

int divided_up(int count, int by) {
    return (count + by - 1) / by;
}

// Appends `tasks` to a list of first tasks whose last element is their number so far.
void append(std::vector<int>& first, std::int64_t tasks) {
    const std::int64_t sum = first.back() + tasks;
    if (sum > 1 << 30) throw std::length_error("the images have too many windows for one batch");
    first.push_back(static_cast<int>(sum));
}

MctGpuLevel gpu_level(const PyramidLevel& level, Size image) {
    MctGpuLevel gpu;
    const LevelSource source = level_source(level.scale);
    gpu.octave = source.octave;
    gpu.ratio = source.ratio;
    gpu.source = octave_size(image, source.octave);
    gpu.size = level.size;
    gpu.pitch = static_cast<int>(align_up(level.size.width, 8));
    gpu.cell_pitch = static_cast<int>(align_up((level.size.width + 1) / 2, 8));
    gpu.level_tile_columns = divided_up(level.size.width, MctLevelTile::columns);
    gpu.scan_tile_columns = divided_up(level.columns, MctScanTile::columns);
    gpu.columns = level.columns;
    gpu.rows = level.rows;
    gpu.step = level.step;
    gpu.windows_per_row = level.windows_per_row();
    gpu.scale = level.scale;
    gpu.box = level.box;
    return gpu;
}

void place_octaves(MctGpuImage& image, MctBatchPlan& plan) {
    for (int k = 1; k <= image.octaves; ++k) {
        const Size size = octave_size(image.size, k);
        image.octave_offsets[k - 1] = plan.octave_bytes;
        plan.octave_bytes += static_cast<std::size_t>(octave_pitch(size.width)) * size.height;
    }
    for (int launch = 0; launch < octave_launches; ++launch) {
        const int base = launch * octaves_per_launch;
        const Size size = octave_size(image.size, base);
        const std::int64_t blocks = static_cast<std::int64_t>(divided_up(size.width, octave_block)) *
                                    divided_up(size.height, octave_block);
        append(plan.first_octave_blocks[launch], image.octaves > base ? blocks : 0);
    }
}

}  // namespace

MctBatchPlan make_mct_plan(std::span<const ScanJob> jobs, const bool (&planes)[mct_plane_count]) {
    MctBatchPlan plan;
    for (auto& first : plan.first_octave_blocks) first.push_back(0);
    plan.first_level_tiles.push_back(0);
    plan.first_scan_tiles.push_back(0);
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        const ScanJob& job = jobs[i];
        MctGpuImage image;
        image.pixels = plan.image_bytes;
        image.size = {job.image.width, job.image.height};
        plan.image_offsets.push_back(plan.image_bytes);
        plan.image_bytes += align_up(
            static_cast<std::size_t>(job.image.width) * static_cast<std::size_t>(job.image.height), 16);
        for (std::size_t l = 0; l < job.levels.size(); ++l) {
            if (job.levels[l].windows_per_row() == 0 || job.levels[l].window_rows() == 0) continue;
            MctGpuLevel level = gpu_level(job.levels[l], image.size);
            level.image = static_cast<int>(i);
            level.level = job.level_numbers[l];
            level.first_window = plan.windows;
            plan.windows += static_cast<std::int64_t>(level.windows_per_row) * job.levels[l].window_rows();
            image.octaves = std::max(image.octaves, level.octave);
            level.taps = plan.taps;
            // Levels at the octave's own resolution are copied.
            if (level.ratio != 1) plan.taps += static_cast<std::size_t>(level.size.width) + level.size.height;
            for (int p = 0; p < mct_plane_count; ++p) {
                if (!planes[p]) continue;
                level.planes[p] = plan.codes;
                plan.codes += static_cast<std::size_t>(level.plane_pitch(p)) * level.plane_rows(p);
            }
            append(plan.first_level_tiles, static_cast<std::int64_t>(level.level_tile_columns) *
                                               divided_up(level.size.height, MctLevelTile::rows));
            append(plan.first_scan_tiles, static_cast<std::int64_t>(level.scan_tile_columns) *
                                              divided_up(level.rows, MctScanTile::rows));
            plan.levels.push_back(level);
        }
        place_octaves(image, plan);
        plan.images.push_back(image);
    }
    if (plan.image_bytes > std::numeric_limits<std::uint32_t>::max()) {
        throw std::length_error("the image has more than 4 gigapixels (2^32 bytes of grey levels)");
    }
    return plan;
}

MctTableOffsets MctBatchPlan::offsets() const {
    MctTableOffsets offsets;
    const auto take = [&](const auto& list) {
        const std::size_t place = offsets.bytes;
        offsets.bytes = align_up(place + list.size() * sizeof(list[0]));
        return place;
    };
    offsets.levels = take(levels);
    offsets.level_tiles = take(first_level_tiles);
    offsets.scan_tiles = take(first_scan_tiles);
    offsets.images = take(images);
    for (int i = 0; i < octave_launches; ++i) offsets.octave_blocks[i] = take(first_octave_blocks[i]);
    return offsets;
}

void MctBatchPlan::write_tables(std::byte* target) const {
    const MctTableOffsets at = offsets();
    const auto put = [&](std::size_t place, const auto& list) {
        if (!list.empty()) std::memcpy(target + place, list.data(), list.size() * sizeof(list[0]));
    };
    put(at.levels, levels);
    put(at.level_tiles, first_level_tiles);
    put(at.scan_tiles, first_scan_tiles);
    put(at.images, images);
    for (int i = 0; i < octave_launches; ++i) put(at.octave_blocks[i], first_octave_blocks[i]);
}

}  // namespace fovea::cuda_backend
