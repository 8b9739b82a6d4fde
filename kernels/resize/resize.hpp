#pragma once

#include <cstdint>
#include <vector>

#include "kernels/core/device.hpp"
#include "kernels/core/view.hpp"
#include "kernels/resize/column_taps.hpp"

namespace fovea {

/// Source pixels per destination pixel, rounded as OpenCV rounds it (the inverse of the inverse).
double resize_scale(int source_size, int destination_size);

/// Bilinear resize of an 8-bit grey image in fixed point, equal to cv::resize with INTER_LINEAR_EXACT
/// (OpenCV 4.6) in every bit on every machine and backend.
///
///   destination(x, y) = (Σ Σ weight_y · weight_x · source + 2^15) >> 16, weights in 1/256
///
/// \param device      where both views' memory lies; asynchronous on CUDA.
/// \param source      at least 1×1.
/// \param destination at least 1×1; must not overlap the source.
/// \throws std::invalid_argument on empty views; DeviceError if the launch fails.
void resize_linear(const Device& device, ImageView<const std::uint8_t> source,
                   ImageView<std::uint8_t> destination);

/// \throws std::invalid_argument unless both sizes are at least 1×1.
void require_pixels(Size source, Size destination);

/// Makes single rows of a resized image on the CPU, for callers that work through an image in bands.
/// It keeps the last two interpolated source rows, so callers should ask for rows in rising order.
class RowResizer {
  public:
    /// The source must outlive the resizer. \throws std::invalid_argument on empty sizes.
    RowResizer(ImageView<const std::uint8_t> source, Size destination);
    /// Takes taps that several resizers share.
    /// \param columns of the same sizes; must outlive the resizer, unless it is empty.
    /// \throws std::invalid_argument on empty sizes, and for taps of another width.
    RowResizer(ImageView<const std::uint8_t> source, Size destination, const ColumnTaps& columns);
    RowResizer(const RowResizer&) = delete;
    RowResizer& operator=(const RowResizer&) = delete;

    /// Row y of the resized image, `destination.width` pixels. Valid until the next call.
    const std::uint8_t* row(int y);

  private:
    RowResizer(ImageView<const std::uint8_t> source, Size destination, const ColumnTaps* columns,
               ColumnTaps own_columns);
    const std::uint16_t* horizontal(int source_row);

    ImageView<const std::uint8_t> source_;
    Size destination_;
    double scale_y_ = 1;
    ColumnTaps own_columns_;
    const ColumnTaps* columns_ = nullptr;  // null: nothing is interpolated
    std::vector<std::uint16_t> passes_[2];
    int pass_row_[2] = {-1, -1};
    std::vector<std::uint8_t> row_;
};

}  // namespace fovea
