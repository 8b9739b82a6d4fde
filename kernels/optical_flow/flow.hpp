#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "kernels/core/view.hpp"
#include "kernels/optical_flow/flow_pyramid.hpp"

namespace fovea {

/// A place in an image: (0, 0) is the centre of the top left pixel.
struct FlowPoint {
    float x = 0;
    float y = 0;

    friend bool operator==(const FlowPoint&, const FlowPoint&) = default;
};

/// How points are followed. The defaults are OpenCV's.
struct FlowOptions {
    Size window{21, 21};  ///< pixels; 3 or more in both directions
    int max_level = 3;    ///< 0 or more: the coarsest level, if the image is large enough for it
    /// Iterations on a level, clamped to 0...100; 30 if empty.
    std::optional<int> max_iterations = 30;
    /// A level ends with a step of at most so many pixels, clamped to 0...10; 0.01 if empty.
    std::optional<double> epsilon = 0.01;
    bool starts_at_guess = false;         ///< `moved` holds a first guess for each point
    bool errors_are_eigenvalues = false;  ///< errors receive the smaller eigenvalue of the window's matrix
    double min_eigenvalue = 1e-4;         ///< windows of a smaller eigenvalue have too little texture

    friend bool operator==(const FlowOptions&, const FlowOptions&) = default;
};

/// Follows points from one image to another (Lucas and Kanade, by pyramids). Positions, `found` and errors
/// equal those of OpenCV 4.6's calcOpticalFlowPyrLK on x86 in every bit, on every instruction set. Works on
/// the threads of the calling thread's TBB arena, in vectors (Highway).
///
/// \param from, to pyramids of images of one size, built for options.window. Levels that only one of them
/// has, or that are above options.max_level, are not used.
/// \param points in `from`; may lie outside of it. NaN is not found.
/// \param moved receives the places in `to`, for points that are not found their last place; holds guesses
/// before if options.starts_at_guess.
/// \param found receives 1, or 0 outside of the image and for windows with too little texture.
/// \param errors empty, or receives the mean absolute difference of the grey values in the two windows, or
/// the eigenvalue; 0 where OpenCV leaves the old value, as for most points that are not found.
/// \throws std::invalid_argument if sizes or numbers of elements do not fit, or a pyramid was not built.
void follow_points(const FlowPyramid& from, const FlowPyramid& to, std::span<const FlowPoint> points,
                   std::span<FlowPoint> moved, std::span<std::uint8_t> found, std::span<float> errors,
                   const FlowOptions& options);

/// Does follow_points(), one value after the other in the order in which OpenCV adds them, as the reference
/// for the vectors and the GPU.
void follow_points_plainly(const FlowPyramid& from, const FlowPyramid& to, std::span<const FlowPoint> points,
                           std::span<FlowPoint> moved, std::span<std::uint8_t> found, std::span<float> errors,
                           const FlowOptions& options);

/// Follows points forward and, from the places found, back again. The distance from a point to the end of its
/// way back is its forward-backward error (Kalal, Mikolajczyk, Matas: Forward-Backward Error, ICPR 2010).
/// Points lost on the way forward go back from their last place; their way back means nothing.
/// \param back receives the ends of the ways back, which start without a guess. \param found_back receives 1
/// for points that are found on the way back. Other parameters and errors as follow_points.
void follow_points_and_back(const FlowPyramid& from, const FlowPyramid& to, std::span<const FlowPoint> points,
                            std::span<FlowPoint> moved, std::span<std::uint8_t> found,
                            std::span<float> errors, std::span<FlowPoint> back,
                            std::span<std::uint8_t> found_back, const FlowOptions& options);

/// The distance between two places in pixels.
float distance_of(FlowPoint a, FlowPoint b);

}  // namespace fovea
