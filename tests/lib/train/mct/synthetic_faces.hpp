#pragma once

#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "lib/image/formats/image.hpp"
#include "lib/train/mct/trainer.hpp"
#include "tests/support/images.hpp"
#include "tests/support/temp_dir.hpp"

// Drawn faces, and grounds without any, for tests of training: the same bytes everywhere.
namespace fovea::test {

/// Uniform whole numbers from 0 to below n.
class Dice {
  public:
    explicit Dice(std::uint32_t seed) : random_(seed) {}
    int below(int n) { return static_cast<int>(random_() % static_cast<std::uint32_t>(n)); }

  private:
    std::mt19937 random_;
};

inline std::uint8_t& pixel_of(GreyImage& image, int x, int y) {
    return image.pixels[static_cast<std::size_t>(y) * image.width + x];
}

// The face in its window, in units of the window's side from its centre: where a window of 1.1 face boxes
// (mit_cmu_face_box) has eyes and mouth.
constexpr double eye_u = 0.19;
constexpr double eye_v = -0.19;
constexpr double mouth_v = 0.262;

/// Which parts of a face are drawn.
struct FaceParts {
    bool left_eye = true;
    bool right_eye = true;
    bool mouth = true;
    bool upside_down = false;
};

/// Draws a bright oval with two dark eyes and a dark mouth, with noise, into the window of that centre and
/// side.
inline void draw_face(GreyImage& image, double x, double y, double side, Dice& dice, FaceParts parts = {}) {
    const int skin = 120 + dice.below(90);
    const int dark = skin - 35 - dice.below(60);
    const auto in_oval = [](double u, double v, double a, double b) {
        return u * u / (a * a) + v * v / (b * b) < 1;
    };
    for (int row = 0; row < image.height; ++row) {
        for (int column = 0; column < image.width; ++column) {
            const double u = (column + 0.5 - x) / side;
            const double v = (row + 0.5 - y) / side * (parts.upside_down ? -1 : 1);
            if (!in_oval(u, v, 0.42, 0.5)) continue;
            const bool left = parts.left_eye && in_oval(u + eye_u, v - eye_v, 0.1, 0.07);
            const bool right = parts.right_eye && in_oval(u - eye_u, v - eye_v, 0.1, 0.07);
            const bool mouth = parts.mouth && in_oval(u, v - mouth_v, 0.17, 0.06);
            pixel_of(image, column, row) =
                static_cast<std::uint8_t>((left || right || mouth ? dark : skin) + dice.below(41) - 20);
        }
    }
}

/// A picture of a face alone on texture.
inline GreyImage face_tile(int edge, std::uint32_t seed) {
    GreyImage tile = smooth_noise(edge, edge, 2, seed + 5000);
    Dice dice(seed);
    draw_face(tile, edge / 2.0, edge / 2.0, edge, dice);
    return tile;
}

/// Texture of a radius that changes with the seed, with faces that lack a part or stand on their heads: what
/// a few look-ups cannot tell from faces.
inline GreyImage ground(int width, int height, std::uint32_t seed) {
    GreyImage image = smooth_noise(width, height, 1 + static_cast<int>(seed % 5), seed);
    Dice dice(seed);
    for (int i = 0; i < width * height / 600; ++i) {
        const double side = 24 + dice.below(24);
        FaceParts parts{dice.below(2) == 0, dice.below(2) == 0, dice.below(2) == 0, dice.below(4) == 0};
        // And whole ones, as in photographs of a crowd: negatives never run out.
        if (i % 4 == 0) parts = {};
        const double x = dice.below(width);
        draw_face(image, x, dice.below(height), side, dice, parts);
    }
    return image;
}

/// Tiles one below the other.
inline std::string strip_pgm(int tiles, int edge = 24) {
    GreyImage strip{edge, edge * tiles, {}};
    for (int i = 0; i < tiles; ++i) {
        const GreyImage tile = face_tile(edge, static_cast<std::uint32_t>(i));
        strip.pixels.insert(strip.pixels.end(), tile.pixels.begin(), tile.pixels.end());
    }
    return pgm_of(strip);
}

/// A file of 68 points whose eyes and mouth are those of draw_face.
inline std::string pts_text(double x, double y, double side) {
    std::string text = "version: 1\nn_points: 68\n{\n";
    for (int i = 0; i < 68; ++i) {
        double u = (i % 17) / 40.0 - 0.2;
        double v = 0.4;
        if (i >= 36 && i < 48) {
            u = i < 42 ? -eye_u : eye_u;
            v = eye_v;
        } else if (i == 51 || i == 57) {
            u = 0;
            v = mouth_v;
        }
        text += std::to_string(x + u * side - 0.5) + " " + std::to_string(y + v * side - 0.5) + "\n";
    }
    return text + "}\n";
}

/// Portraits of 72×64 pixels with their points: 00.pgm, 00.pts, ...
inline void write_portraits(const TempDir& folder, const std::string& name, int count) {
    for (int i = 0; i < count; ++i) {
        GreyImage image = ground(72, 64, static_cast<std::uint32_t>(i) + 300);
        Dice dice(static_cast<std::uint32_t>(i) + 700);
        const double x = 30 + dice.below(10);
        const double y = 28 + dice.below(8);
        const double side = 30 + dice.below(12);
        draw_face(image, x, y, side, dice);
        const std::string stem = name + "/" + (i < 10 ? "0" : "") + std::to_string(i);
        folder.write(stem + ".pgm", pgm_of(image));
        folder.write(stem + ".pts", pts_text(x, y, side));
    }
}

inline bool same(const MctPatch& a, const MctPatch& b) {
    return a.dx == b.dx && a.dy == b.dy && std::memcmp(a.pixels, b.pixels, sizeof a.pixels) == 0;
}

inline bool same(const std::vector<MctPatch>& a, const std::vector<MctPatch>& b) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (!same(a[i], b[i])) return false;
    }
    return true;
}

/// Passes a patch through the look-ups as a window of a scan. \return how many it passed.
inline int lookups_passed(const MctCascade& cascade, const MctPatch& patch) {
    std::int32_t sum = 0;
    for (std::size_t i = 0; i < cascade.lookups.size(); ++i) {
        if (cascade.lookups[i].starts_stage) sum = 0;
        sum += cascade.table(i)[patch_code(patch, cascade.lookups[i])];
        if (sum > cascade.lookups[i].reject_above) return static_cast<int>(i);
    }
    return static_cast<int>(cascade.lookups.size());
}

/// Faces as a detector meets them: a little beside the window, too large or small, tilted.
inline std::vector<MctPatch> face_patches(int count, std::uint32_t seed) {
    std::vector<MctPatch> patches;
    Dice dice(seed);
    for (int i = 0; i < count; ++i) {
        const GreyImage tile = face_tile(36, seed + static_cast<std::uint32_t>(i));
        FacePlace place{18, 18, 36, 0, i % 2 == 1};
        place.x += (dice.below(61) - 30) / 10.0;
        place.y += (dice.below(61) - 30) / 10.0;
        place.side *= 1 + (dice.below(31) - 15) / 100.0;
        place.angle_rad = (dice.below(41) - 20) / 60.0;
        patches.push_back(PatchSource(tile.view()).cut(place, i & 1, i >> 1 & 1));
    }
    return patches;
}

/// The result that load_training_data would give for drawn faces.
inline TrainingData drawn_data(int faces = 300, int validation = 100, int backgrounds = 16) {
    TrainingData data;
    data.faces = face_patches(faces, 0);
    data.validation_faces = face_patches(validation, 10'000);
    for (int i = 0; i < backgrounds; ++i) {
        data.backgrounds.push_back(
            {std::to_string(i), ground(120, 90, 100 + static_cast<std::uint32_t>(i)), {}});
    }
    return data;
}

/// A small training on it: coarse and fine look-ups, or stages.
inline TrainConfig small_training(CascadeKind kind = CascadeKind::soft) {
    TrainConfig config;
    config.cascade.kind = kind;
    config.cascade.coarse_lookups = 4;
    config.cascade.coarse_loss = 0.02;
    config.cascade.lookups = 16;
    config.cascade.losses = {{8, 0.02}, {16, 0.065}};
    config.cascade.stage_positions = {3, 6};
    config.cascade.stage_loss = 0.03;
    config.negatives.count = 400;
    return config;
}

}  // namespace fovea::test
