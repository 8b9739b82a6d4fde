#include "kernels/optical_flow/flow_simd.hpp"

#include "kernels/optical_flow/plain_window.hpp"
namespace fovea {
void follow_points_in_vectors(const FlowPyramid& from, const FlowPyramid& to, const FlowLimits& limits,
                              const FlowPoints& points, std::size_t first, std::size_t last) {
    PlainWindow window(limits.window);
    follow_points_with(window, from, to, limits, points, first, last);
}
}  // namespace fovea
