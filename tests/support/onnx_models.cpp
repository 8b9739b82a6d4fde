#include "tests/support/onnx_models.hpp"

#include <cstring>

namespace fovea::test {
namespace {

// The fields of Protocol Buffers: a number, or bytes.
std::string varint(std::uint64_t value) {
    std::string text;
    for (; value >= 128; value >>= 7) text += static_cast<char>((value & 127) | 128);
    return text + static_cast<char>(value);
}
std::string number(unsigned field, std::int64_t value) {
    return varint(field << 3) + varint(static_cast<std::uint64_t>(value));
}
std::string bytes(unsigned field, const std::string& content) {
    return varint(field << 3 | 2) + varint(content.size()) + content;
}

std::string value_of(const OnnxValue& value) {
    std::string shape;
    for (const std::int64_t length : value.shape)
        shape += bytes(1, length == 0 ? bytes(2, "open") : number(1, length));
    std::string type = number(1, value.element_type);
    if (value.has_shape) type += bytes(2, shape);
    return bytes(1, value.name) + bytes(2, bytes(1, type));
}

std::string tensor_of(const OnnxWeights& weights) {
    std::string raw(weights.values.size() * sizeof(float), '\0');
    if (!raw.empty()) std::memcpy(raw.data(), weights.values.data(), raw.size());
    std::string text;
    for (const std::int64_t length : weights.shape) text += number(1, length);
    text += number(2, 1) + bytes(8, weights.name);
    if (weights.lie_outside)
        return text + bytes(13, bytes(1, "location") + bytes(2, "weights.bin")) + number(14, 1);
    return text + bytes(9, raw);
}

std::string node_of(const OnnxNode& node) {
    constexpr int one_number = 2, list_of_numbers = 7;
    std::string text;
    for (const std::string& name : node.inputs) text += bytes(1, name);
    for (const std::string& name : node.outputs) text += bytes(2, name);
    text += bytes(4, node.type);
    for (const auto& [name, values] : node.lists) {
        std::string attribute = bytes(1, name);
        for (const std::int64_t value : values) attribute += number(8, value);
        text += bytes(5, attribute + number(20, list_of_numbers));
    }
    for (const auto& [name, value] : node.numbers)
        text += bytes(5, bytes(1, name) + number(3, value) + number(20, one_number));
    return text;
}

}  // namespace

std::string onnx_bytes(const OnnxGraph& graph) {
    std::string text;
    for (const OnnxNode& node : graph.nodes) text += bytes(1, node_of(node));
    text += bytes(2, "graph");
    for (const OnnxWeights& weights : graph.weights) text += bytes(5, tensor_of(weights));
    for (const OnnxValue& value : graph.inputs) text += bytes(11, value_of(value));
    if (graph.lists_weights_as_inputs) {
        for (const OnnxWeights& weights : graph.weights)
            text += bytes(11, value_of({weights.name, weights.shape}));
    }
    for (const OnnxValue& value : graph.outputs) text += bytes(12, value_of(value));
    constexpr int format_version = 7, operators_version = 11;
    return number(1, format_version) + bytes(7, text) + bytes(8, number(2, operators_version));
}

OnnxGraph pixel_network(Size image, int channels, const std::vector<OnnxPixel>& pixels) {
    const auto length = static_cast<std::int64_t>(pixels.size());
    const std::size_t width = static_cast<std::size_t>(image.width);
    const std::size_t plane = width * static_cast<std::size_t>(image.height);
    OnnxWeights weights{"weights", {length, channels, image.height, image.width}, {}};
    for (const OnnxPixel& pixel : pixels) {
        std::vector<float> kernel(plane * static_cast<std::size_t>(channels));
        kernel[static_cast<std::size_t>(pixel.channel) * plane + static_cast<std::size_t>(pixel.y) * width +
               static_cast<std::size_t>(pixel.x)] = 1;
        weights.values.insert(weights.values.end(), kernel.begin(), kernel.end());
    }
    return {
        .inputs = {{"image", {1, channels, image.height, image.width}}},
        .outputs = {{"vector", {1, length}}},
        .nodes = {{"Conv", {"image", "weights"}, {"maps"}, {{"kernel_shape", {image.height, image.width}}}},
                  {"Flatten", {"maps"}, {"vector"}, {}, {{"axis", 1}}}},
        .weights = {weights}};
}

}  // namespace fovea::test
