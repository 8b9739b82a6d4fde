#pragma once

#include <cstddef>

#include "kernels/haar_lbp/tile.hpp"
#include "kernels/haar_lbp/window_body.hpp"

namespace fovea::cuda_backend {

// The evaluation of a stage's trees for `N` windows of a thread, for each kind of table. `nodes` and `trees`
// are the stage's first; `at` are the windows' first elements, in bytes from `tile`. Leaves are added in the
// order of the trees, or in any order where `any_order` says that the table serves only stages that allow it.
// A stage's sum begins with `first_sum`. Once few windows are left, `lanes_of_window` lanes share a window's
// trees.

constexpr int warp_size = 32;

/// The place of the nodes that threads evaluate: global memory, shared memory for a stage at a time, or a
/// ScanNodeBank.
enum class NodePlace { global, shared, bank };

__device__ __forceinline__ int element(const char* tile, int at) {
    return *reinterpret_cast<const int*>(tile + at);
}

// The address of a corner: an offset of two in a word is added to a window's by one instruction.
__device__ __forceinline__ int at_low(unsigned pair, int at) {
    return static_cast<int>(__dp2a_lo(pair, 0x0001U, static_cast<unsigned>(at)));
}
__device__ __forceinline__ int at_high(unsigned pair, int at) {
    return static_cast<int>(__dp2a_lo(pair, 0x0100U, static_cast<unsigned>(at)));
}

// A MergedStump or MergedTreeNode, loaded by two instructions.
template <class Node>
struct LoadedNode {
    uint4 corners;
    float threshold;
    unsigned packed;
    uint2 leaves;
    static_assert(offsetof(MergedFeature, threshold) == 16 && offsetof(MergedFeature, last_corner) == 20 &&
                  sizeof(MergedFeature) == 24);

    __device__ __forceinline__ explicit LoadedNode(const Node& node) {
        const auto* const halves = reinterpret_cast<const uint4*>(&node);
        corners = halves[0];
        const uint4 rest = halves[1];
        threshold = __uint_as_float(rest.x);
        packed = rest.y;
        leaves = {rest.z, rest.w};
    }

    __device__ __forceinline__ unsigned kind() const { return packed >> 16 & 0xF; }
    __device__ __forceinline__ bool has(unsigned flag) const { return (packed >> 16 & flag) != 0; }
    __device__ __forceinline__ int weight() const { return static_cast<int>(packed) >> 24; }
    __device__ __forceinline__ double left_more() const {
        return __hiloint2double(static_cast<int>(leaves.y), static_cast<int>(leaves.x));
    }
    __device__ __forceinline__ float left() const { return __uint_as_float(leaves.x); }
    __device__ __forceinline__ float right() const { return __uint_as_float(leaves.y); }

    template <unsigned Kind>
    __device__ __forceinline__ int value(const char* tile, int at) const {
        const auto low = [=](unsigned pair) { return element(tile, at_low(pair, at)); };
        const auto high = [=](unsigned pair) { return element(tile, at_high(pair, at)); };
        const uint4& c = corners;
        if constexpr (Kind == MergedFeature::edge) {
            return low(c.x) + high(c.x) - low(c.y) - high(c.y) + 2 * (low(c.z) - high(c.z));
        } else if constexpr (Kind == MergedFeature::line) {
            return weight() * (low(c.z) - high(c.z) - low(c.w) + high(c.w)) -
                   (low(c.x) - high(c.x) - low(c.y) + high(c.y));
        } else {
            return weight() * (low(c.x) + high(c.x) + low(c.y) + high(c.y) -
                               2 * (low(c.z) + high(c.z) + low(c.w) + high(c.w)) + 4 * low(packed));
        }
    }

    template <unsigned Kind, int N>
    __device__ __forceinline__ void values_of(const char* tile, const int (&at)[N], int (&found)[N]) const {
#pragma unroll
        for (int n = 0; n < N; ++n) found[n] = value<Kind>(tile, at[n]);
    }

    template <int N>
    __device__ __forceinline__ void values(const char* tile, const int (&at)[N], int (&found)[N]) const {
        if (kind() == MergedFeature::edge) {
            values_of<MergedFeature::edge>(tile, at, found);
        } else if (kind() == MergedFeature::line) {
            values_of<MergedFeature::line>(tile, at, found);
        } else {
            values_of<MergedFeature::quad>(tile, at, found);
        }
    }

    __device__ __forceinline__ bool goes_left(int found, float inverse) const {
        return static_cast<float>(found) * inverse < threshold;
    }
};

struct SumFromZero {
    __device__ __forceinline__ static double first_sum(const TileStage&) { return 0; }
};

struct MergedStumpEvaluator {
    using Node = MergedStump;
    static constexpr NodePlace fast_nodes = NodePlace::bank;
    static constexpr int lanes_of_window = warp_size;
    static constexpr bool uses_trees = false;
    static constexpr bool haar = true;
    static constexpr bool any_order = true;

    __device__ __forceinline__ static double first_sum(const TileStage& stage) { return stage.all_right; }

    template <unsigned Kind, int N>
    __device__ __forceinline__ static void add_kind(const Node* nodes, int first, int end, const char* tile,
                                                    const int (&at)[N], const float (&inverse)[N],
                                                    double (&sums)[N]) {
        constexpr int unrolled = N == 1 ? 4 : N == 2 ? 2 : 1;
#pragma unroll unrolled
        for (int i = first; i < end; ++i) {
            const LoadedNode<Node> stump(nodes[i]);
            int values[N];
            stump.template values_of<Kind>(tile, at, values);
#pragma unroll
            for (int n = 0; n < N; ++n) {
                if (stump.goes_left(values[n], inverse[n])) sums[n] += stump.left_more();
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
                                                      const TileStage& stage, int lane, const char* tile,
                                                      int at, float inverse) {
        double sum = 0;
        const int count = stage.tree_count;
        if (lane >= count) return sum;
        LoadedNode<Node> next(nodes[lane]);
        for (int i = lane; i < count; i += lanes_of_window) {
            const LoadedNode<Node> stump = next;
            if (i + lanes_of_window < count) next = LoadedNode<Node>(nodes[i + lanes_of_window]);
            const int here[1] = {at};
            int value[1];
            stump.values(tile, here, value);
            if (stump.goes_left(value[0], inverse)) sum += stump.left_more();
        }
        return sum;
    }
};

// Trees of at most two nodes. Both nodes are always evaluated, which keeps the lanes together.
struct MergedTreeEvaluator : SumFromZero {
    using Node = MergedTreeNode;
    static constexpr NodePlace fast_nodes = NodePlace::bank;
    static constexpr int lanes_of_window = warp_size;
    static constexpr bool uses_trees = false;
    static constexpr bool haar = true;
    static constexpr bool any_order = true;

    __device__ __forceinline__ static float leaf(const LoadedNode<Node>& first,
                                                 const LoadedNode<Node>& second, int first_value,
                                                 int second_value, float inverse) {
        const float below = second.goes_left(second_value, inverse) ? second.left() : second.right();
        return first.goes_left(first_value, inverse)
                   ? (first.has(Node::second_left) ? below : first.left())
                   : (first.has(Node::second_right) ? below : first.right());
    }

    template <int N>
    __device__ __forceinline__ static void add_leaves(const Node* nodes, const TileTree*, const TileStage&,
                                                      int first, int end, const char* tile,
                                                      const int (&at)[N], const float (&inverse)[N],
                                                      double (&sums)[N]) {
#pragma unroll 1
        for (int i = first; i < end; ++i) {
            const LoadedNode<Node> root(nodes[2 * i]);
            const LoadedNode<Node> other(nodes[2 * i + 1]);
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
                                                      const TileStage& stage, int lane, const char* tile,
                                                      int at, float inverse) {
        double sum = 0;
        for (int i = lane; i < stage.tree_count; i += lanes_of_window) {
            const LoadedNode<Node> root(nodes[2 * i]);
            const LoadedNode<Node> other(nodes[2 * i + 1]);
            const int here[1] = {at};
            int root_value[1];
            int other_value[1];
            root.values(tile, here, root_value);
            other.values(tile, here, other_value);
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
struct LaneSum : SumFromZero {
    template <class Node>
    __device__ __forceinline__ static double lane_sum(const Node* nodes, const TileTree* trees,
                                                      const TileStage& stage, int lane, const char* tile,
                                                      int at, float inverse) {
        double sum = 0;
        for (int i = lane; i < stage.tree_count; i += Evaluator::lanes_of_window) {
            sum += Evaluator::leaf(nodes, trees, stage, i, tile, at, inverse);
        }
        return sum;
    }
};

template <class TreeNode, bool IsHaar>
struct TreeEvaluator : LaneSum<TreeEvaluator<TreeNode, IsHaar>> {
    using Node = TreeNode;
    static constexpr NodePlace fast_nodes = NodePlace::shared;
    static constexpr int lanes_of_window = warp_size;
    static constexpr bool uses_trees = true;
    static constexpr bool haar = IsHaar;
    static constexpr bool any_order = false;

    __device__ __forceinline__ static float leaf(const Node* nodes, const TileTree* trees,
                                                 const TileStage& stage, int index, const char* tile, int at,
                                                 float inverse) {
        return tree_leaf(nodes + (trees[index].first_node - stage.first_node),
                         [&](const Node& node) { return goes_left(node, tile + at, inverse); });
    }

    template <int N>
    __device__ __forceinline__ static void add_leaves(const Node* nodes, const TileTree* trees,
                                                      const TileStage& stage, int first, int end,
                                                      const char* tile, const int (&at)[N],
                                                      const float (&inverse)[N], double (&sums)[N]) {
#pragma unroll 1
        for (int i = first; i < end; ++i) {
#pragma unroll
            for (int n = 0; n < N; ++n) sums[n] += leaf(nodes, trees, stage, i, tile, at[n], inverse[n]);
        }
    }
};

using HaarEvaluator = TreeEvaluator<HaarTileNode, true>;
using LbpEvaluator = TreeEvaluator<LbpTileNode, false>;

struct LbpStumpEvaluator : LaneSum<LbpStumpEvaluator> {
    using Node = LbpStump;
    static constexpr NodePlace fast_nodes = NodePlace::shared;
    static constexpr int lanes_of_window = 8;  // stages have few trees
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
        constexpr int order[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
#pragma unroll
        for (int n = 0; n < N; ++n) {
            const int code = lbp_code(order, [&](int corner) {
                const unsigned pair = pairs[corner / 2];
                return element(tile, corner % 2 == 0 ? at_low(pair, at[n]) : at_high(pair, at[n]));
            });
            found[n] = lbp_goes_left(node.subset, code) ? left_right.x : left_right.y;
        }
    }

    __device__ __forceinline__ static float leaf(const Node* nodes, const TileTree*, const TileStage&,
                                                 int index, const char* tile, int at, float) {
        const int position[1] = {at};
        float found[1];
        leaves(nodes[index], tile, position, found);
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
