#include "lib/recognise/networks/onnx_ports.hpp"

#include <algorithm>
#include <set>

#include <spdlog/fmt/fmt.h>

#include "lib/core/error.hpp"

namespace fovea {
namespace {

/// The file's bytes, where the places of errors are counted, and its name.
struct OnnxSource {
    std::string_view bytes;
    const std::string& name;

    [[noreturn]] void fail(const std::string& reason) const {
        throw Error(fmt::format("{} is no whole network in ONNX: {}", name, reason));
    }
    [[noreturn]] void fail_at(const char* place, const std::string& reason) const {
        fail(fmt::format("byte {}: {}", place - bytes.data(), reason));
    }
};

/// The fields of a message in the encoding of Protocol Buffers, one after the other.
class MessageFields {
  public:
    MessageFields(const OnnxSource& source, std::string_view message)
        : source_(source), at_(message.data()), end_(message.data() + message.size()) {}

    /// Goes to the next field; false at the end.
    bool next() {
        if (at_ == end_) return false;
        const char* const start = at_;
        const std::uint64_t tag = varint();
        field_ = tag >> 3;
        type_ = static_cast<int>(tag & 7);
        bytes_ = {};
        number_ = 0;
        switch (type_) {
            case varint_type:
                number_ = varint();
                break;
            case bits_64_type:
                take(8, start);
                break;
            case bytes_type:
                take(varint(), start);
                break;
            case bits_32_type:
                take(4, start);
                break;
            default:
                source_.fail_at(start, "there is no field of type " + std::to_string(type_));
        }
        return true;
    }

    bool is_number(std::uint64_t field) const { return field_ == field && type_ == varint_type; }
    bool is_bytes(std::uint64_t field) const { return field_ == field && type_ == bytes_type; }
    std::uint64_t number() const { return number_; }
    std::string_view bytes() const { return bytes_; }
    std::string text() const { return std::string(bytes_); }
    bool is_at_end() const { return at_ == end_; }
    /// The fields of the message that this field holds.
    MessageFields message() const { return {source_, bytes_}; }

    /// A number that stands without a tag, as in lists that are packed.
    std::uint64_t varint() {
        const char* const start = at_;
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            if (at_ == end_) source_.fail_at(start, "a number is cut off");
            const auto byte = static_cast<std::uint8_t>(*at_++);
            value |= std::uint64_t{byte & 127U} << shift;
            if (byte < 128) return value;
        }
        source_.fail_at(start, "a number has more than 64 bits");
    }

  private:
    static constexpr int varint_type = 0, bits_64_type = 1, bytes_type = 2, bits_32_type = 5;

    void take(std::uint64_t length, const char* start) {
        const auto rest = static_cast<std::uint64_t>(end_ - at_);
        if (length > rest)
            source_.fail_at(start, fmt::format("a field wants {} bytes, and {} are left", length, rest));
        bytes_ = {at_, static_cast<std::size_t>(length)};
        at_ += length;
    }

    const OnnxSource& source_;
    const char* at_;
    const char* end_;
    std::uint64_t field_ = 0;
    int type_ = 0;
    std::uint64_t number_ = 0;
    std::string_view bytes_;
};

// The numbers of fields in onnx.proto3.
namespace model_field {
constexpr int graph = 7;
}
namespace graph_field {
constexpr int node = 1, initialiser = 5, input = 11, output = 12;
}
namespace tensor_field {
constexpr int dimension = 1, element_type = 2, name = 8, raw_data = 9, data_location = 14;
constexpr std::uint64_t is_external = 1, is_float = 1;
}  // namespace tensor_field
namespace value_field {
constexpr int name = 1, type = 2, tensor = 1, element_type = 1, shape = 2, dimension = 1, length = 1;
}

std::int64_t length_of(MessageFields dimension) {
    std::int64_t length = 0;
    while (dimension.next()) {
        if (dimension.is_number(value_field::length))
            length = std::max<std::int64_t>(0, static_cast<std::int64_t>(dimension.number()));
    }
    return length;
}

void read_tensor_type(MessageFields tensor, OnnxPort& port) {
    while (tensor.next()) {
        if (tensor.is_number(value_field::element_type)) {
            port.element_type = static_cast<int>(std::min<std::uint64_t>(tensor.number(), 1000));
        } else if (tensor.is_bytes(value_field::shape)) {
            port.has_shape = true;
            port.shape.clear();
            for (MessageFields shape = tensor.message(); shape.next();) {
                if (shape.is_bytes(value_field::dimension)) port.shape.push_back(length_of(shape.message()));
            }
        }
    }
}

OnnxPort read_port(MessageFields value) {
    OnnxPort port;
    while (value.next()) {
        if (value.is_bytes(value_field::name)) port.name = value.text();
        if (!value.is_bytes(value_field::type)) continue;
        for (MessageFields type = value.message(); type.next();) {
            if (type.is_bytes(value_field::tensor)) read_tensor_type(type.message(), port);
        }
    }
    return port;
}

/// The name of a tensor of weights.
std::string read_weights(const OnnxSource& source, std::string_view bytes) {
    std::string name;
    std::uint64_t element_type = 0;
    std::uint64_t elements = 1;
    std::string_view raw;
    const auto add_dimension = [&](std::uint64_t length) {
        constexpr std::uint64_t most = std::uint64_t{1}
                                       << 31;  // a file of Protocol Buffers has no more bytes
        elements = std::min(most, elements * std::min(most, length));
    };
    for (MessageFields tensor(source, bytes); tensor.next();) {
        if (tensor.is_number(tensor_field::dimension)) add_dimension(tensor.number());
        if (tensor.is_bytes(tensor_field::dimension)) {
            for (MessageFields lengths = tensor.message(); !lengths.is_at_end();)
                add_dimension(lengths.varint());
        }
        if (tensor.is_number(tensor_field::element_type)) element_type = tensor.number();
        if (tensor.is_bytes(tensor_field::name)) name = tensor.text();
        if (tensor.is_bytes(tensor_field::raw_data)) raw = tensor.bytes();
        if (tensor.is_number(tensor_field::data_location) && tensor.number() == tensor_field::is_external)
            throw Error(source.name + " keeps its weights in other files: export it as a single file");
    }
    // OpenCV would read behind the end.
    if (!raw.empty() && element_type == tensor_field::is_float && raw.size() != elements * sizeof(float)) {
        source.fail_at(raw.data(), fmt::format("the weights '{}' are {} numbers, but have {} bytes", name,
                                               elements, raw.size()));
    }
    return name;
}

}  // namespace

OnnxPorts parse_onnx_ports(std::string_view bytes, const std::string& name) {
    const OnnxSource source{bytes, name};
    OnnxPorts ports;
    std::set<std::string> weights;
    std::size_t nodes = 0;
    for (MessageFields model(source, bytes); model.next();) {
        if (!model.is_bytes(model_field::graph)) continue;
        for (MessageFields graph = model.message(); graph.next();) {
            if (graph.is_bytes(graph_field::node)) ++nodes;
            if (graph.is_bytes(graph_field::input)) ports.inputs.push_back(read_port(graph.message()));
            if (graph.is_bytes(graph_field::output)) ports.outputs.push_back(read_port(graph.message()));
            if (graph.is_bytes(graph_field::initialiser)) weights.insert(read_weights(source, graph.bytes()));
        }
    }
    if (nodes == 0) source.fail("it has no layers");
    // Older files list the weights among the inputs.
    std::erase_if(ports.inputs, [&](const OnnxPort& port) { return weights.count(port.name) > 0; });
    return ports;
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
    std::string text;
    for (const std::int64_t length : shape)
        text += (text.empty() ? "" : "x") + (length == 0 ? std::string("?") : std::to_string(length));
    return text;
}

}  // namespace fovea
