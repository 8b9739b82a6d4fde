#include "lib/detect/cascade_xml_writer.hpp"

#include <stdexcept>

#include <catch2/catch.hpp>

#include "lib/detect/cascade_xml.hpp"

using namespace fovea;

namespace {

Cascade parsed(const std::string& xml) {
    return parse_cascade({xml.data(), xml.size()}, "test.xml");
}

/// Two stages: a stump, and a tree of two nodes.
Cascade small_haar() {
    Cascade cascade;
    cascade.window = {12, 10};
    cascade.stumps_only = false;
    cascade.has_tilted = true;
    cascade.haar_features = {{{Rect{1, 2, 6, 4}, Rect{4, 2, 3, 4}, Rect{}}, {-1, 2, 0}, false},
                             {{Rect{5, 0, 2, 2}, Rect{5, 0, 1, 2}, Rect{}}, {-1, 2, 0}, true}};
    cascade.nodes.resize(3);
    cascade.nodes[0] = {0, 0, -1, 0.1F, {}};
    cascade.nodes[1] = {1, 1, 0, -1e-30F, {}};
    cascade.nodes[2] = {0, -1, -2, 3, {}};
    cascade.leaves = {-0.123456789F, 1, 1.0F / 3, -2e20F, -0.0F};
    cascade.trees = {{0, 1, 0}, {1, 2, 2}};
    cascade.stages = {{0, 1, -1.2345678F}, {1, 1, 0.25F}};
    return cascade;
}

void check_same(const Cascade& read, const Cascade& written) {
    CHECK(read.window.width == written.window.width);
    CHECK(read.window.height == written.window.height);
    CHECK(read.leaves == written.leaves);
    REQUIRE(read.nodes.size() == written.nodes.size());
    for (std::size_t i = 0; i < read.nodes.size(); ++i) {
        CHECK(read.nodes[i].threshold == written.nodes[i].threshold);
        CHECK(read.nodes[i].left == written.nodes[i].left);
        CHECK(read.nodes[i].right == written.nodes[i].right);
        CHECK(read.nodes[i].subset == written.nodes[i].subset);
    }
    REQUIRE(read.stages.size() == written.stages.size());
    for (std::size_t i = 0; i < read.stages.size(); ++i)
        CHECK(read.stages[i].threshold == written.stages[i].threshold - 1e-5F);
}

}  // namespace

TEST_CASE("A written Haar cascade is read with the same floats, in both formats", "[cascade-writer]") {
    const Cascade cascade = small_haar();
    const Cascade read = parsed(cascade_xml(cascade, {}));
    check_same(read, cascade);
    REQUIRE(read.haar_features.size() == 2);
    CHECK(read.haar_features[1].tilted);
    CHECK(read.haar_features[0].rects[1].x == 4);
    const Cascade old = parsed(old_cascade_xml(cascade, "cars"));
    check_same(old, cascade);
    CHECK(old.haar_features[static_cast<std::size_t>(old.nodes[1].feature)].tilted);
}

TEST_CASE("A written LBP cascade is read with the same subsets", "[cascade-writer]") {
    Cascade cascade;
    cascade.feature = Cascade::Feature::lbp;
    cascade.window = {9, 9};
    cascade.lbp_features = {{Rect{0, 1, 3, 2}}};
    cascade.nodes.resize(1);
    cascade.nodes[0] = {0, 0, -1, 0, {0xFFFFFFFF, 0x80000000, 1, 0, 2, 3, 4, 0x7FFFFFFF}};
    cascade.leaves = {-0.7F, 0.7F};
    cascade.trees = {{0, 1, 0}};
    cascade.stages = {{0, 1, 0.5F}};
    check_same(parsed(cascade_xml(cascade, {})), cascade);
    CHECK_THROWS_AS(old_cascade_xml(cascade, "x"), std::invalid_argument);
    cascade.stages.clear();
    CHECK_THROWS_AS(cascade_xml(cascade, {}), std::invalid_argument);
}
