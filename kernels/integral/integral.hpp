#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/core/view.hpp"
#include "kernels/resize/resize.hpp"

namespace fovea {

/// How a row of an integral image lies in memory. `split` puts even columns first and odd columns from
/// `half` on: windows two columns apart are then neighbours, and a vector of them is one contiguous load.
struct IntegralLayout {
    std::ptrdiff_t stride = 0;  ///< elements from row to row
    int half = 0;               ///< first element of the odd columns; 0 if columns lie in order
    bool split = false;

    std::ptrdiff_t column(int x) const { return split ? (x & 1 ? half + (x >> 1) : x >> 1) : x; }
    std::ptrdiff_t offset(int x, int y) const { return y * stride + column(x); }
};

/// A layout for rows of up to `columns` elements: one more than the image has columns. `slack` elements
/// beyond the end of a row (or half row) may be read. The stride is an odd number of cache lines, so that the
/// rows of a window spread over all cache sets.
IntegralLayout make_integral_layout(int columns, int slack, bool split);

/// Integral images of a horizontal band of a grey image, computed on the CPU.
///
///   sum(x, y)     = Σ I(i, j)   over i < x, j < y            (modulo 2^32, as OpenCV's CV_32S)
///   squared(x, y) = Σ I(i, j)²  over i < x, j < y            (modulo 2^32)
///   tilted(x, y)  = Σ I(i, j)   over j < y, |i - x + 1| <= y - 1 - j
///
/// Rows count from the band's first, so values lack what lies above the band; sums over rectangles inside the
/// band are those of the whole image. `sum` and `tilted` lie in one allocation, one offset apart. Definitions
/// as cv::integral (OpenCV 4.6); `tilted` by Lienhart and Maydt 2002.
class IntegralBand {
  public:
    /// Computes rows 0...rows of the integrals of rows [first_row, first_row + rows) of the resized image.
    /// \param source makes the resized image. \param width of that image.
    void compute(RowResizer& source, int width, int first_row, int rows, const IntegralLayout& layout,
                 bool with_squared, bool with_tilted);

    const std::int32_t* sum() const { return sums_.data(); }
    const std::uint32_t* squared() const { return squared_.data(); }
    /// Elements from sum(x, y) to tilted(x, y), after reserve() for max_rows rows.
    static std::ptrdiff_t tilted_offset(const IntegralLayout& layout, int max_rows) {
        return layout.stride * (max_rows + 1);
    }

    /// Makes room for bands of at most max_rows rows. Must be called before compute().
    void reserve(const IntegralLayout& layout, int max_rows, bool with_squared, bool with_tilted);

  private:
    void add_tilted_row(const std::uint8_t* pixels, int width, int row, const IntegralLayout& layout);

    std::vector<std::int32_t> sums_;
    std::vector<std::uint32_t> squared_;
    std::vector<std::uint8_t> previous_pixels_;
    std::vector<std::uint32_t> tilted_rows_[3];
    std::ptrdiff_t tilted_offset_ = 0;
};

}  // namespace fovea
