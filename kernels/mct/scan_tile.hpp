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

/// An MCT cascade as evaluate_places takes it.
class PackedMct {
  public:
    explicit PackedMct(const MctCascade& cascade);

    /// The look-ups with their codes where these planes have them.
    void place(const CodePlanes& planes, std::vector<PlacedLookup>& lookups) const;

    const PlaneSet& planes() const { return planes_; }
    int coarse_lookups() const { return coarse_; }
    /// First those of the coarse look-ups, then those of the others; look-ups are counted from 0 in both.
    const std::vector<LookupSegment>& coarse_segments() const { return coarse_segments_; }
    const std::vector<LookupSegment>& fine_segments() const { return fine_segments_; }
    /// Origin of the margins: the last threshold, 0 without look-ups.
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

/// Windows of one level, at most tile_columns × tile_rows of them: small enough for their codes to stay in
/// the second-level cache.
struct MctTile {
    int level = 0;
    int x = 0;  ///< of the first window, level pixels; multiples of 64, and of 2
    int y = 0;
    int columns = 0;
    int rows = 0;
};
constexpr int tile_columns = 2048;
constexpr int tile_rows = 128;

/// The tiles of all levels, level by level, row by row.
std::vector<MctTile> mct_tiles(std::span<const PyramidLevel> levels);

/// Makes codes of tiles and runs a cascade on them. Keeps its memory, whose size does not depend on the
/// image's; one object a thread.
class TileScanner {
  public:
    /// Computes all codes of a tile.
    void transform(const PackedMct& cascade, const LevelResampler& level, const MctTile& tile);

    /// Appends the windows that pass, by rising y, x.
    void scan(const PackedMct& cascade, const LevelResampler& level, const MctTile& tile, int step,
              std::vector<CascadeWindow>& found);

  private:
    ImageView<const std::uint8_t> make_pixels(const PackedMct& cascade, const LevelResampler& level,
                                              const MctTile& tile);
    void mark_visited(const MctTile& tile, int step);
    bool scan_cells(const PackedMct& cascade, const MctTile& tile, int step);
    void scan_windows(const PackedMct& cascade, const MctTile& tile, int step,
                      std::vector<CascadeWindow>& found);

    std::vector<std::uint8_t> pixels_;
    LevelResampler::Scratch resampling_;
    CodePlanes planes_;
    std::vector<PlacedLookup> lookups_;
    std::vector<PlaceRow> rows_;
    PlaceQueues queues_;
    std::vector<std::uint64_t> visited_columns_;  ///< one bit a window of a row
    std::vector<std::uint64_t> visited_cells_;    ///< one bit a cell of a row
    std::vector<std::uint64_t> window_bits_;      ///< a row of bits a row of cells: windows of living cells
    std::vector<std::int16_t> window_sums_;       ///< a row a row of cells: their sums
};

}  // namespace fovea
