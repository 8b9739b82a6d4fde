#include "lib/detect/cascade_xml_writer.hpp"

#include <array>
#include <charconv>
#include <stdexcept>
#include <string_view>

#include <spdlog/fmt/fmt.h>

namespace fovea {
namespace {

template <class Number>
std::string shortest(Number value) {
    std::array<char, 64> text{};
    const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value);
    std::string result(text.data(), error == std::errc{} ? end : text.data());
    // A number without a point is an integer in OpenCV's files.
    if (result.find_first_of(".en") == std::string::npos) result += '.';
    return result;
}

/// OpenCV reads a double and makes a float of it: that must be this one.
std::string real(float value) {
    std::string text = shortest(value);
    double read = 0;
    std::from_chars(text.data(), text.data() + text.size(), read);
    return static_cast<float>(read) == value ? text : shortest(static_cast<double>(value));
}

void check(const Cascade& cascade) {
    if (cascade.stages.empty()) throw std::invalid_argument("a cascade without a stage cannot be written");
}

std::string rect_text(const Rect& rect) {
    return fmt::format("{} {} {} {}", rect.x, rect.y, rect.width, rect.height);
}

std::string rects_of(const HaarFeature& feature, std::string_view indent) {
    std::string text;
    for (std::size_t r = 0; r < feature.rects.size(); ++r) {
        if (r == 2 && feature.weights[r] == 0) continue;
        text += fmt::format("{}<_>\n{}  {} {}</_>\n", indent, indent, rect_text(feature.rects[r]),
                            real(feature.weights[r]));
    }
    return text;
}

std::string node_text(const Cascade& cascade, const CascadeNode& node) {
    std::string text = fmt::format("{} {} {}", node.left, node.right, node.feature);
    if (cascade.feature == Cascade::Feature::haar) return text + " " + real(node.threshold);
    for (const std::uint32_t word : node.subset) text += fmt::format(" {}", static_cast<std::int32_t>(word));
    return text;
}

std::string tree_text(const Cascade& cascade, const CascadeTree& tree) {
    std::string nodes, leaves;
    for (int n = 0; n < tree.node_count; ++n) {
        if (n > 0) nodes += "\n            ";
        nodes += node_text(cascade, cascade.nodes[static_cast<std::size_t>(tree.first_node + n)]);
    }
    for (int l = 0; l <= tree.node_count; ++l) {
        if (l > 0) leaves += ' ';
        leaves += real(cascade.leaves[static_cast<std::size_t>(tree.first_leaf + l)]);
    }
    return fmt::format(
        "        <_>\n          <internalNodes>\n            {}</internalNodes>\n          <leafValues>\n"
        "            {}</leafValues></_>\n",
        nodes, leaves);
}

std::string stages_text(const Cascade& cascade) {
    std::string text;
    for (std::size_t s = 0; s < cascade.stages.size(); ++s) {
        const CascadeStage& stage = cascade.stages[s];
        text += fmt::format(
            "    <!-- stage {} -->\n    <_>\n      <maxWeakCount>{}</maxWeakCount>\n"
            "      <stageThreshold>{}</stageThreshold>\n      <weakClassifiers>\n",
            s, stage.tree_count, real(stage.threshold));
        for (int t = 0; t < stage.tree_count; ++t)
            text += tree_text(cascade, cascade.trees[static_cast<std::size_t>(stage.first_tree + t)]);
        text += "      </weakClassifiers></_>\n";
    }
    return text;
}

std::string features_text(const Cascade& cascade) {
    std::string text;
    for (const HaarFeature& feature : cascade.haar_features) {
        text += fmt::format("    <_>\n      <rects>\n{}      </rects>\n      <tilted>{}</tilted></_>\n",
                            rects_of(feature, "        "), feature.tilted ? 1 : 0);
    }
    for (const LbpFeature& feature : cascade.lbp_features)
        text += fmt::format("    <_>\n      <rect>\n        {}</rect></_>\n", rect_text(feature.cell));
    return text;
}

/// A node of the older format: its children are nodes or values.
std::string old_node(const Cascade& cascade, const CascadeTree& tree, int number) {
    const CascadeNode& node = cascade.nodes[static_cast<std::size_t>(tree.first_node + number)];
    const HaarFeature& feature = cascade.haar_features[static_cast<std::size_t>(node.feature)];
    const auto child = [&](const char* side, int to) {
        if (to > 0) return fmt::format("            <{}_node>{}</{}_node>", side, to, side);
        return fmt::format("            <{}_val>{}</{}_val>", side,
                           real(cascade.leaves[static_cast<std::size_t>(tree.first_leaf - to)]), side);
    };
    return fmt::format(
        "          <_>\n            <feature>\n              <rects>\n{}              </rects>\n"
        "              <tilted>{}</tilted></feature>\n            <threshold>{}</threshold>\n{}\n{}</_>\n",
        rects_of(feature, "                "), feature.tilted ? 1 : 0, real(node.threshold),
        child("left", node.left), child("right", node.right));
}

}  // namespace

std::string cascade_xml(const Cascade& cascade, const CascadeXmlInfo& info) {
    check(cascade);
    const bool is_haar = cascade.feature == Cascade::Feature::haar;
    std::string text = "<?xml version=\"1.0\"?>\n<opencv_storage>\n<cascade>\n";
    text += fmt::format(
        "  <stageType>BOOST</stageType>\n  <featureType>{}</featureType>\n"
        "  <height>{}</height>\n  <width>{}</width>\n",
        is_haar ? "HAAR" : "LBP", cascade.window.height, cascade.window.width);
    text += fmt::format(
        "  <stageParams>\n    <boostType>{}</boostType>\n    <minHitRate>{}</minHitRate>\n"
        "    <maxFalseAlarm>{}</maxFalseAlarm>\n    <weightTrimRate>{}</weightTrimRate>\n"
        "    <maxDepth>{}</maxDepth>\n    <maxWeakCount>{}</maxWeakCount></stageParams>\n",
        info.boost_type, shortest(info.min_hit_rate), shortest(info.max_false_alarm),
        shortest(info.weight_trim_rate), info.max_depth, info.max_weak_count);
    text += fmt::format(
        "  <featureParams>\n    <maxCatCount>{}</maxCatCount>\n    <featSize>1</featSize>{}"
        "</featureParams>\n",
        is_haar ? 0 : 256, is_haar ? "\n    <mode>" + info.haar_mode + "</mode>" : "");
    text += fmt::format(
        "  <stageNum>{}</stageNum>\n  <stages>\n{}  </stages>\n  <features>\n{}  </features>"
        "</cascade>\n</opencv_storage>\n",
        cascade.stages.size(), stages_text(cascade), features_text(cascade));
    return text;
}

std::string old_cascade_xml(const Cascade& cascade, const std::string& name) {
    check(cascade);
    if (cascade.feature != Cascade::Feature::haar)
        throw std::invalid_argument("the older format has no LBP cascades");
    // Readers know the newer format by this name.
    if (name.empty() || name == "cascade")
        throw std::invalid_argument("a cascade in the older format cannot be named '" + name + "'");
    std::string text = fmt::format(
        "<?xml version=\"1.0\"?>\n<opencv_storage>\n"
        "<{} type_id=\"opencv-haar-classifier\">\n  <size>{} {}</size>\n"
        "  <stages>\n",
        name, cascade.window.width, cascade.window.height);
    for (std::size_t s = 0; s < cascade.stages.size(); ++s) {
        const CascadeStage& stage = cascade.stages[s];
        text += fmt::format("    <!-- stage {} -->\n    <_>\n      <trees>\n", s);
        for (int t = 0; t < stage.tree_count; ++t) {
            const CascadeTree& tree = cascade.trees[static_cast<std::size_t>(stage.first_tree + t)];
            text += "        <_>\n";
            for (int n = 0; n < tree.node_count; ++n) text += old_node(cascade, tree, n);
            text += "        </_>\n";
        }
        text += fmt::format(
            "      </trees>\n      <stage_threshold>{}</stage_threshold>\n"
            "      <parent>{}</parent>\n      <next>-1</next></_>\n",
            real(stage.threshold), static_cast<int>(s) - 1);
    }
    return text + fmt::format("  </stages></{}>\n</opencv_storage>\n", name);
}

}  // namespace fovea
