#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "lib/image/formats/image.hpp"
#include "lib/train/cascade/cascade_trainer.hpp"
#include "tests/support/images.hpp"
#include "tests/support/temp_dir.hpp"

// Bright crosses on noise, and grounds without any, for tests of training: the same bytes everywhere.
namespace fovea::test {

constexpr Size cross_window{12, 12};

/// A bright cross of a side in pixels, noise over it, its top left corner at (x, y).
inline void draw_cross(GreyImage& image, int x, int y, int side, std::mt19937& random) {
    const int arm = side / 4;
    for (int v = 0; v < side; ++v) {
        for (int u = 0; u < side; ++u) {
            const bool is_bright =
                std::abs(2 * u + 1 - side) < arm + 2 || std::abs(2 * v + 1 - side) < arm + 2;
            const int value = (is_bright ? 150 : 50) + static_cast<int>(random() % 60);
            image.pixels[static_cast<std::size_t>(y + v) * static_cast<std::size_t>(image.width) +
                         static_cast<std::size_t>(x + u)] = static_cast<std::uint8_t>(value);
        }
    }
}

/// Windows of a cross each, which is a pixel off at most.
inline std::vector<std::uint8_t> crosses(int count, std::uint32_t seed) {
    std::mt19937 random(seed);
    std::vector<std::uint8_t> pixels;
    for (int i = 0; i < count; ++i) {
        GreyImage tile{14, 14, {}};
        for (int p = 0; p < 14 * 14; ++p)
            tile.pixels.push_back(static_cast<std::uint8_t>(50 + random() % 60));
        draw_cross(tile, 1, 1, 12, random);
        const int x = static_cast<int>(random() % 3), y = static_cast<int>(random() % 3);
        for (int row = y; row < y + 12; ++row) {
            const std::uint8_t* const from = tile.view().row(row) + x;
            pixels.insert(pixels.end(), from, from + 12);
        }
    }
    return pixels;
}

/// Textures of several kinds.
inline std::vector<BackgroundImage> textures(int count, int width = 120, int height = 90) {
    std::vector<BackgroundImage> images;
    for (int i = 0; i < count; ++i) {
        images.push_back({"texture" + std::to_string(i),
                          smooth_noise(width, height, i % 5, static_cast<std::uint32_t>(i) + 50),
                          {}});
    }
    return images;
}

}  // namespace fovea::test
