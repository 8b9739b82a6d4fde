#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "lib/core/types.hpp"
#include "lib/train/landmarks/landmark_config.hpp"
#include "tests/lib/train/mct/synthetic_faces.hpp"

// Faces whose landmarks follow from the picture, for tests of training: the same bytes everywhere.
namespace fovea::test {

/// A bright face with two dark eyes and a dark mouth, of which the eyes' height and distance, and the mouth's
/// height and width, differ from face to face. Landmarks: both eyes, both ends of the mouth, the chin.
struct DrawnFace {
    GreyImage image;
    std::vector<Point> landmarks;
};

inline DrawnFace landmark_face(std::uint32_t seed) {
    Dice dice(seed);
    DrawnFace face{smooth_noise(72, 72, 2, seed + 9000), {}};
    const double x = 32 + dice.below(9), y = 32 + dice.below(9), side = 34 + dice.below(12);
    const auto share = [&](double least, double most) {
        return least + (most - least) * dice.below(101) / 100;
    };
    const double eyes_apart = share(0.14, 0.26), eyes_up = share(0.08, 0.24);
    const double mouth_wide = share(0.08, 0.24), mouth_down = share(0.16, 0.34);
    const int skin = 170 + dice.below(60), dark = 20 + dice.below(60);
    for (int row = 0; row < face.image.height; ++row) {
        for (int column = 0; column < face.image.width; ++column) {
            const double u = (column - x) / side, v = (row - y) / side;
            if (u * u / 0.2 + v * v / 0.25 >= 1) continue;
            const double eye = std::hypot(std::abs(u) - eyes_apart, v + eyes_up);
            const bool mouth = std::abs(u) < mouth_wide && std::abs(v - mouth_down) < 0.05;
            pixel_of(face.image, column, row) =
                static_cast<std::uint8_t>((eye < 0.08 || mouth ? dark : skin) + dice.below(11));
        }
    }
    const auto place = [&](double u, double v) { return Point{x + u * side, y + v * side}; };
    face.landmarks = {place(-eyes_apart, -eyes_up), place(eyes_apart, -eyes_up),
                      place(-mouth_wide, mouth_down), place(mouth_wide, mouth_down), place(0, 0.5)};
    return face;
}

/// Pictures with their points: 00.pgm, 00.pts, ...
inline void write_landmark_faces(const TempDir& folder, const std::string& name, int count,
                                 std::uint32_t seed = 0) {
    for (int i = 0; i < count; ++i) {
        const DrawnFace face = landmark_face(seed + static_cast<std::uint32_t>(i));
        const std::string stem = name + "/" + (i < 10 ? "0" : "") + std::to_string(i);
        folder.write(stem + ".pgm", pgm_of(face.image));
        std::string text = "version: 1\nn_points: 5\n{\n";
        for (const Point& point : face.landmarks) {
            text += std::to_string(point.x) + " " + std::to_string(point.y) + "\n";
        }
        folder.write(stem + ".pts", text + "}\n");
    }
}

/// A small training on such a folder, without a detector.
inline LandmarkTrainConfig small_landmark_training(const std::string& dataset) {
    LandmarkTrainConfig config;
    config.name = "drawn";
    config.datasets = {dataset};
    config.boxes.detectors.clear();
    config.boxes.tight_share = 1;
    config.copies.count = 6;
    config.pixels.count = 150;
    config.trees.cascades = 3;
    config.trees.trees = 30;
    config.trees.depth = 3;
    config.holdout = 0.25;
    return config;
}

}  // namespace fovea::test
