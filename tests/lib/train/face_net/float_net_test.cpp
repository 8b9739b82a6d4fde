#include "lib/train/face_net/float_net.hpp"

#include <cmath>
#include <stdexcept>

#include <catch2/catch.hpp>

#include "lib/core/threads.hpp"
#include "lib/train/counter_random.hpp"

using namespace fovea;

namespace {

void fill(FloatBatch& batch, std::uint64_t seed) {
    CounterRandom random(seed);
    for (float& value : batch.values) value = static_cast<float>(random.unit() * 4 - 2);
}

/// Weights of a loss that is a weighted sum of all outputs.
std::array<FloatBatch, 3> loss_weights(const FloatNet& net) {
    std::array<FloatBatch, 3> weights{net.output(0), net.output(1), net.output(2)};
    CounterRandom random(99);
    for (FloatBatch& head : weights) {
        for (std::size_t v = 0; v < head.values.size(); ++v) {
            const auto drawn = static_cast<float>(random.unit() - 0.5);
            head.values[v] = v % head_channels < head_numbers ? drawn : 0.0F;
        }
    }
    return weights;
}

double loss_of(FloatNet& net, const std::array<FloatBatch, 3>& weights) {
    net.forward(true);
    double loss = 0;
    for (std::size_t h = 0; h < weights.size(); ++h) {
        for (std::size_t v = 0; v < weights[h].values.size(); ++v)
            loss += static_cast<double>(weights[h].values[v]) * static_cast<double>(net.output(h).values[v]);
    }
    return loss;
}

}  // namespace

TEST_CASE("face net: the shapes of its outputs, and the first odds", "[face-net]") {
    FloatNet net(make_net_plan({16, 16, 32}, 96), 2, 1);
    fill(net.input(), 2);
    net.forward(true);
    for (std::size_t h = 0; h < 3; ++h) {
        const std::size_t cells = 96 / head_strides[h];
        CHECK(net.output(h).shape == FloatShape{cells, cells, head_channels});
    }
    // Faces are rare: the odds begin low. Channels that nobody reads are 0.
    double mean = 0;
    for (std::size_t cell = 0; cell < 144; ++cell) {
        mean += static_cast<double>(net.output(0).values[cell * head_channels]) / 144;
        CHECK(net.output(0).values[cell * head_channels + head_numbers] == 0);
    }
    CHECK(mean == Approx(-4).margin(1.5));
    const auto units = net.layers_of(NetLayer::Kind::unit);
    CHECK(units.size() == 18);
    CHECK(units[17]->is_last);

    CHECK_THROWS_AS(make_net_plan({16, 16, 30}, 96), std::invalid_argument);
    CHECK_THROWS_AS(make_net_plan({16, 16, 32}, 95), std::invalid_argument);
    CHECK_THROWS_AS(FloatNet(make_net_plan({16, 16, 32}, 96), 0, 1), std::invalid_argument);
}

TEST_CASE("face net: the gradient is that of finite differences", "[face-net]") {
    FloatNet net(make_net_plan({16, 16, 16}, 64), 6, 3);
    fill(net.input(), 4);
    net.forward(true);
    const std::array<FloatBatch, 3> weights = loss_weights(net);
    std::array<FloatBatch, 3> by_outputs = weights;
    const std::vector<float> gradient = net.backward(by_outputs);
    const std::vector<float> start = net.parameters();
    // Along the gradient of each part of the parameters the loss must grow as its norm says.
    const auto check = [&](const char* name, const ParameterRange& range) {
        INFO(name);
        double norm = 0;
        for (std::size_t p = range.first; p < range.first + range.count; ++p)
            norm += static_cast<double>(gradient[p]) * static_cast<double>(gradient[p]);
        norm = std::sqrt(norm);
        REQUIRE(norm > 1e-3);
        const double step = 5e-4;
        double losses[2];
        for (const int side : {0, 1}) {
            for (std::size_t p = range.first; p < range.first + range.count; ++p) {
                const double move = (side == 0 ? -step : step) * static_cast<double>(gradient[p]) / norm;
                net.parameters()[p] = start[p] + static_cast<float>(move);
            }
            losses[side] = loss_of(net, weights);
            net.parameters() = start;
        }
        CHECK((losses[1] - losses[0]) / (2 * step) == Approx(norm).epsilon(0.05));
    };
    for (std::size_t l = 0; l < net.layers().size(); ++l) {
        const FloatNet::Layer& layer = net.layers()[l];
        INFO("layer " << l);
        for (const auto& [name, range] :
             {std::pair{"pointwise", layer.pointwise}, std::pair{"depthwise", layer.depthwise},
              std::pair{"factors", layer.gamma}, std::pair{"offsets", layer.beta},
              std::pair{"bias", layer.bias}}) {
            if (range.count > 0) check(name, range);
        }
    }
}

TEST_CASE("face net: any number of threads gives the same numbers", "[face-net]") {
    std::vector<float> outputs[2], gradients[2];
    for (const int run : {0, 1}) {
        ThreadLimit limit(run == 0 ? 1 : 3);
        limit.run([&] {
            FloatNet net(make_net_plan({16, 32, 32}, 64), 5, 7);
            fill(net.input(), 8);
            net.forward(true);
            std::array<FloatBatch, 3> by_outputs = loss_weights(net);
            gradients[run] = net.backward(by_outputs);
            net.forward(false);
            outputs[run] = net.output(0).values;
        });
    }
    CHECK(outputs[0] == outputs[1]);
    CHECK(gradients[0] == gradients[1]);
}
