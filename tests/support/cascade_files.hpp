#pragma once

#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/support/temp_dir.hpp"

namespace fovea::test {

/// A Haar cascade in OpenCV's format, made for tests: a 20x20 window passes where its right half is darker
/// than its left half by a good part of its contrast. Its stages are the same stump; number s gives 1.25 + s
/// or -1.
inline std::string edge_cascade(int stages = 2) {
    std::string body;
    for (int stage = 0; stage < stages; ++stage) {
        body += R"(
    <_>
      <maxWeakCount>1</maxWeakCount>
      <stageThreshold>5.0000000000000000e-01</stageThreshold>
      <weakClassifiers>
        <_>
          <internalNodes>
            0 -1 0 -6.0000002384185791e-01</internalNodes>
          <leafValues>
            )" + std::to_string(1.25 + stage) +
                R"( -1.</leafValues></_></weakClassifiers></_>)";
    }
    return R"(<?xml version="1.0"?>
<opencv_storage>
<cascade type_id="opencv-cascade-classifier"><stageType>BOOST</stageType>
  <featureType>HAAR</featureType>
  <height>20</height>
  <width>20</width>
  <stageParams>
    <maxWeakCount>1</maxWeakCount></stageParams>
  <featureParams>
    <maxCatCount>0</maxCatCount></featureParams>
  <stageNum>)" +
           std::to_string(stages) + R"(</stageNum>
  <stages>)" +
           body + R"(</stages>
  <features>
    <_>
      <rects>
        <_>
          0 0 20 20 -1.</_>
        <_>
          10 0 10 20 2.</_></rects>
      <tilted>0</tilted></_></features></cascade>
</opencv_storage>
)";
}

/// A grey image as binary PGM: noise blurred over blocks of 16 pixels, the same for the same seed.
inline std::string noise_pgm(int width, int height, std::uint32_t seed) {
    std::string bytes = "P5\n" + std::to_string(width) + " " + std::to_string(height) + "\n255\n";
    const auto lattice = [seed](int x, int y) {
        std::uint32_t h = seed * 2654435761U + static_cast<std::uint32_t>(x) * 40503U +
                          static_cast<std::uint32_t>(y) * 9973U;
        h ^= h >> 15;
        h *= 2246822519U;
        h ^= h >> 13;
        return static_cast<int>(h & 255U);
    };
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            const int fx = x % 16;
            const int fy = y % 16;
            const int top = lattice(x / 16, y / 16) * (16 - fx) + lattice(x / 16 + 1, y / 16) * fx;
            const int bottom = lattice(x / 16, y / 16 + 1) * (16 - fx) + lattice(x / 16 + 1, y / 16 + 1) * fx;
            bytes += static_cast<char>((top * (16 - fy) + bottom * fy) / 256);
        }
    }
    return bytes;
}

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
