#include "kernels/net_training/bilinear_sums.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include <catch2/catch.hpp>

#include "lib/train/counter_random.hpp"

using namespace fovea;

namespace {

/// The level at a place in the image, in the simplest way.
float plain_level(const GreyPixels& image, float x, float y) {
    const int left = static_cast<int>(x + 0.5F) - 1, top = static_cast<int>(y + 0.5F) - 1;
    const auto at = [&](int column, int row) {
        const int inside_x = std::clamp(column, 0, image.width - 1),
                  inside_y = std::clamp(row, 0, image.height - 1);
        return static_cast<float>(image.pixels[inside_y * image.width + inside_x]);
    };
    const float right = x - 0.5F - static_cast<float>(left), below = y - 0.5F - static_cast<float>(top);
    const float upper = at(left, top) + (at(left + 1, top) - at(left, top)) * right;
    const float lower = at(left, top + 1) + (at(left + 1, top + 1) - at(left, top + 1)) * right;
    return upper + (lower - upper) * below;
}

}  // namespace

TEST_CASE("bilinear sums: levels by hand", "[net-training]") {
    const std::uint8_t pixels[] = {10, 20, 30, 40, 50, 60};
    // Centres of pixels, between them, beyond the outer centres, outside.
    const std::vector<float> x{0.5F, 2.5F, 1, 1.5F, 0, 2.9F, -0.1F, 3, 1, 1};
    const std::vector<float> y{0.5F, 1.5F, 0.5F, 1, 0, 1.9F, 1, 1, 2, -0.1F};
    const std::vector<float> zero{0};
    std::vector<float> sums(x.size(), 7);
    std::vector<std::int32_t> counts(x.size(), 7);
    add_bilinear({pixels, 3, 2}, {x, y}, {zero, zero}, sums.data(), counts.data());
    CHECK(sums == std::vector<float>{10, 60, 15, 35, 10, 60, 0, 0, 0, 0});
    CHECK(counts == std::vector<std::int32_t>{1, 1, 1, 1, 1, 1, 0, 0, 0, 0});
}

TEST_CASE("bilinear sums: the numbers of plain loops, in every bit", "[net-training]") {
    for (const auto& [width, height, places, samples] : {std::array{1, 1, 5, 1},
                                                         {1, 3, 40, 4},
                                                         {2, 1, 3, 1},
                                                         {7, 1, 33, 9},
                                                         {13, 9, 192, 4},
                                                         {64, 50, 1000, 16}}) {
        CAPTURE(width, height, places);
        CounterRandom random(5, width, height);
        std::vector<std::uint8_t> pixels(static_cast<std::size_t>(width * height));
        for (std::uint8_t& pixel : pixels) pixel = static_cast<std::uint8_t>(random.below(256));
        const GreyPixels image{pixels.data(), width, height};
        const auto drawn = [&](int count, double from, double to) {
            std::vector<float> values(static_cast<std::size_t>(count));
            for (float& value : values) value = static_cast<float>(from + (to - from) * random.unit());
            return values;
        };
        const std::vector<float> x = drawn(places, -2, width + 2), y = drawn(places, -2, height + 2),
                                 dx = drawn(samples, -1, 1), dy = drawn(samples, -1, 1);
        // Nothing is written behind the last place.
        std::vector<float> sums(x.size() + 1, 7), wanted_sums(sums);
        std::vector<std::int32_t> counts(x.size() + 1, 7), wanted_counts(counts);
        add_bilinear(image, {x, y}, {dx, dy}, sums.data(), counts.data());
        for (std::size_t p = 0; p < x.size(); ++p) {
            wanted_sums[p] = 0;
            wanted_counts[p] = 0;
            for (std::size_t s = 0; s < dx.size(); ++s) {
                const float at_x = x[p] + dx[s], at_y = y[p] + dy[s];
                if (!(at_x >= 0 && at_y >= 0 && at_x < static_cast<float>(width) &&
                      at_y < static_cast<float>(height)))
                    continue;
                wanted_sums[p] += plain_level(image, at_x, at_y);
                ++wanted_counts[p];
            }
        }
        CHECK(sums == wanted_sums);
        CHECK(counts == wanted_counts);
    }
}
