#pragma once

#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/cascade_files.hpp"
#include "tests/support/images.hpp"
#include "tests/support/temp_dir.hpp"

namespace fovea::test {

/// A Haar cascade in OpenCV's format, made for tests: a 20x20 window passes where its right half is darker
/// than its left half by a good part of its contrast. Its stages are the same stump; number s gives 1.25 + s
/// or -1.
inline std::string edge_cascade(int stages = 2) {
    std::vector<Stage> list;
    for (int stage = 0; stage < stages; ++stage) {
        list.push_back({0.5, {{"<_>0 0 20 20 -1.</_><_>10 0 10 20 2.</_>", -0.6, 1.25 + stage, -1}}});
    }
    return haar_cascade_xml({20, 20}, list);
}

/// Smoothed noise as binary PGM, the same for the same seed.
inline std::string noise_pgm(int width, int height, std::uint32_t seed) {
    const GreyImage image = smooth_noise(width, height, 6, seed);
    return "P5\n" + std::to_string(width) + " " + std::to_string(height) + "\n255\n" +
           std::string(image.pixels.begin(), image.pixels.end());
}

/// A folder with edge_cascade() and a subfolder of photographs, for runs of the program.
struct PhotoFolder {
    /// \param photographs file names and bytes.
    explicit PhotoFolder(const std::vector<std::pair<std::string, std::string>>& photographs) {
        for (const auto& [name, bytes] : photographs) folder.write("photos/" + name, bytes);
        model = folder.write("edge.xml", edge_cascade()).string();
        photos = (folder.path() / "photos").string();
    }
    std::string path(const std::string& name) const { return (folder.path() / name).string(); }

    TempDir folder;
    std::string photos;
    std::string model;
};

/// A bright and a dark half side by side: what edge_cascade() finds.
inline std::string edge_pgm(int width, int height) {
    std::string bytes = "P5\n" + std::to_string(width) + " " + std::to_string(height) + "\n255\n";
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) bytes += static_cast<char>(x < width / 2 ? 200 : 40);
    }
    return bytes;
}

inline std::string read_bytes(const std::filesystem::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace fovea::test
