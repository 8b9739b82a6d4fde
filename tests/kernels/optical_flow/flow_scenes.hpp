#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include <catch2/catch.hpp>

#include "kernels/optical_flow/flow.hpp"
#include "lib/detect/opencv_flow.hpp"
#include "tests/support/images.hpp"

namespace fovea::test {

/// Two images, points in the first and guesses in the second, and options of all kinds.
struct FlowScene {
    GreyImage from, to;
    std::vector<FlowPoint> points, guesses;
    FlowOptions options;
};

/// The image shifted by whole pixels, with what leaves it coming in on the other side, and a little noise.
inline GreyImage shifted(const GreyImage& image, int dx, int dy, int noise, std::mt19937& random) {
    GreyImage result = image;
    std::uniform_int_distribution<int> change(-noise, noise);
    const auto wrapped = [](int at, int size) { return ((at % size) + size) % size; };
    for (int y = 0; y < image.height; ++y) {
        for (int x = 0; x < image.width; ++x) {
            const int value =
                image.view()(wrapped(x - dx, image.width), wrapped(y - dy, image.height)) + change(random);
            result.pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(image.width) +
                          static_cast<std::size_t>(x)] = static_cast<std::uint8_t>(std::clamp(value, 0, 255));
        }
    }
    return result;
}

inline FlowOptions random_options(std::mt19937& random) {
    const auto number = [&](int low, int high) {
        return std::uniform_int_distribution<int>(low, high)(random);
    };
    const auto real = [&](double low, double high) {
        return std::uniform_real_distribution<double>(low, high)(random);
    };
    constexpr Size windows[] = {{21, 21}, {15, 15}, {7, 7},   {16, 24}, {3, 3},   {31, 31},
                                {5, 9},   {8, 8},   {11, 4},  {40, 13}, {23, 23}, {21, 21},
                                {21, 21}, {3, 5},   {34, 36}, {17, 33}};
    FlowOptions options;
    options.window = windows[number(0, 15)];
    options.max_level = number(0, 5);
    switch (number(0, 6)) {
        case 0:
            options.max_iterations.reset();
            break;
        case 1:
            options.epsilon.reset();
            break;
        case 2:
            options.max_iterations = number(-3, 130);
            break;
        case 3:
            options.epsilon = real(-1, 12);
            break;
        case 4:
            options.max_iterations = number(0, 3);
            options.epsilon = real(0, 0.5);
            break;
        case 5:
            options.max_iterations.reset();
            options.epsilon.reset();
            break;
        default:
            break;
    }
    options.starts_at_guess = number(0, 3) == 0;
    options.errors_are_eigenvalues = number(0, 3) == 0;
    if (number(0, 4) == 0) options.min_eigenvalue = real(0, 0.05);
    return options;
}

/// Textures of all scales, steep ones too, so that sums become larger than 2^24; odd and tiny sizes; points
/// inside, on the borders, outside and far away.
/// \param image its size, if it is not to be a random one.
inline FlowScene flow_scene(unsigned seed, int point_count, std::optional<Size> image = {}) {
    std::mt19937 random(seed);
    const auto number = [&](int low, int high) {
        return std::uniform_int_distribution<int>(low, high)(random);
    };
    constexpr Size sizes[] = {{160, 120}, {251, 157}, {64, 48}, {33, 97},   {17, 16}, {5, 7},
                              {1, 9},     {30, 1},    {2, 2},   {129, 255}, {23, 24}, {150, 131}};
    const Size random_size = sizes[number(0, seed % 2 == 0 ? 1 : 11)], size = image.value_or(random_size);
    FlowScene scene;
    scene.from = number(0, 5) == 0 ? noise(size.width, size.height, seed)
                                   : smooth_noise(size.width, size.height, number(1, 4), seed);
    if (number(0, 4) == 0) {
        for (std::uint8_t& pixel : scene.from.pixels) pixel = pixel < 128 ? 0 : 255;
    }
    if (number(0, 11) == 0) std::fill(scene.from.pixels.begin(), scene.from.pixels.end(), std::uint8_t{77});
    scene.to = number(0, 6) == 0
                   ? smooth_noise(size.width, size.height, 2, seed + 1)
                   : shifted(scene.from, number(-5, 5), number(-5, 5), number(0, 1) * 9, random);
    const auto coordinate = [&](int pixels) {
        const float margin = number(0, 3) == 0 ? 40.0F : 3.0F;
        return std::uniform_real_distribution<float>(-margin, static_cast<float>(pixels) + margin)(random);
    };
    std::uniform_real_distribution<float> offset(-8, 8);
    for (int i = 0; i < point_count; ++i) {
        FlowPoint point{coordinate(size.width), coordinate(size.height)};
        if (number(0, 2) == 0) point = {std::round(point.x), std::round(point.y)};
        if (number(0, 50) == 0) point.x *= 1e6F;
        scene.points.push_back(point);
        scene.guesses.push_back({point.x + offset(random), point.y + offset(random)});
        if (number(0, 60) == 0) scene.guesses.back() = {1e20F, -1e20F};
    }
    scene.options = random_options(random);
    return scene;
}

/// Scenes of a million points: all flags, images and windows of odd sizes, 1 to 5 levels; what is not named
/// is random.
inline constexpr int million_scenes = 500, points_of_million_scene = 2000;

/// \param number below million_scenes.
inline FlowScene million_scene(int number) {
    constexpr Size sizes[] = {{641, 359}, {385, 513}, {129, 255}, {51, 37}, {9, 641}};
    constexpr Size windows[] = {{21, 21}, {15, 15}, {7, 9}, {31, 33}, {3, 5}};
    FlowScene scene =
        flow_scene(10000 + static_cast<unsigned>(number), points_of_million_scene, sizes[number / 20 % 5]);
    scene.options.starts_at_guess = number % 2 == 1;
    scene.options.errors_are_eigenvalues = number / 2 % 2 == 1;
    scene.options.max_level = number / 4 % 5;
    scene.options.window = windows[number / 100];
    return scene;
}

using FollowFunction = void (*)(const FlowPyramid&, const FlowPyramid&, std::span<const FlowPoint>,
                                std::span<FlowPoint>, std::span<std::uint8_t>, std::span<float>,
                                const FlowOptions&);

inline FlowResult followed(const FlowScene& scene, FollowFunction follow = follow_points,
                           bool with_errors = true) {
    FlowPyramid from, to;
    from.build(scene.from.view(), scene.options.window, scene.options.max_level);
    to.build(scene.to.view(), scene.options.window, scene.options.max_level);
    FlowResult result;
    result.moved = scene.guesses;
    result.found.resize(scene.points.size(), 9);
    result.errors.resize(with_errors ? scene.points.size() : 0, -1);
    follow(from, to, scene.points, result.moved, result.found, result.errors, scene.options);
    return result;
}

/// Points that differ in any bit of position, status or error.
inline int differing_points(const FlowResult& a, const FlowResult& b) {
    if (a.moved.size() != b.moved.size() || a.errors.size() != b.errors.size()) return -1;
    int count = 0;
    for (std::size_t i = 0; i < a.moved.size(); ++i) {
        const bool same = std::memcmp(&a.moved[i], &b.moved[i], sizeof(FlowPoint)) == 0 &&
                          a.found[i] == b.found[i] &&
                          (a.errors.empty() || std::memcmp(&a.errors[i], &b.errors[i], sizeof(float)) == 0);
        count += same ? 0 : 1;
    }
    return count;
}

/// Counts of a comparison of a million points.
struct MillionSummary {
    int points = 0, found = 0, lost = 0, differing = 0;
    int scenes_of_levels[6] = {};  ///< [the levels of the pyramids]

    void add(const FlowScene& scene, const FlowResult& expected, const FlowResult& result) {
        const int wrong = differing_points(result, expected), count = static_cast<int>(scene.points.size());
        differing += wrong < 0 ? count : wrong;
        points += count;
        const auto ones = std::count(expected.found.begin(), expected.found.end(), 1);
        found += static_cast<int>(ones);
        lost += count - static_cast<int>(ones);
        const Size size{scene.from.width, scene.from.height};
        ++scenes_of_levels[lay_out_flow_levels(size, scene.options.window, scene.options.max_level)
                               .levels.size()];
    }
};

inline void check_million(const MillionSummary& seen) {
    std::printf("%d points: %d found, %d lost, %d differ\n", seen.points, seen.found, seen.lost,
                seen.differing);
    CHECK(seen.points == 1'000'000);
    CHECK(seen.differing == 0);
    CHECK(seen.found > 100'000);
    CHECK(seen.lost > 100'000);
    for (int levels = 1; levels <= 5; ++levels) CHECK(seen.scenes_of_levels[levels] > 0);
}

}  // namespace fovea::test
