// Landmarks for every number of faces, instruction set and thread, for all depths of trees, and in odd boxes.
#include <algorithm>
#include <cmath>
#include <tuple>

#include <catch2/catch.hpp>
#include <tbb/task_arena.h>

#include "kernels/landmark/find_landmarks.hpp"
#include "lib/landmark/landmark_file.hpp"
#include "tests/support/dlib_models.hpp"
#include "tests/support/images.hpp"
#include "tests/support/simd_targets.hpp"

using namespace fovea;
using namespace fovea::test;
using Positions = std::vector<std::int32_t>;

namespace {

const std::vector<GreyImage>& images() {
    static const std::vector<GreyImage> made{smooth_noise(200, 150, 3, 1), smooth_noise(61, 77, 2, 2),
                                             noise(1, 1, 3)};
    return made;
}

std::vector<LandmarkTask> tasks(std::size_t count) {
    std::vector<LandmarkTask> made;
    for (std::size_t i = 0; i < count; ++i) {
        const int n = static_cast<int>(i);
        made.push_back({static_cast<std::uint32_t>(i % 3),
                        {n * 7 % 120 - 20, n * 11 % 90 - 15, 20 + n * 13 % 70, 20 + n * 17 % 60}});
    }
    return made;
}

Positions found(const LandmarkModel& model, std::span<const LandmarkTask> faces) {
    check_landmark_model(model);
    std::vector<ImageView<const std::uint8_t>> views;
    for (const GreyImage& image : images()) views.push_back(image.view());
    // Guards before and behind.
    constexpr std::int32_t guard = 0x5A5A5A5A;
    constexpr std::size_t margin = 16;
    const std::size_t count = faces.size() * model.initial_shape.size();
    Positions positions(count + 2 * margin, guard);
    find_landmarks(model, make_landmark_tables(model), views, faces, positions.data() + margin);
    for (std::size_t i = 0; i < margin; ++i) {
        REQUIRE(positions[i] == guard);
        REQUIRE(positions[margin + count + i] == guard);
    }
    return {positions.begin() + margin, positions.end() - margin};
}

Positions found_one_by_one(const LandmarkModel& model, std::span<const LandmarkTask> faces) {
    Positions all;
    for (const LandmarkTask& face : faces) {
        const Positions one = found(model, {&face, 1});
        all.insert(all.end(), one.begin(), one.end());
    }
    return all;
}

LandmarkModel random_model(const RandomModel& settings, std::uint32_t seed) {
    return parse_dlib_model(dlib_bytes(random_dlib_model(settings, seed)), "random");
}

// A random model in quantised leaves, and the same in floats: units are a power of two, so that all sums are
// exact.
struct TwinModels {
    LandmarkModel quantised;
    LandmarkModel exact;

    explicit TwinModels(const RandomModel& settings, std::uint32_t seed, int scale = 1) {
        exact = random_model(settings, seed);
        constexpr float unit = 1.0F / 1024;
        for (float& value : exact.initial_shape) value = std::floor(value / unit) * unit;
        quantised = exact;
        for (std::size_t c = 0; c < exact.cascades.size(); ++c) {
            LandmarkCascade& floats = exact.cascades[c];
            LandmarkCascade& bytes = quantised.cascades[c];
            bytes.leaves.clear();
            bytes.leaf_unit = unit;
            for (float& value : floats.leaves) {
                const int whole = std::clamp(static_cast<int>(std::floor(value / unit)) * scale, -128, 127);
                bytes.quantised_leaves.push_back(static_cast<std::int8_t>(whole));
                value = static_cast<float>(whole) * unit;
            }
        }
        quantised.subpixels = exact.subpixels = 16;
    }
};

constexpr std::size_t face_counts[] = {1, 2, 5, 6, 7, 15, 16, 17, 63, 64, 65, 200};

}  // namespace

TEST_CASE("landmarks: equal for every number of faces, depth and instruction set", "[landmark][simd]") {
    const auto all = tasks(200);
    for (int depth = 0; depth <= 7; ++depth) {
        const LandmarkModel model = random_model({9, 2, 37, depth, 21, 0.03}, 40 + depth);
        const Positions expected = found_one_by_one(model, all);
        for (const std::string& target : all_simd_targets()) {
            const ForcedSimdTarget forced(target);
            for (const std::size_t count : face_counts) {
                CAPTURE(depth, target, count);
                const Positions some = found(model, {all.data(), count});
                REQUIRE(std::equal(some.begin(), some.end(), expected.begin()));
            }
        }
    }
}

TEST_CASE("landmarks: equal for shapes of every length", "[landmark][simd]") {
    const auto all = tasks(67);
    for (const int points : {1, 2, 7, 8, 9, 15, 16, 17, 68, 72, 73, 194}) {
        const LandmarkModel model = random_model({points, 2, 40, 4, 30, 0.02}, 60);
        const Positions expected = found_one_by_one(model, all);
        for (const std::string& target : all_simd_targets()) {
            const ForcedSimdTarget forced(target);
            CAPTURE(points, target);
            REQUIRE(found(model, all) == expected);
        }
    }
}

TEST_CASE("landmarks: thresholds at both ends of their range", "[landmark][simd]") {
    const auto all = tasks(130);
    LandmarkModel model = random_model({5, 2, 30, 4, 10, 0.05}, 70);
    const int extremes[] = {-256, -255, -254, -2, -1, 0, 1, 253, 254, 255};
    std::size_t i = 0;
    for (LandmarkCascade& cascade : model.cascades) {
        for (LandmarkSplit& split : cascade.splits)
            split.threshold = static_cast<std::int16_t>(extremes[i++ % std::size(extremes)]);
    }
    const Positions expected = found_one_by_one(model, all);
    for (const std::string& target : all_simd_targets()) {
        const ForcedSimdTarget forced(target);
        CAPTURE(target);
        REQUIRE(found(model, all) == expected);
    }
}

TEST_CASE("landmarks: one thread finds what many do", "[landmark]") {
    const auto all = tasks(200);
    const LandmarkModel model = random_model({9, 3, 40, 4, 30, 0.03}, 80);
    Positions one, many;
    tbb::task_arena(1).execute([&] { one = found(model, all); });
    tbb::task_arena(2).execute([&] { many = found(model, all); });
    CHECK(one == many);
    CHECK(found(model, {}).empty());
}

TEST_CASE("landmarks: quantised leaves are what floats of their values are", "[landmark][simd]") {
    const auto all = tasks(70);
    for (const auto& [points, trees, depth, scale] :
         {std::tuple{5, 20, 4, 1}, {9, 300, 3, 1}, {68, 40, 5, 2}, {7, 700, 1, 60}}) {
        const TwinModels twins({points, 2, trees, depth, 20, 0.01}, 90, scale);
        const Positions expected = found_one_by_one(twins.exact, all);
        for (const std::string& target : all_simd_targets()) {
            const ForcedSimdTarget forced(target);
            CAPTURE(points, trees, depth, target);
            REQUIRE(found(twins.quantised, all) == expected);
        }
    }
}

TEST_CASE("landmarks: sums of extreme quantised leaves, by hand", "[landmark][simd]") {
    // One point at the box's corner, moved by 1/1024 of a box of 1024 pixels between its first and last one.
    for (const std::size_t trees : {1U, 255U, 256U, 257U, 512U, 513U, 1000U}) {
        LandmarkModel model;
        model.points = 1;
        model.initial_shape = {0, 0};
        LandmarkCascade& cascade = model.cascades.emplace_back();
        cascade.pixels.emplace_back();
        cascade.trees = trees;
        cascade.leaf_unit = 1.0F / 1024;
        for (std::size_t t = 0; t < trees; ++t) {
            cascade.quantised_leaves.push_back(-128);
            cascade.quantised_leaves.push_back(127);
            cascade.quantised_leaves.resize(16 * (t + 1));
        }
        const std::vector<LandmarkTask> faces(9, {0, {3, -4, 1025, 1025}});
        const auto count = static_cast<std::int32_t>(trees);
        for (const std::string& target : all_simd_targets()) {
            const ForcedSimdTarget forced(target);
            CAPTURE(trees, target);
            const Positions positions = found(model, faces);
            for (std::size_t i = 0; i < positions.size(); i += 2) {
                REQUIRE(positions[i] == 3 - 128 * count);
                REQUIRE(positions[i + 1] == -4 + 127 * count);
            }
        }
    }
}

TEST_CASE("landmarks: boxes far outside, of one pixel, and huge", "[landmark][simd]") {
    constexpr int far = 1 << 28;
    const std::vector<Rect> boxes{
        {0, 0, 1, 1},           {199, 149, 1, 1},          {200, 150, 1, 1},
        {-1, -1, 1, 1},         {-5000, -5000, 100, 100},  {5000, 40, 100, 100},
        {-far, -far, 1, 1},     {far, far, far, far},      {-far, -far, 2 * far, 2 * far},
        {-far, 10, 2 * far, 1}, {10, 10, 1, 100},          {-100, -100, 400, 350},
        {0, 0, 200, 150},       {-1000, -1000, 2000, 2000}};
    const RandomModel settings{5, 3, 20, 3, 20, 0.05};
    const LandmarkModel model = random_model(settings, 99);
    std::vector<LandmarkTask> faces;
    for (const Rect& box : boxes) {
        for (const std::uint32_t image : {0U, 2U}) faces.push_back({image, box});
    }
    const Positions expected = found_one_by_one(model, faces);
    for (const std::string& target : all_simd_targets()) {
        const ForcedSimdTarget forced(target);
        CAPTURE(target);
        REQUIRE(found(model, faces) == expected);
    }
    // The box alone decides where there is nothing but black: all faces there are alike.
    const std::vector<LandmarkTask> black{
        {0, {-5000, -5000, 101, 101}}, {1, {-5000, -5000, 101, 101}}, {2, {5000, 7000, 101, 101}}};
    const Positions there = found(model, black);
    for (std::size_t i = 0; i < 10; ++i) {
        CHECK(there[i] == there[10 + i]);
        CHECK(there[20 + i] - there[i] == (i % 2 == 0 ? 10000 : 12000));
    }
}
