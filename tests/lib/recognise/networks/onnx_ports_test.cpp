#include "lib/recognise/networks/onnx_ports.hpp"

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "tests/support/onnx_models.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Contains;
using Shape = std::vector<std::int64_t>;

TEST_CASE("a network in ONNX declares its inputs and outputs", "[recognise][onnx]") {
    OnnxGraph graph = pixel_network({3, 2}, 3, {{0, 1, 1}, {2, 0, 0}});
    graph.inputs[0].shape[0] = 0;
    graph.outputs.push_back({"more", {}, 7, false});
    graph.lists_weights_as_inputs = GENERATE(false, true);
    const OnnxPorts ports = parse_onnx_ports(onnx_bytes(graph), "net.onnx");
    REQUIRE(ports.inputs.size() == 1);
    CHECK(ports.inputs[0].name == "image");
    CHECK(ports.inputs[0].element_type == 1);
    CHECK(ports.inputs[0].has_shape);
    CHECK(ports.inputs[0].shape == Shape{0, 3, 2, 3});
    REQUIRE(ports.outputs.size() == 2);
    CHECK(ports.outputs[0].name == "vector");
    CHECK(ports.outputs[0].shape == Shape{1, 2});
    CHECK(ports.outputs[1].name == "more");
    CHECK(ports.outputs[1].element_type == 7);
    CHECK_FALSE(ports.outputs[1].has_shape);
    CHECK(shape_text(ports.inputs[0].shape) == "?x3x2x3");
    CHECK(shape_text({}).empty());
}

TEST_CASE("a torn network in ONNX is refused wherever it was cut", "[recognise][onnx]") {
    const std::string whole = onnx_bytes(pixel_network({3, 2}, 1, {{0, 1, 1}}));
    // The version of the operators stands behind the graph, in 4 bytes; those before are the graph's.
    const std::size_t end_of_graph = whole.size() - 4;
    for (std::size_t length = 0; length < whole.size(); ++length) {
        CAPTURE(length);
        if (length == end_of_graph) {
            CHECK(parse_onnx_ports(whole.substr(0, length), "net.onnx").inputs.size() == 1);
        } else {
            CHECK_THROWS_WITH(parse_onnx_ports(whole.substr(0, length), "net.onnx"),
                              Contains("net.onnx is no whole network in ONNX: "));
        }
    }
    const auto reason_of = [](const std::string& bytes) {
        try {
            parse_onnx_ports(bytes, "net.onnx");
        } catch (const Error& error) {
            return std::string(error.what());
        }
        return std::string("no error");
    };
    CHECK_THAT(reason_of("\x3a\x05\x0a"), Contains("byte 0: a field wants 5 bytes, and 1 are left"));
    CHECK_THAT(reason_of("\x08\x07\x3b"), Contains("byte 2: there is no field of type 3"));
    CHECK_THAT(reason_of(std::string("\x08") + std::string(11, '\xff')),
               Contains("byte 1: a number has more than 64 bits"));
    CHECK_THAT(reason_of("\x08\xff"), Contains("byte 1: a number is cut off"));
    CHECK_THAT(reason_of("\x08\x07"), Contains("it has no layers"));
    CHECK_THAT(reason_of("<html>"), Contains("is no whole network in ONNX"));
}

TEST_CASE("a network in ONNX whose weights lie in other files is refused", "[recognise][onnx]") {
    OnnxGraph graph = pixel_network({3, 2}, 1, {{0, 1, 1}});
    graph.weights[0].lie_outside = true;
    CHECK_THROWS_WITH(parse_onnx_ports(onnx_bytes(graph), "net.onnx"),
                      "net.onnx keeps its weights in other files: export it as a single file");
}
