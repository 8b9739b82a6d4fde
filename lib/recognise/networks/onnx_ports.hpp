#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fovea {

/// An input or an output of a network in ONNX.
struct OnnxPort {
    std::string name;
    /// A TensorProto.DataType of ONNX: 1 for 32-bit floats; 0 if the file does not say it.
    int element_type = 0;
    /// False if the file says nothing of the shape.
    bool has_shape = false;
    /// The lengths of the dimensions, each at least 1, or 0 for one that the file leaves open.
    std::vector<std::int64_t> shape;
};

struct OnnxPorts {
    std::vector<OnnxPort> inputs;  ///< without weights
    std::vector<OnnxPort> outputs;
};

/// The inputs and outputs that a network in ONNX declares (onnx.proto3 of ONNX 1.12, in the encoding of
/// Protocol Buffers). Takes memory for their names and shapes alone.
/// \param name of the file, for messages.
/// \throws Error if the bytes are torn or no such network, or if its weights are in other files.
OnnxPorts parse_onnx_ports(std::string_view bytes, const std::string& name);

/// "1x3x112x112"; "?" stands for a dimension of length 0.
std::string shape_text(const std::vector<std::int64_t>& shape);

}  // namespace fovea
