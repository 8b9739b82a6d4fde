#include "lib/detect/cascade_xml_writer.hpp"

#include <bit>
#include <cstdint>

#include <catch2/catch.hpp>

#include "lib/detect/cascade_detector.hpp"
#include "lib/detect/cascade_xml.hpp"
#include "lib/detect/opencv_reference.hpp"
#include "lib/files/find_model.hpp"
#include "lib/image/read_grey.hpp"
#include "tests/support/cascade_files.hpp"
#include "tests/support/images.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

Cascade parsed(const std::string& xml) {
    return parse_cascade({xml.data(), xml.size()}, "written.xml");
}

std::uint32_t bits(float value) {
    return std::bit_cast<std::uint32_t>(value);
}

bool same(const HaarFeature& a, const HaarFeature& b) {
    for (std::size_t r = 0; r < 3; ++r) {
        if (bits(a.weights[r]) != bits(b.weights[r])) return false;
        if (a.weights[r] != 0 && a.rects[r] != b.rects[r]) return false;
    }
    return a.tilted == b.tilted;
}

/// The differences of two cascades; empty if `read` is what reading `written` must give. Features may be
/// numbered otherwise.
std::string difference(const Cascade& written, const Cascade& read) {
    if (written.feature != read.feature || written.window != read.window) return "kind or window";
    if (written.has_tilted != read.has_tilted || written.stumps_only != read.stumps_only) return "flags";
    if (written.stages.size() != read.stages.size() || written.trees.size() != read.trees.size() ||
        written.nodes.size() != read.nodes.size() || written.leaves.size() != read.leaves.size())
        return "counts";
    for (std::size_t i = 0; i < read.stages.size(); ++i) {
        const CascadeStage &a = written.stages[i], &b = read.stages[i];
        if (a.first_tree != b.first_tree || a.tree_count != b.tree_count) return "trees of stages";
        if (bits(a.threshold - 1e-5F) != bits(b.threshold)) return "threshold of stage " + std::to_string(i);
    }
    for (std::size_t i = 0; i < read.trees.size(); ++i) {
        const CascadeTree &a = written.trees[i], &b = read.trees[i];
        if (a.first_node != b.first_node || a.node_count != b.node_count || a.first_leaf != b.first_leaf)
            return "tree " + std::to_string(i);
    }
    for (std::size_t i = 0; i < read.nodes.size(); ++i) {
        const CascadeNode &a = written.nodes[i], &b = read.nodes[i];
        const auto of_a = static_cast<std::size_t>(a.feature), of_b = static_cast<std::size_t>(b.feature);
        const bool same_feature = written.feature == Cascade::Feature::haar
                                      ? same(written.haar_features[of_a], read.haar_features[of_b])
                                      : written.lbp_features[of_a].cell == read.lbp_features[of_b].cell;
        if (a.left != b.left || a.right != b.right || bits(a.threshold) != bits(b.threshold) ||
            a.subset != b.subset || !same_feature)
            return "node " + std::to_string(i);
    }
    for (std::size_t i = 0; i < read.leaves.size(); ++i) {
        if (bits(written.leaves[i]) != bits(read.leaves[i])) return "leaf " + std::to_string(i);
    }
    return {};
}

// 7.038531e-26 is another float if it is read as a double first.
constexpr float odd_numbers[] = {
    7.038531e-26F, 1e-30F, 0.1F,        -0.0F,           0,    3,         -7, 1e10F, 16777216,
    -1e-45F,       1e38F,  0.33333334F, 1.17549435e-38F, 1e5F, 123456.79F};

/// Two stages of numbers that are hard to write: stumps, or trees of three nodes.
Cascade odd_cascade(Cascade::Feature kind, bool stumps) {
    Cascade cascade;
    cascade.feature = kind;
    cascade.window = {12, 9};
    cascade.has_tilted = kind == Cascade::Feature::haar;
    cascade.stumps_only = stumps;
    if (kind == Cascade::Feature::haar) {
        cascade.haar_features = {{{Rect{0, 0, 6, 4}, Rect{3, 0, 3, 4}, Rect{}}, {-1, 2, 0}, false},
                                 {{Rect{2, 1, 4, 4}, Rect{2, 1, 2, 2}, Rect{4, 3, 2, 2}}, {-1, 2, 2}, false},
                                 {{Rect{5, 0, 4, 2}, Rect{5, 0, 2, 2}, Rect{}}, {-1, 2, 0}, true},
                                 {{Rect{0, 0, 9, 9}, Rect{3, 3, 3, 3}, Rect{}}, {-0.1F, 0.9F, 0}, false}};
    } else {
        cascade.lbp_features = {{{0, 0, 4, 3}}, {{1, 2, 2, 2}}, {{9, 6, 1, 1}}, {{0, 0, 1, 3}}};
    }
    const int nodes = stumps ? 1 : 3;
    std::size_t number = 0;
    const auto next = [&] { return odd_numbers[number++ % std::size(odd_numbers)]; };
    for (int stage = 0; stage < 2; ++stage) {
        cascade.stages.push_back({stage * 4, 4, stage == 0 ? 0.1F : -2.5F});
        for (int tree = 0; tree < 4; ++tree) {
            cascade.trees.push_back(
                {static_cast<int>(cascade.nodes.size()), nodes, static_cast<int>(cascade.leaves.size())});
            for (int n = 0; n < nodes; ++n) {
                CascadeNode node;
                node.feature = (tree + n) % 4;
                node.left = stumps ? 0 : n == 0 ? 1 : -2 * (n - 1);
                node.right = stumps ? -1 : n == 0 ? 2 : -2 * (n - 1) - 1;
                if (kind == Cascade::Feature::haar)
                    node.threshold = next();
                else
                    for (std::size_t w = 0; w < 8; ++w)
                        node.subset[w] = 0x80000000U + static_cast<std::uint32_t>(w * 77 + number++);
                cascade.nodes.push_back(node);
            }
            for (int leaf = 0; leaf <= nodes; ++leaf) cascade.leaves.push_back(next());
        }
    }
    return cascade;
}

/// The detections of a file are the same in OpenCV and in the program. \return them
std::vector<Detection> detections_of(const std::string& xml, const GreyImage& image) {
    const TempDir folder;
    const auto path = folder.write("written.xml", xml);
    OpenCvReference opencv(path);
    const CascadeDetector detector(read_cascade(path));
    DetectorOptions options;
    options.scale_factor = 1.2;
    options.min_neighbors = 1;
    const auto grouped = detector.detect(image.view(), options)[0];
    CHECK(compare_detections(grouped, opencv.grouped(image.view(), options), ComparedValues::box_and_score)
              .empty());
    options.raw = true;
    std::vector<Detection> raw = detector.detect(image.view(), options)[0];
    CHECK(
        compare_detections(raw, opencv.raw_windows(image.view(), options), ComparedValues::box_and_stage_sum)
            .empty());
    return raw;
}

GreyImage picture() {
    const std::vector<std::string> photographs = debian_photographs();
    return photographs.empty() ? smooth_noise(320, 240, 4, 1) : read_grey_image(photographs.front());
}

}  // namespace

TEST_CASE("a written cascade is read with the same bits", "[cascade_xml]") {
    for (const bool stumps : {true, false}) {
        const Cascade haar = odd_cascade(Cascade::Feature::haar, stumps);
        CHECK(difference(haar, parsed(cascade_xml(haar, {}))).empty());
        CHECK(difference(haar, parsed(old_cascade_xml(haar, "mine"))).empty());
        const Cascade lbp = odd_cascade(Cascade::Feature::lbp, stumps);
        CHECK(difference(lbp, parsed(cascade_xml(lbp, {}))).empty());
    }
}

TEST_CASE("every cascade of opencv-data survives being written", "[cascade_xml][opencv]") {
    for (const auto& path : debian_cascades()) {
        INFO(path.string());
        const Cascade cascade = read_cascade(path);
        CHECK(difference(cascade, parsed(cascade_xml(cascade, {}))).empty());
        if (cascade.feature == Cascade::Feature::haar)
            CHECK(difference(cascade, parsed(old_cascade_xml(cascade, "mine"))).empty());
    }
}

TEST_CASE("OpenCV finds the same with a written cascade, in both formats", "[cascade_xml][opencv]") {
    const GreyImage image = picture();
    // Stumps, trees, tilted features and LBP features. All stages would let too few windows pass.
    for (const char* name : {"haarcascade_frontalface_default", "haarcascade_frontalface_alt2",
                             "haarcascade_frontalcatface_extended", "lbpcascade_frontalface"}) {
        INFO(name);
        Cascade cascade = read_cascade(find_model(name));
        cascade.stages.resize(8);
        const std::vector<Detection> found = detections_of(cascade_xml(cascade, {}), image);
        CHECK(found.size() > 20);
        if (cascade.feature == Cascade::Feature::lbp) continue;
        CHECK(compare_detections(found, detections_of(old_cascade_xml(cascade, "mine"), image),
                                 ComparedValues::box_and_stage_sum)
                  .empty());
    }
}

TEST_CASE("OpenCV reads numbers that are hard to write as they are", "[cascade_xml][opencv]") {
    // All windows pass the stages, and the sums are compared in every bit.
    const GreyImage image = smooth_noise(60, 40, 1, 3);
    for (const Cascade::Feature kind : {Cascade::Feature::haar, Cascade::Feature::lbp}) {
        for (const bool stumps : {true, false}) {
            Cascade cascade = odd_cascade(kind, stumps);
            for (CascadeStage& stage : cascade.stages) stage.threshold = -1e30F;
            CHECK(detections_of(cascade_xml(cascade, {}), image).size() > 500);
            if (kind == Cascade::Feature::haar)
                CHECK(detections_of(old_cascade_xml(cascade, "odd"), image).size() > 500);
        }
    }
}

TEST_CASE("a cascade's file names the parameters of its training", "[cascade_xml]") {
    CascadeXmlInfo info;
    info.boost_type = "RAB";
    info.min_hit_rate = 0.99;
    info.max_false_alarm = 1e-3;
    info.weight_trim_rate = 1;
    info.max_depth = 3;
    info.max_weak_count = 77;
    info.haar_mode = "CORE";
    const std::string haar = cascade_xml(odd_cascade(Cascade::Feature::haar, true), info);
    for (const char* part :
         {"<boostType>RAB<", "<minHitRate>0.99<", "<maxFalseAlarm>0.001<", "<weightTrimRate>1.<",
          "<maxDepth>3<", "<maxWeakCount>77<", "<mode>CORE<", "<stageNum>2<", "<featureType>HAAR<",
          "<height>9<", "<width>12<", "<maxCatCount>0<"})
        CHECK_THAT(haar, Contains(part));
    const std::string lbp = cascade_xml(odd_cascade(Cascade::Feature::lbp, true), info);
    CHECK_THAT(lbp, Contains("<maxCatCount>256<") && Contains("<featureType>LBP<") && !Contains("<mode>"));
}

TEST_CASE("what no format has is not written", "[cascade_xml]") {
    const Cascade lbp = odd_cascade(Cascade::Feature::lbp, true);
    CHECK_THROWS_WITH(old_cascade_xml(lbp, "mine"), Contains("no LBP cascades"));
    CHECK_THROWS_AS(old_cascade_xml(odd_cascade(Cascade::Feature::haar, true), "cascade"),
                    std::invalid_argument);
    CHECK_THROWS_AS(old_cascade_xml(odd_cascade(Cascade::Feature::haar, true), ""), std::invalid_argument);
    Cascade empty = odd_cascade(Cascade::Feature::haar, true);
    empty.stages.clear();
    CHECK_THROWS_AS(cascade_xml(empty, {}), std::invalid_argument);
    CHECK_THROWS_AS(old_cascade_xml(empty, "mine"), std::invalid_argument);
}
