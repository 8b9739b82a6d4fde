#include "lib/image/face_sharpness.hpp"

#include <algorithm>
#include <cmath>

namespace fovea {

std::optional<Rect> pixels_of(const Box& box, Size image) {
    const auto within = [](double edge, int extent) {
        return static_cast<int>(std::clamp(std::round(edge), 0.0, static_cast<double>(extent)));
    };
    const int left = within(box.x, image.width), right = within(box.x + box.w, image.width);
    const int top = within(box.y, image.height), bottom = within(box.y + box.h, image.height);
    if (right <= left || bottom <= top) return std::nullopt;
    return Rect{left, top, right - left, bottom - top};
}

std::optional<double> face_sharpness(const ImageView<const std::uint8_t>& image, const Box& box) {
    const std::optional<Rect> pixels = pixels_of(box, {image.width, image.height});
    if (!pixels) return std::nullopt;
    const SharpnessTask task{0, *pixels};
    LaplacianSums sums;
    sum_laplacians(Device::cpu(), &image, &task, 1, &sums);
    return laplacian_variance(sums);
}

}  // namespace fovea
