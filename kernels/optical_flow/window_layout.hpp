#pragma once

#include <algorithm>
#include <cstddef>

#include "kernels/optical_flow/flow_body.hpp"

namespace fovea {

/// How the values of a window lie in vectors of int16: in groups of `columns` columns. A vector of a group
/// has pairs of rows, one below the other in the two halves of a 32-bit lane. Vectors longer than a group
/// have two segments, one for each half of the window's rows.
struct WindowLayout {
    constexpr WindowLayout(Size window, int lanes)
        : size(window),
          columns(std::min(lanes, 8)),
          segments(lanes / columns),
          main_groups(flow_main_columns(window.width) / columns),
          groups(main_groups + (window.width % 8 + columns - 1) / columns),
          pairs(((window.height + segments - 1) / segments + 1) / 2),
          lanes_of_vector(lanes) {}

    /// Rows of a segment.
    constexpr int rows() const { return 2 * pairs; }
    /// True if the window has all rows of a pair, in all segments.
    constexpr bool is_full(int pair) const { return (segments - 1) * rows() + 2 * pair + 2 <= size.height; }
    /// Columns of a group that the window has.
    constexpr int columns_of(int group) const { return std::min(columns, size.width - group * columns); }
    /// The place of a vector in [group][row of `rows_of_group`], in elements.
    constexpr std::size_t vector(int group, int row, int rows_of_group) const {
        return (static_cast<std::size_t>(group) * static_cast<std::size_t>(rows_of_group) +
                static_cast<std::size_t>(row)) *
               2 * static_cast<std::size_t>(lanes_of_vector);
    }

    Size size;
    int columns;
    int segments;
    int main_groups;  ///< groups of the four chains
    int groups;       ///< all groups; those behind main_groups are the tail
    int pairs;        ///< pairs of rows of a segment
    int lanes_of_vector;
};

/// The layout of windows of one size, known at compile time if Width and Height are not 0.
template <int Width, int Height, int Lanes>
class WindowShape {
  public:
    explicit WindowShape(Size size) : layout_(size, Lanes) {}

    constexpr const WindowLayout& layout() const {
        if constexpr (Width > 0) {
            return fixed;
        } else {
            return layout_;
        }
    }

  private:
    static constexpr WindowLayout fixed{{Width, Height}, Lanes};
    WindowLayout layout_;
};

}  // namespace fovea
