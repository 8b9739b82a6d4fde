#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/core/line_vector.hpp"
#include "kernels/core/view.hpp"
#include "kernels/mct/mct_cascade.hpp"

namespace fovea {

/// The planes that a cascade reads, by MctPlane.
using PlaneSet = std::array<bool, mct_plane_count>;
PlaneSet planes_of(const MctCascade& cascade);

/// The codes of a part of a level, in planes whose memory is kept from part to part. Element (x, y) of a
/// plane is the code of the neighbourhood whose top left pixel is (x, y), or (2x, 2y) on coarse planes. All
/// coarse planes have the same stride, and so have all others.
///
/// Every element, also in the slack beyond the end of a row or a plane, is below 512.
class CodePlanes {
  public:
    /// Elements that may be read beyond the last place of a plane's last row.
    static constexpr int slack = 64;

    /// The widest vector, in 16-bit lanes: what is written and read beyond a row's end stays below it.
    static constexpr int max_lanes = 64;
    /// A plane is made in parts of so many codes, from rows of values in memory that stays in the cache.
    static constexpr int part_columns = 256;
    static constexpr int part_rows = 32;
    static constexpr std::ptrdiff_t value_stride = part_columns + max_lanes;

    /// Makes room for the codes of all windows that lie in a part of this size, in level pixels.
    void reserve(const PlaneSet& used, Size part);

    /// Computes the used planes that cells, or windows, read, by vector instructions chosen at run time.
    /// \param level the part's pixels, of the reserved size; the stride must be at least
    /// row_bytes(level.width), and rows are read up to it.
    void transform_cells(ImageView<const std::uint8_t> level);
    void transform_windows(ImageView<const std::uint8_t> level);
    static std::ptrdiff_t row_bytes(int width);

    const std::uint16_t* plane(MctPlane plane) const { return planes_[static_cast<int>(plane)].data(); }
    std::int32_t stride(MctPlane plane) const { return mct_is_coarse(plane) ? cell_stride_ : window_stride_; }
    std::size_t bytes() const;

  private:
    /// \param with_contrasts makes the contrast plane, too, which has the same values.
    void transform(MctPlane plane, ImageView<const std::uint8_t> level, bool with_contrasts = false);

    PlaneSet used_{};
    std::int32_t window_stride_ = 0;
    std::int32_t cell_stride_ = 0;
    std::array<LineVector<std::uint16_t>, mct_plane_count> planes_;
    LineVector<std::uint16_t> values_;
};

}  // namespace fovea
