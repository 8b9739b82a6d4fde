#pragma once

#include <cstddef>

#include "kernels/cascade/tile.hpp"
#include "kernels/cascade/window_body.hpp"

namespace fovea::cuda_backend {

// One stage for `N` windows of a thread, for each kind of table. `at` are the windows' first elements, bytes
// from `tile`. Leaves are added in the order of the trees, or in any where TileStage::any_order allows it.

constexpr int warp_size = 32;

__device__ __forceinline__ int element(const char* tile, int at) {
    return *reinterpret_cast<const int*>(tile + at);
}

struct MergedHaarEvaluator {
    using Node = MergedStump;
    static constexpr bool uses_trees = false;
    static constexpr bool haar = true;

    // A stump in two loads.
    struct Loaded {
        uint4 corners;
        float threshold;
        float left;
        float right;
        unsigned packed;

        __device__ __forceinline__ unsigned kind() const { return packed >> 16 & 0xFF; }
        __device__ __forceinline__ int weight() const { return static_cast<int>(packed) >> 24; }
        __device__ __forceinline__ int last_corner() const { return static_cast<int>(packed & 0xFFFF); }
    };
    static_assert(offsetof(Node, threshold) == 16 && offsetof(Node, last_corner) == 28);

    __device__ __forceinline__ static Loaded load(const Node& node) {
        const uint4 corners = *reinterpret_cast<const uint4*>(node.corners);
        const float4 rest = *reinterpret_cast<const float4*>(&node.threshold);
        return {corners, rest.x, rest.y, rest.z, __float_as_uint(rest.w)};
    }

    template <unsigned Kind>
    __device__ __forceinline__ static int value(const Loaded& stump, const char* p) {
        const auto low = [p](unsigned pair) { return element(p, static_cast<int>(pair & 0xFFFF)); };
        const auto high = [p](unsigned pair) { return element(p, static_cast<int>(pair >> 16)); };
        const uint4& c = stump.corners;
        if constexpr (Kind == Node::edge) {
            return low(c.x) + high(c.x) - low(c.y) - high(c.y) + 2 * (low(c.z) - high(c.z));
        } else if constexpr (Kind == Node::line) {
            return stump.weight() * (low(c.z) - high(c.z) - low(c.w) + high(c.w)) -
                   (low(c.x) - high(c.x) - low(c.y) + high(c.y));
        } else {
            return stump.weight() *
                   (low(c.x) + high(c.x) + low(c.y) + high(c.y) -
                    2 * (low(c.z) + high(c.z) + low(c.w) + high(c.w)) + 4 * element(p, stump.last_corner()));
        }
    }

    __device__ __forceinline__ static float leaf(const Loaded& stump, const char* at, float inverse) {
        const int found = stump.kind() == Node::edge   ? value<Node::edge>(stump, at)
                          : stump.kind() == Node::line ? value<Node::line>(stump, at)
                                                       : value<Node::quad>(stump, at);
        return static_cast<float>(found) * inverse < stump.threshold ? stump.left : stump.right;
    }

    __device__ __forceinline__ static float leaf(const Node* nodes, const TileTree*, int index,
                                                 const char* at, float inverse) {
        return leaf(load(nodes[index]), at, inverse);
    }

    template <unsigned Kind, int N>
    __device__ __forceinline__ static void add_kind(const Node* nodes, int first, int end, const char* tile,
                                                    const int (&at)[N], const float (&inverse)[N],
                                                    double (&sums)[N]) {
        constexpr int unrolled = N == 1 ? 4 : N == 2 ? 2 : 1;
#pragma unroll unrolled
        for (int i = first; i < end; ++i) {
            const Loaded stump = load(nodes[i]);
            int values[N];
#pragma unroll
            for (int n = 0; n < N; ++n) values[n] = value<Kind>(stump, tile + at[n]);
#pragma unroll
            for (int n = 0; n < N; ++n) {
                sums[n] +=
                    static_cast<float>(values[n]) * inverse[n] < stump.threshold ? stump.left : stump.right;
            }
        }
    }

    template <int N>
    __device__ __forceinline__ static void stage_sums(const Node* nodes, const TileTree*,
                                                      const TileStage& stage, const char* tile,
                                                      const int (&at)[N], const float (&inverse)[N],
                                                      double (&sums)[N]) {
        if (stage.any_order != 0) {
            add_kind<Node::edge>(nodes, 0, stage.edges_end, tile, at, inverse, sums);
            add_kind<Node::line>(nodes, stage.edges_end, stage.lines_end, tile, at, inverse, sums);
            add_kind<Node::quad>(nodes, stage.lines_end, stage.tree_count, tile, at, inverse, sums);
            return;
        }
#pragma unroll 1
        for (int i = 0; i < stage.tree_count; ++i) {
            const Loaded stump = load(nodes[i]);
#pragma unroll
            for (int n = 0; n < N; ++n) sums[n] += leaf(stump, tile + at[n], inverse[n]);
        }
    }

    // A lane's share of a stage whose leaves may be added in any order. The next stump is loaded while one is
    // evaluated: those of late stages come from far.
    __device__ __forceinline__ static double lane_sum(const Node* nodes, const TileTree*, int count, int lane,
                                                      const char* at, float inverse) {
        double sum = 0;
        if (lane >= count) return sum;
        Loaded next = load(nodes[lane]);
        for (int i = lane; i < count; i += warp_size) {
            const Loaded stump = next;
            if (i + warp_size < count) next = load(nodes[i + warp_size]);
            sum += leaf(stump, at, inverse);
        }
        return sum;
    }
};

// The corners of one window.
struct TileCorners {
    const char* at;
    __device__ __forceinline__ int operator()(int corner) const { return element(at, corner); }
};

__device__ __forceinline__ bool goes_left(const HaarTileNode& node, const char* at, float inverse) {
    const float value = haar_value(node.corners, node.weights, node.weights[2] != 0, TileCorners{at});
    return value * inverse < node.threshold;
}

__device__ __forceinline__ bool goes_left(const LbpTileNode& node, const char* at, float) {
    return lbp_goes_left(node.subset, lbp_code(node.corners, TileCorners{at}));
}

template <class TreeNode, bool IsHaar>
struct TreeEvaluator {
    using Node = TreeNode;
    static constexpr bool uses_trees = true;
    static constexpr bool haar = IsHaar;

    __device__ __forceinline__ static float leaf(const Node* nodes, const TileTree* trees, int index,
                                                 const char* at, float inverse) {
        return tree_leaf(nodes + trees[index].first_node,
                         [&](const Node& node) { return goes_left(node, at, inverse); });
    }

    template <int N>
    __device__ __forceinline__ static void stage_sums(const Node* nodes, const TileTree* trees,
                                                      const TileStage& stage, const char* tile,
                                                      const int (&at)[N], const float (&inverse)[N],
                                                      double (&sums)[N]) {
#pragma unroll 1
        for (int i = 0; i < stage.tree_count; ++i) {
#pragma unroll
            for (int n = 0; n < N; ++n) sums[n] += leaf(nodes, trees, i, tile + at[n], inverse[n]);
        }
    }

    __device__ __forceinline__ static double lane_sum(const Node* nodes, const TileTree* trees, int count,
                                                      int lane, const char* at, float inverse) {
        double sum = 0;
        for (int i = lane; i < count; i += warp_size) sum += leaf(nodes, trees, i, at, inverse);
        return sum;
    }
};

using HaarEvaluator = TreeEvaluator<HaarTileNode, true>;
using LbpEvaluator = TreeEvaluator<LbpTileNode, false>;

struct LbpStumpEvaluator {
    using Node = LbpStump;
    static constexpr bool uses_trees = false;
    static constexpr bool haar = false;

    template <int N>
    __device__ __forceinline__ static void leaves(const Node& node, const char* tile, const int (&at)[N],
                                                  float (&found)[N]) {
        const uint4 low = *reinterpret_cast<const uint4*>(node.corners);
        const uint4 high = *reinterpret_cast<const uint4*>(node.corners + 8);
        const float2 left_right = *reinterpret_cast<const float2*>(&node.left);
        const unsigned pairs[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
        int corners[16];
#pragma unroll
        for (int i = 0; i < 8; ++i) {
            corners[2 * i] = static_cast<int>(pairs[i] & 0xFFFF);
            corners[2 * i + 1] = static_cast<int>(pairs[i] >> 16);
        }
#pragma unroll
        for (int n = 0; n < N; ++n) {
            const int code = lbp_code(corners, TileCorners{tile + at[n]});
            found[n] = lbp_goes_left(node.subset, code) ? left_right.x : left_right.y;
        }
    }

    __device__ __forceinline__ static float leaf(const Node* nodes, const TileTree*, int index,
                                                 const char* at, float) {
        const int position[1] = {0};
        float found[1];
        leaves(nodes[index], at, position, found);
        return found[0];
    }

    template <int N>
    __device__ __forceinline__ static void stage_sums(const Node* nodes, const TileTree*,
                                                      const TileStage& stage, const char* tile,
                                                      const int (&at)[N], const float (&)[N],
                                                      double (&sums)[N]) {
#pragma unroll 1
        for (int i = 0; i < stage.tree_count; ++i) {
            float found[N];
            leaves(nodes[i], tile, at, found);
#pragma unroll
            for (int n = 0; n < N; ++n) sums[n] += found[n];
        }
    }

    __device__ __forceinline__ static double lane_sum(const Node* nodes, const TileTree* trees, int count,
                                                      int lane, const char* at, float inverse) {
        double sum = 0;
        for (int i = lane; i < count; i += warp_size) sum += leaf(nodes, trees, i, at, inverse);
        return sum;
    }
};

}  // namespace fovea::cuda_backend
