#include "lib/train/face_net/crop_sheet.hpp"

#include <algorithm>
#include <cmath>

namespace fovea {
namespace {

constexpr std::uint8_t face_level = 255, ignored_level = 128;

void draw_frame(const Box& box, int side, std::uint8_t level, std::uint8_t* pixels) {
    const int left = static_cast<int>(std::floor(box.x)), right = static_cast<int>(std::ceil(box.x + box.w));
    const int top = static_cast<int>(std::floor(box.y)), bottom = static_cast<int>(std::ceil(box.y + box.h));
    const auto set = [&](int x, int y) {
        if (x >= 0 && y >= 0 && x < side && y < side) pixels[std::ptrdiff_t{y} * side + x] = level;
    };
    for (int x = std::max(left, 0); x <= std::min(right, side - 1); ++x) {
        set(x, top);
        set(x, bottom);
    }
    for (int y = std::max(top, 0); y <= std::min(bottom, side - 1); ++y) {
        set(left, y);
        set(right, y);
    }
}

}  // namespace

WindowSamples shown_crops(const CropDrawer& drawer, std::size_t side, std::size_t count) {
    const int edge = static_cast<int>(side);
    WindowSamples samples;
    samples.window = {edge, edge};
    samples.sources = {"crops"};
    std::vector<float> levels(side * side);
    std::vector<std::uint8_t> pixels(side * side);
    for (std::size_t i = 0; i < count; ++i) {
        const CropTruth truth = drawer.draw(0, i, levels.data());
        std::transform(levels.begin(), levels.end(), pixels.begin(), [](float level) {
            return static_cast<std::uint8_t>(std::lround(std::clamp(level * 64 + 128, 0.0F, 255.0F)));
        });
        for (const Box& box : truth.ignored) draw_frame(box, edge, ignored_level, pixels.data());
        for (const Box& box : truth.faces) draw_frame(box, edge, face_level, pixels.data());
        samples.add(pixels, 0);
    }
    return samples;
}

}  // namespace fovea
