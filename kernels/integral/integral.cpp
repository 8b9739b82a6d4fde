#include "kernels/integral/integral.hpp"

#include <algorithm>

#include "kernels/integral/integrate_row.hpp"

namespace fovea {

IntegralLayout make_integral_layout(int columns, int slack, bool split) {
    constexpr int line = 16;  // 32-bit elements in a cache line
    const auto round_up = [](int n) { return (n + line - 1) / line * line; };
    IntegralLayout layout;
    layout.split = split;
    if (split) {
        layout.half = round_up((columns + 1) / 2 + slack);
        layout.stride = 2 * layout.half;
    } else {
        layout.stride = round_up(columns + slack);
    }
    if (layout.stride / line % 2 == 0) layout.stride += line;
    return layout;
}

void IntegralBand::reserve(const IntegralLayout& layout, int max_rows, bool with_squared, bool with_tilted) {
    const std::size_t plane = static_cast<std::size_t>(layout.stride) * (max_rows + 1);
    const std::size_t slack = 64;  // a vector that begins at the last element stays inside
    tilted_offset_ = tilted_offset(layout, max_rows);
    if (sums_.size() < plane * (with_tilted ? 2 : 1) + slack)
        sums_.resize(plane * (with_tilted ? 2 : 1) + slack);
    if (with_squared && squared_.size() < plane + slack) squared_.resize(plane + slack);
}

void IntegralBand::compute(RowResizer& source, int width, int first_row, int rows,
                           const IntegralLayout& layout, bool with_squared, bool with_tilted) {
    std::fill_n(sums_.begin(), layout.stride, 0);
    if (with_squared) std::fill_n(squared_.begin(), layout.stride, 0U);
    if (with_tilted) {
        std::fill_n(sums_.begin() + tilted_offset_, layout.stride, 0);
        for (auto& row : tilted_rows_) row.assign(width + 1, 0);
        previous_pixels_.assign(width, 0);
    }
    for (int row = 0; row < rows; ++row) {
        const std::uint8_t* pixels = source.row(first_row + row);
        const std::ptrdiff_t above = row * layout.stride;
        const std::ptrdiff_t here = above + layout.stride;
        const SumRow squared = with_squared ? SumRow{&squared_[above], &squared_[here]} : SumRow{};
        // Unsigned, so that wrapping is defined.
        auto* const sums = reinterpret_cast<std::uint32_t*>(sums_.data());
        integrate_row(pixels, width, layout, {sums + above, sums + here}, squared);
        if (with_tilted) add_tilted_row(pixels, width, row + 1, layout);
    }
}

void IntegralBand::add_tilted_row(const std::uint8_t* pixels, int width, int row,
                                  const IntegralLayout& layout) {
    // t(x, y) = t(x-1, y-1) + t(x+1, y-1) - t(x, y-2) + I(x-1, y-1) + I(x-1, y-2); beyond the left and right
    // borders the image is 0, which leaves t(0, y) = t(1, y-1), and no t(x+1, y-1) - t(x, y-2) at the last
    // column.
    std::vector<std::uint32_t>& now = tilted_rows_[row % 3];
    const std::vector<std::uint32_t>& last = tilted_rows_[(row + 2) % 3];
    const std::vector<std::uint32_t>& before = tilted_rows_[(row + 1) % 3];
    now[0] = last[1];
    for (int x = 1; x < width; ++x) {
        now[x] = last[x - 1] + last[x + 1] - before[x] + pixels[x - 1] + previous_pixels_[x - 1];
    }
    now[width] = last[width - 1] + pixels[width - 1] + previous_pixels_[width - 1];
    std::int32_t* out = &sums_[tilted_offset_ + row * layout.stride];
    for (int x = 0; x <= width; ++x) out[layout.column(x)] = static_cast<std::int32_t>(now[x]);
    std::copy_n(pixels, width, previous_pixels_.begin());
}

}  // namespace fovea
