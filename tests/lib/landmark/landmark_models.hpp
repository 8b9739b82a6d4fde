#pragma once

#include "lib/landmark/quantised_model.hpp"

namespace fovea::test {

/// Three points, two cascades of two trees of depth 2 on four pixels, all numbers different from each other.
inline TrainedLandmarks tiny_landmarks() {
    TrainedLandmarks landmarks;
    landmarks.name = "tiny";
    landmarks.training = {{"data", {{"faces", 7}}}, {"levels", {0.25, 0.125}}};
    LandmarkModel& model = landmarks.model;
    model.points = 3;
    model.depth = 2;
    model.subpixels = 16;
    model.initial_shape = {0.25F, 0.5F, 0.75F, 0.375F, 0.625F, 0.875F};
    for (int c = 0; c < 2; ++c) {
        LandmarkCascade cascade;
        for (std::uint32_t i = 0; i < 4; ++i) {
            const auto offset = static_cast<float>(i) / 16 - 0.1F * static_cast<float>(c);
            cascade.pixels.push_back({offset, -offset / 2, i % 3});
        }
        cascade.trees = 2;
        for (std::uint16_t i = 0; i < 6; ++i) {
            cascade.splits.push_back({static_cast<std::uint16_t>(i % 4),
                                      static_cast<std::uint16_t>((i + 1) % 4),
                                      static_cast<std::int16_t>(40 * i - 100 + c)});
        }
        cascade.leaf_unit = 0.0078125F / static_cast<float>(c + 1);
        for (std::size_t leaf = 0; leaf < cascade.trees * model.leaves_of_tree(); ++leaf) {
            for (std::size_t i = 0; i < model.leaf_stride(); ++i) {
                const auto value = static_cast<std::int8_t>(leaf * 7 + i * 3) - 60 * c;
                cascade.quantised_leaves.push_back(
                    i < model.initial_shape.size() ? static_cast<std::int8_t>(value) : std::int8_t{0});
            }
        }
        model.cascades.push_back(cascade);
    }
    return landmarks;
}

}  // namespace fovea::test
