#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/core/view.hpp"

namespace fovea {

/// The place of a level in a pyramid's memory.
struct FlowLevel {
    Size size;
    std::ptrdiff_t stride = 0;
    std::size_t origin = 0;  ///< byte of pixel (0, 0)
};

/// The levels of an image, and the bytes that they need with their borders.
struct FlowLevels {
    std::vector<FlowLevel> levels;
    std::size_t bytes = 0;
};

/// Lays out the levels of a pyramid. Parameters and errors as FlowPyramid::build.
FlowLevels lay_out_flow_levels(Size image, Size window, int max_level);

/// The levels of a grey image for follow_points, in host memory: level 0 is the image, and each further level
/// is half as large. Equal in every bit to the levels of OpenCV 4.6's calcOpticalFlowPyrLK (pyrDown: the
/// kernel [1 4 6 4 1] / 16 in both directions, rounded once; rows and columns outside the image are mirrored
/// without the edge itself).
///
/// It keeps its memory when it is built anew, so a video needs two objects.
class FlowPyramid {
  public:
    FlowPyramid();
    ~FlowPyramid();
    FlowPyramid(FlowPyramid&&) noexcept;
    FlowPyramid& operator=(FlowPyramid&&) noexcept;

    /// Builds the levels on the threads of the calling thread's TBB arena. The last level is `max_level`, or
    /// an earlier one if the next would be at most as wide, or at most as high, as the window.
    /// \param image 8-bit grey; it is copied. \param window of the points to be followed, 3 pixels or more
    /// in both directions. \param max_level 0 or more.
    /// \throws std::invalid_argument for an empty image or other arguments out of range; std::bad_alloc.
    void build(const ImageView<const std::uint8_t>& image, Size window, int max_level);

    /// Does build(), but rows are made when follow_points first reads them: points in a part of the image
    /// cost only the rows around them on each level. The results of points are the same.
    /// \param image must stay as it is until the pyramid is built anew or destroyed.
    void build_on_demand(const ImageView<const std::uint8_t>& image, Size window, int max_level);

    /// True after build_on_demand(): rows must be asked for by make_rows().
    bool is_on_demand() const { return demand_ != nullptr; }
    /// Makes rows [first, last) of a level, up to readable_border() outside of it, that were not made yet.
    /// Any number of threads may call it at once.
    void make_rows(int level, int first, int last) const;

    /// The number of levels; 0 before the first build().
    int level_count() const { return static_cast<int>(levels_.size()); }
    Size window() const { return window_; }

    /// A level. Its view may be read beyond its edges: readable_border() pixels to every side, where the
    /// image is mirrored, and 32 more bytes to the right, which are undefined. After build_on_demand() it has
    /// only the rows that were made.
    ImageView<const std::uint8_t> level(int number) const;
    /// Columns and rows: one more than the window's.
    Size readable_border() const { return {window_.width + 1, window_.height + 1}; }

  private:
    struct Demand;

    void lay_out(const ImageView<const std::uint8_t>& image, Size window, int max_level);
    ImageView<std::uint8_t> view(const FlowLevel& level) const;
    bool has_rows(int level, int first, int last) const;
    void make_missing_rows(int level, int first, int last) const;
    void make_band(int level, int band) const;
    void make_border(int level, bool top) const;

    Size window_;
    std::vector<FlowLevel> levels_;
    // Rows on demand are made while others are read.
    mutable std::vector<std::uint8_t> pixels_;
    std::unique_ptr<Demand> demand_;
};

}  // namespace fovea
