#pragma once

#include <cstdint>

#include "kernels/optical_flow/flow_body.hpp"

namespace fovea {

/// What becomes of one point.
struct FollowedPoint {
    FlowPoint moved;
    bool found = true;
    float error = 0;
};

/// Follows one point on the CPU through all levels, as OpenCV does it.
/// \param window sums over a window: start(image, place) takes its grey values and gradients and gives the
///        FlowMatrix; mismatch(image, place) gives the FlowMismatch of its values with those at another
///        place; difference(image, place) the sum of their absolute differences.
/// \param guess where the search starts, if limits.starts_at_guess. \param wants_error false: the last look
/// at the window, which gives the error and may still lose the point, is left out.
template <class Window>
class PointFollower {
  public:
    PointFollower(const FlowPyramid& from, const FlowPyramid& to, const FlowLimits& limits, bool wants_error,
                  Window& window)
        : from_(from),
          to_(to),
          limits_(limits),
          half_(half_window(limits.window)),
          wants_difference_(wants_error && !limits.errors_are_eigenvalues),
          window_(window) {}

    FollowedPoint follow(FlowPoint point, FlowPoint guess) {
        FollowedPoint result;
        for (int level = limits_.last_level; level >= 0; --level) {
            const float scale = 1.0F / static_cast<float>(1 << level);
            const FlowPoint scaled{point.x * scale, point.y * scale};
            if (level < limits_.last_level) {
                result.moved = {result.moved.x * 2.0F, result.moved.y * 2.0F};
            } else {
                result.moved = limits_.starts_at_guess ? FlowPoint{guess.x * scale, guess.y * scale} : scaled;
            }
            follow_on_level(level, scaled, result);
        }
        return result;
    }

  private:
    void follow_on_level(int level, FlowPoint point, FollowedPoint& result) {
        const ImageView<const std::uint8_t> image = from_.level(level), next = to_.level(level);
        const Size size{image.width, image.height};
        const FlowPoint corner{point.x - half_.x, point.y - half_.y};
        if (!flow_place_is_valid(corner, limits_.window, size)) {
            if (level == 0) {
                result.found = false;
                result.error = 0;
            }
            return;
        }
        const FlowSystem system =
            flow_system(window_.start(image, flow_place(corner)), limits_.window, limits_.min_eigenvalue);
        if (limits_.errors_are_eigenvalues) result.error = system.min_eigenvalue;
        if (!system.is_solvable) {
            if (level == 0) result.found = false;
            return;
        }
        const bool left_image = !walk(next, system, result.moved);
        if (level != 0) return;
        if (left_image) result.found = false;
        if (result.found && wants_difference_) find_difference(next, result);
    }

    // Returns false if the window has left the image.
    bool walk(const ImageView<const std::uint8_t>& next, const FlowSystem& system, FlowPoint& moved) {
        FlowWalk walk;
        walk.moved = moved;
        walk.corner = {moved.x - half_.x, moved.y - half_.y};
        bool inside = true;
        for (int i = 0; i < limits_.max_iterations && walk.goes_on; ++i) {
            inside = flow_place_is_valid(walk.corner, limits_.window, {next.width, next.height});
            if (!inside) break;
            const FlowPoint step = flow_step(system, window_.mismatch(next, flow_place(walk.corner)));
            take_step(walk, step, half_, i, limits_.squared_epsilon);
        }
        moved = walk.moved;
        return inside;
    }

    void find_difference(const ImageView<const std::uint8_t>& next, FollowedPoint& result) {
        const FlowPoint corner{result.moved.x - half_.x, result.moved.y - half_.y};
        if (!flow_place_is_valid(corner, limits_.window, {next.width, next.height})) {
            result.found = false;
            return;
        }
        result.error = flow_error(window_.difference(next, flow_place(corner)), limits_.window);
    }

    const FlowPyramid& from_;
    const FlowPyramid& to_;
    FlowLimits limits_;
    FlowPoint half_;
    bool wants_difference_;
    Window& window_;
};

/// Points of one call, and where their results go.
struct FlowPoints {
    const FlowPoint* points;
    FlowPoint* moved;
    std::uint8_t* found;
    float* errors;  ///< may be nullptr
};

/// Follows points [first, last) one after the other.
template <class Window>
void follow_points_with(Window& window, const FlowPyramid& from, const FlowPyramid& to,
                        const FlowLimits& limits, const FlowPoints& points, std::size_t first,
                        std::size_t last) {
    PointFollower<Window> follower(from, to, limits, points.errors != nullptr, window);
    for (std::size_t i = first; i < last; ++i) {
        const FollowedPoint result = follower.follow(points.points[i], points.moved[i]);
        points.moved[i] = result.moved;
        points.found[i] = result.found ? 1 : 0;
        if (points.errors != nullptr) points.errors[i] = result.error;
    }
}

}  // namespace fovea
