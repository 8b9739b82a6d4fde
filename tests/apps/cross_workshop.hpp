#pragma once

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/run_program.hpp"
#include "tests/support/temp_dir.hpp"

// Files of drawn crosses, for trainings by the whole program.
namespace fovea::test {

struct Picture {
    int width, height;
    std::string pixels;

    std::string pgm() const {
        return "P5\n" + std::to_string(width) + " " + std::to_string(height) + "\n255\n" + pixels;
    }
    void set(int x, int y, int value) {
        pixels[static_cast<std::size_t>(y * width + x)] = static_cast<char>(std::clamp(value, 0, 255));
    }
};

inline Picture noisy(int width, int height, std::mt19937& random) {
    Picture picture{width, height, std::string(static_cast<std::size_t>(width * height), '\0')};
    for (char& pixel : picture.pixels) pixel = static_cast<char>(60 + random() % 80);
    return picture;
}

/// A bright cross of 16x16 pixels.
inline void draw_cross(Picture& picture, int x, int y, std::mt19937& random) {
    for (int j = 0; j < 16; ++j) {
        for (int i = 0; i < 16; ++i) {
            const bool is_cross = (i >= 6 && i < 10) || (j >= 6 && j < 10);
            picture.set(x + i, y + j, (is_cross ? 190 : 70) + static_cast<int>(random() % 40));
        }
    }
}

constexpr std::pair<int, int> cross_places[] = {{6, 8},   {40, 30},  {90, 10},  {150, 20},
                                                {20, 90}, {71, 101}, {120, 90}, {170, 120}};

/// Crops of crosses, backgrounds without any, and a picture with eight.
struct CrossWorkshop {
    CrossWorkshop() {
        std::mt19937 random(4);
        for (int i = 0; i < 120; ++i) {
            Picture crop = noisy(16, 16, random);
            draw_cross(crop, 0, 0, random);
            folder.write("crops/" + std::to_string(i) + ".pgm", crop.pgm());
        }
        for (int i = 0; i < 12; ++i)
            folder.write("grounds/" + std::to_string(i) + ".pgm", noisy(150, 100, random).pgm());
        Picture scene = noisy(200, 150, random);
        for (const auto& [x, y] : cross_places) draw_cross(scene, x, y, random);
        folder.write("scene.pgm", scene.pgm());
    }
    std::string path(const std::string& name) const { return (folder.path() / name).string(); }
    std::vector<std::string> command(const std::string& out, std::vector<std::string> more = {},
                                     const std::string& stages = "4") const {
        std::vector<std::string> all{"train",         "cascade",
                                     "--positives",   "folder:" + path("crops"),
                                     "--backgrounds", "folder:" + path("grounds"),
                                     "--width",       "16",
                                     "--height",      "16",
                                     "--stages",      stages,
                                     "--negatives",   "300",
                                     "--out",         path(out),
                                     "--device",      "cpu"};
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }
    ProgramResult train(const std::string& out, const std::vector<std::string>& more = {},
                        const std::string& stages = "4") const {
        return run_fovea(command(out, more, stages));
    }

    TempDir folder;
};

}  // namespace fovea::test
