#include "kernels/mct/scan_tile.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <memory>

namespace fovea {
namespace {

constexpr int vector_bytes = 64;

// Short where most places are rejected, so that few look-ups are made in vain; longer where the rest lives
// long.
std::vector<LookupSegment> divide(const MctCascade& cascade, int first, int end) {
    constexpr int lengths[] = {4, 4, 4, 4, 4, 8, 8, 8, 12};
    constexpr int last = static_cast<int>(std::size(lengths)) - 1;
    std::vector<LookupSegment> segments;
    for (int at = first; at < end;) {
        const int length = lengths[std::min(static_cast<int>(segments.size()), last)];
        segments.push_back({at - first, std::min(at + length, end) - first, true});
        at += length;
    }
    // The largest sum there can be after each look-up.
    std::int64_t largest = 0;
    std::size_t s = 0;
    for (int i = 0; i < end; ++i) {
        if (cascade.lookups[i].starts_stage) largest = 0;
        int step = 0;
        for (int code = 0; code < MctCascade::codes; ++code) {
            step = std::max(step, std::abs(static_cast<int>(cascade.table(i)[code])));
        }
        largest += step;
        if (i < first) continue;
        while (segments[s].end <= i - first) ++s;
        if (largest > 32767) segments[s].fits_16_bits = false;
    }
    return segments;
}

}  // namespace

PackedMct::PackedMct(const MctCascade& cascade)
    : lookups_(cascade.lookups), planes_(planes_of(cascade)), coarse_(cascade.coarse_lookups()) {
    storage_.resize(cascade.weights.size() + table_slack + vector_bytes);
    void* aligned = storage_.data() + table_slack;
    std::size_t room = storage_.size() - table_slack;
    aligned = std::align(vector_bytes, cascade.weights.size(), aligned, room);
    if (!cascade.weights.empty()) std::memcpy(aligned, cascade.weights.data(), cascade.weights.size());
    tables_ = static_cast<const std::int8_t*>(aligned);
    const int count = static_cast<int>(lookups_.size());
    coarse_segments_ = divide(cascade, 0, coarse_);
    fine_segments_ = divide(cascade, coarse_, count);
}

void PackedMct::place(const CodePlanes& planes, std::vector<PlacedLookup>& placed) const {
    placed.resize(lookups_.size());
    for (std::size_t i = 0; i < lookups_.size(); ++i) {
        const MctLookup& lookup = lookups_[i];
        const int grid = mct_is_coarse(lookup.plane) ? 2 : 1;
        PlacedLookup& to = placed[i];
        to.codes =
            planes.plane(lookup.plane) + lookup.y / grid * planes.stride(lookup.plane) + lookup.x / grid;
        to.table = tables_ + i * MctCascade::codes;
        to.reject_above = lookup.reject_above;
        to.reject_above_16 =
            static_cast<std::int16_t>(std::clamp<std::int32_t>(lookup.reject_above, -32768, 32767));
        to.starts_stage = lookup.starts_stage;
    }
}

std::vector<MctTile> mct_tiles(std::span<const PyramidLevel> levels) {
    std::vector<MctTile> tiles;
    for (std::size_t i = 0; i < levels.size(); ++i) {
        const PyramidLevel& level = levels[i];
        for (int y = 0; y < level.rows; y += tile_rows) {
            for (int x = 0; x < level.columns; x += tile_columns) {
                tiles.push_back({static_cast<int>(i), x, y, std::min(tile_columns, level.columns - x),
                                 std::min(tile_rows, level.rows - y)});
            }
        }
    }
    return tiles;
}

ImageView<const std::uint8_t> TileScanner::make_pixels(const PackedMct& cascade, const LevelResampler& level,
                                                       const MctTile& tile) {
    const Size part{tile.columns + MctCascade::window - 1, tile.rows + MctCascade::window - 1};
    const std::ptrdiff_t stride = CodePlanes::row_bytes(part.width);
    const std::size_t bytes = stride * part.height;
    if (pixels_.size() < bytes) pixels_.resize(bytes);
    const ImageView<std::uint8_t> pixels{pixels_.data(), part.width, part.height, stride};
    level.make({tile.x, tile.y, part.width, part.height}, pixels, resampling_);
    planes_.reserve(cascade.planes(), part);
    return pixels;
}

void TileScanner::transform(const PackedMct& cascade, const LevelResampler& level, const MctTile& tile) {
    const ImageView<const std::uint8_t> pixels = make_pixels(cascade, level, tile);
    planes_.transform_cells(pixels);
    planes_.transform_windows(pixels);
}

void TileScanner::mark_visited(const MctTile& tile, int step) {
    visited_columns_.assign(tile.columns / 64 + 1, 0);
    visited_cells_.assign(tile.columns / 128 + 1, 0);
    const int first = (step - tile.x % step) % step;
    for (int x = first; x < tile.columns; x += step) {
        visited_columns_[x / 64] |= std::uint64_t{1} << x % 64;
        visited_cells_[x / 128] |= std::uint64_t{1} << x / 2 % 64;
    }
}

// Leaves the bits and sums of the windows of the cells that pass; false if there is none.
bool TileScanner::scan_cells(const PackedMct& cascade, const MctTile& tile, int step) {
    const int columns = (tile.columns + 1) / 2;
    const int cell_rows = (tile.rows + 1) / 2;
    const std::int32_t stride = planes_.stride(MctPlane::coarse2);
    const std::size_t words = visited_columns_.size();
    rows_.clear();
    for (int y = 0; y < cell_rows; ++y) {
        const bool upper = (tile.y + 2 * y) % step == 0;
        const bool lower = (tile.y + 2 * y + 1) % step == 0 && 2 * y + 1 < tile.rows;
        if (upper || lower) {
            rows_.push_back({static_cast<std::uint32_t>(y * stride), visited_cells_.data(), nullptr});
        }
    }
    const PlaceQueue& passed =
        evaluate_places({lookups_.data(), static_cast<std::size_t>(cascade.coarse_lookups())},
                        cascade.coarse_segments(), rows_, columns, queues_);
    window_bits_.assign(words * cell_rows, 0);
    if (window_sums_.size() < words * 64 * cell_rows) window_sums_.resize(words * 64 * cell_rows);
    for (std::size_t i = 0; i < passed.size; ++i) {
        const std::uint32_t y = passed.offsets[i] / stride;
        const std::uint32_t x = passed.offsets[i] % stride;
        window_bits_[y * words + x / 32] |= std::uint64_t{3} << x % 32 * 2;
        std::int16_t* sums = window_sums_.data() + y * words * 64 + 2 * std::size_t{x};
        sums[0] = sums[1] = static_cast<std::int16_t>(passed.sums[i]);
    }
    for (int y = 0; y < cell_rows; ++y) {
        for (std::size_t i = 0; i < words; ++i) window_bits_[y * words + i] &= visited_columns_[i];
    }
    return passed.size > 0;
}

void TileScanner::scan_windows(const PackedMct& cascade, const MctTile& tile, int step,
                               std::vector<CascadeWindow>& found) {
    // So many rows at a time that what waits in the queues stays in the cache.
    constexpr int rows_at_once = 32;
    const bool coarse = cascade.coarse_lookups() > 0;
    const std::int32_t stride = planes_.stride(MctPlane::pixel);
    const std::size_t words = visited_columns_.size();
    const std::span<const PlacedLookup> lookups =
        std::span<const PlacedLookup>(lookups_).subspan(cascade.coarse_lookups());
    const std::size_t before = found.size();
    int y = (step - tile.y % step) % step;
    while (y < tile.rows) {
        rows_.clear();
        for (; y < tile.rows && rows_.size() < rows_at_once; y += step) {
            const std::size_t at = y / 2 * words;
            rows_.push_back({static_cast<std::uint32_t>(y) * stride,
                             coarse ? window_bits_.data() + at : visited_columns_.data(),
                             coarse ? window_sums_.data() + 64 * at : nullptr});
        }
        const PlaceQueue& passed =
            evaluate_places(lookups, cascade.fine_segments(), rows_, tile.columns, queues_);
        for (std::size_t i = 0; i < passed.size; ++i) {
            const std::int32_t offset = static_cast<std::int32_t>(passed.offsets[i]);
            found.push_back({tile.level, tile.x + offset % stride, tile.y + offset / stride,
                             static_cast<double>(cascade.last_threshold()) - passed.sums[i]});
        }
    }
    std::sort(found.begin() + static_cast<std::ptrdiff_t>(before), found.end(), comes_before);
}

void TileScanner::scan(const PackedMct& cascade, const LevelResampler& level, const MctTile& tile, int step,
                       std::vector<CascadeWindow>& found) {
    const ImageView<const std::uint8_t> pixels = make_pixels(cascade, level, tile);
    cascade.place(planes_, lookups_);
    mark_visited(tile, step);
    if (cascade.coarse_lookups() > 0) {
        planes_.transform_cells(pixels);
        if (!scan_cells(cascade, tile, step)) return;
    }
    planes_.transform_windows(pixels);
    scan_windows(cascade, tile, step, found);
}

}  // namespace fovea
