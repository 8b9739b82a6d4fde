#include "kernels/cascade/scan.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>

#include <tbb/parallel_for.h>

#include "kernels/cascade/scan_band.hpp"

namespace fovea {
namespace {

// Rows of windows' top edges in a band: a band's integral images (this many rows and a window more) should
// stay in the second-level cache, while the rows computed twice, a window's height, stay a small part.
constexpr int usual_band_rows = 64;

// Fewer rows for images so wide that a band of the usual height would take hundreds of megabytes.
int band_rows_for(int width) {
    constexpr int most_elements = 1 << 26;
    return std::clamp(most_elements / width / 2 * 2, 2, usual_band_rows);
}

// Elements of an integral image that a thread keeps between bands.
constexpr std::ptrdiff_t most_elements_kept = 1 << 22;

struct Band {
    int level = 0;
    int first_row = 0;  // level pixels, a multiple of the level's step
    int rows = 0;       // level rows that hold top edges
};

// The state machine of visited_windows for all bytes: visited bits and the state after the byte.
struct SkipTable {
    std::array<std::array<std::uint8_t, 256>, 2> visited{};
    std::array<std::array<std::uint8_t, 256>, 2> next{};
};

constexpr SkipTable make_skip_table() {
    SkipTable table;
    for (int start = 0; start < 2; ++start) {
        for (int rejected = 0; rejected < 256; ++rejected) {
            int skip = start;
            int visited = 0;
            for (int bit = 0; bit < 8; ++bit) {
                if (skip != 0) {
                    skip = 0;
                } else {
                    visited |= 1 << bit;
                    skip = rejected >> bit & 1;
                }
            }
            table.visited[start][rejected] = static_cast<std::uint8_t>(visited);
            table.next[start][rejected] = static_cast<std::uint8_t>(skip);
        }
    }
    return table;
}

constexpr SkipTable skip_table = make_skip_table();

struct ThreadScratch {
    IntegralBand integrals;
    ScanScratch scan;
};

}  // namespace

std::uint8_t visited_windows(std::uint8_t rejected, int& state) {
    const std::uint8_t visited = skip_table.visited[state][rejected];
    state = skip_table.next[state][rejected];
    return visited;
}

std::vector<CascadeWindow> scan_cascade(const Cascade& cascade, ImageView<const std::uint8_t> image,
                                        std::span<const PyramidLevel> levels) {
    int max_width = 1;
    int most_rows = 1;
    for (const PyramidLevel& level : levels) {
        max_width = std::max(max_width, level.size.width);
        most_rows = std::max(most_rows, level.rows);
    }
    const int band_rows = band_rows_for(max_width);

    std::vector<Band> bands;
    std::array<bool, 2> needed{};  // by step - 1
    for (std::size_t i = 0; i < levels.size(); ++i) {
        const PyramidLevel& level = levels[i];
        if (level.columns <= 0) continue;
        for (int row = 0; row < level.rows; row += band_rows) {
            bands.push_back({static_cast<int>(i), row, std::min(band_rows, level.rows - row)});
            needed[level.step - 1] = true;
        }
    }

    const bool haar = cascade.feature == Cascade::Feature::haar;
    const int max_rows = std::min(band_rows, most_rows) + cascade.window.height;
    std::array<IntegralLayout, 2> layouts;
    std::array<PackedCascade, 2> packed;
    for (int split = 0; split < 2; ++split) {
        if (!needed[split]) continue;
        layouts[split] = make_integral_layout(max_width + 1, scan_slack(), split == 1);
        // Windows and corners are addressed by 32-bit offsets, also into the second plane.
        if (2 * layouts[split].stride * (max_rows + 1) > std::numeric_limits<std::int32_t>::max()) {
            throw std::length_error("an image of " + std::to_string(max_width) +
                                    " pixels in a row is too wide for a window of " +
                                    std::to_string(cascade.window.height) + " rows");
        }
        packed[split] =
            pack_cascade(cascade, layouts[split], IntegralBand::tilted_offset(layouts[split], max_rows));
    }

    std::vector<std::vector<CascadeWindow>> found(bands.size());
    tbb::parallel_for(std::size_t{0}, bands.size(), [&](std::size_t i) {
        thread_local ThreadScratch scratch;
        const Band& band = bands[i];
        const PyramidLevel& level = levels[band.level];
        const IntegralLayout& layout = layouts[level.step - 1];
        // The last top edge of the band plus a window; top edges lie `step` apart.
        const int last_top = (band.rows - 1) / level.step * level.step;
        const int image_rows = last_top + cascade.window.height;
        RowResizer resizer(image, level.size);
        scratch.integrals.reserve(layout, max_rows, haar, cascade.has_tilted);
        scratch.integrals.compute(resizer, level.size.width, band.first_row, image_rows, layout, haar,
                                  cascade.has_tilted);
        ScanBand scan;
        scan.sum = scratch.integrals.sum();
        scan.squared = haar ? scratch.integrals.squared() : nullptr;
        scan.row_stride = layout.stride * level.step;
        scan.windows_per_row = level.windows_per_row();
        scan.window_rows = last_top / level.step + 1;
        scan.level = band.level;
        scan.step = level.step;
        scan.first_y = band.first_row;
        scan_band(packed[level.step - 1], scan, scratch.scan, found[i]);
        // Kept for the next band, but not what one huge image took, on every thread, for good.
        if (layout.stride * max_rows > most_elements_kept) scratch = {};
    });

    std::vector<CascadeWindow> windows;
    for (const auto& part : found) windows.insert(windows.end(), part.begin(), part.end());
    return windows;
}

}  // namespace fovea
