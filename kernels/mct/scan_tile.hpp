#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/mct/code_planes.hpp"
#include "kernels/mct/evaluate.hpp"
#include "kernels/mct/mct_cascade.hpp"
#include "kernels/mct/pyramid_simd.hpp"
#include "kernels/windows/cascade_window.hpp"

namespace fovea {

/// An MCT cascade, prepared for evaluate_places().
class PackedMct {
  public:
    explicit PackedMct(const MctCascade& cascade);

    /// Writes the look-ups, with pointers to their codes in these planes, to `lookups`.
    void place(const CodePlanes& planes, std::vector<PlacedLookup>& lookups) const;

    const PlaneSet& planes() const { return planes_; }
    int coarse_lookups() const { return coarse_; }
    /// The segments of the coarse look-ups, and of the others; look-ups count from 0 in both.
    const std::vector<LookupSegment>& coarse_segments() const { return coarse_segments_; }
    const std::vector<LookupSegment>& fine_segments() const { return fine_segments_; }
    /// A margin is this minus the last sum: the last threshold, 0 without look-ups.
    std::int32_t last_threshold() const { return lookups_.empty() ? 0 : lookups_.back().reject_above; }

  private:
    std::vector<MctLookup> lookups_;
    PlaneSet planes_;
    int coarse_;
    std::vector<std::int8_t> storage_;
    const std::int8_t* tables_;
    std::vector<LookupSegment> coarse_segments_;
    std::vector<LookupSegment> fine_segments_;
};

/// At most tile_columns × tile_rows windows of one level: few enough for their codes to stay in the
/// second-level cache. (x, y) is the first window in level pixels; x is a multiple of 64, and y of 2.
struct MctTile {
    int level = 0;
    int x = 0;
    int y = 0;
    int columns = 0;
    int rows = 0;
};
constexpr int tile_columns = 2048;
constexpr int tile_rows = 128;

/// The tiles of all levels, level by level, row by row.
std::vector<MctTile> mct_tiles(std::span<const PyramidLevel> levels);

/// Makes the codes of tiles and runs a cascade on them, for one thread. It keeps its memory, whose size does
/// not depend on the image.
class TileScanner {
  public:
    /// Computes all codes of a tile.
    void transform(const PackedMct& cascade, const LevelResampler& level, const MctTile& tile);

    /// Runs the cascade on a tile and appends the windows that pass, by rising y, x.
    /// \param step of the level.
    void scan(const PackedMct& cascade, const LevelResampler& level, const MctTile& tile, int step,
              std::vector<CascadeWindow>& found);

  private:
    ImageView<const std::uint8_t> make_pixels(const PackedMct& cascade, const LevelResampler& level,
                                              const MctTile& tile);
    void mark_visited(const MctTile& tile, int step);
    bool scan_cells(const PackedMct& cascade, const MctTile& tile, int step);
    void scan_windows(const PackedMct& cascade, const MctTile& tile, int step,
                      std::vector<CascadeWindow>& found);

    LineVector<std::uint8_t> pixels_;
    LevelResampler::Scratch resampling_;
    CodePlanes planes_;
    std::vector<PlacedLookup> lookups_;
    std::vector<PlaceRow> rows_;
    PlaceQueues queues_;
    std::vector<std::uint64_t> visited_columns_;  ///< one bit a window of a row
    std::vector<std::uint64_t> visited_cells_;    ///< one bit a cell of a row
    std::vector<std::uint64_t> window_bits_;      ///< [row of cells]: bits of the windows of living cells
    LineVector<std::int16_t> window_sums_;        ///< [row of cells]: sums of these windows
};

}  // namespace fovea
