#include "kernels/face_net/packed_face_net.hpp"

#include <bit>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "kernels/core/align.hpp"
#include "kernels/face_net/face_net_body.hpp"

namespace fovea {
namespace {

constexpr int block_size = 16;

int whole_blocks(int channels) {
    return (channels + block_size - 1) / block_size * block_size;
}

// Whole numbers from here to twice as much are the floats whose bits count up by one.
constexpr std::int64_t first_float = 1 << 23;

// A bias for the bits of a sum, and the offset for its product.
struct Fusion {
    std::int64_t bias = 0;
    float offset = 0;
};

// A sum n ≥ 0 becomes (2^23 + n) · scale - 2^23 · scale, which is rounded once, like n · scale. If n < 0, the
// bits are those of another negative number, which becomes 0 all the same. So do large sums become 255.
std::optional<Fusion> fusion_for_relu(std::int64_t largest, float scale) {
    const float offset = -static_cast<float>(first_float) * scale;
    if (largest >= first_float && offset > -256) return std::nullopt;
    return Fusion{first_float, offset};
}

// Whether (bias + n) · scale + offset is rounded to the same byte as n · scale, for every sum n. Both grow
// with n, so that they can only differ at a number whose product is next to a half.
bool keeps_bytes(const Fusion& fusion, std::int64_t largest, float scale) {
    const double near = 0x1p-14 + scale * 0x1p-9, numbers = 1 / double{scale};
    for (int byte = -128; byte < 127; ++byte) {
        const double half = byte + 0.5, n = std::nearbyint(half * numbers);
        if (std::abs(n * scale - half) > near || std::abs(n) > static_cast<double>(largest)) continue;
        const float fused =
            std::fma(static_cast<float>(static_cast<double>(fusion.bias) + n), scale, fusion.offset);
        if (std::nearbyint(fused) != rounded_result(static_cast<std::int32_t>(n), scale)) return false;
    }
    return true;
}

// A bias whose product with the scale is very nearly a float.
std::optional<Fusion> fusion_for_signed(std::int64_t largest, float scale) {
    constexpr float least_scale = 0x1p-12F;  // of smaller ones several numbers can be next to a half
    if (scale < least_scale) return std::nullopt;
    // The scale is bits · 2^k. A bias whose product with `bits` is little more or less than a multiple of
    // 2^24 is one of each 2^24 >> zeros numbers, found through the inverse of the odd part of `bits`.
    const std::uint32_t bits = (std::bit_cast<std::uint32_t>(scale) & 0x7FFFFFU) | 0x800000U;
    const int zeros = std::countr_zero(bits);
    const std::uint32_t odd = bits >> zeros;
    std::uint32_t inverse = odd;
    for (int i = 0; i < 4; ++i) inverse *= 2 - odd * inverse;  // Newton: twice as many bits each time
    const std::int64_t middle = first_float * 3 / 2, distance = (std::int64_t{1} << 24) >> zeros;
    constexpr int tries = 4096;
    for (int i = 0; i < tries; ++i) {
        const int rest = i % 2 == 0 ? i / 2 : -(i + 1) / 2;
        const std::int64_t above =
            (std::int64_t{static_cast<std::uint32_t>(rest) * inverse} - middle) & (distance - 1);
        const std::int64_t bias = middle + (2 * above < distance ? above : above - distance);
        if (bias - largest < first_float || bias + largest >= 2 * first_float) continue;
        const Fusion fusion{bias, -static_cast<float>(bias) * scale};
        const double rounding = static_cast<double>(bias) * scale + fusion.offset;
        if (std::abs(rounding) < scale * 0x1p-10 && keeps_bytes(fusion, largest, scale)) return fusion;
    }
    return std::nullopt;
}

// Makes the results fused if all can be. `largest` is what sums can reach.
void fuse(PackedResults& results, bool relu, const std::vector<std::int64_t>& largest) {
    LineVector<std::int32_t> float_bias;
    LineVector<float> offset;
    for (std::size_t i = 0; i < largest.size(); ++i) {
        const float scale = results.scale[i];
        const auto fusion = relu ? fusion_for_relu(largest[i], scale) : fusion_for_signed(largest[i], scale);
        if (!fusion) return;
        const auto float_bits = std::bit_cast<std::int32_t>(static_cast<float>(fusion->bias));
        float_bias.push_back(results.bias[i] + float_bits);
        offset.push_back(fusion->offset);
    }
    results.is_fused = true;
    results.float_bias = std::move(float_bias);
    results.offset = std::move(offset);
}

// Outputs that the layer does not have get the scale 1.
PackedPointwise without_weights(const FaceNetLayer& layer, int steps) {
    PackedPointwise packed;
    packed.steps = steps;
    packed.outputs = whole_blocks(static_cast<int>(layer.bias.size()));
    const auto outputs = static_cast<std::size_t>(packed.outputs);
    packed.weights.resize(static_cast<std::size_t>(steps) * outputs);
    packed.results.bias.assign(layer.bias.begin(), layer.bias.end());
    packed.results.bias.resize(outputs);
    packed.results.scale.assign(layer.scale.begin(), layer.scale.end());
    packed.results.scale.resize(outputs, 1);
    return packed;
}

std::vector<std::int64_t> largest_sums(FaceNetLayerKind kind, const FaceNetLayer& layer) {
    std::vector<std::int64_t> sums;
    for (std::size_t output = 0; output < layer.bias.size(); ++output) {
        sums.push_back(largest_sum(kind, layer, output));
    }
    return sums;
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
    auto largest = largest_sums(FaceNetLayerKind::pointwise, layer);
    largest.resize(static_cast<std::size_t>(packed.outputs));
    fuse(packed.results, false, largest);
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
            packed.results.bias[output] -= face_net_grey * weight;
        }
    }
    fuse(packed.results, true, largest_sums(FaceNetLayerKind::stem, layer));
    return packed;
}

PackedDepthwise pack_depthwise(const FaceNetLayer& layer) {
    // A vector may read three blocks beyond the last.
    constexpr std::size_t aligned = 4;
    PackedDepthwise packed;
    packed.channels = static_cast<int>(layer.bias.size());
    const std::size_t blocks = layer.bias.size() / block_size;
    packed.lanes = 4 * align_up(blocks + 3, aligned);
    const std::size_t part_lanes = PackedDepthwise::parts * packed.lanes;
    packed.weights.resize(2 * 3 * part_lanes);
    const auto sums = largest_sums(FaceNetLayerKind::depthwise, layer);
    std::vector<std::int64_t> largest;
    for (std::size_t at = 0; at < part_lanes; ++at) {
        const std::size_t part = at / packed.lanes, lane = at % packed.lanes;
        const std::size_t channel = lane / 4 % blocks * block_size + 4 * part + lane % 4;
        std::int32_t bias = layer.bias[channel];
        for (std::size_t tap = 0; tap < 9; ++tap) {
            const std::int8_t weight = layer.weights[9 * channel + tap];
            bias -= 128 * weight;
            for (std::size_t row = 0; row < 2; ++row) {
                packed.weights.set((3 * row + tap % 3) * part_lanes + at, static_cast<int>(row + tap / 3),
                                   weight);
            }
        }
        packed.results.bias.push_back(bias);
        packed.results.scale.push_back(layer.scale[channel]);
        largest.push_back(sums[channel]);
    }
    fuse(packed.results, true, largest);
    return packed;
}

// Makes outputs up to a whole block, whose results are 0.
FaceNetLayer whole_block(FaceNetLayer depthwise) {
    depthwise.weights.resize(9 * std::size_t{block_size});
    depthwise.bias.resize(block_size);
    depthwise.scale.resize(block_size, 1);
    return depthwise;
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
        const auto& [unit, last] = net.heads[i];
        packed.heads[i] = {pack_unit(unit),
                           {pack_pointwise(last.pointwise), pack_depthwise(whole_block(last.depthwise))},
                           last.depthwise};
    }
    return packed;
}

}  // namespace fovea
