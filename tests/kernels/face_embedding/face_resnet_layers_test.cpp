// The parts of the network on the CPU, at sizes and edges that the network does not have.

#include "kernels/face_embedding/face_resnet_layers.hpp"

#include <algorithm>
#include <cmath>

#include <catch2/catch.hpp>

#include "kernels/face_embedding/face_resnet_simd.hpp"
#include "lib/core/splitmix.hpp"
#include "tests/support/simd_targets.hpp"

using namespace fovea;

namespace {

float some_number(std::size_t i) {
    return static_cast<float>(static_cast<int>(mixed(i) % 2001) - 1000) / 1000;
}

void fill(const FaceMapView& map, std::size_t faces, std::size_t seed) {
    for (std::size_t face = 0; face < faces; ++face) {
        for (std::size_t row = 0; row < map.side; ++row) {
            for (std::size_t i = 0; i < map.side * map.channels; ++i)
                map.at(face, row, 0)[i] = some_number(seed++);
        }
    }
}

FaceResnetConvolution some_convolution(std::size_t inputs, std::size_t outputs) {
    FaceResnetConvolution convolution;
    for (std::size_t i = 0; i < 9 * inputs * outputs; ++i)
        convolution.weights.push_back(some_number(i + 7) / 10);
    for (std::size_t i = 0; i < outputs; ++i) convolution.bias.push_back(some_number(i + 5));
    return convolution;
}

/// The sum of 3×3 taps around (row, column); the border of the map is read as it is.
double plain_sum_at(const FaceResnetConvolution& convolution, const FaceMapView& map, std::size_t face,
                    std::size_t row, std::size_t column, std::size_t output) {
    double sum = convolution.bias[output];
    for (std::size_t tap = 0; tap < 9; ++tap) {
        const float* const from =
            map.at(face, row + tap / 3, column + tap % 3) - (map.outer + 1) * map.channels;
        for (std::size_t input = 0; input < map.channels; ++input) {
            sum += double{from[input]} * convolution.weights[(output * map.channels + input) * 9 + tap];
        }
    }
    return sum;
}

}  // namespace

TEST_CASE("face resnet: Winograd's convolution is the plain one at every edge", "[face_resnet]") {
    constexpr std::size_t inputs = 16, outputs = 32, faces = 3;
    const FaceResnetConvolution convolution = some_convolution(inputs, outputs);
    for (const std::string& target : test::all_simd_targets()) {
        const test::ForcedSimdTarget forced(target);
        for (const std::size_t tile : {std::size_t{2}, std::size_t{4}}) {
            const WinogradLayer layer = make_winograd_layer(convolution, tile);
            for (const std::size_t side : {1, 2, 3, 4, 5, 7, 8, 9}) {
                // Results may lie in a larger map, as after the fourth stride.
                FaceMaps from_maps(faces, side, tile, inputs), to_maps(faces, side + 1, tile, outputs);
                const FaceMapView from = from_maps.view(), to = to_maps.view();
                fill(from, faces, side);
                for (const bool adds : {false, true}) {
                    fill(to, faces, 100 * side);
                    FaceMaps before_maps = to_maps;
                    const FaceMapView before = before_maps.view();
                    WinogradScratch scratch;
                    convolve(layer, from, faces, adds, to, 5, scratch);
                    CAPTURE(target, tile, side, adds);
                    for (std::size_t i = 0; i < faces * to.outer * to.outer * outputs; ++i) {
                        const std::size_t place = i / outputs, face = place / (to.outer * to.outer);
                        const std::size_t row = place / to.outer % to.outer, column = place % to.outer;
                        if (row < 1 || column < 1 || row > side || column > side) {
                            REQUIRE(to.values[i] == before.values[i]);
                            continue;
                        }
                        const double sum =
                            plain_sum_at(convolution, from, face, row - 1, column - 1, i % outputs) +
                            (adds ? before.values[i] : 0);
                        REQUIRE(std::abs(to.values[i] - std::max(sum, 0.0)) < 1e-5);
                    }
                }
            }
        }
    }
}

TEST_CASE("face resnet: products of every number of rows", "[face_resnet]") {
    constexpr std::size_t inputs = 21, outputs = 64;
    const FaceResnetPanels panels = pack_panels(inputs, outputs, [&](std::size_t output, std::size_t input) {
        return some_number(output * 100 + input);
    });
    std::vector<float> from(26 * 100);
    for (std::size_t i = 0; i < from.size(); ++i) from[i] = some_number(i + 3);
    LineVector<float> start(outputs);
    for (std::size_t i = 0; i < outputs; ++i) start[i] = some_number(i + 11);
    for (const std::string& target : test::all_simd_targets()) {
        const test::ForcedSimdTarget forced(target);
        for (std::size_t rows = 1; rows <= 26; ++rows) {
            for (const bool starts : {false, true}) {
                CAPTURE(target, rows, starts);
                // Three runs of seven, rows that overlap.
                FaceResnetProduct product{from.data(),
                                          rows,
                                          5,
                                          3,
                                          7,
                                          40,
                                          panels.values.data(),
                                          outputs,
                                          starts ? start.data() : nullptr,
                                          starts,
                                          nullptr,
                                          outputs + 1};
                std::vector<float> to(rows * (outputs + 1), 99);
                product.to = to.data();
                multiply(product);
                for (std::size_t i = 0; i < to.size(); ++i) {
                    const std::size_t row = i / (outputs + 1), output = i % (outputs + 1);
                    if (output == outputs) {
                        REQUIRE(to[i] == 99);
                        continue;
                    }
                    double sum = starts ? start[output] : 0;
                    for (std::size_t input = 0; input < inputs; ++input) {
                        sum += double{from[row * 5 + input / 7 * 40 + input % 7]} *
                               some_number(output * 100 + input);
                    }
                    REQUIRE(std::abs(to[i] - (starts ? std::max(sum, 0.0) : sum)) < 1e-5);
                }
            }
        }
    }
}

TEST_CASE("face resnet: pooling by hand", "[face_resnet]") {
    FaceMaps from_maps(2, 5, 4, 16), to_maps(2, 2, 2, 32);
    const FaceMapView from = from_maps.view(), to = to_maps.view();
    fill(from, 2, 1);
    fill(to, 2, 2);
    const float rows[2][2]{{1, 2}, {3, 10}};
    for (std::size_t i = 0; i < 4; ++i) from.at(1, i / 2, 2 + i % 2)[15] = rows[i / 2][i % 2];
    pool_means(from, 2, to);
    CHECK(to.at(1, 0, 1)[15] == 4);
    CHECK(std::all_of(to.at(1, 0, 1) + 16, to.at(1, 0, 1) + 32, [](float value) { return value == 0; }));

    // Two maxima of 3×3 from rows of five values; channel c of place (row, column) is 10 · row + column + c,
    // but one.
    LineVector<float> values(3 * 5 * 16), maxima(2 * 16);
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<float>(10 * (i / 80) + i / 16 % 5 + i % 16);
    values[80 + 1 * 16 + 3] = 77;
    for (const std::string& target : test::all_simd_targets()) {
        const test::ForcedSimdTarget forced(target);
        pool_maxima({values.data(), values.data() + 80, values.data() + 160}, 2, 16, maxima.data());
        for (std::size_t c = 0; c < 16; ++c) {
            CHECK(maxima[c] == (c == 3 ? 77 : static_cast<float>(22 + c)));
            CHECK(maxima[16 + c] == static_cast<float>(24 + c));
        }
    }
}

TEST_CASE("face resnet: neighbourhoods at every second place", "[face_resnet]") {
    FaceMaps maps(2, 7, 4, 16);
    const FaceMapView map = maps.view();
    fill(map, 2, 3);
    std::vector<float> patches(4 * 9 * 16);
    // Results of 3×3 a face: the last two of the first face, the first two of the second.
    gather_patches(map, 3, 7, 4, patches.data());
    const std::size_t places[4][3]{{0, 4, 2}, {0, 4, 4}, {1, 0, 0}, {1, 0, 2}};
    for (std::size_t i = 0; i < patches.size(); ++i) {
        const auto& [face, row, column] = places[i / (9 * 16)];
        const std::size_t tap = i / 16 % 9;
        REQUIRE(patches[i] == map.at(face, row + tap / 3, column + tap % 3)[i % 16]);
    }
}
