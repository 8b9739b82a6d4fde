#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/core/view.hpp"
#include "kernels/mct/pyramid.hpp"

namespace fovea {

/// Does make_octaves() by halve_simd(), without a copy of the image: octave i > 0 is element i - 1.
std::vector<GreyBuffer> halve_often(ImageView<const std::uint8_t> image,
                                    std::span<const PyramidLevel> levels);

/// Eight neighbouring columns of a level. Levels are less than halved, so the pixels of the columns lie
/// within 16 octave pixels, and one byte shuffle picks them for each tap.
struct ColumnGroup {
    static constexpr int columns = 8;
    std::int32_t first = 0;                         ///< octave pixel of the first column's first tap
    std::array<std::uint8_t, 2 * columns> shuffle;  ///< 16-bit lanes: the pixel, zero-extended
    std::array<std::uint16_t, columns> weights[3];  ///< AreaTap::weights; 0 beyond the level's last column
};

/// Makes parts of one level from its octave, equal in every bit to make_level(). Threads may share it.
class LevelResampler {
  public:
    /// Memory that a thread keeps between calls.
    struct Scratch {
        std::vector<std::uint16_t> rows;
    };

    /// Parameters as make_level(). The octave must outlive the resampler.
    LevelResampler(ImageView<const std::uint8_t> octave, Size size, float scale);

    /// Writes the level's pixels [area.x, area.x + area.width) × [area.y, area.y + area.height).
    /// \param area within the level; x a multiple of ColumnGroup::columns. \param to as large as the area.
    void make(const Rect& area, ImageView<std::uint8_t> to, Scratch& scratch) const;

  private:
    void make_row(int octave_row, const Rect& area, std::uint16_t* to) const;

    ImageView<const std::uint8_t> octave_;
    bool identity_;
    std::vector<ColumnGroup> columns_;
    std::vector<AreaTap> rows_;
};

}  // namespace fovea
