#include "kernels/optical_flow/flow.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include "kernels/optical_flow/flow_limits.hpp"
#include "kernels/optical_flow/flow_simd.hpp"
#include "kernels/optical_flow/follow_point.hpp"
#include "kernels/optical_flow/plain_window.hpp"

namespace fovea {
namespace {

// Points that a thread takes at once: a few microseconds of work.
constexpr std::size_t points_of_task = 16;

std::string size_text(Size size) {
    return std::to_string(size.width) + "x" + std::to_string(size.height);
}

void check_pyramid(const FlowPyramid& pyramid, const FlowOptions& options) {
    if (pyramid.level_count() == 0) {
        throw std::invalid_argument("points cannot be followed: a pyramid was not built");
    }
    if (pyramid.window() != options.window) {
        throw std::invalid_argument("points cannot be followed: the pyramid was built for windows of " +
                                    size_text(pyramid.window()) + " pixels, not of " +
                                    size_text(options.window));
    }
}

Size size_of(const FlowPyramid& pyramid) {
    const ImageView<const std::uint8_t> image = pyramid.level(0);
    return {image.width, image.height};
}

FlowLimits checked_limits(const FlowPyramid& from, const FlowPyramid& to, const FlowOptions& options) {
    check_pyramid(from, options);
    check_pyramid(to, options);
    if (size_of(from) != size_of(to)) {
        throw std::invalid_argument("points cannot be followed from an image of " + size_text(size_of(from)) +
                                    " pixels to one of " + size_text(size_of(to)));
    }
    return flow_limits(options, std::min(from.level_count(), to.level_count()));
}

void check_lengths(std::span<const FlowPoint> points, std::span<FlowPoint> moved,
                   std::span<std::uint8_t> found, std::span<float> errors) {
    const std::size_t count = points.size();
    if (moved.size() != count || found.size() != count || (!errors.empty() && errors.size() != count)) {
        throw std::invalid_argument("points cannot be followed: there are " + std::to_string(count) +
                                    " points, but room for another number of results");
    }
}

template <class Follow>
void follow_all(const FlowPyramid& from, const FlowPyramid& to, std::span<const FlowPoint> points,
                std::span<FlowPoint> moved, std::span<std::uint8_t> found, std::span<float> errors,
                const FlowOptions& options, const Follow& follow) {
    check_lengths(points, moved, found, errors);
    const FlowTask task{
        from,
        to,
        checked_limits(from, to, options),
        {points.data(), moved.data(), found.data(), errors.empty() ? nullptr : errors.data()}};
    const std::size_t count = points.size();
    if (count <= points_of_task) {
        follow(task, 0, count);
        return;
    }
    tbb::parallel_for(
        tbb::blocked_range<std::size_t>(0, count, points_of_task),
        [&](const tbb::blocked_range<std::size_t>& range) { follow(task, range.begin(), range.end()); });
}

}  // namespace

FlowLimits flow_limits(const FlowOptions& options, int level_count) {
    FlowLimits limits;
    limits.window = options.window;
    limits.last_level = std::clamp(options.max_level, 0, level_count - 1);
    limits.max_iterations = options.max_iterations ? std::clamp(*options.max_iterations, 0, 100) : 30;
    const double epsilon = options.epsilon ? std::min(std::max(*options.epsilon, 0.0), 10.0) : 0.01;
    limits.squared_epsilon = epsilon * epsilon;
    limits.min_eigenvalue = static_cast<float>(options.min_eigenvalue);
    limits.starts_at_guess = options.starts_at_guess;
    limits.errors_are_eigenvalues = options.errors_are_eigenvalues;
    return limits;
}

void follow_points(const FlowPyramid& from, const FlowPyramid& to, std::span<const FlowPoint> points,
                   std::span<FlowPoint> moved, std::span<std::uint8_t> found, std::span<float> errors,
                   const FlowOptions& options) {
    follow_all(from, to, points, moved, found, errors, options, follow_points_in_vectors);
}

void follow_points_plainly(const FlowPyramid& from, const FlowPyramid& to, std::span<const FlowPoint> points,
                           std::span<FlowPoint> moved, std::span<std::uint8_t> found, std::span<float> errors,
                           const FlowOptions& options) {
    follow_all(from, to, points, moved, found, errors, options,
               [](const FlowTask& task, std::size_t first, std::size_t last) {
                   FollowerGroup<PlainWindow, 1>(task).follow(first, last);
               });
}

}  // namespace fovea
