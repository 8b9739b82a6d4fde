#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/haar_lbp/cascade.hpp"
#include "kernels/haar_lbp/merged_pattern.hpp"
#include "kernels/integral/integral.hpp"

namespace fovea {

/// A cascade whose features are resolved to element offsets in an integral image of one layout.
struct PackedCascade {
    struct HaarNode {
        std::array<std::array<std::int32_t, 4>, 3> corners{};  ///< sum = [0] - [1] - [2] + [3]
        std::array<float, 3> weights{};
        float threshold = 0;
        int rects = 2;  ///< 3 if the third weight is not 0
        int left = 0;   ///< as in CascadeNode
        int right = 0;
        float left_leaf = 0;  ///< the leaf itself where left <= 0
        float right_leaf = 0;
    };
    /// A node of a feature with a MergedPattern.
    struct MergedNode {
        std::array<std::int32_t, 9> corners{};
        MergedPattern::Kind kind = MergedPattern::edge;
        float weight = 1;
        float threshold = 0;
        int left = 0;
        int right = 0;
        float left_leaf = 0;
        float right_leaf = 0;
    };
    struct LbpNode {
        std::array<std::int32_t, 16> corners{};  ///< 4×4 grid points, row by row
        std::array<std::int32_t, 8> subset{};
        int left = 0;
        int right = 0;
        float left_leaf = 0;
        float right_leaf = 0;
    };
    struct Tree {
        int first_node = 0;
        int node_count = 0;
    };

    const Cascade* cascade = nullptr;
    std::vector<CascadeStage> stages;
    std::vector<Tree> trees;
    std::vector<HaarNode> haar_nodes;  ///< in the order of evaluation; empty for an LBP cascade
    /// The same nodes, which need fewer corners; empty without patterns.
    std::vector<MergedNode> merged_nodes;
    std::vector<LbpNode> lbp_nodes;  ///< in the order of evaluation; empty for a Haar cascade
    /// The rectangle over which the standard deviation is taken: the window less a border of one pixel.
    std::array<std::int32_t, 4> normalisation_corners{};
    double normalisation_area = 0;
};

/// Packs a cascade for integral images of one layout. \param cascade must outlive the result.
/// \param patterns merged_patterns() of the cascade; none: merged_nodes are not made.
/// \param tilted_offset elements from the sums to the tilted sums, as IntegralBand::tilted_offset().
PackedCascade pack_cascade(const Cascade& cascade, std::span<const MergedPattern> patterns,
                           const IntegralLayout& layout, std::ptrdiff_t tilted_offset);

}  // namespace fovea
