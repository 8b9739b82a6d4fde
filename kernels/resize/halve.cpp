#include "kernels/resize/halve.hpp"

#include "kernels/core/octave_pixel.hpp"

namespace fovea {

GreyBuffer halve(ImageView<const std::uint8_t> image) {
    GreyBuffer half{{image.width / 2, image.height / 2}, {}};
    half.pixels.resize(static_cast<std::size_t>(half.size.width) * half.size.height);
    std::uint8_t* to = half.pixels.data();
    for (int y = 0; y < half.size.height; ++y) {
        const std::uint8_t* top = image.row(2 * y);
        const std::uint8_t* bottom = image.row(2 * y + 1);
        for (int x = 0; x < half.size.width; ++x) {
            *to++ = static_cast<std::uint8_t>(
                octave_pixel(top[2 * x], top[2 * x + 1], bottom[2 * x], bottom[2 * x + 1]));
        }
    }
    return half;
}

}  // namespace fovea
