#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "kernels/core/view.hpp"

// Networks in ONNX, made by hand: whatever can be written, right or wrong.
namespace fovea::test {

/// An input or an output.
struct OnnxValue {
    std::string name;
    std::vector<std::int64_t> shape;  ///< 0: left open by a name
    int element_type = 1;             ///< 32-bit floats
    bool has_shape = true;
};

struct OnnxWeights {
    std::string name;
    std::vector<std::int64_t> shape;
    std::vector<float> values;
    bool lie_outside = false;  ///< in another file
};

struct OnnxNode {
    std::string type;
    std::vector<std::string> inputs;
    std::vector<std::string> outputs;
    /// Attributes that are lists of whole numbers, and those that are one.
    std::vector<std::pair<std::string, std::vector<std::int64_t>>> lists{};
    std::vector<std::pair<std::string, std::int64_t>> numbers{};
};

struct OnnxGraph {
    std::vector<OnnxValue> inputs;
    std::vector<OnnxValue> outputs;
    std::vector<OnnxNode> nodes;
    std::vector<OnnxWeights> weights;
    bool lists_weights_as_inputs = false;  ///< as older files do
};

std::string onnx_bytes(const OnnxGraph& graph);

/// A pixel of one channel of an image.
struct OnnxPixel {
    int channel = 0;
    int x = 0;
    int y = 0;
};

/// A network whose vector is the elements of its input at these pixels: a convolution as large as the image,
/// whose weights are 0 and 1, and a Flatten. The input is "image", of one image; the output is "vector".
OnnxGraph pixel_network(Size image, int channels, const std::vector<OnnxPixel>& pixels);

}  // namespace fovea::test
