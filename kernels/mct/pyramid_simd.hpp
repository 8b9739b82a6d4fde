#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/core/view.hpp"
#include "kernels/mct/pyramid.hpp"

namespace fovea {

/// make_octaves with halve_simd, but without a copy of the image: octave i > 0 is element i - 1.
std::vector<GreyBuffer> halve_often(ImageView<const std::uint8_t> image,
                                    std::span<const PyramidLevel> levels);

/// Eight neighbouring columns of a level: their pixels lie within 16 octave pixels from the first one on, as
/// levels are less than halved, and so are picked by one byte shuffle a tap.
struct ColumnGroup {
    static constexpr int columns = 8;
    std::int32_t first = 0;                         ///< octave pixel of the first column's first tap
    std::array<std::uint8_t, 2 * columns> shuffle;  ///< 16-bit lanes: the pixel, zero-extended
    std::array<std::uint16_t, columns> weights[3];  ///< of AreaTap; 0 beyond the level's last column
};

/// Makes parts of one level from its octave: equal in every bit to make_level. May be used from several
/// threads.
class LevelResampler {
  public:
    /// Memory that one caller keeps between calls.
    struct Scratch {
        std::vector<std::uint16_t> rows;
    };

    /// \param octave, size, scale as make_level takes them. The octave must outlive the resampler.
    LevelResampler(ImageView<const std::uint8_t> octave, Size size, float scale);

    /// Writes the level's pixels [area.x, area.x + area.width) × [area.y, area.y + area.height).
    /// \param area  within the level; x a multiple of ColumnGroup::columns.
    /// \param to    of the area's size.
    void make(const Rect& area, ImageView<std::uint8_t> to, Scratch& scratch) const;

  private:
    void make_row(int octave_row, const Rect& area, std::uint16_t* to) const;

    ImageView<const std::uint8_t> octave_;
    bool identity_;
    std::vector<ColumnGroup> columns_;
    std::vector<AreaTap> rows_;
};

}  // namespace fovea
