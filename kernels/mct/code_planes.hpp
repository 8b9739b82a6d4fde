#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/core/view.hpp"
#include "kernels/mct/mct_cascade.hpp"

namespace fovea {

/// Which planes a cascade reads.
using PlaneSet = std::array<bool, mct_plane_count>;
PlaneSet planes_of(const MctCascade& cascade);

/// The codes of a part of a level, a plane after the other in memory that is kept from part to part. Element
/// (x, y) of a plane at the window's own place is the code of the neighbourhood whose top left pixel is (x,
/// y); of a plane at the cell's, (2x, 2y). Both planes of a kind have the same stride.
///
/// Every element, also the slack beyond a row's and a plane's end, is below 512.
class CodePlanes {
  public:
    /// Elements that may be read beyond the last place of a plane's last row.
    static constexpr int slack = 64;

    /// Makes room for the codes of all windows that lie in a part of this size, in level pixels.
    void reserve(const PlaneSet& used, Size part);

    /// Computes the used planes that windows, or cells, read. SIMD, dispatched at run time.
    /// \param level the part's pixels, of the size that was reserved; its rows may be read up to their
    /// stride, which must be row_bytes(level.width) or more.
    void transform_cells(ImageView<const std::uint8_t> level);
    void transform_windows(ImageView<const std::uint8_t> level);
    static std::ptrdiff_t row_bytes(int width);

    const std::uint16_t* plane(MctPlane plane) const { return planes_[static_cast<int>(plane)].data(); }
    std::int32_t stride(MctPlane plane) const { return mct_is_coarse(plane) ? cell_stride_ : window_stride_; }
    std::size_t bytes() const;

  private:
    void transform(MctPlane plane, ImageView<const std::uint8_t> level);

    PlaneSet used_{};
    std::int32_t window_stride_ = 0;
    std::int32_t cell_stride_ = 0;
    std::array<std::vector<std::uint16_t>, mct_plane_count> planes_;
    std::vector<std::uint16_t> block_sums_;
};

}  // namespace fovea
