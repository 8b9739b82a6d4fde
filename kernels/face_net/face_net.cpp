#include "kernels/face_net/face_net.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <utility>

namespace fovea {
namespace {

bool is_channel_count(int count, int most) {
    return count >= 16 && count <= most && count % 16 == 0;
}

// Not a number is no scale either.
bool is_scale(float scale) {
    return scale >= face_net_min_scale && scale <= face_net_max_scale;
}

FaceNetFault scale_fault(const std::string& pointer, float scale) {
    std::array<char, 32> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), scale).ptr;
    return {pointer, "must be from 2^-60 to 64, but is " + std::string(text.data(), end)};
}

// The largest magnitude of an input: of a pixel minus 128, of a byte, of a signed byte.
int max_input(FaceNetLayerKind kind) {
    return kind == FaceNetLayerKind::pointwise ? 255 : 128;
}

std::optional<FaceNetFault> find_layer_fault(const FaceNetLayerPlace& place, const FaceNetLayer& layer) {
    const auto outputs = static_cast<std::size_t>(place.outputs),
               taps = static_cast<std::size_t>(place.taps());
    const auto count_fault = [&](const char* key, std::size_t expected, std::size_t count) {
        return FaceNetFault{place.pointer + key, "must be " + std::to_string(expected) +
                                                     " numbers, but are " + std::to_string(count)};
    };
    if (layer.weights.size() != outputs * taps) {
        return count_fault("/weights", outputs * taps, layer.weights.size());
    }
    if (layer.bias.size() != outputs) return count_fault("/bias", outputs, layer.bias.size());
    if (layer.scale.size() != outputs) return count_fault("/scale", outputs, layer.scale.size());
    for (std::size_t i = 0; i < outputs; ++i) {
        if (!is_scale(layer.scale[i])) {
            return scale_fault(place.pointer + "/scale/" + std::to_string(i), layer.scale[i]);
        }
        const std::int64_t most = largest_sum(place.kind, layer, i);
        if (most >= face_net_sum_limit) {
            return FaceNetFault{place.pointer, "the sum of output " + std::to_string(i) + " can reach " +
                                                   std::to_string(most) + ", but must stay below 2^24"};
        }
    }
    return std::nullopt;
}

}  // namespace

std::int64_t largest_sum(FaceNetLayerKind kind, const FaceNetLayer& layer, std::size_t output) {
    const std::size_t taps = layer.weights.size() / layer.bias.size();
    std::int64_t most = std::abs(std::int64_t{layer.bias[output]});
    for (std::size_t tap = 0; tap < taps; ++tap) {
        most += std::int64_t{std::abs(int{layer.weights[output * taps + tap]})} * max_input(kind);
    }
    return most;
}

std::optional<FaceNetFault> find_fault(const FaceNet& net) {
    if (!is_channel_count(net.channels, face_net_max_channels)) {
        return FaceNetFault{"/channels", "must be a multiple of 16 from 16 to " +
                                             std::to_string(face_net_max_channels) + ", but is " +
                                             std::to_string(net.channels)};
    }
    for (const auto& [pointer, count] : {std::pair{"/stem_channels", net.stem_channels},
                                         std::pair{"/quarter_channels", net.quarter_channels}}) {
        if (is_channel_count(count, net.channels)) continue;
        return FaceNetFault{pointer, "must be a multiple of 16 from 16 to the channels, " +
                                         std::to_string(net.channels) + ", but is " + std::to_string(count)};
    }
    std::optional<FaceNetFault> fault;
    visit_face_net_layers(net, [&](const FaceNetLayerPlace& place, const FaceNetLayer& layer) {
        if (!fault) fault = find_layer_fault(place, layer);
    });
    if (fault) return fault;
    for (std::size_t i = 0; i < net.sums.size(); ++i) {
        const std::string pointer = "/sums/" + std::to_string(i);
        if (!is_scale(net.sums[i].fine_scale)) {
            return scale_fault(pointer + "/fine_scale", net.sums[i].fine_scale);
        }
        if (!is_scale(net.sums[i].coarse_scale)) {
            return scale_fault(pointer + "/coarse_scale", net.sums[i].coarse_scale);
        }
    }
    return std::nullopt;
}

std::vector<Size> face_net_sizes(Size image) {
    // Below this side no face is too large.
    constexpr int min_reduced_side = 256;
    std::vector<Size> sizes{image};
    while (std::max(sizes.back().width, sizes.back().height) >= min_reduced_side &&
           std::min(sizes.back().width, sizes.back().height) >= 4)
        sizes.push_back({sizes.back().width / 2 / 2, sizes.back().height / 2 / 2});
    return sizes;
}

}  // namespace fovea
