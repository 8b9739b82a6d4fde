#include "kernels/haar_lbp/packed.hpp"

#include <algorithm>

#include "kernels/haar_lbp/feature_corners.hpp"

namespace fovea {
namespace {

auto places_in(const IntegralLayout& layout, std::ptrdiff_t plane = 0) {
    return [&layout, plane](int x, int y) { return static_cast<std::int32_t>(plane + layout.offset(x, y)); };
}

PackedCascade::HaarNode pack_haar(const HaarFeature& feature, float threshold, const IntegralLayout& layout,
                                  std::ptrdiff_t tilted_offset) {
    PackedCascade::HaarNode node;
    node.threshold = threshold;
    node.rects = feature.weights[2] != 0.0F ? 3 : 2;
    node.weights = feature.weights;
    for (int i = 0; i < node.rects; ++i) {
        node.corners[i] = rect_corners(feature.rects[i], feature.tilted,
                                       places_in(layout, feature.tilted ? tilted_offset : 0));
    }
    return node;
}

PackedCascade::MergedNode pack_merged(const MergedPattern& pattern, float threshold,
                                      const IntegralLayout& layout) {
    PackedCascade::MergedNode node;
    node.kind = pattern.kind;
    node.weight = static_cast<float>(pattern.weight);
    node.threshold = threshold;
    std::transform(pattern.corners.begin(), pattern.corners.end(), node.corners.begin(),
                   [at = places_in(layout)](const auto& corner) { return at(corner.first, corner.second); });
    return node;
}

PackedCascade::LbpNode pack_lbp(const LbpFeature& feature, const CascadeNode& source,
                                const IntegralLayout& layout) {
    PackedCascade::LbpNode node;
    for (int i = 0; i < 8; ++i) node.subset[i] = static_cast<std::int32_t>(source.subset[i]);
    node.corners = grid_corners(feature, places_in(layout));
    return node;
}

template <class Node>
void set_children(Node& node, const CascadeNode& source, const Cascade& cascade, const CascadeTree& tree) {
    node.left = source.left;
    node.right = source.right;
    if (source.left <= 0) node.left_leaf = cascade.leaves[tree.first_leaf - source.left];
    if (source.right <= 0) node.right_leaf = cascade.leaves[tree.first_leaf - source.right];
}

}  // namespace

PackedCascade pack_cascade(const Cascade& cascade, std::span<const MergedPattern> patterns,
                           const IntegralLayout& layout, std::ptrdiff_t tilted_offset) {
    PackedCascade packed;
    packed.cascade = &cascade;
    packed.stages = cascade.stages;
    packed.trees.reserve(cascade.trees.size());
    if (cascade.feature == Cascade::Feature::haar) {
        packed.haar_nodes.reserve(cascade.nodes.size());
        if (!patterns.empty()) packed.merged_nodes.reserve(cascade.nodes.size());
    } else {
        packed.lbp_nodes.reserve(cascade.nodes.size());
    }
    for (const CascadeTree& tree : cascade.trees) {
        packed.trees.push_back({tree.first_node, tree.node_count});
        for (int i = 0; i < tree.node_count; ++i) {
            const CascadeNode& source = cascade.nodes[tree.first_node + i];
            if (cascade.feature == Cascade::Feature::haar) {
                packed.haar_nodes.push_back(pack_haar(cascade.haar_features[source.feature], source.threshold,
                                                      layout, tilted_offset));
                set_children(packed.haar_nodes.back(), source, cascade, tree);
                if (patterns.empty()) continue;
                packed.merged_nodes.push_back(
                    pack_merged(patterns[source.feature], source.threshold, layout));
                set_children(packed.merged_nodes.back(), source, cascade, tree);
            } else {
                packed.lbp_nodes.push_back(pack_lbp(cascade.lbp_features[source.feature], source, layout));
                set_children(packed.lbp_nodes.back(), source, cascade, tree);
            }
        }
    }
    const Rect inner{1, 1, cascade.window.width - 2, cascade.window.height - 2};
    packed.normalisation_corners = rect_corners(inner, false, places_in(layout));
    packed.normalisation_area = static_cast<double>(inner.width) * inner.height;
    return packed;
}

}  // namespace fovea
