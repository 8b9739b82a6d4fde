#include "kernels/face_net/packed_face_net.hpp"

namespace fovea {
namespace {

constexpr int block_size = 16;

int whole_blocks(int channels) {
    return (channels + block_size - 1) / block_size * block_size;
}

// Outputs that the layer does not have get the scale 1.
PackedPointwise without_weights(const FaceNetLayer& layer, int steps) {
    PackedPointwise packed;
    packed.steps = steps;
    packed.outputs = whole_blocks(static_cast<int>(layer.bias.size()));
    const auto outputs = static_cast<std::size_t>(packed.outputs);
    packed.weights.resize(static_cast<std::size_t>(steps) * outputs);
    packed.bias.assign(layer.bias.begin(), layer.bias.end());
    packed.bias.resize(outputs);
    packed.scale.assign(layer.scale.begin(), layer.scale.end());
    packed.scale.resize(outputs, 1);
    return packed;
}

PackedPointwise pack_pointwise(const FaceNetLayer& layer) {
    const std::size_t inputs = layer.weights.size() / layer.bias.size();
    PackedPointwise packed = without_weights(layer, static_cast<int>(inputs / 4));
    for (std::size_t output = 0; output < layer.bias.size(); ++output) {
        for (std::size_t input = 0; input < inputs; ++input) {
            packed.weights.set(input / 4 * static_cast<std::size_t>(packed.outputs) + output,
                               static_cast<int>(input % 4), layer.weights[output * inputs + input]);
        }
    }
    return packed;
}

// Σ w·(p - 128) = Σ w·p - 128·Σ w.
PackedPointwise pack_stem(const FaceNetLayer& layer) {
    PackedPointwise packed = without_weights(layer, 3);
    for (std::size_t output = 0; output < layer.bias.size(); ++output) {
        for (std::size_t tap = 0; tap < 9; ++tap) {
            const std::int8_t weight = layer.weights[9 * output + tap];
            packed.weights.set(tap / 3 * static_cast<std::size_t>(packed.outputs) + output,
                               static_cast<int>(tap % 3), weight);
            packed.bias[output] -= face_net_grey * weight;
        }
    }
    return packed;
}

PackedDepthwise pack_depthwise(const FaceNetLayer& layer) {
    PackedDepthwise packed;
    packed.channels = static_cast<int>(layer.bias.size());
    const std::size_t blocks = layer.bias.size() / block_size;
    packed.lanes = 4 * (blocks + PackedDepthwise::more_blocks);
    packed.weights.resize(3 * PackedDepthwise::parts * packed.lanes);
    packed.bias.resize(PackedDepthwise::parts * packed.lanes);
    packed.scale.resize(PackedDepthwise::parts * packed.lanes);
    for (std::size_t part = 0; part < PackedDepthwise::parts; ++part) {
        for (std::size_t lane = 0; lane < packed.lanes; ++lane) {
            const std::size_t channel = lane / 4 % blocks * block_size + 4 * part + lane % 4;
            const std::size_t at = part * packed.lanes + lane;
            packed.bias[at] = layer.bias[channel];
            packed.scale[at] = layer.scale[channel];
            for (std::size_t tap = 0; tap < 9; ++tap) {
                const std::int8_t weight = layer.weights[9 * channel + tap];
                packed.weights.set(tap % 3 * PackedDepthwise::parts * packed.lanes + at,
                                   static_cast<int>(tap / 3), weight);
                packed.bias[at] -= 128 * weight;
            }
        }
    }
    return packed;
}

PackedUnit pack_unit(const FaceNetUnit& unit) {
    return {pack_pointwise(unit.pointwise), pack_depthwise(unit.depthwise)};
}

}  // namespace

void PackedWeights::resize(std::size_t lanes) {
    fours.resize(4 * lanes);
    even.resize(2 * lanes);
    odd.resize(2 * lanes);
}

void PackedWeights::set(std::size_t lane, int i, std::int8_t weight) {
    fours[4 * lane + static_cast<std::size_t>(i)] = weight;
    (i % 2 == 0 ? even : odd)[2 * lane + static_cast<std::size_t>(i / 2)] = weight;
}

PackedFaceNet pack_face_net(const FaceNet& net) {
    PackedFaceNet packed;
    packed.stem_channels = net.stem_channels;
    packed.quarter_channels = net.quarter_channels;
    packed.channels = net.channels;
    packed.stem = pack_stem(net.stem);
    for (std::size_t i = 0; i < net.backbone.size(); ++i) packed.backbone[i] = pack_unit(net.backbone[i]);
    for (std::size_t i = 0; i < net.neck.size(); ++i) packed.neck[i] = pack_unit(net.neck[i]);
    packed.sums = net.sums;
    for (std::size_t i = 0; i < net.heads.size(); ++i) {
        packed.heads[i] = {pack_unit(net.heads[i][0]), pack_pointwise(net.heads[i][1].pointwise),
                           net.heads[i][1].depthwise};
    }
    return packed;
}

}  // namespace fovea
