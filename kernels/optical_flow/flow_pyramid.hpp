#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/core/view.hpp"

namespace fovea {

/// Levels of a grey image for follow_points, in host memory: level 0 is the image, and each further one is
/// half as large. Equal in every bit to what calcOpticalFlowPyrLK of OpenCV 4.6 builds (pyrDown: the kernel
/// [1 4 6 4 1] / 16 in both directions, rounded once; rows and columns outside the image are mirrored without
/// the edge itself).
///
/// The object keeps its memory when it is built anew, so that a video needs two of them.
class FlowPyramid {
  public:
    /// Builds the levels on the threads of the calling thread's TBB arena. The last level is `max_level`, or
    /// an earlier one: the first whose half is not larger than the window in both directions.
    /// \param image 8-bit grey; it is copied. \param window of the points that will be followed, 3 pixels or
    /// more in both directions. \param max_level 0 or more.
    /// \throws std::invalid_argument for anything else; std::bad_alloc.
    void build(const ImageView<const std::uint8_t>& image, Size window, int max_level);

    /// 0 before the first build().
    int level_count() const { return static_cast<int>(levels_.size()); }
    Size window() const { return window_; }

    /// A level. Its view may be read beyond its edges: readable_border() pixels to every side, where the
    /// image is mirrored, and 32 more bytes to the right, where the content has no meaning.
    ImageView<const std::uint8_t> level(int number) const;
    /// Columns and rows: one more than the window has.
    Size readable_border() const { return {window_.width + 1, window_.height + 1}; }

  private:
    struct Level {
        Size size;
        std::ptrdiff_t stride = 0;
        std::size_t origin = 0;  ///< place of pixel (0, 0) in pixels_
    };

    void lay_out(Size size, Size window, int max_level);
    ImageView<std::uint8_t> view(const Level& level);

    Size window_;
    std::vector<Level> levels_;
    std::vector<std::uint8_t> pixels_;
};

/// Number of levels that FlowPyramid::build makes.
int flow_level_count(Size image, Size window, int max_level);

}  // namespace fovea
