#include "kernels/haar_lbp/tile.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <utility>

#include "kernels/haar_lbp/feature_corners.hpp"
#include "kernels/haar_lbp/merged_pattern.hpp"

namespace fovea {
namespace {

constexpr int element_bytes = 4;

void set_merged_feature(MergedFeature& merged, const Cascade& cascade, const CascadeNode& node,
                        const TileLayout& layout) {
    const std::optional<MergedPattern> pattern = merged_pattern(cascade.haar_features[node.feature]);
    if (!pattern) throw std::invalid_argument("a feature's corners cannot be merged");
    for (std::size_t i = 0; i < pattern->corners.size(); ++i) {
        const auto [x, y] = pattern->corners[i];
        (i < 8 ? merged.corners[i] : merged.last_corner) =
            static_cast<std::uint16_t>(layout.offset(x, y) * element_bytes);
    }
    merged.threshold = node.threshold;
    merged.kind = pattern->kind;
    merged.weight = static_cast<std::int8_t>(pattern->weight);
}

MergedTreeNode merged_node(const Cascade& cascade, const CascadeTree& tree, int index,
                           const TileLayout& layout) {
    const CascadeNode& node = cascade.nodes[tree.first_node + index];
    MergedTreeNode merged{};
    set_merged_feature(merged, cascade, node, layout);
    if (node.left <= 0) merged.left = cascade.leaves[tree.first_leaf - node.left];
    if (node.right <= 0) merged.right = cascade.leaves[tree.first_leaf - node.right];
    if (node.left > 0) merged.kind |= MergedTreeNode::second_left;
    if (node.right > 0) merged.kind |= MergedTreeNode::second_right;
    return merged;
}

template <class Node>
void set_tile_children(Node& node, const CascadeNode& source, const Cascade& cascade,
                       const CascadeTree& tree) {
    if (std::max(source.left, source.right) > 32767) {
        throw std::invalid_argument("a tree of more than 32,767 nodes cannot run on a GPU");
    }
    node.left = static_cast<std::int16_t>(std::max(source.left, 0));
    node.right = static_cast<std::int16_t>(std::max(source.right, 0));
    if (source.left <= 0) node.left_leaf = cascade.leaves[tree.first_leaf - source.left];
    if (source.right <= 0) node.right_leaf = cascade.leaves[tree.first_leaf - source.right];
}

HaarTileNode haar_node(const Cascade& cascade, const CascadeTree& tree, int index, const TileLayout& layout) {
    const CascadeNode& source = cascade.nodes[tree.first_node + index];
    const HaarFeature& feature = cascade.haar_features[source.feature];
    HaarTileNode node{};
    for (int i = 0; i < 3; ++i) {
        node.weights[i] = feature.weights[i];
        if (i == 2 && feature.weights[i] == 0) continue;
        const Rect& r = feature.rects[i];
        const auto at = [&](int x, int y) {
            return (layout.offset(x, y) + (feature.tilted ? layout.tilted_offset : 0)) * element_bytes;
        };
        const auto corners = rect_corners(r, feature.tilted, at);
        std::copy(corners.begin(), corners.end(), node.corners + 4 * i);
    }
    node.threshold = source.threshold;
    set_tile_children(node, source, cascade, tree);
    return node;
}

template <class Node>
void set_lbp_feature(Node& node, const Cascade& cascade, const CascadeNode& source,
                     const TileLayout& layout) {
    const auto corners = grid_corners(cascade.lbp_features[source.feature], [&](int x, int y) {
        return static_cast<std::remove_reference_t<decltype(node.corners[0])>>(layout.offset(x, y) *
                                                                               element_bytes);
    });
    std::copy(corners.begin(), corners.end(), node.corners);
    std::copy(source.subset.begin(), source.subset.end(), node.subset);
}

LbpStump lbp_stump(const Cascade& cascade, const CascadeTree& tree, const TileLayout& layout) {
    const CascadeNode& source = cascade.nodes[tree.first_node];
    LbpStump stump{};
    set_lbp_feature(stump, cascade, source, layout);
    stump.left = cascade.leaves[tree.first_leaf - source.left];
    stump.right = cascade.leaves[tree.first_leaf - source.right];
    return stump;
}

LbpTileNode lbp_node(const Cascade& cascade, const CascadeTree& tree, int index, const TileLayout& layout) {
    const CascadeNode& source = cascade.nodes[tree.first_node + index];
    LbpTileNode node{};
    set_lbp_feature(node, cascade, source, layout);
    set_tile_children(node, source, cascade, tree);
    return node;
}

template <class Node>
void append(std::vector<std::byte>& bytes, const Node& node) {
    const std::size_t at = bytes.size();
    bytes.resize(at + sizeof(Node));
    std::memcpy(bytes.data() + at, &node, sizeof(Node));
}

// Every sum of leaves, in any order, is a multiple of the smallest bit set in any of them and at most the sum
// of their magnitudes; sums of differences of two leaves of a tree are at most twice that. A double holds 53
// bits between the two.
bool sums_are_exact(const Cascade& cascade, const CascadeStage& stage) {
    int lowest_bit = 1 << 20;
    double magnitude = 0;
    for (int t = 0; t < stage.tree_count; ++t) {
        const CascadeTree& tree = cascade.trees[stage.first_tree + t];
        double largest = 0;
        for (int i = 0; i <= tree.node_count; ++i) {
            const double leaf = cascade.leaves[tree.first_leaf + i];
            if (!std::isfinite(leaf)) return false;
            if (leaf == 0) continue;
            int exponent = 0;
            auto mantissa = static_cast<std::int64_t>(std::ldexp(std::frexp(leaf, &exponent), 24));
            exponent -= 24;
            while (mantissa % 2 == 0) {
                mantissa /= 2;
                ++exponent;
            }
            lowest_bit = std::min(lowest_bit, exponent);
            largest = std::max(largest, std::abs(leaf));
        }
        magnitude += largest;
    }
    return magnitude == 0 || magnitude < std::ldexp(1.0, lowest_bit + 52);
}

// A stage's stumps, sorted by kind, so that neighbours do the same.
void append_merged_stumps(const Cascade& cascade, const TileLayout& layout, TileStage& stage,
                          std::vector<std::byte>& bytes) {
    std::vector<MergedStump> stumps;
    for (int t = 0; t < stage.tree_count; ++t) {
        const CascadeTree& tree = cascade.trees[stage.first_tree + t];
        const CascadeNode& node = cascade.nodes[tree.first_node];
        const double left = cascade.leaves[tree.first_leaf - node.left];
        const double right = cascade.leaves[tree.first_leaf - node.right];
        MergedStump stump{};
        set_merged_feature(stump, cascade, node, layout);
        stump.left_more = left - right;
        stage.all_right += right;
        stumps.push_back(stump);
    }
    std::stable_sort(stumps.begin(), stumps.end(),
                     [](const MergedStump& a, const MergedStump& b) { return a.kind < b.kind; });
    const auto end_of = [&](MergedPattern::Kind kind) {
        return static_cast<std::int32_t>(std::count_if(
            stumps.begin(), stumps.end(), [kind](const MergedStump& s) { return s.kind <= kind; }));
    };
    stage.edges_end = end_of(MergedStump::edge);
    stage.lines_end = end_of(MergedStump::line);
    for (const MergedStump& stump : stumps) append(bytes, stump);
}

void append_merged_trees(const Cascade& cascade, const TileLayout& layout, TileStage& stage,
                         std::vector<std::byte>& bytes) {
    stage.first_node = 2 * stage.first_tree;
    stage.node_count = 2 * stage.tree_count;
    for (int t = 0; t < stage.tree_count; ++t) {
        const CascadeTree& tree = cascade.trees[stage.first_tree + t];
        append(bytes, merged_node(cascade, tree, 0, layout));
        append(bytes, merged_node(cascade, tree, tree.node_count - 1, layout));
    }
}

int round_up_to_odd(int n) {
    return n | 1;
}

bool needs_trees(TileTable table) {
    return table == TileTable::haar || table == TileTable::lbp;
}

bool fits(const Cascade& cascade, TileTable table) {
    switch (table) {
        case TileTable::merged_stumps:
            return cascade.stumps_only && can_merge_corners(cascade);
        case TileTable::merged_trees:
            return can_merge_corners(cascade);
        case TileTable::haar:
            return cascade.feature == Cascade::Feature::haar;
        case TileTable::lbp_stumps:
            return has_lbp_stumps(cascade);
        case TileTable::lbp:
            return cascade.feature == Cascade::Feature::lbp;
    }
    return false;
}

}  // namespace

TileLayout make_tile_layout(Size window, int step, int rows, bool tilted) {
    TileLayout layout;
    layout.step = step;
    layout.rows = rows;
    layout.pixel_width = (TileLayout::columns - 1) * step + window.width;
    layout.pixel_height = (rows - 1) * step + window.height;
    const int integral_columns = layout.pixel_width + 1;
    const int integral_rows = layout.pixel_height + 1;
    layout.pitch = round_up_to_odd(integral_columns);
    if (step == 2) {
        layout.column_plane = (integral_columns + 1) / 2;
        layout.row_plane = layout.pitch * ((integral_rows + 1) / 2);
    }
    layout.elements = layout.pitch * integral_rows;
    if (tilted) layout.tilted_offset = layout.elements;
    return layout;
}

bool has_short_offsets(TileTable table) {
    return !needs_trees(table);
}

bool can_merge_corners(const Cascade& cascade) {
    return !merged_patterns(cascade).empty() &&
           std::all_of(cascade.trees.begin(), cascade.trees.end(),
                       [](const CascadeTree& tree) { return tree.node_count <= 2; }) &&
           std::all_of(cascade.stages.begin(), cascade.stages.end(),
                       [&](const CascadeStage& stage) { return sums_are_exact(cascade, stage); });
}

bool has_lbp_stumps(const Cascade& cascade) {
    return cascade.feature == Cascade::Feature::lbp && cascade.stumps_only;
}

TileCascade pack_for_tiles(const Cascade& cascade, const TileLayout& layout, TileTable table) {
    if (!fits(cascade, table)) throw std::invalid_argument("a table of nodes that does not fit the cascade");
    if (cascade.has_tilted && layout.tilted_offset == 0) {
        throw std::invalid_argument("a tile without the tilted sums that the cascade needs");
    }
    if (has_short_offsets(table) && layout.total_elements() * element_bytes > 1 << 16) {
        throw std::invalid_argument("a tile is too large for offsets of 16 bits");
    }
    TileCascade packed;
    packed.table = table;
    for (const CascadeStage& stage : cascade.stages) {
        TileStage tile_stage;
        tile_stage.first_tree = stage.first_tree;
        tile_stage.tree_count = stage.tree_count;
        // A stage without trees passes or rejects all; the last one's first tree is none.
        if (stage.tree_count > 0) tile_stage.first_node = cascade.trees[stage.first_tree].first_node;
        for (int t = 0; t < stage.tree_count; ++t) {
            tile_stage.node_count += cascade.trees[stage.first_tree + t].node_count;
        }
        tile_stage.threshold = stage.threshold;
        tile_stage.any_order = static_cast<std::int32_t>(sums_are_exact(cascade, stage));
        if (table == TileTable::merged_stumps)
            append_merged_stumps(cascade, layout, tile_stage, packed.nodes);
        if (table == TileTable::merged_trees) append_merged_trees(cascade, layout, tile_stage, packed.nodes);
        packed.stages.push_back(tile_stage);
    }
    for (const CascadeTree& tree : cascade.trees) {
        if (needs_trees(table)) packed.trees.push_back({tree.first_node});
        for (int i = 0; i < tree.node_count; ++i) {
            if (table == TileTable::haar) append(packed.nodes, haar_node(cascade, tree, i, layout));
            if (table == TileTable::lbp_stumps) append(packed.nodes, lbp_stump(cascade, tree, layout));
            if (table == TileTable::lbp) append(packed.nodes, lbp_node(cascade, tree, i, layout));
        }
    }
    switch (table) {
        case TileTable::merged_stumps:
            packed.node_size = sizeof(MergedStump);
            break;
        case TileTable::merged_trees:
            packed.node_size = sizeof(MergedTreeNode);
            break;
        case TileTable::haar:
            packed.node_size = sizeof(HaarTileNode);
            break;
        case TileTable::lbp_stumps:
            packed.node_size = sizeof(LbpStump);
            break;
        case TileTable::lbp:
            packed.node_size = sizeof(LbpTileNode);
            break;
    }
    const Rect inner{1, 1, cascade.window.width - 2, cascade.window.height - 2};
    const auto at = [&](int x, int y) { return layout.offset(x, y) * element_bytes; };
    packed.normalisation_corners[0] = at(inner.x, inner.y);
    packed.normalisation_corners[1] = at(inner.x + inner.width, inner.y);
    packed.normalisation_corners[2] = at(inner.x, inner.y + inner.height);
    packed.normalisation_corners[3] = at(inner.x + inner.width, inner.y + inner.height);
    packed.normalisation_area = static_cast<double>(inner.width) * inner.height;
    return packed;
}

}  // namespace fovea
