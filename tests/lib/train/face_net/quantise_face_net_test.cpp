#include "lib/train/face_net/quantise_face_net.hpp"

#include <cmath>
#include <map>
#include <tuple>

#include <catch2/catch.hpp>

#include "kernels/face_net/run_face_net.hpp"
#include "lib/train/counter_random.hpp"

using namespace fovea;

namespace {

/// Grey images of blobs.
std::vector<std::uint8_t> blobs(std::size_t side, std::uint64_t seed) {
    CounterRandom random(seed);
    std::vector<std::uint8_t> pixels(side * side, 90);
    for (int blob = 0; blob < 12; ++blob) {
        const double x = random.unit() * static_cast<double>(side),
                     y = random.unit() * static_cast<double>(side);
        const double radius = 4 + 20 * random.unit(), level = 255 * random.unit();
        for (std::size_t i = 0; i < pixels.size(); ++i) {
            const double distance =
                std::hypot(static_cast<double>(i % side) - x, static_cast<double>(i / side) - y);
            if (distance < radius) pixels[i] = static_cast<std::uint8_t>(level);
        }
    }
    return pixels;
}

}  // namespace

TEST_CASE("quantised face net: 8 bits say nearly what the float network says", "[face-net]") {
    constexpr std::size_t side = 96, images = 8;
    FloatNet net(make_net_plan({16, 16, 32}, side), images, 5);
    std::vector<std::vector<std::uint8_t>> pictures;
    for (std::size_t i = 0; i < images; ++i) {
        pictures.push_back(blobs(side, i));
        for (std::size_t p = 0; p < side * side; ++p)
            net.input().of(i)[p] = (static_cast<float>(pictures[i][p]) - 128) / static_cast<float>(grey_unit);
    }
    // Statistics of these images.
    for (int i = 0; i < 60; ++i) net.forward(true);
    net.forward(false);
    const FaceNet model = quantised(net);
    CHECK_FALSE(find_fault(model));
    CHECK(model.quarter_channels == 16);
    CHECK(model.channels == 32);

    double error = 0, spread = 0;
    std::size_t count = 0;
    for (std::size_t i = 0; i < images; ++i) {
        const ImageView<const std::uint8_t> view{pictures[i].data(), side, side, side};
        const std::vector<NetCell> cells = run_face_net(model, view, -1e9F);
        REQUIRE(cells.size() == 144 + 36 + 9);
        for (const NetCell& cell : cells) {
            const FloatBatch& head = net.output(static_cast<std::size_t>(cell.level));
            const float* wanted = head.of(i) + (static_cast<std::size_t>(cell.row) * head.shape.width +
                                                static_cast<std::size_t>(cell.column)) *
                                                   head_channels;
            const float got[] = {cell.logit, cell.dx, cell.dy, cell.log_width, cell.log_height};
            for (std::size_t n = 0; n < head_numbers; ++n) {
                const double value = static_cast<double>(wanted[n]) - (n == 0 ? -4 : 0);
                error += std::pow(static_cast<double>(got[n] - wanted[n]), 2);
                spread += value * value;
                ++count;
            }
        }
    }
    // Chance weights, whose outputs hardly vary, are the hardest case: the errors are a seventh of the
    // outputs.
    CHECK(std::sqrt(error / static_cast<double>(count)) <
          0.2 * std::sqrt(spread / static_cast<double>(count)));
    CHECK(spread > 0.01 * static_cast<double>(count));
}
