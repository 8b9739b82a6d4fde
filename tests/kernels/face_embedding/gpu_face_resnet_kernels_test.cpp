// The kernels of a face network, run on the CPU by blocks whose threads take turns: tests/support/host_cuda.

#include "kernels/face_embedding/gpu_face_resnet_kernels.cuh"

#include <algorithm>
#include <cmath>
#include <vector>

#include <catch2/catch.hpp>

#include "kernels/face_embedding/gpu_split_weights.cuh"
#include "lib/core/splitmix.hpp"
#include "tests/support/face_resnets.hpp"
#include "tests/support/host_cuda/block_of_threads.hpp"

namespace fovea::cuda_backend {

/// The shared memory of a block.
alignas(16) uint4 tiles[std::max(convolution_shared_bytes<64>, stem_shared_bytes) / sizeof(uint4)];

}  // namespace fovea::cuda_backend

using namespace fovea;
using namespace fovea::cuda_backend;

namespace {

float random_number(std::uint64_t i, float least, float most) {
    return least + (most - least) * static_cast<float>(mixed(i) >> 40) / static_cast<float>(1 << 24);
}

/// Maps of numbers from 0 on, and their halves.
struct TestMaps {
    TestMaps(std::size_t faces, int side, int channels, std::uint64_t seed)
        : values(faces * static_cast<std::size_t>(side * side * channels)),
          halves(2 * values.size()),
          view{halves.data(), static_cast<std::uint32_t>(values.size()), side, channels} {
        for (std::size_t i = 0; i < values.size(); i += 2) {
            for (std::size_t k = i; k < i + 2; ++k) values[k] = random_number(seed + k, 0, 5);
            const HalvesOfPair pair = split_pair(values[i], values[i + 1]);
            for (std::size_t k = 0; k < 2; ++k) {
                halves[i + k] = static_cast<std::uint16_t>(pair.high >> (16 * k));
                halves[i + k + values.size()] = static_cast<std::uint16_t>(pair.low >> (16 * k));
            }
        }
    }

    double at(std::size_t face, int row, int column, int channel) const {
        if (row < 0 || column < 0 || row >= view.side || column >= view.side || channel >= view.channels)
            return 0;
        const auto side = static_cast<std::size_t>(view.side),
                   channels = static_cast<std::size_t>(view.channels);
        return values[((face * side + static_cast<std::size_t>(row)) * side +
                       static_cast<std::size_t>(column)) *
                          channels +
                      static_cast<std::size_t>(channel)];
    }

    std::vector<float> values;
    std::vector<std::uint16_t> halves;
    SplitMaps view;
};

float number_at(const std::vector<std::uint16_t>& halves, std::size_t i) {
    return value_of_halves(halves[i], halves[i + halves.size() / 2]);
}

FaceResnetConvolution random_convolution(int inputs, int outputs) {
    FaceResnetConvolution convolution;
    for (int i = 0; i < inputs * outputs * 9; ++i)
        convolution.weights.push_back(random_number(static_cast<std::uint64_t>(i), -0.06F, 0.06F));
    for (int i = 0; i < outputs; ++i)
        convolution.bias.push_back(random_number(static_cast<std::uint64_t>(i + 77), -1, 1));
    return convolution;
}

struct Shape {
    std::size_t faces;
    int from_side, inputs, stride, border;
    int side, outputs;  ///< of the result
    AddedMaps adds;
    int added_side, added_channels;
};

template <int outputs_of_block>
void check_convolution(const Shape& shape) {
    const FaceResnetConvolution convolution = random_convolution(shape.inputs, shape.outputs);
    const SplitWeights weights = split_weights(convolution, static_cast<std::size_t>(shape.inputs));
    TestMaps from(shape.faces, shape.from_side, shape.inputs, 1000);
    TestMaps added(shape.faces, std::max(1, shape.added_side), std::max(2, shape.added_channels), 2000);
    TestMaps to(shape.faces, shape.side, shape.outputs, 3000);
    ConvolutionTask task;
    task.from = from.view;
    task.stride = shape.stride;
    task.border = shape.border;
    task.weights = weights.halves.data();
    task.scale = weights.scale;
    task.bias = convolution.bias.data();
    task.made = std::min(shape.side, (shape.from_side + 2 * shape.border - 3) / shape.stride + 1);
    task.adds = shape.adds;
    task.added = added.view;
    task.to = to.view;
    task.results = static_cast<std::uint32_t>(to.values.size()) / static_cast<std::uint32_t>(shape.outputs);
    for (int part = 0; part < shape.outputs / outputs_of_block; ++part) {
        blockIdx.y = static_cast<unsigned>(part);
        test::BlockOfThreads::run((task.results + convolution_results - 1) / convolution_results,
                                  convolution_threads<outputs_of_block>, tiles,
                                  [&] { convolution_kernel<outputs_of_block>(task); });
    }
    blockIdx.y = 0;
    double largest_error = 0;
    for (std::size_t i = 0; i < to.values.size(); ++i) {
        const int output = static_cast<int>(i) % shape.outputs;
        const int place = static_cast<int>(i) / shape.outputs % (shape.side * shape.side);
        const int row = place / shape.side, column = place % shape.side;
        const std::size_t face = i / static_cast<std::size_t>(shape.outputs * shape.side * shape.side);
        double sum = 0;
        if (row < task.made && column < task.made) {
            sum = convolution.bias[static_cast<std::size_t>(output)];
            for (int tap = 0; tap < 9; ++tap) {
                for (int input = 0; input < shape.inputs; ++input) {
                    sum += from.at(face, row * shape.stride + tap / 3 - shape.border,
                                   column * shape.stride + tap % 3 - shape.border, input) *
                           convolution
                               .weights[static_cast<std::size_t>((output * shape.inputs + input) * 9 + tap)];
                }
            }
        }
        if (shape.adds == AddedMaps::same) sum += added.at(face, row, column, output);
        if (shape.adds == AddedMaps::means) {
            for (int i4 = 0; i4 < 4; ++i4)
                sum += added.at(face, 2 * row + i4 / 2, 2 * column + i4 % 2, output) / 4;
        }
        largest_error = std::max(largest_error, std::abs(number_at(to.halves, i) - std::max(sum, 0.0)));
    }
    CAPTURE(shape.from_side, shape.inputs, shape.side, shape.outputs);
    // Sums are below 20.
    CHECK(largest_error < 1e-5);
}

}  // namespace

TEST_CASE("face resnet kernels: half precision of the stand-in", "[face_resnet]") {
    // Values of IEEE 754's half precision.
    CHECK(__float2half_rn(1).bits == 0x3C00);
    CHECK(__float2half_rn(-2).bits == 0xC000);
    CHECK(__float2half_rn(65504).bits == 0x7BFF);
    CHECK(__float2half_rn(65520).bits == 0x7C00);
    CHECK(__float2half_rn(5.9604645e-8F).bits == 0x0001);
    CHECK(__float2half_rn(2048.5F).bits == 0x6800);
    CHECK(__float2half_rn(2049).bits == 0x6800);
    CHECK(__float2half_rn(2051).bits == 0x6802);
    for (int bits = 0; bits < 0x7C00; ++bits) {
        const auto half = static_cast<std::uint16_t>(bits);
        REQUIRE(__float2half_rn(__half2float({half})).bits == half);
    }
}

TEST_CASE("face resnet kernels: convolutions are those of plain loops", "[face_resnet]") {
    SECTION("stride 1, which is added to its input's input") {
        check_convolution<32>({5, 7, 32, 1, 1, 7, 32, AddedMaps::same, 7, 32});
    }
    SECTION("stride 2, two parts of the inputs") {
        check_convolution<64>({3, 9, 64, 2, 0, 4, 64, AddedMaps::none, 0, 0});
    }
    SECTION("a result that is smaller than what is added, in two parts of the outputs") {
        check_convolution<64>({9, 3, 32, 1, 1, 4, 128, AddedMaps::means, 8, 64});
    }
    SECTION("maps of one value") {
        check_convolution<64>({2, 1, 32, 1, 1, 2, 64, AddedMaps::means, 4, 64});
    }
}

TEST_CASE("face resnet kernels: the stem and its maxima", "[face_resnet]") {
    const FaceResnetWeights weights = test::random_face_resnet(8);
    std::vector<float> turned(weights.stem.weights.size());
    constexpr std::size_t taps = face_resnet_stem_taps * face_resnet_stem_taps;
    for (std::size_t i = 0; i < turned.size(); ++i)
        turned[i % taps * face_resnet_stem_channels + i / taps] = weights.stem.weights[i];
    std::vector<std::uint8_t> faces = test::drawn_face(1);
    const std::vector<std::uint8_t> second = test::drawn_face(2);
    faces.insert(faces.end(), second.begin(), second.end());
    TestMaps to(2, pooled_side, stem_channels, 1);
    test::BlockOfThreads::run(2 * pooled_side, stem_threads, tiles, [&] {
        stem_kernel(faces.data(), turned.data(), weights.stem.bias.data(), to.view);
    });
    for (std::size_t i = 0; i < to.values.size(); i += 7) {
        const std::size_t channel = i % stem_channels,
                          place = i / stem_channels % (pooled_side * pooled_side);
        const std::size_t face = i / (pooled_side * pooled_side * stem_channels);
        double most = 0;
        for (std::size_t near = 0; near < 9; ++near) {
            double sum = weights.stem.bias[channel];
            for (std::size_t tap = 0; tap < taps; ++tap) {
                const std::size_t y =
                    2 * (2 * (place / pooled_side) + near / 3) + tap / face_resnet_stem_taps;
                const std::size_t x =
                    2 * (2 * (place % pooled_side) + near % 3) + tap % face_resnet_stem_taps;
                sum += (faces[(face * face_resnet_side + y) * face_resnet_side + x] - face_resnet_grey) *
                       weights.stem.weights[channel * taps + tap];
            }
            most = std::max(most, sum);
        }
        CAPTURE(i);
        REQUIRE(std::abs(number_at(to.halves, i) - most) < 2e-6 * (1 + most));
    }
}

TEST_CASE("face resnet kernels: means of the last maps are projected", "[face_resnet]") {
    const FaceResnetWeights weights = test::random_face_resnet(9);
    constexpr std::size_t channels = face_resnet_last_channels, length = face_resnet_length;
    std::vector<float> turned(weights.projection.size());
    for (std::size_t i = 0; i < turned.size(); ++i)
        turned[i % channels * length + i / channels] = weights.projection[i];
    TestMaps maps(6, 2, static_cast<int>(channels), 4);
    std::vector<float> vectors(7 * length, -7);
    test::BlockOfThreads::run(2, static_cast<unsigned>(length), tiles,
                              [&] { project_kernel(maps.view, turned.data(), 6, vectors.data()); });
    for (std::size_t i = 0; i < 6 * length; ++i) {
        double sum = 0;
        for (std::size_t c = 0; c < channels; ++c) {
            double mean = 0;
            for (int place = 0; place < 4; ++place)
                mean += maps.at(i / length, place / 2, place % 2, static_cast<int>(c)) / 4;
            sum += mean * weights.projection[i % length * channels + c];
        }
        REQUIRE(std::abs(vectors[i] - sum) < 1e-5);
    }
    CHECK(std::count(vectors.begin(), vectors.end(), -7.0F) == static_cast<std::ptrdiff_t>(length));
}
