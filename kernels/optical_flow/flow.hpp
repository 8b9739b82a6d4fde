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
    /// Iterations on a level, clamped to 0...100; 30 if there is no value.
    std::optional<int> max_iterations = 30;
    /// Pixels: a level ends with a step that is not longer. Clamped to 0...10; 0.01 if there is no value.
    std::optional<double> epsilon = 0.01;
    bool starts_at_guess = false;         ///< `moved` holds a first guess of each point
    bool errors_are_eigenvalues = false;  ///< errors receive the smaller eigenvalue of the window's matrix
    double min_eigenvalue = 1e-4;         ///< points of windows with less than that are not followed

    friend bool operator==(const FlowOptions&, const FlowOptions&) = default;
};

/// Follows points from one image to another (Lucas and Kanade, by pyramids): positions, found and errors are
/// those of calcOpticalFlowPyrLK of OpenCV 4.6 on x86, equal in every bit. Works on the threads of the
/// calling thread's TBB arena, in vectors (Highway); the number of threads and the instruction set change
/// nothing.
///
/// \param from, to of images of one size, built for options.window. Levels that only one of them has, or that
/// are above options.max_level, are not used.
/// \param points in `from`; may lie outside of it. Those that are no numbers are not found.
/// \param moved receives the places in `to`; holds a guess first if options.starts_at_guess. Points that are
/// not found have their last place.
/// \param found receives 1, or 0: outside of the image, or a window without enough texture.
/// \param errors empty, or receives the mean absolute difference of the grey values in the two windows, or
/// the eigenvalue; 0 where OpenCV leaves it as it was, for most of the points that are not found.
/// \throws std::invalid_argument if sizes do not fit.
void follow_points(const FlowPyramid& from, const FlowPyramid& to, std::span<const FlowPoint> points,
                   std::span<FlowPoint> moved, std::span<std::uint8_t> found, std::span<float> errors,
                   const FlowOptions& options);

/// The same, one value after the other in the order in which OpenCV adds them: what the vectors and the GPU
/// are held against.
void follow_points_plainly(const FlowPyramid& from, const FlowPyramid& to, std::span<const FlowPoint> points,
                           std::span<FlowPoint> moved, std::span<std::uint8_t> found, std::span<float> errors,
                           const FlowOptions& options);

/// Follows points there and, from where they were found, back again: the distance between a point and its way
/// back is its forward-backward error (Kalal, Mikolajczyk, Matas: Forward-Backward Error, ICPR 2010).
/// \param back receives where the way back ends; it starts without a guess. \param found_back receives 1 for
/// points that are found on the way back. Points that are lost on the way there go back from their last
/// place; what becomes of them says nothing. Otherwise as follow_points.
void follow_points_and_back(const FlowPyramid& from, const FlowPyramid& to, std::span<const FlowPoint> points,
                            std::span<FlowPoint> moved, std::span<std::uint8_t> found,
                            std::span<float> errors, std::span<FlowPoint> back,
                            std::span<std::uint8_t> found_back, const FlowOptions& options);

/// Pixels between two places.
float distance_of(FlowPoint a, FlowPoint b);

}  // namespace fovea
