#include "kernels/face_embedding/face_resnet_layers.hpp"

#include <algorithm>
#include <array>

namespace fovea {
namespace {

// The matrices G of Lavin and Gray (2016): each row turns three weights into one of the transformed.
constexpr std::array<std::array<double, 3>, 4> factors_of_2{
    {{1, 0, 0}, {0.5, 0.5, 0.5}, {0.5, -0.5, 0.5}, {0, 0, 1}}};
constexpr std::array<std::array<double, 3>, 6> factors_of_4{{{1.0 / 4, 0, 0},
                                                             {-1.0 / 6, -1.0 / 6, -1.0 / 6},
                                                             {-1.0 / 6, 1.0 / 6, -1.0 / 6},
                                                             {1.0 / 24, 1.0 / 12, 1.0 / 6},
                                                             {1.0 / 24, -1.0 / 12, 1.0 / 6},
                                                             {0, 0, 1}}};

const double* factors_of(std::size_t tile, std::size_t position) {
    return tile == 2 ? factors_of_2[position].data() : factors_of_4[position].data();
}

LineVector<float> line_vector(const std::vector<float>& numbers) {
    return {numbers.begin(), numbers.end()};
}

}  // namespace

WinogradLayer make_winograd_layer(const FaceResnetConvolution& convolution, std::size_t tile) {
    const std::size_t outputs = convolution.bias.size();
    const std::size_t inputs = convolution.weights.size() / (9 * outputs);
    WinogradLayer layer{tile, inputs, outputs, {}, line_vector(convolution.bias)};
    for (std::size_t row = 0; row < tile + 2; ++row) {
        const double* const down = factors_of(tile, row);
        for (std::size_t column = 0; column < tile + 2; ++column) {
            const double* const across = factors_of(tile, column);
            layer.panels.push_back(pack_panels(inputs, outputs, [&](std::size_t output, std::size_t input) {
                const float* const weights = convolution.weights.data() + 9 * (output * inputs + input);
                double sum = 0;
                for (std::size_t t = 0; t < 9; ++t)
                    sum += down[t / 3] * across[t % 3] * static_cast<double>(weights[t]);
                return static_cast<float>(sum);
            }));
        }
    }
    return layer;
}

StridedLayer make_strided_layer(const FaceResnetConvolution& convolution) {
    const std::size_t outputs = convolution.bias.size();
    const std::size_t taps = convolution.weights.size() / outputs, inputs = taps / 9;
    return {pack_panels(taps, outputs,
                        [&](std::size_t output, std::size_t tap) {
                            const std::size_t input = tap % inputs, place = tap / inputs;
                            return convolution.weights[output * taps + 9 * input + place];
                        }),
            line_vector(convolution.bias)};
}

void pool_means(const FaceMapView& from, std::size_t faces, const FaceMapView& to) {
    for (std::size_t place = 0; place < faces * to.side * to.side; ++place) {
        const std::size_t face = place / (to.side * to.side);
        const std::size_t row = place / to.side % to.side, column = place % to.side;
        const float* const above = from.at(face, 2 * row, 2 * column);
        const float* const below = from.at(face, 2 * row + 1, 2 * column);
        float* const mean = to.at(face, row, column);
        for (std::size_t c = 0; c < from.channels; ++c) {
            mean[c] = ((above[c] + above[from.channels + c]) + (below[c] + below[from.channels + c])) * 0.25F;
        }
        std::fill(mean + from.channels, mean + to.channels, 0.0F);
    }
}

void gather_patches(const FaceMapView& from, std::size_t side, std::size_t first, std::size_t count,
                    float* patches) {
    for (std::size_t place = first; place < first + count; ++place) {
        const std::size_t face = place / (side * side);
        const std::size_t row = place / side % side, column = place % side;
        for (std::size_t y = 0; y < 3; ++y) {
            patches = std::copy_n(from.at(face, 2 * row + y, 2 * column), 3 * from.channels, patches);
        }
    }
}

}  // namespace fovea
