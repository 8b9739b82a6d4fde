// The layout of a tile, and which cascades may be merged, summed in any order or packed at all.

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <tuple>

#include <catch2/catch.hpp>

#include "kernels/haar_lbp/tile.hpp"
#include "lib/detect/cascade_xml.hpp"
#include "tests/support/cascade_files.hpp"
#include "tests/support/images.hpp"
#include "tests/support/tile_scene.hpp"

using namespace fovea;

namespace {

constexpr HaarFeature halves{{{{0, 0, 8, 6}, {0, 0, 4, 6}, {}}}, {-1, 2, 0}, false};

// A cascade of one stage whose stumps all have the feature.
Cascade stumps_of(const HaarFeature& feature, const std::vector<std::pair<float, float>>& leaves,
                  Size window = {20, 20}) {
    Cascade cascade;
    cascade.window = window;
    cascade.has_tilted = feature.tilted;
    cascade.haar_features = {feature};
    for (const auto& [left, right] : leaves) {
        const int index = static_cast<int>(cascade.trees.size());
        cascade.trees.push_back({index, 1, 2 * index});
        cascade.nodes.push_back({0, 0, -1, 0.1F, {}});
        cascade.leaves.push_back(left);
        cascade.leaves.push_back(right);
    }
    cascade.stages = {{0, static_cast<int>(leaves.size()), 0}};
    return cascade;
}

// One tree of so many nodes, each the left child of the one before.
Cascade chain_of(int nodes) {
    Cascade cascade;
    cascade.window = {20, 20};
    cascade.stumps_only = nodes == 1;
    cascade.haar_features = {halves};
    for (int i = 0; i < nodes; ++i) {
        cascade.nodes.push_back({0, i + 1 < nodes ? i + 1 : -nodes, -i, 0, {}});
    }
    cascade.trees = {{0, nodes, 0}};
    cascade.leaves.assign(nodes + 1, 0.5F);
    cascade.stages = {{0, 1, 0}};
    return cascade;
}

std::vector<bool> any_order_of(const Cascade& cascade) {
    std::vector<bool> flags;
    const TileLayout layout = make_tile_layout(cascade.window, 1, 8, cascade.has_tilted);
    for (const TileStage& stage : pack_for_tiles(cascade, layout, TileTable::haar).stages) {
        flags.push_back(stage.any_order != 0);
    }
    return flags;
}

bool any_order(const std::vector<std::pair<float, float>>& leaves) {
    const Cascade cascade = stumps_of(halves, leaves);
    const bool found = any_order_of(cascade).at(0);
    CHECK(can_merge_corners(cascade) == found);  // nothing else hinders it
    return found;
}

}  // namespace

TEST_CASE("tile: every pixel corner has its own element", "[tile]") {
    for (const Size window :
         {Size{3, 3}, Size{20, 20}, Size{24, 24}, Size{14, 28}, Size{64, 16}, Size{45, 45}}) {
        for (const int step : {1, 2}) {
            for (const int rows : {1, 2, 7, 32, 128}) {
                const TileLayout layout = make_tile_layout(window, step, rows, false);
                CAPTURE(window.width, window.height, step, rows);
                REQUIRE(layout.step == step);
                REQUIRE(layout.rows == rows);
                REQUIRE(layout.pixel_width == 63 * step + window.width);
                REQUIRE(layout.pixel_height == (rows - 1) * step + window.height);
                REQUIRE(layout.pitch % 2 == 1);
                std::vector<char> taken(layout.elements);
                int wrong = 0;
                for (int y = 0; y <= layout.pixel_height; ++y) {
                    for (int x = 0; x <= layout.pixel_width; ++x) {
                        const int at = layout.offset(x, y);
                        if (at < 0 || at >= layout.elements || taken[at]++ != 0) ++wrong;
                        // The same place in the next window, and in the one below.
                        if (x + step <= layout.pixel_width && layout.offset(x + step, y) != at + 1) ++wrong;
                        if (y + step <= layout.pixel_height &&
                            layout.offset(x, y + step) != at + layout.pitch) {
                            ++wrong;
                        }
                    }
                }
                REQUIRE(wrong == 0);
                // At most one element of a row is not used.
                const auto unused = std::count(taken.begin(), taken.end(), 0);
                REQUIRE(unused <= layout.pixel_height + 1);
                REQUIRE(layout.total_elements() == layout.elements);
                const TileLayout tilted = make_tile_layout(window, step, rows, true);
                REQUIRE(tilted.elements == layout.elements);
                REQUIRE(tilted.tilted_offset == layout.elements);
                REQUIRE(tilted.total_elements() == 2 * layout.elements);
            }
        }
    }
}

TEST_CASE("tile: which of Debian's cascades have mergeable corners", "[tile]") {
    const auto files = test::debian_cascades();
    if (files.empty()) {
        WARN("not run: Debian's package opencv-data is not installed");
        return;
    }
    int merged = 0;
    for (const auto& file : files) {
        const Cascade cascade = read_cascade(file);
        CAPTURE(file.filename().string());
        const bool large_trees = std::any_of(cascade.trees.begin(), cascade.trees.end(),
                                             [](const CascadeTree& tree) { return tree.node_count > 2; });
        const bool haar = cascade.feature == Cascade::Feature::haar;
        CHECK(can_merge_corners(cascade) == (haar && !cascade.has_tilted && !large_trees));
        CHECK(has_lbp_stumps(cascade) == !haar);
        merged += can_merge_corners(cascade) ? 1 : 0;
    }
    CHECK(merged >= 7);
}

TEST_CASE("tile: what hinders merging corners", "[tile]") {
    const auto with = [](auto change) {
        HaarFeature feature = halves;
        change(feature);
        return can_merge_corners(stumps_of(feature, {{-0.5F, 1}}));
    };
    CHECK(with([](HaarFeature&) {}));
    CHECK_FALSE(with([](HaarFeature& f) { f.weights[1] = 2.5F; }));
    CHECK_FALSE(with([](HaarFeature& f) { f.weights[0] = -1.0000001F; }));
    CHECK(with([](HaarFeature& f) { f.weights[1] = 100; }));
    CHECK_FALSE(with([](HaarFeature& f) { f.weights[1] = 128; }));  // MergedFeature::weight has eight bits
    CHECK_FALSE(with([](HaarFeature& f) { f.weights[1] = std::numeric_limits<float>::infinity(); }));
    CHECK_FALSE(with([](HaarFeature& f) {
        f.tilted = true;
        f.rects[0] = f.rects[1] = {8, 0, 4, 4};
    }));
    CHECK_FALSE(with([](HaarFeature& f) {  // three rectangles without a pattern
        f.rects[2] = {9, 9, 3, 3};
        f.weights[2] = 1;
    }));
    CHECK(can_merge_corners(chain_of(1)));
    CHECK(can_merge_corners(chain_of(2)));
    CHECK_FALSE(can_merge_corners(chain_of(3)));
    CHECK_FALSE(can_merge_corners(stumps_of(halves, {{1e9F, 0}, {1e-9F, 0}})));
}

TEST_CASE("tile: a feature is merged as long as its value stays below 2^24", "[tile]") {
    // 255 · 40 · 40 · (1 + w) is 16,728,000 for w = 40 and 17,136,000 for w = 41; 2^24 is 16,777,216.
    HaarFeature feature{{{{0, 0, 40, 40}, {0, 0, 40, 40}, {}}}, {-1, 40, 0}, false};
    const Cascade largest = stumps_of(feature, {{-0.5F, 1}}, {40, 40});
    REQUIRE(can_merge_corners(largest));
    feature.weights[1] = 41;
    CHECK_FALSE(can_merge_corners(stumps_of(feature, {{-0.5F, 1}}, {40, 40})));
    feature.weights[1] = -41;
    CHECK_FALSE(can_merge_corners(stumps_of(feature, {{-0.5F, 1}}, {40, 40})));

    const TileLayout layout = make_tile_layout({40, 40}, 1, 1, false);
    const auto stumps =
        test::nodes_of<MergedStump>(pack_for_tiles(largest, layout, TileTable::merged_stumps));
    GreyImage white = test::noise(layout.pixel_width, layout.pixel_height, 1);
    std::fill(white.pixels.begin(), white.pixels.end(), std::uint8_t{255});
    const test::TileScene scene(layout, white);
    CHECK(test::merged_value(stumps[0], scene, 5, 0) == 39 * 255 * 1600);
    CHECK(scene.value(largest.haar_features[0], 5, 0) == 39.F * 255 * 1600);
}

TEST_CASE("tile: leaves whose sums are exact may be added in any order", "[tile]") {
    CHECK(any_order({{0.5F, -0.25F}, {4, -1024}, {0.0009765625F, 0}}));
    CHECK(any_order({{0, 0}, {0, 0}}));
    CHECK_FALSE(any_order({{1e9F, -1e9F}, {1e-9F, -1e-9F}}));
    // Two orders of these differ, so that the answer matters.
    CHECK((1e9 + double{1e-9F}) - 1e9 != (1e9 - 1e9) + double{1e-9F});
    // 52 bits between the smallest bit and the sum of the largest magnitudes, no more: a difference of leaves
    // takes the 53rd.
    CHECK(any_order({{0x1p51F, 0}, {1, 0}}));
    CHECK_FALSE(any_order({{0x1p51F, 0}, {0, -0x1p51F}, {1, 0}}));
    CHECK_FALSE(any_order({{0x1p52F, 0}, {1, 0}}));
    CHECK(any_order({{0x1p52F, 0}, {2, 0}}));
    CHECK(any_order({{3e-45F, 1e-45F}}));  // subnormal
    CHECK_FALSE(any_order({{std::numeric_limits<float>::infinity(), 0}}));
    CHECK_FALSE(any_order({{std::numeric_limits<float>::quiet_NaN(), 0}}));

    // Each stage has its own answer.
    Cascade cascade = stumps_of(halves, {{1e9F, -1e9F}, {1e-9F, -1e-9F}, {0.5F, 1}});
    cascade.stages = {{0, 2, 0}, {2, 1, 0}};
    CHECK(any_order_of(cascade) == std::vector<bool>{false, true});
    CHECK_FALSE(can_merge_corners(cascade));
}

TEST_CASE("tile: sums of a cascade's leaves are the same in every order where that is said", "[tile]") {
    const auto files = test::debian_cascades();
    if (files.empty()) {
        WARN("not run: Debian's package opencv-data is not installed");
        return;
    }
    std::mt19937 random(4);
    int stages = 0;
    for (const auto& file : files) {
        const Cascade cascade = read_cascade(file);
        if (cascade.feature != Cascade::Feature::haar) continue;
        const std::vector<bool> flags = any_order_of(cascade);
        for (std::size_t s = 0; s < flags.size(); ++s) {
            if (!flags[s]) continue;
            ++stages;
            for (int pick = 0; pick < 3; ++pick) {
                std::vector<double> leaves;
                for (int t = 0; t < cascade.stages[s].tree_count; ++t) {
                    const CascadeTree& tree = cascade.trees[cascade.stages[s].first_tree + t];
                    leaves.push_back(
                        cascade.leaves[tree.first_leaf + static_cast<int>(random() % (tree.node_count + 1))]);
                }
                const double sum = std::accumulate(leaves.begin(), leaves.end(), 0.0);
                std::shuffle(leaves.begin(), leaves.end(), random);
                CAPTURE(file.filename().string(), s);
                REQUIRE(std::accumulate(leaves.begin(), leaves.end(), 0.0) == sum);
            }
        }
    }
    CHECK(stages > 100);
}

TEST_CASE("tile: tables of short offsets are refused for tiles of more than 2^14 elements", "[tile]") {
    const Cascade haar = stumps_of(halves, {{-0.5F, 1}});
    Cascade lbp = haar;
    lbp.feature = Cascade::Feature::lbp;
    lbp.lbp_features = {{{1, 2, 3, 4}}};
    TileLayout layout = make_tile_layout({20, 20}, 1, 8, false);
    for (const auto& [cascade, table, is_short] : {std::tuple{&haar, TileTable::merged_stumps, true},
                                                   {&haar, TileTable::merged_trees, true},
                                                   {&haar, TileTable::haar, false},
                                                   {&lbp, TileTable::lbp_stumps, true},
                                                   {&lbp, TileTable::lbp, false}}) {
        CAPTURE(static_cast<int>(table));
        CHECK(has_short_offsets(table) == is_short);
        layout.elements = 1 << 14;
        CHECK_NOTHROW(pack_for_tiles(*cascade, layout, table));
        layout.elements = (1 << 14) + 1;
        if (is_short) {
            CHECK_THROWS_AS(pack_for_tiles(*cascade, layout, table), std::invalid_argument);
        } else {
            CHECK_NOTHROW(pack_for_tiles(*cascade, layout, table));
        }
    }
    // The tilted sums count.
    layout.elements = layout.tilted_offset = (1 << 13) + 1;
    CHECK_THROWS_AS(pack_for_tiles(haar, layout, TileTable::merged_stumps), std::invalid_argument);
}

TEST_CASE("tile: a table that does not fit the cascade is refused", "[tile]") {
    const TileLayout layout = make_tile_layout({20, 20}, 1, 8, false);
    const auto refused = [&](const Cascade& cascade, TileTable table) {
        CAPTURE(static_cast<int>(table));
        CHECK_THROWS_AS(pack_for_tiles(cascade, layout, table), std::invalid_argument);
    };
    refused(chain_of(2), TileTable::merged_stumps);
    refused(chain_of(3), TileTable::merged_trees);
    refused(stumps_of(halves, {{1e9F, 0}, {1e-9F, 0}}), TileTable::merged_stumps);
    refused(chain_of(1), TileTable::lbp_stumps);
    refused(chain_of(1), TileTable::lbp);
    Cascade lbp = chain_of(1);
    lbp.feature = Cascade::Feature::lbp;
    lbp.lbp_features = {{{1, 2, 3, 4}}};
    refused(lbp, TileTable::haar);
    refused(lbp, TileTable::merged_stumps);
    // Tilted features need a tile with tilted sums.
    HaarFeature tilted = halves;
    tilted.tilted = true;
    tilted.rects[0] = tilted.rects[1] = {8, 0, 4, 4};
    refused(stumps_of(tilted, {{-0.5F, 1}}), TileTable::haar);
}
