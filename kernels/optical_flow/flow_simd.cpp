// Points followed in vectors, compiled once for every instruction set and chosen at run time (Highway).
//
// OpenCV adds floats in five chains, so that the order of the additions shows in the result. Nearly always
// the sums are small enough that every float of a chain is an integer below 2^24: then integers may be added
// in any order. That is proven for each sum from the sums of squares (Cauchy and Schwarz); where it is not,
// the chains are added up as OpenCV does it.

#include "kernels/optical_flow/flow_simd.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "kernels/optical_flow/plain_window.hpp"

// The newest instruction set, for products that are added in one step.
#define HWY_WANT_AVX3_DL 1
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/optical_flow/flow_simd.cpp"
#include <hwy/aligned_allocator.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/optical_flow/vector_window-inl.hpp"

// Code that all instruction sets share is compiled once.
#if !defined(FOVEA_FLOW_SIMD_SHARED)
#define FOVEA_FLOW_SIMD_SHARED
namespace fovea {
namespace {

// So many windows fit into the fastest cache, and hide each other's waits.
constexpr std::size_t followers_at_once = 2;

}  // namespace
}  // namespace fovea
#endif

HWY_BEFORE_NAMESPACE();
namespace fovea {
namespace HWY_NAMESPACE {

void follow_range(const FlowTask& task, std::size_t first, std::size_t last) {
#if HWY_TARGET == HWY_SCALAR
    FollowerGroup<PlainWindow, 1>(task).follow(first, last);
#else
    // The usual ones have code of their own.
    if (task.limits.window == Size{21, 21}) {
        FollowerGroup<VectorWindow<21, 21>, followers_at_once>(task).follow(first, last);
    } else if (task.limits.window == Size{15, 15}) {
        FollowerGroup<VectorWindow<15, 15>, followers_at_once>(task).follow(first, last);
    } else {
        FollowerGroup<VectorWindow<0, 0>, followers_at_once>(task).follow(first, last);
    }
#endif
}

}  // namespace HWY_NAMESPACE
}  // namespace fovea
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea {
HWY_EXPORT(follow_range);

void follow_points_in_vectors(const FlowTask& task, std::size_t first, std::size_t last) {
    HWY_DYNAMIC_DISPATCH(follow_range)(task, first, last);
}

}  // namespace fovea
#endif
