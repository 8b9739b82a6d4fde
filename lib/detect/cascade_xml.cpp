#include "lib/detect/cascade_xml.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>

#include <pugixml.hpp>

#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/files/model_file.hpp"

namespace fovea {
namespace {

// Generous for any real cascade; they bound what a hostile file can make the scan do.
constexpr int max_window = 1024;
constexpr int max_nodes_per_tree = 64;

/// The place of something in the file, for messages: "haar.xml: stage 3, tree 5".
class Place {
  public:
    explicit Place(std::string text) : text_(std::move(text)) {}

    Place at(const char* what, std::size_t index) const {
        return Place(text_ + (text_.find(": ") == std::string::npos ? ": " : ", ") + what + ' ' +
                     std::to_string(index));
    }
    [[noreturn]] void fail(const std::string& problem) const {
        throw Error("cannot read the cascade " + text_ + ": " + problem);
    }

  private:
    std::string text_;
};

std::string in_quotes(std::string_view text) {
    return "'" + excerpt(text, 40) + "'";
}

/// Reads the whitespace-separated numbers of an element one by one.
class Numbers {
  public:
    Numbers(const char* text, const Place& place) : text_(text), place_(place) { skip_space(); }

    bool done() const { return text_.empty(); }

    /// Correctly rounded to double, as strtod in OpenCV's reader, but the same in every locale.
    double real(const char* what) {
        if (text_.starts_with('+')) text_.remove_prefix(1);
        double value = 0;
        const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
        if (error != std::errc{} || !std::isfinite(value)) {
            place_.fail(std::string("expected ") + what + ", found " +
                        (done() ? "nothing" : in_quotes(text_)));
        }
        advance(end, what);
        return value;
    }

    int integer(const char* what) {
        int value = 0;
        const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
        if (error != std::errc{}) {
            place_.fail(std::string("expected ") + what + ", found " +
                        (done() ? "nothing" : in_quotes(text_)));
        }
        advance(end, what);
        return value;
    }

    float single(const char* what) {
        const double value = real(what);
        if (std::abs(value) > std::numeric_limits<float>::max()) {
            place_.fail(std::string("expected ") + what + " that fits a float, found " +
                        shortest_number(value));
        }
        return static_cast<float>(value);
    }

    void expect_end(const char* after) const {
        if (!done())
            place_.fail(std::string("expected nothing after ") + after + ", found " + in_quotes(text_));
    }

  private:
    void skip_space() {
        while (!text_.empty() && std::strchr(" \t\r\n", text_.front()) != nullptr) text_.remove_prefix(1);
    }
    void advance(const char* end, const char* what) {
        const std::string_view whole = text_;
        text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
        if (!text_.empty() && std::strchr(" \t\r\n", text_.front()) == nullptr) {
            place_.fail(std::string("expected ") + what + ", found " + in_quotes(whole));
        }
        skip_space();
    }

    std::string_view text_;
    const Place& place_;
};

float read_single(pugi::xml_node parent, const char* name, const Place& place) {
    const pugi::xml_node node = parent.child(name);
    if (!node) place.fail(std::string("<") + name + "> is missing");
    Numbers numbers(node.child_value(), place);
    const float value = numbers.single(name);
    numbers.expect_end(name);
    return value;
}

int read_integer(pugi::xml_node parent, const char* name, const Place& place) {
    const pugi::xml_node node = parent.child(name);
    if (!node) place.fail(std::string("<") + name + "> is missing");
    Numbers numbers(node.child_value(), place);
    const int value = numbers.integer(name);
    numbers.expect_end(name);
    return value;
}

// OpenCV lowers every stage's threshold by this much when it reads it.
float stage_threshold(float value) {
    return value - 1e-5F;
}

/// Collects the cascade and checks each part as it comes.
class Builder {
  public:
    Builder(Cascade::Feature feature, Size window, const Place& place) {
        if (window.width < 3 || window.height < 3 || window.width > max_window ||
            window.height > max_window) {
            place.fail("the window is " + std::to_string(window.width) + "x" + std::to_string(window.height) +
                       " pixels; expected 3 to " + std::to_string(max_window) + " in both directions");
        }
        cascade_.feature = feature;
        cascade_.window = window;
    }

    void begin_stage(float threshold) {
        cascade_.stages.push_back({static_cast<int>(cascade_.trees.size()), 0, threshold});
    }

    void add_tree(const std::vector<CascadeNode>& nodes, const std::vector<float>& leaves,
                  const Place& place) {
        const int count = static_cast<int>(nodes.size());
        if (count == 0) place.fail("the tree has no node");
        if (count > max_nodes_per_tree) {
            place.fail("the tree has " + std::to_string(count) + " nodes; at most " +
                       std::to_string(max_nodes_per_tree) + " are read");
        }
        if (static_cast<int>(leaves.size()) != count + 1) {
            place.fail("a tree of " + std::to_string(count) + " nodes needs " + std::to_string(count + 1) +
                       " leaves, found " + std::to_string(leaves.size()));
        }
        for (int i = 0; i < count; ++i) {
            for (const int child : {nodes[i].left, nodes[i].right}) {
                // Later children only: every walk through the tree then ends.
                if (child > 0 ? child <= i || child >= count : child < -count) {
                    place.fail("node " + std::to_string(i) + " leads to " + std::to_string(child) +
                               ", which is neither a later node nor a leaf of the tree");
                }
            }
        }
        cascade_.trees.push_back(
            {static_cast<int>(cascade_.nodes.size()), count, static_cast<int>(cascade_.leaves.size())});
        cascade_.nodes.insert(cascade_.nodes.end(), nodes.begin(), nodes.end());
        cascade_.leaves.insert(cascade_.leaves.end(), leaves.begin(), leaves.end());
        cascade_.stumps_only = cascade_.stumps_only && count == 1;
        ++cascade_.stages.back().tree_count;
    }

    int add_haar_feature(const HaarFeature& feature, const Place& place) {
        for (int i = 0; i < 3; ++i) {
            // A third rectangle of no weight is never looked at.
            if (i < 2 || feature.weights[i] != 0.0F) check_rect(feature.rects[i], feature.tilted, place);
        }
        cascade_.has_tilted = cascade_.has_tilted || feature.tilted;
        cascade_.haar_features.push_back(feature);
        return static_cast<int>(cascade_.haar_features.size()) - 1;
    }

    void add_lbp_feature(const LbpFeature& feature, const Place& place) {
        const Rect& cell = feature.cell;
        if (cell.x < 0 || cell.y < 0 || cell.width <= 0 || cell.height <= 0 ||
            cell.width > (cascade_.window.width - cell.x) / 3 ||
            cell.height > (cascade_.window.height - cell.y) / 3) {
            place.fail("three by three cells of " + text(cell) + " do not fit the window");
        }
        cascade_.lbp_features.push_back(feature);
    }

    Cascade finish(const Place& place) {
        if (cascade_.stages.empty()) place.fail("it has no stage");
        const std::size_t features = cascade_.feature == Cascade::Feature::haar
                                         ? cascade_.haar_features.size()
                                         : cascade_.lbp_features.size();
        for (std::size_t i = 0; i < cascade_.nodes.size(); ++i) {
            const int feature = cascade_.nodes[i].feature;
            if (feature < 0 || static_cast<std::size_t>(feature) >= features) {
                place.at("node", i).fail("it uses feature " + std::to_string(feature) + ", but there are " +
                                         std::to_string(features) + " features, counted from 0");
            }
        }
        if (cascade_.stumps_only) {
            // OpenCV takes a stump's leaves in their order, whatever its node says.
            for (CascadeNode& node : cascade_.nodes) {
                node.left = 0;
                node.right = -1;
            }
        }
        return std::move(cascade_);
    }

  private:
    static std::string text(const Rect& r) {
        return std::to_string(r.x) + " " + std::to_string(r.y) + " " + std::to_string(r.width) + " " +
               std::to_string(r.height);
    }

    void check_rect(const Rect& r, bool tilted, const Place& place) const {
        const int width = cascade_.window.width;
        const int height = cascade_.window.height;
        // In 64 bits: the numbers are whatever the file says.
        const std::int64_t x = r.x;
        const std::int64_t y = r.y;
        bool inside = x >= 0 && y >= 0 && r.width > 0 && r.height > 0;
        if (tilted) {
            // (x, y) is the top corner; the rectangle goes down to the left and to the right.
            inside = inside && x - r.height >= 0 && x + r.width <= width && y + r.width + r.height <= height;
        } else {
            inside = inside && x + r.width <= width && y + r.height <= height;
        }
        if (!inside) {
            place.fail(std::string("the ") + (tilted ? "tilted " : "") + "rectangle " + text(r) +
                       " is empty or reaches beyond the window of " + std::to_string(width) + "x" +
                       std::to_string(height));
        }
    }

    Cascade cascade_;
};

HaarFeature read_haar_feature(pugi::xml_node node, const Place& place) {
    HaarFeature feature;
    int count = 0;
    for (const pugi::xml_node rect : node.child("rects").children("_")) {
        if (count == 3) place.fail("it has more than three rectangles");
        Numbers numbers(rect.child_value(), place);
        Rect& r = feature.rects[count];
        r.x = numbers.integer("a rectangle's x");
        r.y = numbers.integer("a rectangle's y");
        r.width = numbers.integer("a rectangle's width");
        r.height = numbers.integer("a rectangle's height");
        feature.weights[count] = numbers.single("a rectangle's weight");
        numbers.expect_end("a rectangle's weight");
        ++count;
    }
    if (count < 2) place.fail("it has " + std::to_string(count) + " rectangles; expected two or three");
    if (node.child("tilted")) feature.tilted = read_integer(node, "tilted", place) != 0;
    return feature;
}

LbpFeature read_lbp_feature(pugi::xml_node node, const Place& place) {
    const pugi::xml_node rect = node.child("rect");
    if (!rect) place.fail("<rect> is missing");
    Numbers numbers(rect.child_value(), place);
    LbpFeature feature;
    feature.cell.x = numbers.integer("the cell's x");
    feature.cell.y = numbers.integer("the cell's y");
    feature.cell.width = numbers.integer("the cell's width");
    feature.cell.height = numbers.integer("the cell's height");
    numbers.expect_end("the cell's height");
    return feature;
}

Cascade read_trained(pugi::xml_node root, const Place& place) {
    const std::string stage_type = root.child_value("stageType");
    if (stage_type != "BOOST")
        place.fail("the stage type is " + in_quotes(stage_type) + "; only BOOST is read");
    const std::string feature_type = root.child_value("featureType");
    if (feature_type != "HAAR" && feature_type != "LBP") {
        place.fail("the feature type is " + in_quotes(feature_type) + "; HAAR and LBP are read");
    }
    const bool haar = feature_type == "HAAR";
    Builder builder(haar ? Cascade::Feature::haar : Cascade::Feature::lbp,
                    {read_integer(root, "width", place), read_integer(root, "height", place)}, place);
    const int categories = read_integer(root.child("featureParams"), "maxCatCount", place);
    if (categories != (haar ? 0 : 256)) {
        place.fail("<maxCatCount> is " + std::to_string(categories) + "; " + feature_type +
                   " cascades have " + (haar ? "0" : "256"));
    }

    std::size_t index = 0;
    for (const pugi::xml_node node : root.child("features").children("_")) {
        const Place here = place.at("feature", index++);
        if (haar) {
            builder.add_haar_feature(read_haar_feature(node, here), here);
        } else {
            builder.add_lbp_feature(read_lbp_feature(node, here), here);
        }
    }

    std::size_t stage_index = 0;
    for (const pugi::xml_node stage : root.child("stages").children("_")) {
        const Place stage_place = place.at("stage", stage_index++);
        builder.begin_stage(stage_threshold(read_single(stage, "stageThreshold", stage_place)));
        std::size_t tree_index = 0;
        for (const pugi::xml_node tree : stage.child("weakClassifiers").children("_")) {
            const Place tree_place = stage_place.at("tree", tree_index++);
            std::vector<CascadeNode> nodes;
            Numbers internal(tree.child_value("internalNodes"), tree_place);
            while (!internal.done()) {
                CascadeNode node;
                node.left = internal.integer("a node's left child");
                node.right = internal.integer("a node's right child");
                node.feature = internal.integer("a node's feature");
                if (haar) {
                    node.threshold = internal.single("a node's threshold");
                } else {
                    for (auto& word : node.subset) {
                        word = static_cast<std::uint32_t>(internal.integer("a word of a node's subset"));
                    }
                }
                nodes.push_back(node);
            }
            std::vector<float> leaves;
            Numbers values(tree.child_value("leafValues"), tree_place);
            while (!values.done()) leaves.push_back(values.single("a leaf value"));
            builder.add_tree(nodes, leaves, tree_place);
        }
    }
    return builder.finish(place);
}

Cascade read_old_haar(pugi::xml_node root, const Place& place) {
    const pugi::xml_node size = root.child("size");
    if (!size) place.fail("<size> is missing");
    Numbers numbers(size.child_value(), place);
    const int width = numbers.integer("the window's width");
    const int height = numbers.integer("the window's height");
    Builder builder(Cascade::Feature::haar, {width, height}, place);
    std::size_t stage_index = 0;
    for (const pugi::xml_node stage : root.child("stages").children("_")) {
        const Place stage_place = place.at("stage", stage_index++);
        builder.begin_stage(stage_threshold(read_single(stage, "stage_threshold", stage_place)));
        std::size_t tree_index = 0;
        for (const pugi::xml_node tree : stage.child("trees").children("_")) {
            const Place tree_place = stage_place.at("tree", tree_index++);
            std::vector<CascadeNode> nodes;
            std::vector<float> leaves;
            for (const pugi::xml_node source : tree.children("_")) {
                const Place node_place = tree_place.at("node", nodes.size());
                CascadeNode node;
                node.feature = builder.add_haar_feature(
                    read_haar_feature(source.child("feature"), node_place), node_place);
                node.threshold = read_single(source, "threshold", node_place);
                // Leaves are numbered as they come, the left one of a node first.
                const auto child = [&](const char* value, const char* index) {
                    if (!source.child(value)) return read_integer(source, index, node_place);
                    leaves.push_back(read_single(source, value, node_place));
                    return -(static_cast<int>(leaves.size()) - 1);
                };
                node.left = child("left_val", "left_node");
                node.right = child("right_val", "right_node");
                nodes.push_back(node);
            }
            builder.add_tree(nodes, leaves, tree_place);
        }
    }
    return builder.finish(place);
}

}  // namespace

Cascade parse_cascade(std::span<const char> xml, const std::string& name) {
    const Place place(name);
    pugi::xml_document document;
    const pugi::xml_parse_result result = document.load_buffer(xml.data(), xml.size());
    if (!result) {
        const int line = line_at({xml.data(), xml.size()}, static_cast<std::size_t>(result.offset));
        place.fail("it is not well-formed XML: " + std::string(result.description()) + " in line " +
                   std::to_string(line));
    }
    const pugi::xml_node storage = document.child("opencv_storage");
    if (!storage) place.fail("it is no OpenCV storage: <opencv_storage> is missing");
    for (const pugi::xml_node root : storage.children()) {
        if (root.type() != pugi::node_element) continue;
        const std::string_view type = root.attribute("type_id").value();
        if (type == "opencv-cascade-classifier" || std::string_view(root.name()) == "cascade") {
            return read_trained(root, place);
        }
        if (type == "opencv-haar-classifier") return read_old_haar(root, place);
    }
    place.fail("it holds neither an opencv-cascade-classifier nor an opencv-haar-classifier");
}

Cascade read_cascade(const std::filesystem::path& path) {
    return parse_cascade(read_model_file(path, "cascade"), path.string());
}

}  // namespace fovea
