#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "kernels/core/view.hpp"
#include "kernels/optical_flow/flow.hpp"

// The arithmetic of calcOpticalFlowPyrLK of OpenCV 4.6 on x86 that the CPU and the GPU share: everything but
// the sums over a window. All float operations are + - * / sqrt in this order.
namespace fovea {

/// Mirrors `place` at the edges into [0, size); the edge itself is not repeated.
FOVEA_HOST_DEVICE inline int mirrored(int place, int size) {
    if (size == 1) return 0;
    while (place < 0 || place >= size) place = place < 0 ? -place : 2 * size - 2 - place;
    return place;
}

FOVEA_HOST_DEVICE inline Size half_size(Size size) {
    return {(size.width + 1) / 2, (size.height + 1) / 2};
}

inline constexpr int flow_weight_bits = 14;
/// Interpolated grey values keep five fractional bits.
inline constexpr int flow_grey_shift = flow_weight_bits - 5;
inline constexpr int flow_gradient_shift = flow_weight_bits;
inline constexpr float flow_sum_scale = 1.0F / (1 << 20);

/// The weights of the four pixels between which a value of a window is interpolated; their sum is 2^14.
struct FlowWeights {
    int top_left, top_right, bottom_left, bottom_right;
};

/// A window's place in an image: the top left pixel of its first value, and the weights.
struct FlowPlace {
    int x, y;
    FlowWeights weights;
};

/// Rounds a value in [0, 2^22) to the nearest integer, halves to even.
FOVEA_HOST_DEVICE inline int nearest_integer(float value) {
    constexpr float shift = 12582912.0F;  // 1.5 · 2^23: from there on floats are integers
    return static_cast<int>((value + shift) - shift);
}

/// True if OpenCV looks at a window whose first value lies at `corner`; false for NaN.
FOVEA_HOST_DEVICE inline bool flow_place_is_valid(FlowPoint corner, Size window, Size image) {
    return corner.x >= static_cast<float>(-window.width) && corner.x < static_cast<float>(image.width) &&
           corner.y >= static_cast<float>(-window.height) && corner.y < static_cast<float>(image.height);
}

/// The place of a window. \param corner for which flow_place_is_valid().
FOVEA_HOST_DEVICE inline FlowPlace flow_place(FlowPoint corner) {
    FlowPlace place;
    place.x = static_cast<int>(corner.x);
    place.y = static_cast<int>(corner.y);
    place.x -= static_cast<float>(place.x) > corner.x ? 1 : 0;
    place.y -= static_cast<float>(place.y) > corner.y ? 1 : 0;
    const float a = corner.x - static_cast<float>(place.x), b = corner.y - static_cast<float>(place.y);
    constexpr float one = 1 << flow_weight_bits;
    place.weights.top_left = nearest_integer((1.0F - a) * (1.0F - b) * one);
    place.weights.top_right = nearest_integer(a * (1.0F - b) * one);
    place.weights.bottom_left = nearest_integer((1.0F - a) * b * one);
    place.weights.bottom_right = (1 << flow_weight_bits) - place.weights.top_left - place.weights.top_right -
                                 place.weights.bottom_left;
    return place;
}

FOVEA_HOST_DEVICE inline FlowPoint half_window(Size window) {
    return {static_cast<float>(window.width - 1) * 0.5F, static_cast<float>(window.height - 1) * 0.5F};
}

/// Sums of products over a window, as the floats that OpenCV's additions give.
struct FlowMatrix {
    float xx, xy, yy;
};
struct FlowMismatch {
    float x, y;
};

/// Adds the chains of a sum: columns below flow_main_columns() are in chain (column mod 4), others in `tail`.
FOVEA_HOST_DEVICE inline float flow_total(float tail, float c0, float c1, float c2, float c3) {
    return tail + ((c0 + c2) + (c1 + c3));
}
FOVEA_HOST_DEVICE constexpr int flow_main_columns(int width) {
    return width / 8 * 8;
}

/// The equations of a window's step, from its gradients.
struct FlowSystem {
    FlowMatrix matrix;
    float min_eigenvalue;
    float inverse_determinant;
    bool is_solvable;
};

/// \param sums of the gradients' products, not scaled.
FOVEA_HOST_DEVICE inline FlowSystem flow_system(FlowMatrix sums, Size window, float min_eigenvalue) {
    FlowSystem system;
    const float xx = sums.xx * flow_sum_scale, xy = sums.xy * flow_sum_scale, yy = sums.yy * flow_sum_scale;
    system.matrix = {xx, xy, yy};
    const float determinant = xx * yy - xy * xy;
    const float difference = xx - yy;
    const float root = sqrtf(difference * difference + 4.0F * xy * xy);
    system.min_eigenvalue = (yy + xx - root) / static_cast<float>(2 * window.width * window.height);
    constexpr float float_epsilon = 1.1920928955078125e-7F;
    system.is_solvable = !(system.min_eigenvalue < min_eigenvalue || determinant < float_epsilon);
    system.inverse_determinant = system.is_solvable ? 1.0F / determinant : 0.0F;
    return system;
}

/// Solves for a step. \param sums not scaled.
FOVEA_HOST_DEVICE inline FlowPoint flow_step(const FlowSystem& system, FlowMismatch sums) {
    const float x = sums.x * flow_sum_scale, y = sums.y * flow_sum_scale;
    return {(system.matrix.xy * y - system.matrix.yy * x) * system.inverse_determinant,
            (system.matrix.xy * x - system.matrix.xx * y) * system.inverse_determinant};
}

/// A window on its way through one level.
struct FlowWalk {
    FlowPoint corner;     ///< place of the window's first value
    FlowPoint moved;      ///< place of the window's centre: the result so far
    FlowPoint last_step;  ///< step of the iteration before
    bool goes_on = true;
};

/// Makes a step and decides whether it was the last.
/// \param iteration from 0. \param squared_epsilon as in FlowLimits.
FOVEA_HOST_DEVICE inline void take_step(FlowWalk& walk, FlowPoint step, FlowPoint half, int iteration,
                                        double squared_epsilon) {
    walk.corner = {walk.corner.x + step.x, walk.corner.y + step.y};
    walk.moved = {walk.corner.x + half.x, walk.corner.y + half.y};
    const double length = static_cast<double>(step.x) * step.x + static_cast<double>(step.y) * step.y;
    if (length <= squared_epsilon) {
        walk.goes_on = false;
        return;
    }
    const float turn_x = step.x + walk.last_step.x, turn_y = step.y + walk.last_step.y;
    if (iteration > 0 && fabsf(turn_x) < 0.01 && fabsf(turn_y) < 0.01) {
        // The window swings between two places: takes the middle.
        walk.moved = {walk.moved.x - step.x * 0.5F, walk.moved.y - step.y * 0.5F};
        walk.goes_on = false;
        return;
    }
    walk.last_step = step;
}

/// The mean absolute difference of a window's grey values. \param sum of the absolute differences.
FOVEA_HOST_DEVICE inline float flow_error(float sum, Size window) {
    return sum * 1.0F / static_cast<float>(32 * window.width * window.height);
}

/// FlowOptions, clamped as OpenCV clamps them.
struct FlowLimits {
    Size window;
    int last_level;  ///< the coarsest level
    int max_iterations;
    double squared_epsilon;
    float min_eigenvalue;
    bool starts_at_guess;
    bool errors_are_eigenvalues;
};

}  // namespace fovea
