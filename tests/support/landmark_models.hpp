#pragma once

#include <cmath>
#include <cstdint>
#include <string>

#include "kernels/landmark/landmark_model.hpp"

namespace fovea::test {

/// A model of so many points, half of them in a row at y = 0.25 and the rest at 0.75, x from 0 to 1, that never moves
/// them: what it finds is where its box is.
inline LandmarkModel still_landmark_model(int points = 68) {
    LandmarkModel model;
    model.points = points;
    const int row = (points + 1) / 2;
    for (int i = 0; i < points; ++i) {
        model.initial_shape.push_back(static_cast<float>(i % row) / static_cast<float>(row - 1));
        model.initial_shape.push_back(i < row ? 0.25f : 0.75f);
    }
    return model;
}

/// The same as a file of dlib: a shape_predictor without cascades.
inline std::string still_landmark_file(int points = 68) {
    std::string bytes;
    const auto integer = [&](std::int64_t value) {
        std::string digits;
        for (std::uint64_t left = static_cast<std::uint64_t>(std::abs(value)); left > 0; left >>= 8) {
            digits += static_cast<char>(left & 0xFF);
        }
        if (digits.empty()) digits += '\0';
        bytes += static_cast<char>(digits.size() | (value < 0 ? 0x80 : 0));
        bytes += digits;
    };
    const LandmarkModel model = still_landmark_model(points);
    integer(1);  // version
    integer(-static_cast<std::int64_t>(model.initial_shape.size()));
    integer(-1);
    for (const float value : model.initial_shape) {
        int exponent = 0;
        const float mantissa = std::frexp(value, &exponent);
        integer(static_cast<std::int64_t>(std::ldexp(mantissa, 24)));
        integer(exponent - 24);
    }
    for (int i = 0; i < 3; ++i) integer(0);  // no trees, no pixels, no offsets
    return bytes;
}

}  // namespace fovea::test
