#include "kernels/resize/resize.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "kernels/resize/gpu_resize.hpp"

namespace fovea {
namespace {

void require_pixels(Size source, Size destination) {
    if (source.width > 0 && source.height > 0 && destination.width > 0 && destination.height > 0) return;
    throw std::invalid_argument("resize needs a source and a destination of at least 1x1 pixels");
}

}  // namespace

double resize_scale(int source_size, int destination_size) {
    // OpenCV stores destination/source and later inverts it; both roundings count.
    return 1.0 / (static_cast<double>(destination_size) / source_size);
}

std::vector<LinearTap> column_taps(Size source, Size destination) {
    require_pixels(source, destination);
    if (source == destination) return {};
    const double scale = resize_scale(source.width, destination.width);
    std::vector<LinearTap> taps(static_cast<std::size_t>(destination.width));
    for (int x = 0; x < destination.width; ++x) taps[x] = linear_tap(x, scale, source.width);
    return taps;
}

RowResizer::RowResizer(ImageView<const std::uint8_t> source, Size destination)
    : RowResizer(source, destination, {}, column_taps({source.width, source.height}, destination)) {}

RowResizer::RowResizer(ImageView<const std::uint8_t> source, Size destination,
                       std::span<const LinearTap> columns)
    : RowResizer(source, destination, columns, {}) {}

RowResizer::RowResizer(ImageView<const std::uint8_t> source, Size destination,
                       std::span<const LinearTap> columns, std::vector<LinearTap> own_columns)
    : source_(source),
      destination_(destination),
      own_columns_(std::move(own_columns)),
      columns_(own_columns_.empty() ? columns : own_columns_) {
    require_pixels({source.width, source.height}, destination);
    const bool same_size = Size{source.width, source.height} == destination;
    if (columns_.size() != (same_size ? 0 : static_cast<std::size_t>(destination.width))) {
        throw std::invalid_argument("a resize to " + std::to_string(destination.width) +
                                    " columns was given taps of " + std::to_string(columns_.size()));
    }
    if (same_size) return;
    scale_y_ = resize_scale(source.height, destination.height);
    for (auto& pass : passes_) pass.resize(destination.width);
    row_.resize(destination.width);
}

const std::uint16_t* RowResizer::horizontal(int source_row) {
    // Rows alternate between two buffers, so that the two neighbours a destination row needs never collide.
    const int slot = source_row & 1;
    std::uint16_t* pass = passes_[slot].data();
    if (pass_row_[slot] != source_row) {
        const std::uint8_t* pixels = source_.row(source_row);
        for (int x = 0; x < destination_.width; ++x) {
            const LinearTap tap = columns_[x];
            pass[x] =
                static_cast<std::uint16_t>(blend_columns(pixels[tap.offset], pixels[tap.next], tap.weight));
        }
        pass_row_[slot] = source_row;
    }
    return pass;
}

const std::uint8_t* RowResizer::row(int y) {
    if (columns_.empty()) return source_.row(y);
    const LinearTap tap = linear_tap(y, scale_y_, source_.height);
    const std::uint16_t* top = horizontal(tap.offset);
    const std::uint16_t* bottom = horizontal(tap.next);
    const int weight = tap.weight;
    for (int x = 0; x < destination_.width; ++x) {
        row_[x] = static_cast<std::uint8_t>(blend_rows(top[x], bottom[x], weight));
    }
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
