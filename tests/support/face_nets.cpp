#include "tests/support/face_nets.hpp"

#include <cmath>
#include <random>

namespace fovea::test {

FaceNet random_face_net(std::array<int, 3> channels, std::uint32_t seed) {
    std::mt19937 random(seed);
    const auto uniform = [&](double least, double most) {
        return least + (most - least) * static_cast<double>(random()) / 4294967296.0;
    };
    FaceNet net;
    net.stem_channels = channels[0];
    net.quarter_channels = channels[1];
    net.channels = channels[2];
    visit_face_net_layers(net, [&](const FaceNetLayerPlace& place, FaceNetLayer& layer) {
        const auto outputs = static_cast<std::size_t>(place.outputs);
        layer.weights.resize(outputs * static_cast<std::size_t>(place.taps()));
        for (std::int8_t& weight : layer.weights) weight = static_cast<std::int8_t>(uniform(-128, 127.99));
        // Weights have a standard deviation of 74, inputs are about as large.
        const double deviation = 74.0 * 74.0 * std::sqrt(place.taps());
        for (std::size_t i = 0; i < outputs; ++i) {
            layer.bias.push_back(static_cast<std::int32_t>(uniform(-0.5, 1) * deviation));
            layer.scale.push_back(static_cast<float>(uniform(40, 120) / deviation));
        }
        if (place.outputs == face_net_outputs && place.kind == FaceNetLayerKind::depthwise) {
            for (float& scale : layer.scale) scale *= 0.02F;  // numbers about 1
        }
    });
    for (FaceNetSum& sum : net.sums) {
        sum.fine_scale = static_cast<float>(uniform(0.3, 0.9));
        sum.coarse_scale = static_cast<float>(uniform(0.3, 0.9));
    }
    return net;
}

}  // namespace fovea::test
