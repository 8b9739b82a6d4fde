#pragma once

#include <cstddef>

#include "kernels/haar_lbp/tile.hpp"
#include "kernels/haar_lbp/window_body.hpp"

namespace fovea::cuda_backend {

// The evaluation of a stage's trees for `N` windows of a thread, for each kind of table. `nodes` and `trees`
// are the stage's first; `at` are the windows' first elements, in bytes from `tile`. Leaves are added in the
// order of the trees, or in any order where `any_order` says that the table serves only stages that allow it.

constexpr int warp_size = 32;

__device__ __forceinline__ int element(const char* tile, int at) {
    return *reinterpret_cast<const int*>(tile + at);
}

// A MergedStump, loaded by two instructions.
struct LoadedStump {
    uint4 corners;
    float threshold;
    float left;
    float right;
    unsigned packed;
    static_assert(offsetof(MergedStump, threshold) == 16 && offsetof(MergedStump, last_corner) == 28);

    __device__ __forceinline__ explicit LoadedStump(const MergedStump& stump) {
        const auto* const halves = reinterpret_cast<const uint4*>(&stump);
        corners = halves[0];
        const uint4 rest = halves[1];
        threshold = __uint_as_float(rest.x);
        left = __uint_as_float(rest.y);
        right = __uint_as_float(rest.z);
        packed = rest.w;
    }

    __device__ __forceinline__ unsigned kind() const { return packed >> 16 & 0xF; }
    __device__ __forceinline__ bool has(unsigned flag) const { return (packed >> 16 & flag) != 0; }
    __device__ __forceinline__ int weight() const { return static_cast<int>(packed) >> 24; }
    __device__ __forceinline__ int last_corner() const { return static_cast<int>(packed & 0xFFFF); }

    template <unsigned Kind>
    __device__ __forceinline__ int value(const char* at) const {
        const auto low = [at](unsigned pair) { return element(at, static_cast<int>(pair & 0xFFFF)); };
        const auto high = [at](unsigned pair) { return element(at, static_cast<int>(pair >> 16)); };
        const uint4& c = corners;
        if constexpr (Kind == MergedStump::edge) {
            return low(c.x) + high(c.x) - low(c.y) - high(c.y) + 2 * (low(c.z) - high(c.z));
        } else if constexpr (Kind == MergedStump::line) {
            return weight() * (low(c.z) - high(c.z) - low(c.w) + high(c.w)) -
                   (low(c.x) - high(c.x) - low(c.y) + high(c.y));
        } else {
            return weight() *
                   (low(c.x) + high(c.x) + low(c.y) + high(c.y) -
                    2 * (low(c.z) + high(c.z) + low(c.w) + high(c.w)) + 4 * element(at, last_corner()));
        }
    }

    template <unsigned Kind, int N>
    __device__ __forceinline__ void values_of(const char* tile, const int (&at)[N], int (&found)[N]) const {
#pragma unroll
        for (int n = 0; n < N; ++n) found[n] = value<Kind>(tile + at[n]);
    }

    template <int N>
    __device__ __forceinline__ void values(const char* tile, const int (&at)[N], int (&found)[N]) const {
        if (kind() == MergedStump::edge) {
            values_of<MergedStump::edge>(tile, at, found);
        } else if (kind() == MergedStump::line) {
            values_of<MergedStump::line>(tile, at, found);
        } else {
            values_of<MergedStump::quad>(tile, at, found);
        }
    }

    __device__ __forceinline__ bool goes_left(int found, float inverse) const {
        return static_cast<float>(found) * inverse < threshold;
    }
};

struct MergedStumpEvaluator {
    using Node = MergedStump;
    static constexpr bool uses_trees = false;
    static constexpr bool haar = true;
    static constexpr bool any_order = true;

    template <unsigned Kind, int N>
    __device__ __forceinline__ static void add_kind(const Node* nodes, int first, int end, const char* tile,
                                                    const int (&at)[N], const float (&inverse)[N],
                                                    double (&sums)[N]) {
        constexpr int unrolled = N == 1 ? 4 : N == 2 ? 2 : 1;
#pragma unroll unrolled
        for (int i = first; i < end; ++i) {
            const LoadedStump stump(nodes[i]);
            int values[N];
            stump.values_of<Kind>(tile, at, values);
#pragma unroll
            for (int n = 0; n < N; ++n) {
                sums[n] += stump.goes_left(values[n], inverse[n]) ? stump.left : stump.right;
            }
        }
    }

    template <int N>
    __device__ __forceinline__ static void add_leaves(const Node* nodes, const TileTree*,
                                                      const TileStage& stage, int first, int end,
                                                      const char* tile, const int (&at)[N],
                                                      const float (&inverse)[N], double (&sums)[N]) {
        add_kind<Node::edge>(nodes, first, min(end, stage.edges_end), tile, at, inverse, sums);
        add_kind<Node::line>(nodes, max(first, stage.edges_end), min(end, stage.lines_end), tile, at, inverse,
                             sums);
        add_kind<Node::quad>(nodes, max(first, stage.lines_end), end, tile, at, inverse, sums);
    }

    // A lane's share of a stage whose leaves may be added in any order. The next stump is loaded while one is
    // evaluated, since stumps of late stages come from slow memory.
    __device__ __forceinline__ static double lane_sum(const Node* nodes, const TileTree*,
                                                      const TileStage& stage, int lane, const char* at,
                                                      float inverse) {
        double sum = 0;
        const int count = stage.tree_count;
        if (lane >= count) return sum;
        LoadedStump next(nodes[lane]);
        for (int i = lane; i < count; i += warp_size) {
            const LoadedStump stump = next;
            if (i + warp_size < count) next = LoadedStump(nodes[i + warp_size]);
            const int here[1] = {0};
            int value[1];
            stump.values(at, here, value);
            sum += stump.goes_left(value[0], inverse) ? stump.left : stump.right;
        }
        return sum;
    }
};

// Trees of at most two nodes. Both nodes are always evaluated, which keeps the lanes together.
struct MergedTreeEvaluator {
    using Node = MergedStump;
    static constexpr bool uses_trees = false;
    static constexpr bool haar = true;
    static constexpr bool any_order = true;

    __device__ __forceinline__ static float leaf(const LoadedStump& first, const LoadedStump& second,
                                                 int first_value, int second_value, float inverse) {
        const float below = second.goes_left(second_value, inverse) ? second.left : second.right;
        return first.goes_left(first_value, inverse) ? (first.has(Node::second_left) ? below : first.left)
                                                     : (first.has(Node::second_right) ? below : first.right);
    }

    template <int N>
    __device__ __forceinline__ static void add_leaves(const Node* nodes, const TileTree*, const TileStage&,
                                                      int first, int end, const char* tile,
                                                      const int (&at)[N], const float (&inverse)[N],
                                                      double (&sums)[N]) {
#pragma unroll 1
        for (int i = first; i < end; ++i) {
            const LoadedStump root(nodes[2 * i]);
            const LoadedStump other(nodes[2 * i + 1]);
            int root_values[N];
            int other_values[N];
            root.values(tile, at, root_values);
            other.values(tile, at, other_values);
#pragma unroll
            for (int n = 0; n < N; ++n) {
                sums[n] += leaf(root, other, root_values[n], other_values[n], inverse[n]);
            }
        }
    }

    __device__ __forceinline__ static double lane_sum(const Node* nodes, const TileTree*,
                                                      const TileStage& stage, int lane, const char* at,
                                                      float inverse) {
        double sum = 0;
        for (int i = lane; i < stage.tree_count; i += warp_size) {
            const LoadedStump root(nodes[2 * i]);
            const LoadedStump other(nodes[2 * i + 1]);
            const int here[1] = {0};
            int root_value[1];
            int other_value[1];
            root.values(at, here, root_value);
            other.values(at, here, other_value);
            sum += leaf(root, other, root_value[0], other_value[0], inverse);
        }
        return sum;
    }
};

// Loads the corners of one window.
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

// A lane's share of a stage, one tree after the other.
template <class Evaluator>
struct LaneSum {
    template <class Node>
    __device__ __forceinline__ static double lane_sum(const Node* nodes, const TileTree* trees,
                                                      const TileStage& stage, int lane, const char* at,
                                                      float inverse) {
        double sum = 0;
        for (int i = lane; i < stage.tree_count; i += warp_size) {
            sum += Evaluator::leaf(nodes, trees, stage, i, at, inverse);
        }
        return sum;
    }
};

template <class TreeNode, bool IsHaar>
struct TreeEvaluator : LaneSum<TreeEvaluator<TreeNode, IsHaar>> {
    using Node = TreeNode;
    static constexpr bool uses_trees = true;
    static constexpr bool haar = IsHaar;
    static constexpr bool any_order = false;

    __device__ __forceinline__ static float leaf(const Node* nodes, const TileTree* trees,
                                                 const TileStage& stage, int index, const char* at,
                                                 float inverse) {
        return tree_leaf(nodes + (trees[index].first_node - stage.first_node),
                         [&](const Node& node) { return goes_left(node, at, inverse); });
    }

    template <int N>
    __device__ __forceinline__ static void add_leaves(const Node* nodes, const TileTree* trees,
                                                      const TileStage& stage, int first, int end,
                                                      const char* tile, const int (&at)[N],
                                                      const float (&inverse)[N], double (&sums)[N]) {
#pragma unroll 1
        for (int i = first; i < end; ++i) {
#pragma unroll
            for (int n = 0; n < N; ++n) sums[n] += leaf(nodes, trees, stage, i, tile + at[n], inverse[n]);
        }
    }
};

using HaarEvaluator = TreeEvaluator<HaarTileNode, true>;
using LbpEvaluator = TreeEvaluator<LbpTileNode, false>;

struct LbpStumpEvaluator : LaneSum<LbpStumpEvaluator> {
    using Node = LbpStump;
    static constexpr bool uses_trees = false;
    static constexpr bool haar = false;
    static constexpr bool any_order = false;

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

    __device__ __forceinline__ static float leaf(const Node* nodes, const TileTree*, const TileStage&,
                                                 int index, const char* at, float) {
        const int position[1] = {0};
        float found[1];
        leaves(nodes[index], at, position, found);
        return found[0];
    }

    template <int N>
    __device__ __forceinline__ static void add_leaves(const Node* nodes, const TileTree*, const TileStage&,
                                                      int first, int end, const char* tile,
                                                      const int (&at)[N], const float (&)[N],
                                                      double (&sums)[N]) {
#pragma unroll 1
        for (int i = first; i < end; ++i) {
            float found[N];
            leaves(nodes[i], tile, at, found);
#pragma unroll
            for (int n = 0; n < N; ++n) sums[n] += found[n];
        }
    }
};

}  // namespace fovea::cuda_backend
