#pragma once

#include <cstdint>

#include "kernels/optical_flow/gpu_optical_flow.hpp"
#include "kernels/optical_flow/gpu_warp_window.cuh"

namespace fovea::cuda_backend {

/// The levels of two images between which points are followed.
struct GpuLevelPair {
    GpuFlowLevel from[max_flow_levels];
    GpuFlowLevel to[max_flow_levels];

    __device__ const GpuLevelPair& of(unsigned) const { return *this; }
};

/// The pair of each point.
struct GpuLevelPairs {
    const GpuLevelPair* pairs;
    const std::uint32_t* pair_of;

    __device__ const GpuLevelPair& of(unsigned point) const { return pairs[pair_of[point]]; }
};

/// \tparam Images GpuLevelPair or GpuLevelPairs.
template <class Images>
struct GpuFlowTask {
    Images images;
    FlowLimits limits;
    GpuWindowLayout layout;
    GpuFlowPoints points;
};

struct GpuFollowed {
    FlowPoint moved;
    bool found;
    float error;
};

/// Does the work of PointFollower by a warp.
__device__ inline GpuFollowed follow_point(const GpuFlowLevel* from, const GpuFlowLevel* to,
                                           const FlowLimits& limits, bool wants_difference, FlowPoint point,
                                           FlowPoint guess, WarpWindow& window) {
    const FlowPoint half = half_window(limits.window);
    GpuFollowed result{{0, 0}, true, 0};
    for (int level = limits.last_level; level >= 0; --level) {
        const float scale = 1.0F / static_cast<float>(1 << level);
        const FlowPoint scaled{point.x * scale, point.y * scale};
        if (level < limits.last_level) {
            result.moved = {result.moved.x * 2.0F, result.moved.y * 2.0F};
        } else {
            result.moved = limits.starts_at_guess ? FlowPoint{guess.x * scale, guess.y * scale} : scaled;
        }
        const Size size{from[level].width, from[level].height};
        const FlowPoint corner{scaled.x - half.x, scaled.y - half.y};
        if (!flow_place_is_valid(corner, limits.window, size)) {
            if (level == 0) {
                result.found = false;
                result.error = 0;
            }
            continue;
        }
        const FlowSystem system =
            flow_system(window.start(from[level], flow_place(corner)), limits.window, limits.min_eigenvalue);
        if (limits.errors_are_eigenvalues) result.error = system.min_eigenvalue;
        if (!system.is_solvable) {
            if (level == 0) result.found = false;
            continue;
        }
        FlowWalk walk;
        walk.moved = result.moved;
        walk.corner = {walk.moved.x - half.x, walk.moved.y - half.y};
        walk.last_step = {0, 0};
        walk.goes_on = true;
        for (int i = 0; i < limits.max_iterations && walk.goes_on; ++i) {
            if (!flow_place_is_valid(walk.corner, limits.window, size)) {
                if (level == 0) result.found = false;
                break;
            }
            const FlowPoint step = flow_step(system, window.mismatch(to[level], flow_place(walk.corner)));
            take_step(walk, step, half, i, limits.squared_epsilon);
        }
        result.moved = walk.moved;
        if (level == 0 && result.found && wants_difference) {
            const FlowPoint last{walk.moved.x - half.x, walk.moved.y - half.y};
            if (flow_place_is_valid(last, limits.window, size)) {
                result.error = flow_error(window.difference(to[0], flow_place(last)), limits.window);
            } else {
                result.found = false;
            }
        }
    }
    return result;
}

/// Follows points, and back again if points.back is given. A block is one warp and follows one point.
template <class Images>
__global__ void __launch_bounds__(32, 16) follow_kernel(const __grid_constant__ GpuFlowTask<Images> task) {
    extern __shared__ __align__(16) unsigned char shared[];
    WarpWindow window(task.layout, shared);
    const GpuFlowPoints& points = task.points;
    const unsigned i = blockIdx.x;
    FlowLimits limits = task.limits;
    const FlowPoint point = points.points[i];
    const FlowPoint guess = limits.starts_at_guess ? points.moved[i] : point;
    const bool wants_difference = points.errors != nullptr && !limits.errors_are_eigenvalues;
    const GpuLevelPair& images = task.images.of(i);
    const GpuFollowed result =
        follow_point(images.from, images.to, limits, wants_difference, point, guess, window);
    if (threadIdx.x == 0) {
        points.moved[i] = result.moved;
        points.found[i] = result.found ? 1 : 0;
        if (points.errors != nullptr) points.errors[i] = result.error;
    }
    if (points.back == nullptr) return;
    limits.starts_at_guess = false;
    const GpuFollowed back =
        follow_point(images.to, images.from, limits, false, result.moved, result.moved, window);
    if (threadIdx.x == 0) {
        points.back[i] = back.moved;
        points.found_back[i] = back.found ? 1 : 0;
    }
}

}  // namespace fovea::cuda_backend
