#include "kernels/resize/resize.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "kernels/resize/blend_simd.hpp"
#include "kernels/resize/gpu_resize.hpp"

namespace fovea {
void require_pixels(Size source, Size destination) {
    if (source.width > 0 && source.height > 0 && destination.width > 0 && destination.height > 0) return;
    throw std::invalid_argument("resize needs a source and a destination of at least 1x1 pixels");
}

double resize_scale(int source_size, int destination_size) {
    // OpenCV stores destination/source and later inverts it; both roundings count.
    return 1.0 / (static_cast<double>(destination_size) / source_size);
}

RowResizer::RowResizer(ImageView<const std::uint8_t> source, Size destination)
    : RowResizer(source, destination, nullptr, ColumnTaps({source.width, source.height}, destination)) {}

RowResizer::RowResizer(ImageView<const std::uint8_t> source, Size destination, const ColumnTaps& columns)
    : RowResizer(source, destination, &columns, {}) {}

RowResizer::RowResizer(ImageView<const std::uint8_t> source, Size destination, const ColumnTaps* columns,
                       ColumnTaps own_columns)
    : source_(source), destination_(destination), own_columns_(std::move(own_columns)) {
    require_pixels({source.width, source.height}, destination);
    if (columns == nullptr) columns = &own_columns_;
    const bool same_size = Size{source.width, source.height} == destination;
    if (columns->size() != (same_size ? 0 : destination.width)) {
        throw std::invalid_argument("a resize to " + std::to_string(destination.width) +
                                    " columns was given taps of " + std::to_string(columns->size()));
    }
    if (same_size) return;
    columns_ = columns;
    scale_y_ = resize_scale(source.height, destination.height);
    for (auto& pass : passes_) pass.resize(destination.width);
    row_.resize(destination.width);
}

const std::uint16_t* RowResizer::horizontal(int source_row) {
    // Rows alternate between two buffers, so that the two neighbours a destination row needs never collide.
    const int slot = source_row & 1;
    std::uint16_t* pass = passes_[slot].data();
    if (pass_row_[slot] != source_row) {
        columns_->blend(source_.row(source_row), pass);
        pass_row_[slot] = source_row;
    }
    return pass;
}

const std::uint8_t* RowResizer::row(int y) {
    if (columns_ == nullptr) return source_.row(y);
    const LinearTap tap = linear_tap(y, scale_y_, source_.height);
    const std::uint16_t* top = horizontal(tap.offset);
    const std::uint16_t* bottom = horizontal(tap.next);
    blend_two_rows(top, bottom, tap.weight, row_.data(), destination_.width);
    return row_.data();
}

void resize_linear(const Device& device, ImageView<const std::uint8_t> source,
                   ImageView<std::uint8_t> destination) {
    require_pixels({source.width, source.height}, {destination.width, destination.height});
    if (device.is_cuda()) {
        cuda_backend::resize_linear(device, source, destination);
        return;
    }
    RowResizer resizer(source, {destination.width, destination.height});
    for (int y = 0; y < destination.height; ++y) {
        std::copy_n(resizer.row(y), destination.width, destination.row(y));
    }
}

}  // namespace fovea
