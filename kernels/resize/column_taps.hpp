#pragma once

#include <cstdint>
#include <vector>

#include "kernels/core/view.hpp"
#include "kernels/resize/resize_body.hpp"

namespace fovea {

/// The taps of every column of a resized image, and the same for vectors: eight columns are a group, and the
/// pixels that a group samples lie in a few windows of 16 pixels.
class ColumnTaps {
  public:
    static constexpr int group_columns = 8;
    static constexpr int window_pixels = 16;

    /// Some or all columns of a group.
    struct Window {
        std::int32_t first = 0;  ///< its first pixel
        /// The places of each column's two pixels in the window; 0x80 if they lie in another one.
        std::uint8_t places[2 * group_columns];
    };

    /// Those of equal sizes: nothing is interpolated.
    ColumnTaps() = default;
    /// \throws std::invalid_argument on empty sizes.
    ColumnTaps(Size source, Size destination);

    bool empty() const { return taps_.empty(); }
    int size() const { return static_cast<int>(taps_.size()); }

    /// Interpolates the columns of a source row, as blend_columns(). \param to size() values
    void blend(const std::uint8_t* pixels, std::uint16_t* to) const;

  private:
    void make_groups(int source_width);

    std::vector<LinearTap> taps_;
    int windows_per_group_ = 1;           // 1, 2 or 4
    std::vector<Window> windows_;         // of the groups all of whose windows lie in the row
    std::vector<std::uint16_t> weights_;  // of the same groups' columns
};

}  // namespace fovea
