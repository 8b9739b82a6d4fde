#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/core/line_vector.hpp"
#include "kernels/core/view.hpp"
#include "kernels/mct/pyramid.hpp"

namespace fovea {

/// Does make_octaves() by halve_simd(), without a copy of the image: octave i > 0 is element i - 1.
std::vector<GreyBuffer> halve_often(ImageView<const std::uint8_t> image,
                                    std::span<const PyramidLevel> levels);

/// The columns of a level in groups of eight. Levels are less than halved, so the pixels of a group lie
/// within 16 octave pixels, and one byte shuffle picks them for each tap.
struct AreaColumns {
    static constexpr int group = 8;
    std::vector<std::int32_t> first;   ///< [group]: octave pixel of the first column's first tap
    LineVector<std::uint8_t> shuffle;  ///< [column][2]: the pixel, zero-extended to 16 bits
    /// [tap][column]: AreaTap::weights; 0 beyond the level's last column.
    std::array<LineVector<std::uint16_t>, 3> weights;
};

/// Makes parts of one level from its octave, equal in every bit to make_level(). Threads may share it.
class LevelResampler {
  public:
    /// Memory that a thread keeps between calls.
    struct Scratch {
        LineVector<std::uint16_t> rows;
    };

    /// Parameters as make_level(). The octave must outlive the resampler.
    LevelResampler(ImageView<const std::uint8_t> octave, Size size, float scale);

    /// Writes the level's pixels [area.x, area.x + area.width) × [area.y, area.y + area.height).
    /// \param area within the level; x a multiple of AreaColumns::group. \param to as large as the area.
    void make(const Rect& area, ImageView<std::uint8_t> to, Scratch& scratch) const;

  private:
    void make_row(int octave_row, const Rect& area, std::uint16_t* to) const;

    ImageView<const std::uint8_t> octave_;
    bool identity_;
    AreaColumns columns_;
    std::vector<AreaTap> rows_;
};

}  // namespace fovea
