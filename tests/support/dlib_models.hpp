#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

// shape_predictor files of dlib, made by hand: whatever can be written, right or wrong.
namespace fovea::test {

struct DlibSplit {
    std::int64_t first = 0;
    std::int64_t second = 0;
    float threshold = 0;
};

struct DlibTree {
    std::vector<DlibSplit> splits;
    std::vector<std::vector<float>> leaves;
};

struct DlibCascade {
    std::vector<DlibTree> trees;
    std::vector<std::int64_t> anchors;            ///< landmark of each pixel
    std::vector<std::pair<float, float>> deltas;  ///< of each pixel from it
};

struct DlibModel {
    std::vector<float> initial_shape;
    std::vector<DlibCascade> cascades;
};

/// An integer as dlib 19 serializes it.
std::string dlib_integer(std::int64_t value);

/// A float: mantissa and exponent, two integers.
std::string dlib_real(float value);

/// The integers of a model's file in their order, each as its bytes: joined, they are the file.
std::vector<std::string> dlib_numbers(const DlibModel& model);

std::string joined(const std::vector<std::string>& parts);

/// The file.
inline std::string dlib_bytes(const DlibModel& model) {
    return joined(dlib_numbers(model));
}

/// A random model whose trees are full and of the given depth; pixels' values decide, and leaves move
/// landmarks by up to `motion`. Equal everywhere for equal arguments.
struct RandomModel {
    int points = 5;
    int cascades = 2;
    int trees = 3;
    int depth = 2;
    int pixels = 8;
    double motion = 0.05;
};
DlibModel random_dlib_model(const RandomModel& settings, std::uint32_t seed);

}  // namespace fovea::test
