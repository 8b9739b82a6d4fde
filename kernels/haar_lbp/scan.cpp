#include "kernels/haar_lbp/scan.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>

#include <tbb/parallel_for.h>

#include "kernels/haar_lbp/scan_band.hpp"

namespace fovea {
namespace {

// Rows of windows' top edges in a band: a band's integral images (this many rows and a window more) should
// stay in the second-level cache, while the rows computed twice, a window's height, stay a small part.
constexpr int usual_band_rows = 64;

// Fewer rows for images so wide that a band of the usual height would take hundreds of megabytes.
int band_rows_for(int width) {
    constexpr int max_elements = 1 << 26;
    return std::clamp(max_elements / width / 2 * 2, 2, usual_band_rows);
}

// Elements of an integral image that a thread keeps between bands.
constexpr std::ptrdiff_t max_elements_kept = 1 << 22;

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

// How the levels are divided into bands, and how these lie in memory.
class BandPlan {
  public:
    BandPlan(const Cascade& cascade, std::span<const PyramidLevel> levels)
        : levels_(levels),
          haar_(cascade.feature == Cascade::Feature::haar),
          tilted_(cascade.has_tilted),
          window_height_(cascade.window.height) {
        int max_width = 1;
        int max_rows = 1;
        for (const PyramidLevel& level : levels) {
            max_width = std::max(max_width, level.size.width);
            max_rows = std::max(max_rows, level.rows);
        }
        const int band_rows = band_rows_for(max_width);
        for (std::size_t i = 0; i < levels.size(); ++i) {
            const PyramidLevel& level = levels[i];
            if (level.columns <= 0) continue;
            for (int row = 0; row < level.rows; row += band_rows) {
                bands_.push_back({static_cast<int>(i), row, std::min(band_rows, level.rows - row)});
                needed_[level.step - 1] = true;
            }
        }
        max_rows_ = std::min(band_rows, max_rows) + window_height_;
        for (int split = 0; split < 2; ++split) {
            if (!needed_[split]) continue;
            layouts_[split] = make_integral_layout(max_width + 1, scan_slack(), split == 1);
            // Windows and corners are addressed by 32-bit offsets, also into the second plane.
            if (2 * layouts_[split].stride * (max_rows_ + 1) > std::numeric_limits<std::int32_t>::max()) {
                throw std::length_error("an image of " + std::to_string(max_width) +
                                        " pixels in a row is too wide for a window of " +
                                        std::to_string(window_height_) + " rows");
            }
        }
    }

    const std::vector<Band>& bands() const { return bands_; }
    int step_of(std::size_t band) const { return levels_[bands_[band].level].step; }

    // The cascade for the layouts in use, by step - 1.
    std::array<PackedCascade, 2> pack(const Cascade& cascade, std::span<const MergedPattern> patterns) const {
        std::array<PackedCascade, 2> packed;
        for (int split = 0; split < 2; ++split) {
            if (!needed_[split]) continue;
            packed[split] = pack_cascade(cascade, patterns, layouts_[split],
                                         IntegralBand::tilted_offset(layouts_[split], max_rows_));
        }
        return packed;
    }

    ScanBand scan_of(std::size_t i, const IntegralBand& integrals) const {
        const Band& band = bands_[i];
        const PyramidLevel& level = levels_[band.level];
        ScanBand scan;
        scan.sum = integrals.sum();
        scan.squared = haar_ ? integrals.squared() : nullptr;
        scan.row_stride = layouts_[level.step - 1].stride * level.step;
        scan.windows_per_row = level.windows_per_row();
        scan.window_rows = last_top(band) / level.step + 1;
        scan.level = band.level;
        scan.step = level.step;
        scan.first_y = band.first_row;
        return scan;
    }

    // Resizes and integrates every band, in parallel, and calls use(band's index, integrals, scratch).
    template <class Use>
    void for_each_band(ImageView<const std::uint8_t> image, const Use& use) const {
        std::vector<ColumnTaps> columns(levels_.size());
        tbb::parallel_for(std::size_t{0}, levels_.size(), [&](std::size_t i) {
            if (levels_[i].columns > 0) {
                columns[i] = ColumnTaps({image.width, image.height}, levels_[i].size);
            }
        });
        tbb::parallel_for(std::size_t{0}, bands_.size(), [&](std::size_t i) {
            thread_local ThreadScratch scratch;
            const Band& band = bands_[i];
            const PyramidLevel& level = levels_[band.level];
            const IntegralLayout& layout = layouts_[level.step - 1];
            RowResizer resizer(image, level.size, columns[band.level]);
            scratch.integrals.reserve(layout, max_rows_, haar_, tilted_);
            scratch.integrals.compute(resizer, level.size.width, band.first_row,
                                      last_top(band) + window_height_, layout, haar_, tilted_);
            use(i, scratch.integrals, scratch.scan);
            // Kept for the next band, but not what one huge image took, on every thread, for good.
            if (layout.stride * max_rows_ > max_elements_kept) scratch = {};
        });
    }

  private:
    // The last top edge, from the band's first row; top edges lie `step` apart.
    int last_top(const Band& band) const {
        const int step = levels_[band.level].step;
        return (band.rows - 1) / step * step;
    }

    std::span<const PyramidLevel> levels_;
    bool haar_;
    bool tilted_;
    int window_height_;
    int max_rows_ = 0;
    std::vector<Band> bands_;
    std::array<bool, 2> needed_{};  // by step - 1
    std::array<IntegralLayout, 2> layouts_;
};

}  // namespace

std::uint8_t visited_windows(std::uint8_t rejected, int& state) {
    const std::uint8_t visited = skip_table.visited[state][rejected];
    state = skip_table.next[state][rejected];
    return visited;
}

std::vector<CascadeWindow> scan_cascade(const Cascade& cascade, std::span<const MergedPattern> patterns,
                                        ImageView<const std::uint8_t> image,
                                        std::span<const PyramidLevel> levels) {
    const BandPlan plan(cascade, levels);
    const std::array<PackedCascade, 2> packed = plan.pack(cascade, patterns);
    std::vector<std::vector<CascadeWindow>> found(plan.bands().size());
    plan.for_each_band(image, [&](std::size_t i, const IntegralBand& integrals, ScanScratch& scratch) {
        scan_band(packed[plan.step_of(i) - 1], plan.scan_of(i, integrals), scratch, found[i]);
    });
    std::vector<CascadeWindow> windows;
    for (const auto& part : found) windows.insert(windows.end(), part.begin(), part.end());
    return windows;
}

void integrate_levels(const Cascade& cascade, ImageView<const std::uint8_t> image,
                      std::span<const PyramidLevel> levels) {
    BandPlan(cascade, levels).for_each_band(image, [](std::size_t, const IntegralBand&, ScanScratch&) {});
}

}  // namespace fovea
