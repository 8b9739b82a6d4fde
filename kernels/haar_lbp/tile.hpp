#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/core/view.hpp"
#include "kernels/haar_lbp/cascade.hpp"
#include "kernels/haar_lbp/merged_pattern.hpp"

namespace fovea {

/// A tile of windows that one thread block evaluates, and how the tile's integral image lies in memory.
///
/// Windows `step` pixels apart are neighbours in memory: for step 2, even and odd columns, and even and odd
/// rows, lie in planes of their own, so that one offset leads to the same place in every window. The pitch is
/// odd, so that the windows of a column fall into different shared-memory banks: window (column i, row j)
/// begins in bank (i + j · pitch) mod 32.
struct TileLayout {
    static constexpr int columns = 64;  ///< windows in a row

    int step = 1;
    int rows = 0;         ///< rows of windows
    int pixel_width = 0;  ///< pixels under a full tile
    int pixel_height = 0;
    int pitch = 0;          ///< elements from one row of windows to the next
    int column_plane = 0;   ///< elements from even to odd columns
    int row_plane = 0;      ///< elements from even to odd rows
    int elements = 0;       ///< of one integral image
    int tilted_offset = 0;  ///< elements from the sums to the tilted sums; 0 if there are none

    FOVEA_HOST_DEVICE int offset(int x, int y) const {
        return step == 1 ? y * pitch + x
                         : (y >> 1) * pitch + (y & 1) * row_plane + (x >> 1) + (x & 1) * column_plane;
    }
    /// Elements of all integral images.
    FOVEA_HOST_DEVICE int total_elements() const { return tilted_offset > 0 ? 2 * elements : elements; }
};

/// Lays out a tile. \param step 1 or 2. \param rows of windows, 1...128.
TileLayout make_tile_layout(Size window, int step, int rows, bool tilted);

/// A feature with a MergedPattern, and the threshold of its node.
/// Offsets count bytes from the window's first element.
struct MergedFeature {
    using Kind = MergedPattern::Kind;
    static constexpr Kind edge = MergedPattern::edge;
    static constexpr Kind line = MergedPattern::line;
    static constexpr Kind quad = MergedPattern::quad;

    std::uint16_t corners[8];
    float threshold;            ///< a window goes left if value · inverse deviation < threshold
    std::uint16_t last_corner;  ///< c8
    std::uint8_t kind;
    std::int8_t weight;
};

/// A tree of one node. Sums are exact in any order, so a stage's sum begins with all right leaves.
struct alignas(16) MergedStump : MergedFeature {
    double left_more;  ///< the left leaf minus the right one
};
static_assert(sizeof(MergedStump) == 32);

/// A node of a tree of two nodes. The `kind` of the first also says on which side the second is, and a tree
/// of one node has the node twice.
struct alignas(16) MergedTreeNode : MergedFeature {
    static constexpr std::uint8_t second_left = 0x10;   ///< added to kind
    static constexpr std::uint8_t second_right = 0x20;  ///< added to kind

    float left;  ///< leaf; not used where the second node is
    float right;
};
static_assert(sizeof(MergedTreeNode) == 32);

/// A node of any Haar tree. Offsets count bytes.
struct alignas(16) HaarTileNode {
    std::int32_t corners[12];  ///< three rectangles: c0 - c1 - c2 + c3
    float weights[3];          ///< the third is 0 if there are two rectangles
    float threshold;
    float left_leaf;
    float right_leaf;
    std::int16_t left;  ///< > 0: the tree's node; else `left_leaf`
    std::int16_t right;
};
static_assert(sizeof(HaarTileNode) == 80);

/// A stump of a multi-block LBP feature. Offsets count bytes.
struct alignas(16) LbpStump {
    std::uint16_t corners[16];  ///< 4×4 grid points, row by row
    std::uint32_t subset[8];    ///< codes that go left
    float left;
    float right;
    std::int32_t padding[2];
};
static_assert(sizeof(LbpStump) == 80);

/// A node of any LBP tree.
struct alignas(16) LbpTileNode {
    std::int32_t corners[16];
    std::uint32_t subset[8];
    float left_leaf;
    float right_leaf;
    std::int16_t left;
    std::int16_t right;
    std::int32_t padding;
};
static_assert(sizeof(LbpTileNode) == 112);

/// The kind of nodes that a cascade is packed into.
enum class TileTable {
    merged_stumps,  ///< MergedStump, one a tree
    merged_trees,   ///< MergedTreeNode, two a tree
    haar,           ///< HaarTileNode
    lbp_stumps,     ///< LbpStump
    lbp,            ///< LbpTileNode
};

/// True for tables whose offsets have 16 bits: a tile's integral images must hold at most 2^14 elements.
bool has_short_offsets(TileTable table);

struct TileTree {
    std::int32_t first_node = 0;
};

struct TileStage {
    std::int32_t first_tree = 0;
    std::int32_t tree_count = 0;
    std::int32_t first_node = 0;
    std::int32_t node_count = 0;
    float threshold = 0;
    /// 1 if leaves may be added in any order: they are multiples of one power of two, so few and so small
    /// that every sum is exact in double.
    std::int32_t any_order = 0;
    /// Merged stumps of a stage are sorted by kind: edges end before edges_end, lines before lines_end.
    std::int32_t edges_end = 0;
    std::int32_t lines_end = 0;
    /// Merged stumps: the sum of the right leaves.
    double all_right = 0;
};

/// A cascade packed for the tiles of one layout.
struct TileCascade {
    TileTable table = TileTable::haar;
    std::vector<TileStage> stages;
    std::vector<TileTree> trees;   ///< only for TileTable::haar and lbp
    std::vector<std::byte> nodes;  ///< of the table's type
    std::size_t node_size = 0;
    std::int32_t normalisation_corners[4] = {};  ///< as in PackedCascade, but in bytes
    double normalisation_area = 0;
};

/// True if no tree has more than two nodes, every feature has a MergedPattern, and the leaves of all stages
/// may be added in any order.
bool can_merge_corners(const Cascade& cascade);

/// True if every tree is a stump of an LBP feature.
bool has_lbp_stumps(const Cascade& cascade);

/// Packs a cascade. \param table must fit the cascade, and the layout if it has_short_offsets.
/// \throws std::invalid_argument if it does not fit, or a tree has more than 32,767 nodes.
TileCascade pack_for_tiles(const Cascade& cascade, const TileLayout& layout, TileTable table);

}  // namespace fovea
