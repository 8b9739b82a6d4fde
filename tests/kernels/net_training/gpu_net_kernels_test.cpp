// The kernels of a network's training against the CPU's layers, in odd shapes that no network has. They run
// on the CPU by blocks whose threads take turns: tests/support/host_cuda.

#include "kernels/net_training/gpu_net_kernels.cuh"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <catch2/catch.hpp>

#include "kernels/net_training/float_layers.hpp"
#include "lib/core/splitmix.hpp"
#include "tests/support/host_cuda/block_of_threads.hpp"

namespace fovea::cuda_backend {

/// The shared memory of a block.
alignas(16) uint4 shared_words[2048];

}  // namespace fovea::cuda_backend

using namespace fovea;
using namespace fovea::cuda_backend;

namespace {

/// Numbers from -1 to 1. \return memory aligned as the kernels read
std::vector<float> numbers(std::size_t count, std::uint64_t seed) {
    std::vector<float> values(count);
    for (std::size_t i = 0; i < count; ++i)
        values[i] = static_cast<float>(mixed(1000 * seed + i) >> 40) / static_cast<float>(1 << 23) - 1;
    return values;
}

void check_close(const std::vector<float>& a, const std::vector<float>& b) {
    REQUIRE(a.size() == b.size());
    double worst = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double difference = std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i]));
        REQUIRE(std::isfinite(difference));
        worst = std::max(worst, difference);
    }
    CHECK(worst < 2e-5);
}

template <class Kernel>
void run(unsigned blocks, unsigned more_blocks, unsigned threads, const Kernel& kernel) {
    for (unsigned y = 0; y < more_blocks; ++y) {
        blockIdx.y = y;
        test::BlockOfThreads::run(blocks, threads, shared_words, kernel);
    }
    blockIdx.y = 0;
}

/// A map, and what normalisation and rectification make of it.
struct TestMap {
    TestMap(std::size_t pixels, std::size_t channels, std::uint64_t seed)
        : values(numbers(pixels * channels, seed)),
          factors(numbers(channels, seed + 1)),
          offsets(numbers(channels, seed + 2)),
          result(values.size()) {
        scale_and_rectify(values.data(), pixels, channels, factors.data(), offsets.data(), result.data());
    }
    MapView view() const { return {values.data(), factors.data(), offsets.data()}; }

    std::vector<float> values, factors, offsets, result;
};

template <int columns>
void check_products(std::size_t rows, std::size_t depth, std::size_t outputs) {
    CAPTURE(rows, depth, outputs);
    const TestMap left(rows, depth, 1);
    const std::vector<float> weights = numbers(depth * outputs, 4), gradient = numbers(rows * outputs, 5);
    const auto n = static_cast<std::uint32_t>(rows);
    const unsigned blocks = static_cast<unsigned>((rows + product_rows<columns> - 1) / product_rows<columns>);
    std::vector<float> made(rows * outputs, 7), wanted(rows * outputs);
    const ProductTask task{left.view(), weights.data(),          made.data(),
                           n,           static_cast<int>(depth), static_cast<int>(outputs),
                           false};
    run(blocks, static_cast<unsigned>(outputs / columns), product_threads,
        [&] { product_kernel<columns, false>(task); });
    multiply(left.result.data(), rows, depth, weights.data(), outputs, wanted.data());
    check_close(made, wanted);

    // The gradient by the input, added to what is there.
    if (depth % columns != 0) return;
    std::vector<float> turned(weights.size()), by_left(rows * depth, 0.5F), wanted_by(rows * depth);
    for (std::size_t i = 0; i < weights.size(); ++i) turned[i % outputs * depth + i / outputs] = weights[i];
    multiply(gradient.data(), rows, outputs, turned.data(), depth, wanted_by.data());
    for (float& value : wanted_by) value += 0.5F;
    const ProductTask back{{gradient.data(), nullptr, nullptr},
                           weights.data(),
                           by_left.data(),
                           n,
                           static_cast<int>(outputs),
                           static_cast<int>(depth),
                           true};
    run(blocks, static_cast<unsigned>(depth / columns), product_threads,
        [&] { product_kernel<columns, true>(back); });
    check_close(by_left, wanted_by);
}

template <int tall, int wide>
void check_outer(std::size_t rows, std::size_t depth, std::size_t outputs) {
    CAPTURE(rows, depth, outputs);
    constexpr std::size_t rows_of_part = 64;
    const std::size_t parts = (rows + rows_of_part - 1) / rows_of_part;
    const TestMap left(rows, depth, 1);
    const std::vector<float> gradient = numbers(rows * outputs, 5);
    std::vector<float> made(parts * depth * outputs, 7), wanted(made.size());
    const OuterTask task{left.view(),
                         gradient.data(),
                         made.data(),
                         static_cast<std::uint32_t>(rows),
                         rows_of_part,
                         static_cast<int>(depth),
                         static_cast<int>(outputs)};
    run(static_cast<unsigned>(parts), static_cast<unsigned>(depth / tall * (outputs / wide)), outer_threads,
        [&] { outer_kernel<tall, wide>(task); });
    for (std::size_t p = 0; p < parts; ++p) {
        const std::size_t first = p * rows_of_part;
        add_product_of_transposed(left.result.data() + first * depth, gradient.data() + first * outputs,
                                  std::min(rows_of_part, rows - first), depth, outputs,
                                  wanted.data() + p * depth * outputs);
    }
    check_close(made, wanted);
}

/// Crops, and the blocks that share the work: more than there is work for, and fewer.
struct MapCase {
    FloatShape shape;
    unsigned crops, blocks;

    MapSize size() const {
        return {crops, static_cast<int>(shape.height), static_cast<int>(shape.width),
                static_cast<int>(shape.channels)};
    }
    std::size_t values() const { return crops * shape.size(); }
};
const MapCase maps[] = {{{1, 1, 16}, 1, 3},  {{1, 5, 32}, 2, 1},   {{4, 1, 16}, 3, 2},
                        {{7, 13, 48}, 2, 5}, {{12, 10, 64}, 1, 2}, {{3, 7, 128}, 2, 4}};

/// Adds the parts of blocks.
template <class Number>
std::vector<double> added_up(const std::vector<Number>& parts, unsigned blocks) {
    std::vector<double> sums(parts.size() / blocks);
    for (std::size_t i = 0; i < parts.size(); ++i) sums[i % sums.size()] += static_cast<double>(parts[i]);
    return sums;
}

void check_sums(const std::vector<double>& made, const std::vector<double>& wanted) {
    REQUIRE(made.size() == wanted.size());
    for (std::size_t i = 0; i < made.size(); ++i) CHECK(made[i] == Approx(wanted[i]).margin(1e-4));
}

}  // namespace

TEST_CASE("net training on a GPU: products of matrices", "[net-training]") {
    check_products<16>(1, 16, 16);
    check_products<16>(270, 48, 32);
    check_products<64>(65, 64, 64);
    check_products<64>(3, 16, 128);
    check_outer<16, 16>(1, 16, 16);
    check_outer<16, 16>(130, 32, 48);
    check_outer<64, 16>(70, 64, 32);
    check_outer<16, 64>(33, 48, 64);
    check_outer<64, 64>(100, 128, 64);
}

TEST_CASE("net training on a GPU: depthwise convolutions, moments and gradients", "[net-training]") {
    for (const MapCase& map : maps) {
        const auto& [shape, crops, blocks] = map;
        const std::size_t channels = shape.channels;
        CAPTURE(shape.height, shape.width, channels, blocks);
        const std::vector<float> from = numbers(map.values(), 1), weights = numbers(9 * channels, 2),
                                 bias = numbers(channels, 3);
        std::vector<float> made(map.values()), wanted(map.values());
        std::vector<double> parts(blocks * 2 * channels, 7), moments(2 * channels);
        run(blocks, 1, channel_threads, [&, size = map.size()] {
            depthwise_kernel({size, from.data(), weights.data(), nullptr, made.data(), parts.data()});
        });
        for (std::size_t i = 0; i < crops; ++i) {
            const std::size_t at = i * shape.size();
            depthwise(from.data() + at, shape, weights.data(), false, wanted.data() + at);
            add_moments(wanted.data() + at, shape.pixels(), channels, moments.data(),
                        moments.data() + channels);
        }
        check_close(made, wanted);
        check_sums(added_up(parts, blocks), moments);
        run(blocks, 1, channel_threads, [&, size = map.size()] {
            depthwise_kernel({size, from.data(), weights.data(), bias.data(), made.data(), nullptr});
        });
        for (std::size_t v = 0; v < wanted.size(); ++v) wanted[v] += bias[v % channels];
        check_close(made, wanted);

        // Backwards, through rectification and normalisation.
        const TestMap sums(crops * shape.pixels(), channels, 4);
        const std::vector<float> gradient = numbers(map.values(), 8), a = numbers(channels, 9),
                                 b = numbers(channels, 10), c = numbers(channels, 11);
        const GradientView view{
            gradient.data(), sums.values.data(), sums.factors.data(), sums.offsets.data(), a.data(), b.data(),
            c.data()};
        std::vector<double> by_normalisation(2 * channels);
        std::vector<float> mixed_gradient = gradient, by_from(map.values()),
                           tap_parts(blocks * tap_sums * channels);
        run(blocks, 1, channel_threads,
            [&, size = map.size()] { rectify_back_kernel(view, size, parts.data()); });
        rectify_gradient(sums.values.data(), crops * shape.pixels(), channels, sums.factors.data(),
                         sums.offsets.data(), mixed_gradient.data(), by_normalisation.data(),
                         by_normalisation.data() + channels);
        check_sums(added_up(parts, blocks), by_normalisation);
        mix_gradient(sums.values.data(), crops * shape.pixels(), channels, a.data(), b.data(), c.data(),
                     mixed_gradient.data());
        run(blocks, 1, channel_threads, [&, size = map.size()] {
            depthwise_back_kernel(
                {size, view, from.data(), weights.data(), by_from.data(), tap_parts.data()});
        });
        std::vector<float> by_weights(9 * channels);
        for (std::size_t i = 0; i < crops; ++i) {
            const std::size_t at = i * shape.size();
            depthwise(mixed_gradient.data() + at, shape, weights.data(), true, wanted.data() + at);
            add_depthwise_gradient(from.data() + at, mixed_gradient.data() + at, shape, by_weights.data());
        }
        check_close(by_from, wanted);
        std::vector<double> by_taps(by_weights.begin(), by_weights.end());
        by_taps.resize(tap_sums * channels);
        for (std::size_t v = 0; v < mixed_gradient.size(); ++v)
            by_taps[9 * channels + v % channels] += static_cast<double>(mixed_gradient[v]);
        check_sums(added_up(tap_parts, blocks), by_taps);
    }
}

TEST_CASE("net training on a GPU: the stem", "[net-training]") {
    for (const MapCase& map : maps) {
        const auto& [shape, crops, blocks] = map;
        // Crops as wide as high, as those of networks.
        if (shape.channels > 64) continue;
        const std::size_t side = 2 * shape.width, channels = shape.channels;
        const FloatShape result{shape.width, shape.width, channels};
        const MapSize size{crops, static_cast<int>(shape.width), static_cast<int>(shape.width),
                           static_cast<int>(channels)};
        const std::vector<float> pixels = numbers(crops * side * side, 1), weights = numbers(9 * channels, 2),
                                 gradient = numbers(crops * result.size(), 3);
        std::vector<float> made(crops * result.size()), wanted(made.size()), by_weights(9 * channels),
            tap_parts(blocks * tap_sums * channels);
        std::vector<double> parts(blocks * 2 * channels);
        run(blocks, 1, channel_threads, [&] {
            stem_kernel({size, pixels.data(), weights.data(), made.data(), parts.data()});
        });
        const GradientView view{gradient.data(), nullptr, nullptr, nullptr, nullptr, nullptr, nullptr};
        run(blocks, 1, channel_threads, [&] {
            stem_back_kernel({size, view, pixels.data(), tap_parts.data()});
        });
        for (std::size_t i = 0; i < crops; ++i) {
            stem(pixels.data() + i * side * side, side, side, weights.data(), channels,
                 wanted.data() + i * result.size());
            add_stem_gradient(pixels.data() + i * side * side, side, side,
                              gradient.data() + i * result.size(), channels, by_weights.data());
        }
        check_close(made, wanted);
        std::vector<double> by_taps(by_weights.begin(), by_weights.end());
        by_taps.resize(tap_sums * channels);
        check_sums(added_up(tap_parts, blocks), by_taps);
    }
}

TEST_CASE("net training on a GPU: pooling and joins", "[net-training]") {
    const FloatShape fine{6, 10, 48}, coarse{3, 5, 48};
    constexpr std::size_t crops = 2;
    const TestMap map(crops * fine.pixels(), 48, 1), small(crops * coarse.pixels(), 48, 5);
    const std::vector<float> gradient = numbers(crops * coarse.size(), 9);
    std::vector<float> made(crops * coarse.size()), wanted(made.size()), back(crops * fine.size(), 0.5F),
        wanted_back(back.size());
    TwoScales maps_of{};
    maps_of.coarse = {crops, 3, 5, 48};
    maps_of.fine_map = map.view();
    maps_of.coarse_values = made.data();
    const unsigned blocks = static_cast<unsigned>(made.size() / value_threads + 1);
    run(blocks, 1, value_threads, [&] { pool_kernel(maps_of); });
    maps_of.coarse_map = {gradient.data(), nullptr, nullptr};
    maps_of.fine = back.data();
    maps_of.adds_fine = true;
    run(blocks, 1, value_threads, [&] { pool_back_kernel(maps_of); });
    for (std::size_t i = 0; i < crops; ++i) {
        max_pool(map.result.data() + i * fine.size(), fine, wanted.data() + i * coarse.size());
        max_pool_gradient(map.result.data() + i * fine.size(), fine, gradient.data() + i * coarse.size(),
                          wanted_back.data() + i * fine.size());
    }
    for (float& value : wanted_back) value += 0.5F;
    CHECK(made == wanted);
    CHECK(back == wanted_back);

    TwoScales join{};
    join.coarse = maps_of.coarse;
    join.fine_map = map.view();
    join.coarse_map = small.view();
    join.fine = back.data();
    run(blocks, 1, value_threads, [&] { join_kernel(join); });
    for (std::size_t i = 0; i < crops; ++i)
        add_repeated(map.result.data() + i * fine.size(), small.result.data() + i * coarse.size(), fine,
                     wanted_back.data() + i * fine.size());
    CHECK(back == wanted_back);
    // Backwards: to the coarse map something was given before, to the fine one nothing.
    join.fine_map = {map.values.data(), nullptr, nullptr};
    join.coarse_values = made.data();
    join.adds_coarse = true;
    run(blocks, 1, value_threads, [&] { join_back_kernel(join); });
    CHECK(back == map.values);
    for (std::size_t i = 0; i < crops; ++i)
        add_sums_of_four(map.values.data() + i * fine.size(), fine, wanted.data() + i * coarse.size());
    CHECK(made == wanted);
}
