#pragma once

#include <cstdint>
#include <vector>

#include "kernels/optical_flow/flow_body.hpp"

namespace fovea {

/// Sums over a window for PointFollower, added one value after the other.
class PlainWindow {
  public:
    explicit PlainWindow(Size size);

    /// \param image, next from FlowPyramid::level(). \param place from flow_place().
    FlowMatrix start(const ImageView<const std::uint8_t>& image, const FlowPlace& place);
    FlowMismatch mismatch(const ImageView<const std::uint8_t>& next, const FlowPlace& place) const;
    float difference(const ImageView<const std::uint8_t>& next, const FlowPlace& place) const;

  private:
    struct Pixel {
        int grey, x, y;
    };

    Size size_;
    std::vector<Pixel> pixels_;
};

}  // namespace fovea
