#pragma once

#include <vector>

#include "lib/core/types.hpp"
#include "lib/image/formats/image.hpp"

namespace fovea {

/// A photograph of half the size: each pixel is the mean of four.
GreyImage halved_photo(const GreyImage& photo);

/// A photograph in sizes that halve, to be drawn smaller without aliasing. Level 0 is the photograph; a pixel
/// of the next one is the mean of four.
class PhotoLevels {
  public:
    /// \param photo not empty.
    explicit PhotoLevels(GreyImage photo);

    const GreyImage& photo() const { return levels_.front(); }

    /// The level for drawing at a scale: one pixel of the drawing takes one to two of its pixels.
    int level_for(double scale) const;

    /// The grey value, 0 to 255, at a place of the photograph: bilinear between four pixels of the level.
    /// Places outside have the value of the nearest edge.
    double value(int level, const Point& place) const;

  private:
    std::vector<GreyImage> levels_;
};

}  // namespace fovea
