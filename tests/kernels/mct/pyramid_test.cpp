// The pyramid: known taps, levels and pixels, and vectors against the arithmetic of single pixels.

#include "kernels/mct/pyramid.hpp"

#include <tuple>

#include <catch2/catch.hpp>

#include "kernels/mct/pyramid_simd.hpp"
#include "tests/support/images.hpp"
#include "tests/support/simd_targets.hpp"

using namespace fovea;

namespace {

std::vector<int> weights(const AreaTap& tap) {
    return {tap.first, tap.weights[0], tap.weights[1], tap.weights[2]};
}

// make_level through LevelResampler.
GreyBuffer make_level_simd(ImageView<const std::uint8_t> octave, Size size, float scale) {
    GreyBuffer level{size, std::vector<std::uint8_t>(static_cast<std::size_t>(size.width) * size.height)};
    LevelResampler::Scratch scratch;
    LevelResampler(octave, size, scale)
        .make({0, 0, size.width, size.height}, {level.pixels.data(), size.width, size.height, size.width},
              scratch);
    return level;
}

}  // namespace

TEST_CASE("pyramid: taps of a mean cover what a level pixel covers", "[mct][pyramid]") {
    // 1.5 octave pixels each: 2/3 + 1/3, then 1/3 + 2/3, in 1/256.
    const auto taps = area_taps(4, 1.5, 6);
    REQUIRE(taps.size() == 4);
    CHECK(weights(taps[0]) == std::vector<int>{0, 171, 85, 0});
    CHECK(weights(taps[1]) == std::vector<int>{1, 85, 171, 0});
    CHECK(weights(taps[2]) == std::vector<int>{3, 171, 85, 0});
    CHECK(weights(taps[3]) == std::vector<int>{4, 85, 171, 0});
    // From 1.75 to 3.5: a quarter of pixel 1, pixel 2, half of pixel 3.
    CHECK(weights(area_taps(2, 1.75, 4)[1]) == std::vector<int>{1, 37, 146, 73});
    for (double ratio : {1.0, 1.0001, 1.15, 1.3225, 1.749, 1.99999}) {
        for (const AreaTap& tap : area_taps(100, ratio, 200)) {
            REQUIRE(tap.weights[0] + tap.weights[1] + tap.weights[2] == 256);
        }
    }
}

TEST_CASE("pyramid: taps of an enlarged level interpolate between pixel centres", "[mct][pyramid]") {
    const auto taps = area_taps(6, 0.5, 3);
    CHECK(weights(taps[0]) == std::vector<int>{0, 256, 0, 0});
    CHECK(weights(taps[1]) == std::vector<int>{0, 192, 64, 0});
    CHECK(weights(taps[2]) == std::vector<int>{0, 64, 192, 0});
    CHECK(weights(taps[5]) == std::vector<int>{2, 256, 0, 0});
}

TEST_CASE("pyramid: levels end where the window no longer fits", "[mct][pyramid]") {
    ScanParameters parameters;
    parameters.scale_factor = 1.5;
    CHECK(mct_levels({23, 100}, parameters).empty());
    CHECK(mct_levels({100, 23}, parameters).empty());
    const auto one = mct_levels({24, 25}, parameters);
    REQUIRE(one.size() == 1);
    CHECK(one[0].columns == 1);
    CHECK(one[0].rows == 2);
    // Boxes of 24, 36, 54: the second level is 2/3 of the image, the third 1/2.25, from the first octave.
    const auto three = mct_levels({64, 54}, parameters);
    REQUIRE(three.size() == 3);
    CHECK(three[1].size == Size{42, 36});
    CHECK(three[2].size == Size{28, 24});
    CHECK(three[2].rows == 1);
    CHECK(three[2].columns == 5);
    parameters.min_size = {30, 30};
    parameters.max_size = {40, 40};
    const auto limited = mct_levels({64, 54}, parameters);
    REQUIRE(limited.size() == 1);
    CHECK(limited[0].box == Size{36, 36});
    parameters = {};
    parameters.start_scale = 0.5;
    parameters.step = 3;
    const auto enlarged = mct_levels({20, 20}, parameters);
    REQUIRE(!enlarged.empty());
    CHECK(enlarged[0].size == Size{40, 40});
    CHECK(enlarged[0].columns == 17);
    CHECK(enlarged[0].windows_per_row() == 6);
}

TEST_CASE("pyramid: vectors make the levels that single pixels make", "[mct][pyramid]") {
    for (const std::string& target : test::all_simd_targets()) {
        const test::ForcedSimdTarget forced(target);
        for (const auto& [width, height] : {std::tuple{24, 24}, std::tuple{25, 63}, std::tuple{64, 23},
                                            std::tuple{65, 66}, std::tuple{131, 40}, std::tuple{257, 33}}) {
            // White is where words would overflow.
            for (const GreyImage& image :
                 {test::noise(width, height, 3),
                  GreyImage{width, height, std::vector<std::uint8_t>(width * height, 255)}}) {
                for (float scale : {0.4F, 0.8F, 0.97F, 1.0F, 1.001F, 1.15F, 1.5F, 1.75F, 1.9999F}) {
                    const Size size{static_cast<int>(width / scale), static_cast<int>(height / scale)};
                    const GreyBuffer expected = make_level(image.view(), size, scale);
                    INFO(target << ", " << width << "x" << height << ", scale " << scale);
                    const GreyBuffer made = make_level_simd(image.view(), size, scale);
                    REQUIRE(made.size == size);
                    REQUIRE(made.pixels == expected.pixels);
                }
            }
        }
    }
}

TEST_CASE("pyramid: a part of a level is what the whole has there", "[mct][pyramid]") {
    const GreyImage image = test::noise(200, 150, 8);
    LevelResampler::Scratch scratch;
    for (float scale : {0.7F, 1.0F, 1.37F, 1.93F}) {
        const Size size{static_cast<int>(200 / scale), static_cast<int>(150 / scale)};
        const GreyBuffer whole = make_level(image.view(), size, scale);
        const LevelResampler resampler(image.view(), size, scale);
        for (const Rect& area : {Rect{0, 0, 9, 3}, Rect{64, 10, 31, 40}, Rect{8, size.height - 5, 55, 5},
                                 Rect{72, 1, size.width - 72, 1}}) {
            const int stride = area.width + 3;
            std::vector<std::uint8_t> part(static_cast<std::size_t>(stride) * area.height, 77);
            resampler.make(area, {part.data(), area.width, area.height, stride}, scratch);
            for (int y = 0; y < area.height; ++y) {
                for (int x = 0; x < stride; ++x) {
                    INFO("scale " << scale << ", " << x << ", " << y);
                    // Nothing is written beside the part.
                    REQUIRE(part[y * stride + x] ==
                            (x < area.width ? whole.view()(area.x + x, area.y + y) : 77));
                }
            }
        }
    }
}

TEST_CASE("pyramid: octaves made in vectors are those made pixel by pixel", "[mct][pyramid]") {
    const GreyImage image = test::noise(301, 203, 2);
    const auto levels = mct_levels({301, 203}, {});
    const auto expected = make_octaves(image.view(), levels);
    const auto made = halve_often(image.view(), levels);
    REQUIRE(expected.size() == 4);
    REQUIRE(made.size() == 3);
    for (std::size_t i = 0; i < made.size(); ++i) CHECK(made[i].pixels == expected[i + 1].pixels);
    CHECK(halve_often({}, {}).empty());
}
