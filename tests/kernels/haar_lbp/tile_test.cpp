// Tiles of the CUDA scan and cascades packed for them, evaluated on the CPU by the formulas of tile.hpp.

#include "kernels/haar_lbp/tile.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <tuple>

#include <catch2/catch.hpp>

#include "lib/detect/cascade_xml.hpp"
#include "tests/support/cascade_files.hpp"
#include "tests/support/images.hpp"
#include "tests/support/tile_scene.hpp"

using namespace fovea;
using test::merged_value;
using test::nodes_of;
using test::TileScene;

namespace {

// Windows at a tile's corners and inside it.
std::vector<std::pair<int, int>> some_windows(const TileLayout& layout) {
    std::set<std::pair<int, int>> windows;
    for (const int column : {0, 1, 30, TileLayout::columns - 1}) {
        for (const int row : {0, layout.rows / 2, layout.rows - 1}) windows.emplace(column, row);
    }
    return {windows.begin(), windows.end()};
}

// The leaf of the cascade's own tree; `goes_left(node)` decides.
template <class GoesLeft>
float leaf_of(const Cascade& cascade, const CascadeTree& tree, GoesLeft goes_left) {
    for (int index = 0;;) {
        const CascadeNode& node = cascade.nodes[tree.first_node + index];
        index = goes_left(node) ? node.left : node.right;
        if (index <= 0) return cascade.leaves[tree.first_leaf - index];
    }
}

// Counts of what was compared, so that a test that compares nothing fails.
struct Compared {
    std::map<int, int> kinds;
    int left = 0;
    int right = 0;
};

std::vector<GreyImage> images_for(const TileLayout& layout) {
    GreyImage white = test::noise(layout.pixel_width, layout.pixel_height, 3);
    std::fill(white.pixels.begin(), white.pixels.end(), std::uint8_t{255});
    return {test::noise(layout.pixel_width, layout.pixel_height, 1),
            test::smooth_noise(layout.pixel_width, layout.pixel_height, 3, 2), white};
}

// The reference of one window of one image: features by the cascade's rectangles.
class Window {
  public:
    Window(const Cascade& cascade, const TileScene& scene, int column, int row)
        : cascade_(cascade), scene_(scene), column_(column), row_(row) {
        const WindowContrast contrast = scene.contrast(cascade.window, column, row);
        inverse_ = contrast.valid ? contrast.inverse_deviation : 1e-3F;
    }
    float inverse() const { return inverse_; }
    float value(const CascadeNode& node) const {
        return scene_.value(cascade_.haar_features[node.feature], column_, row_);
    }
    bool goes_left(const CascadeNode& node) const {
        if (cascade_.feature == Cascade::Feature::haar) return value(node) * inverse_ < node.threshold;
        const int code = scene_.code(cascade_.lbp_features[node.feature], column_, row_);
        return (node.subset[code / 32] >> code % 32 & 1) != 0;
    }
    float leaf(const CascadeTree& tree) const {
        return leaf_of(cascade_, tree, [this](const CascadeNode& node) { return goes_left(node); });
    }
    int element(int byte_offset) const { return scene_.element(column_, row_, byte_offset); }
    std::int32_t value(const MergedFeature& feature) const {
        return merged_value(feature, scene_, column_, row_);
    }
    bool goes_left(const MergedFeature& feature) const {
        return static_cast<float>(value(feature)) * inverse_ < feature.threshold;
    }

  private:
    const Cascade& cascade_;
    const TileScene& scene_;
    int column_;
    int row_;
    float inverse_ = 0;
};

// Stumps are sorted by kind within a stage: compares them as sets, each with all that decides.
void compare_merged_stumps(const Cascade& cascade, const TileCascade& packed, const Window& window,
                           Compared& compared) {
    const auto stumps = nodes_of<MergedStump>(packed);
    REQUIRE(stumps.size() == cascade.nodes.size());
    using Decision = std::tuple<float, float, double>;
    for (const TileStage& stage : packed.stages) {
        std::vector<Decision> expected;
        std::vector<Decision> found;
        double expected_sum = 0, found_sum = stage.all_right;
        for (int t = 0; t < stage.tree_count; ++t) {
            const CascadeTree& tree = cascade.trees[stage.first_tree + t];
            const CascadeNode& node = cascade.nodes[tree.first_node];
            expected.emplace_back(window.value(node), node.threshold,
                                  double{cascade.leaves[tree.first_leaf - node.left]} -
                                      cascade.leaves[tree.first_leaf - node.right]);
            expected_sum += window.leaf(tree);
            const MergedStump& stump = stumps[stage.first_node + t];
            found.emplace_back(static_cast<float>(window.value(stump)), stump.threshold, stump.left_more);
            if (window.goes_left(stump)) found_sum += stump.left_more;
            const int kind = t < stage.edges_end   ? MergedStump::edge
                             : t < stage.lines_end ? MergedStump::line
                                                   : MergedStump::quad;
            REQUIRE(stump.kind == kind);
            ++compared.kinds[kind];
            ++(window.goes_left(stump) ? compared.left : compared.right);
        }
        std::sort(expected.begin(), expected.end());
        std::sort(found.begin(), found.end());
        REQUIRE(found == expected);
        REQUIRE(found_sum == expected_sum);
    }
}

void compare_merged_trees(const Cascade& cascade, const TileCascade& packed, const Window& window,
                          Compared& compared) {
    const auto nodes = nodes_of<MergedTreeNode>(packed);
    REQUIRE(nodes.size() == 2 * cascade.trees.size());
    for (const TileStage& stage : packed.stages) {
        REQUIRE(stage.node_count == 2 * stage.tree_count);
        for (int t = 0; t < stage.tree_count; ++t) {
            const CascadeTree& tree = cascade.trees[stage.first_tree + t];
            const MergedTreeNode& first = nodes[stage.first_node + 2 * t];
            const MergedTreeNode& second = nodes[stage.first_node + 2 * t + 1];
            REQUIRE(static_cast<float>(window.value(first)) == window.value(cascade.nodes[tree.first_node]));
            REQUIRE(static_cast<float>(window.value(second)) ==
                    window.value(cascade.nodes[tree.first_node + tree.node_count - 1]));
            const bool left = window.goes_left(first);
            const bool goes_on =
                (first.kind & (left ? MergedTreeNode::second_left : MergedTreeNode::second_right)) != 0;
            const MergedTreeNode& last = goes_on ? second : first;
            const float leaf = window.goes_left(last) ? last.left : last.right;
            REQUIRE(leaf == window.leaf(tree));
            ++compared.kinds[first.kind & 0xF];
            ++(left ? compared.left : compared.right);
        }
    }
}

// Tables with trees (HaarTileNode, LbpTileNode) and LbpStump.
template <class Node, class GoesLeft, class Leaf>
void compare_nodes(const Cascade& cascade, const TileCascade& packed, const Window& window,
                   GoesLeft goes_left, Leaf leaf, Compared& compared) {
    const auto nodes = nodes_of<Node>(packed);
    REQUIRE(nodes.size() == cascade.nodes.size());
    for (const TileStage& stage : packed.stages) {
        for (int t = 0; t < stage.tree_count; ++t) {
            const CascadeTree& tree = cascade.trees[stage.first_tree + t];
            REQUIRE(tree.first_node >= stage.first_node);
            REQUIRE(tree.first_node + tree.node_count <= stage.first_node + stage.node_count);
            for (int i = 0; i < tree.node_count; ++i) {
                const bool left = goes_left(nodes[tree.first_node + i]);
                REQUIRE(left == window.goes_left(cascade.nodes[tree.first_node + i]));
                ++(left ? compared.left : compared.right);
            }
            const std::size_t first =
                packed.trees.empty() ? tree.first_node : packed.trees[stage.first_tree + t].first_node;
            REQUIRE(leaf(nodes.data() + first) == window.leaf(tree));
        }
    }
}

void compare_haar(const Cascade& cascade, const TileCascade& packed, const Window& window,
                  Compared& compared) {
    const auto load = [&](int offset) { return window.element(offset); };
    const auto value = [&](const HaarTileNode& node) {
        return haar_value(node.corners, node.weights, node.weights[2] != 0, load);
    };
    const auto goes_left = [&](const HaarTileNode& n) { return value(n) * window.inverse() < n.threshold; };
    compare_nodes<HaarTileNode>(
        cascade, packed, window, goes_left,
        [&](const HaarTileNode* tree) { return tree_leaf(tree, goes_left); }, compared);
    const auto nodes = nodes_of<HaarTileNode>(packed);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        REQUIRE(value(nodes[i]) == window.value(cascade.nodes[i]));
    }
}

void compare_lbp(const Cascade& cascade, const TileCascade& packed, const Window& window,
                 Compared& compared) {
    const auto goes_left = [&](const auto& node) {
        const auto load = [&](int offset) { return window.element(offset); };
        return lbp_goes_left(node.subset, lbp_code(node.corners, load));
    };
    if (packed.table == TileTable::lbp_stumps) {
        compare_nodes<LbpStump>(
            cascade, packed, window, goes_left,
            [&](const LbpStump* stump) { return goes_left(*stump) ? stump->left : stump->right; }, compared);
    } else {
        compare_nodes<LbpTileNode>(
            cascade, packed, window, goes_left,
            [&](const LbpTileNode* tree) { return tree_leaf(tree, goes_left); }, compared);
    }
}

// \return false if no tile is small enough for the table.
bool compare(const Cascade& cascade, TileTable table, Compared& compared) {
    for (const int step : {1, 2}) {
        const auto layout = test::layout_for(cascade, step, table);
        if (!layout) return false;
        const TileCascade packed = pack_for_tiles(cascade, *layout, table);
        REQUIRE(packed.table == table);
        REQUIRE(packed.stages.size() == cascade.stages.size());
        REQUIRE(packed.nodes.size() % packed.node_size == 0);
        for (const GreyImage& image : images_for(*layout)) {
            const TileScene scene(*layout, image);
            for (const auto& [column, row] : some_windows(*layout)) {
                CAPTURE(step, column, row);
                const Window window(cascade, scene, column, row);
                if (table == TileTable::merged_stumps) {
                    compare_merged_stumps(cascade, packed, window, compared);
                } else if (table == TileTable::merged_trees) {
                    compare_merged_trees(cascade, packed, window, compared);
                } else if (table == TileTable::haar) {
                    compare_haar(cascade, packed, window, compared);
                } else {
                    compare_lbp(cascade, packed, window, compared);
                }
                const std::int32_t* c = packed.normalisation_corners;
                const auto squared = [&](int i) { return scene.squared_element(column, row, c[i]); };
                const WindowContrast found = window_contrast(
                    rect_sum(c, [&](int offset) { return window.element(offset); }),
                    squared(0) - squared(1) - squared(2) + squared(3), packed.normalisation_area);
                const WindowContrast expected = scene.contrast(cascade.window, column, row);
                REQUIRE(found.valid == expected.valid);
                REQUIRE(found.inverse_deviation == expected.inverse_deviation);
            }
        }
    }
    return true;
}

}  // namespace

TEST_CASE("tile: cascades packed for tiles decide as their own features do", "[tile]") {
    const auto files = test::debian_cascades();
    if (files.empty()) {
        WARN("not run: Debian's package opencv-data is not installed");
        return;
    }
    std::map<TileTable, int> cascades;
    std::map<int, int> kinds;
    for (const auto& file : files) {
        const Cascade cascade = read_cascade(file);
        std::vector<TileTable> tables;
        if (cascade.feature == Cascade::Feature::lbp) {
            tables = {TileTable::lbp};
            if (has_lbp_stumps(cascade)) tables.push_back(TileTable::lbp_stumps);
        } else {
            tables = {TileTable::haar};
            if (can_merge_corners(cascade)) {
                tables.push_back(TileTable::merged_trees);
                if (cascade.stumps_only) tables.push_back(TileTable::merged_stumps);
            }
        }
        for (const TileTable table : tables) {
            INFO(file.filename().string() << ", table " << static_cast<int>(table));
            Compared compared;
            REQUIRE(compare(cascade, table, compared));  // all of Debian's fit
            CHECK(compared.left > 0);
            CHECK(compared.right > 0);
            ++cascades[table];
            for (const auto& [kind, count] : compared.kinds) kinds[kind] += count;
        }
    }
    for (const TileTable table : {TileTable::merged_stumps, TileTable::merged_trees, TileTable::haar,
                                  TileTable::lbp_stumps, TileTable::lbp}) {
        CHECK(cascades[table] > 0);
    }
    CHECK(kinds.size() == 3);
}

TEST_CASE("tile: trees of LBP features decide as their own features do", "[tile]") {
    std::mt19937 random(5);
    Cascade cascade;
    cascade.feature = Cascade::Feature::lbp;
    cascade.window = {18, 21};
    cascade.stumps_only = false;
    // Three nodes: the root's children are the second and the third, or one child is a leaf.
    for (int t = 0; t < 40; ++t) {
        cascade.trees.push_back({3 * t, 3, 4 * t});
        const bool balanced = t % 2 == 0;
        const int children[3][2] = {{1, balanced ? 2 : 0}, {balanced ? 0 : -1, balanced ? -1 : 2}, {-2, -3}};
        for (const auto& child : children) {
            CascadeNode node{static_cast<int>(cascade.lbp_features.size()), child[0], child[1], 0, {}};
            for (std::uint32_t& word : node.subset) word = random();
            cascade.nodes.push_back(node);
            const int width = 1 + static_cast<int>(random() % 6);
            const int height = 1 + static_cast<int>(random() % 7);
            cascade.lbp_features.push_back({{static_cast<int>(random() % (19 - 3 * width)),
                                             static_cast<int>(random() % (22 - 3 * height)), width, height}});
        }
        for (int i = 0; i < 4; ++i) cascade.leaves.push_back(static_cast<float>(4 * t + i));
    }
    cascade.stages = {{0, 15, 0}, {15, 25, 0}};
    CHECK_FALSE(has_lbp_stumps(cascade));
    Compared compared;
    REQUIRE(compare(cascade, TileTable::lbp, compared));
    CHECK(compared.left > 0);
    CHECK(compared.right > 0);
    CHECK_THROWS_AS(
        pack_for_tiles(cascade, make_tile_layout(cascade.window, 1, 8, false), TileTable::lbp_stumps),
        std::invalid_argument);
}

TEST_CASE("tile: features of random rectangles and weights that can be merged are merged rightly", "[tile]") {
    std::mt19937 random(6);
    const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    const Size size{24, 20};
    std::map<int, int> kinds;
    int refused = 0;
    for (int i = 0; i < 3000; ++i) {
        HaarFeature feature;
        // Rectangles on a grid, so that many of them share corners.
        const int cell_width = 1 + below(6);
        const int cell_height = 1 + below(5);
        const auto rect = [&] {
            const int x = below(3);
            const int y = below(3);
            return Rect{x * cell_width, y * cell_height, (1 + below(4 - x)) * cell_width,
                        (1 + below(4 - y)) * cell_height};
        };
        for (Rect& r : feature.rects) r = rect();
        feature.weights = {-1, static_cast<float>(below(201) - 100), 0};
        if (i % 4 == 1) feature.weights = {-1, 2, 2};
        if (i % 4 == 2)
            feature.weights = {static_cast<float>(below(7) - 3), static_cast<float>(below(7) - 3),
                               static_cast<float>(below(5) - 2)};
        if (i % 8 == 5) {  // two halves
            feature.rects[1] = feature.rects[0];
            (i % 16 == 5 ? feature.rects[1].width : feature.rects[1].height) /= 2;
            feature.weights = {-1, 2, 0};
        }
        if (i % 4 == 3) {  // a chequerboard of either sign
            const float sign = i % 8 == 3 ? 1 : -1;
            feature.rects[0] = {0, 0, 2 * cell_width, 2 * cell_height};
            feature.rects[1] = {0, 0, cell_width, cell_height};
            feature.rects[2] = {cell_width, cell_height, cell_width, cell_height};
            feature.weights = {-sign, 2 * sign, 2 * sign};
        }
        Cascade cascade;
        cascade.window = size;
        cascade.haar_features = {feature};
        cascade.nodes = {{0, 0, -1, 0.25F, {}}};
        cascade.trees = {{0, 1, 0}};
        cascade.leaves = {-0.5F, 1};
        cascade.stages = {{0, 1, 0}};
        const TileLayout layout = make_tile_layout(size, 1 + i % 2, 2, false);
        if (!can_merge_corners(cascade)) {
            ++refused;
            CHECK_THROWS_AS(pack_for_tiles(cascade, layout, TileTable::merged_stumps), std::invalid_argument);
            continue;
        }
        const auto stumps = nodes_of<MergedStump>(pack_for_tiles(cascade, layout, TileTable::merged_stumps));
        const TileScene scene(layout, test::noise(layout.pixel_width, layout.pixel_height, 10 + i));
        for (const auto& [column, row] : some_windows(layout)) {
            CAPTURE(i, column, row, static_cast<int>(stumps[0].kind));
            REQUIRE(static_cast<float>(merged_value(stumps[0], scene, column, row)) ==
                    scene.value(feature, column, row));
        }
        ++kinds[stumps[0].kind];
    }
    CHECK(kinds[MergedStump::edge] > 50);
    CHECK(kinds[MergedStump::line] > 300);
    CHECK(kinds[MergedStump::quad] > 300);
    CHECK(refused > 300);
}
