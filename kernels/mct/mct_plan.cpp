#include "kernels/mct/mct_plan.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "kernels/core/align.hpp"
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

// An image's part of a plan, whatever stands before it: offsets, images and windows count from its own
// beginning.
struct ImagePlan {
    const ScanJob* job = nullptr;
    MctGpuImage image;
    std::int64_t octave_blocks[octave_launches] = {};
    std::vector<MctGpuLevel> levels;
    std::vector<std::int64_t> level_tiles;  // of each level
    std::vector<std::int64_t> scan_tiles;
    std::size_t octave_bytes = 0;
    std::size_t taps = 0;
    std::size_t codes = 0;
    std::int64_t windows = 0;
};

void plan_octaves(ImagePlan& plan) {
    MctGpuImage& image = plan.image;
    for (int k = 1; k <= image.octaves; ++k) {
        const Size size = octave_size(image.size, k);
        image.octave_offsets[k - 1] = plan.octave_bytes;
        plan.octave_bytes += static_cast<std::size_t>(octave_pitch(size.width)) * size.height;
    }
    for (int launch = 0; launch < octave_launches; ++launch) {
        const int base = launch * octaves_per_launch;
        if (image.octaves <= base) continue;
        const Size size = octave_size(image.size, base);
        plan.octave_blocks[launch] = static_cast<std::int64_t>(divided_up(size.width, octave_block)) *
                                     divided_up(size.height, octave_block);
    }
}

ImagePlan plan_image(const ScanJob& job, const bool (&planes)[mct_plane_count]) {
    ImagePlan plan;
    plan.job = &job;
    plan.image.size = {job.image.width, job.image.height};
    for (std::size_t l = 0; l < job.levels.size(); ++l) {
        if (job.levels[l].windows_per_row() == 0 || job.levels[l].window_rows() == 0) continue;
        MctGpuLevel level = gpu_level(job.levels[l], plan.image.size);
        level.level = job.level_numbers[l];
        level.first_window = plan.windows;
        plan.windows += static_cast<std::int64_t>(level.windows_per_row) * job.levels[l].window_rows();
        plan.image.octaves = std::max(plan.image.octaves, level.octave);
        level.taps = plan.taps;
        // Levels at the octave's own resolution are copied.
        if (level.ratio != 1) plan.taps += static_cast<std::size_t>(level.size.width) + level.size.height;
        for (int p = 0; p < mct_plane_count; ++p) {
            if (!planes[p]) continue;
            level.planes[p] = plan.codes;
            plan.codes += static_cast<std::size_t>(level.plane_pitch(p)) * level.plane_rows(p);
        }
        plan.level_tiles.push_back(static_cast<std::int64_t>(level.level_tile_columns) *
                                   divided_up(level.size.height, MctLevelTile::rows));
        plan.scan_tiles.push_back(static_cast<std::int64_t>(level.scan_tile_columns) *
                                  divided_up(level.rows, MctScanTile::rows));
        plan.levels.push_back(level);
    }
    plan_octaves(plan);
    return plan;
}

bool same_plan(const ScanJob& a, const ScanJob& b) {
    const auto same_level = [](const PyramidLevel& x, const PyramidLevel& y) {
        return x.scale == y.scale && x.size == y.size && x.box == y.box && x.step == y.step &&
               x.columns == y.columns && x.rows == y.rows;
    };
    return a.image.width == b.image.width && a.image.height == b.image.height &&
           a.level_numbers == b.level_numbers &&
           std::equal(a.levels.begin(), a.levels.end(), b.levels.begin(), b.levels.end(), same_level);
}

// The images of a batch, each planned once however often its size comes.
class ImagePlans {
  public:
    const ImagePlan& of(const ScanJob& job, const bool (&planes)[mct_plane_count]) {
        auto known = std::find_if(plans_.rbegin(), plans_.rend(),
                                  [&](const ImagePlan& plan) { return same_plan(*plan.job, job); });
        if (known != plans_.rend()) return *known;
        plans_.push_back(plan_image(job, planes));
        return plans_.back();
    }

  private:
    std::vector<ImagePlan> plans_;
};

void place(const ImagePlan& from, const bool (&planes)[mct_plane_count], MctBatchPlan& plan) {
    MctGpuImage image = from.image;
    image.pixels = plan.image_bytes;
    for (int k = 0; k < image.octaves; ++k) image.octave_offsets[k] += plan.octave_bytes;
    for (std::size_t l = 0; l < from.levels.size(); ++l) {
        MctGpuLevel level = from.levels[l];
        level.image = static_cast<int>(plan.images.size());
        level.first_window += plan.windows;
        level.taps += plan.taps;
        for (int p = 0; p < mct_plane_count; ++p) {
            if (planes[p]) level.planes[p] += plan.codes;
        }
        append(plan.first_level_tiles, from.level_tiles[l]);
        append(plan.first_scan_tiles, from.scan_tiles[l]);
        plan.levels.push_back(level);
    }
    for (int launch = 0; launch < octave_launches; ++launch) {
        append(plan.first_octave_blocks[launch], from.octave_blocks[launch]);
    }
    plan.images.push_back(image);
    plan.image_offsets.push_back(plan.image_bytes);
    plan.image_bytes += align_up(
        static_cast<std::size_t>(image.size.width) * static_cast<std::size_t>(image.size.height), 16);
    plan.octave_bytes += from.octave_bytes;
    plan.taps += from.taps;
    plan.codes += from.codes;
    plan.windows += from.windows;
}

}  // namespace

MctBatchPlan make_mct_plan(std::span<const ScanJob> jobs, const bool (&planes)[mct_plane_count]) {
    MctBatchPlan plan;
    for (auto& first : plan.first_octave_blocks) first.push_back(0);
    plan.first_level_tiles.push_back(0);
    plan.first_scan_tiles.push_back(0);
    std::size_t levels = 0;
    for (const ScanJob& job : jobs) levels += job.levels.size();
    plan.levels.reserve(levels);
    ImagePlans plans;
    for (const ScanJob& job : jobs) place(plans.of(job, planes), planes, plan);
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
