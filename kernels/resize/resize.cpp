#include "kernels/resize/resize.hpp"

#include <algorithm>
#include <stdexcept>

#include "kernels/resize/resize_cuda.hpp"

namespace fovea {

double resize_scale(int source_size, int destination_size) {
    // OpenCV stores destination/source and later inverts it; both roundings count.
    return 1.0 / (static_cast<double>(destination_size) / source_size);
}

RowResizer::RowResizer(ImageView<const std::uint8_t> source, Size destination)
    : source_(source), destination_(destination) {
    if (source.empty() || destination.width <= 0 || destination.height <= 0) {
        throw std::invalid_argument("resize needs a source and a destination of at least 1x1 pixels");
    }
    scale_y_ = resize_scale(source.height, destination.height);
    if (destination.width != source.width || destination.height != source.height) {
        const double scale_x = resize_scale(source.width, destination.width);
        taps_.resize(destination.width);
        for (int x = 0; x < destination.width; ++x) taps_[x] = linear_tap(x, scale_x, source.width);
        for (auto& pass : passes_) pass.resize(destination.width);
        row_.resize(destination.width);
    }
}

const std::uint16_t* RowResizer::horizontal(int source_row) {
    // Rows alternate between two buffers, so that the two neighbours a destination row needs never collide.
    const int slot = source_row & 1;
    std::uint16_t* pass = passes_[slot].data();
    if (pass_row_[slot] != source_row) {
        const std::uint8_t* pixels = source_.row(source_row);
        for (int x = 0; x < destination_.width; ++x) {
            const LinearTap tap = taps_[x];
            pass[x] =
                static_cast<std::uint16_t>(blend_columns(pixels[tap.offset], pixels[tap.next], tap.weight));
        }
        pass_row_[slot] = source_row;
    }
    return pass;
}

const std::uint8_t* RowResizer::row(int y) {
    if (taps_.empty()) return source_.row(y);
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
    if (source.empty() || destination.empty()) {
        throw std::invalid_argument("resize needs a source and a destination of at least 1x1 pixels");
    }
    if (device.is_cuda()) {
        cuda_backend::resize_linear(device, source, destination);
        return;
    }
    RowResizer resizer(source, {destination.width, destination.height});
    for (int y = 0; y < destination.height; ++y) {
        std::copy_n(resizer.row(y), destination.width, destination.row(y));
    }
}

#if !defined(FOVEA_HAVE_CUDA)
namespace cuda_backend {
void resize_linear(const Device& device, ImageView<const std::uint8_t>, ImageView<std::uint8_t>) {
    throw DeviceError("cannot resize on " + device.name() + ": this program was built without CUDA");
}
}  // namespace cuda_backend
#endif

}  // namespace fovea
