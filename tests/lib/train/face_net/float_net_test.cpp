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
    FloatNet net({16, 16, 32}, 2, 96, 1);
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
    CHECK(net.units().size() == 18);
    CHECK(net.units()[17].is_last);

    CHECK_THROWS_AS(FloatNet({16, 16, 30}, 2, 96, 1), std::invalid_argument);
    CHECK_THROWS_AS(FloatNet({16, 16, 32}, 2, 95, 1), std::invalid_argument);
    CHECK_THROWS_AS(FloatNet({16, 16, 32}, 0, 96, 1), std::invalid_argument);
}

TEST_CASE("face net: the gradient is that of finite differences", "[face-net]") {
    FloatNet net({16, 16, 16}, 6, 64, 3);
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
    check("stem", net.stem_layer().weights);
    check("stem's factors", net.stem_layer().normalisation.gamma);
    check("stem's offsets", net.stem_layer().normalisation.beta);
    for (std::size_t u = 0; u < net.units().size(); ++u) {
        const FloatNet::Unit& unit = net.units()[u];
        INFO("unit " << u);
        check("pointwise", unit.pointwise);
        check("depthwise", unit.depthwise);
        if (unit.is_last) {
            check("bias", unit.bias);
        } else {
            check("factors", unit.normalisation.gamma);
            check("offsets", unit.normalisation.beta);
        }
    }
}

TEST_CASE("face net: any number of threads gives the same numbers", "[face-net]") {
    std::vector<float> outputs[2], gradients[2];
    for (const int run : {0, 1}) {
        ThreadLimit limit(run == 0 ? 1 : 3);
        limit.run([&] {
            FloatNet net({16, 32, 32}, 5, 64, 7);
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
