#include "tests/support/parity_images.hpp"

#include <algorithm>

#include <catch2/catch.hpp>

#include "kernels/resize/resize.hpp"
#include "lib/image/read_grey.hpp"
#include "tests/support/images.hpp"

namespace fovea::test {
namespace {

GreyImage shrunk(const GreyImage& source, int width) {
    const int height = std::max(1, static_cast<int>(static_cast<long>(source.height) * width / source.width));
    GreyImage result{width, height, std::vector<std::uint8_t>(static_cast<std::size_t>(width) * height)};
    resize_linear(Device::cpu(), source.view(), {result.pixels.data(), width, height, width});
    return result;
}

}  // namespace

std::vector<NamedImage> parity_images() {
    std::vector<NamedImage> images;
    const auto add_noise = [&](int width, int height, int radius) {
        images.push_back({"noise of radius " + std::to_string(radius) + ", " + std::to_string(width) + "x" +
                              std::to_string(height),
                          smooth_noise(width, height, radius, 17)});
    };
    add_noise(211, 143, 3);
    add_noise(160, 201, 6);
    add_noise(97, 64, 1);
    add_noise(24, 24, 2);
    add_noise(25, 21, 2);
    add_noise(1, 300, 1);
    add_noise(300, 1, 1);
    add_noise(1, 1, 0);
    const auto photographs = debian_photographs();
    if (photographs.empty())
        WARN("photographs not run: Debian's libdlib19.1 keeps its examples in /usr/share/doc");
    const int widths[] = {321, 240, 187, 400};
    for (std::size_t i = 0; i < photographs.size() && i < std::size(widths); ++i) {
        images.push_back({photographs[i], shrunk(read_grey_image(photographs[i]), widths[i])});
    }
    return images;
}

}  // namespace fovea::test
