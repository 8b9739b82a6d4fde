// Each operation against plain loops, and each gradient against the operation that it belongs to.
#include "kernels/net_training/float_layers.hpp"

#include <cmath>
#include <vector>

#include <catch2/catch.hpp>

#include "lib/train/counter_random.hpp"

using namespace fovea;

namespace {

std::vector<float> numbers(std::size_t count, std::uint64_t seed) {
    CounterRandom random(seed);
    std::vector<float> values(count);
    for (float& value : values) value = static_cast<float>(random.unit() * 2 - 1);
    return values;
}

double dot(const std::vector<float>& a, const std::vector<float>& b) {
    REQUIRE(a.size() == b.size());
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
    return sum;
}

void check_close(const std::vector<float>& a, const std::vector<float>& b) {
    REQUIRE(a.size() == b.size());
    double worst = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        worst = std::max(worst, std::abs(static_cast<double>(a[i] - b[i])));
    CHECK(worst < 1e-4);
}

float pixel_of(const std::vector<float>& x, FloatShape shape, long row, long column, std::size_t channel) {
    if (row < 0 || column < 0 || row >= static_cast<long>(shape.height) ||
        column >= static_cast<long>(shape.width))
        return 0;
    return x[(static_cast<std::size_t>(row) * shape.width + static_cast<std::size_t>(column)) *
                 shape.channels +
             channel];
}

std::vector<float> plain_depthwise(const std::vector<float>& x, FloatShape shape,
                                   const std::vector<float>& weights) {
    std::vector<float> y;
    for (long row = 0; row < static_cast<long>(shape.height); ++row) {
        for (long column = 0; column < static_cast<long>(shape.width); ++column) {
            for (std::size_t c = 0; c < shape.channels; ++c) {
                double sum = 0;
                for (long t = 0; t < 9; ++t) {
                    sum += static_cast<double>(pixel_of(x, shape, row + t / 3 - 1, column + t % 3 - 1, c)) *
                           static_cast<double>(weights[static_cast<std::size_t>(t) * shape.channels + c]);
                }
                y.push_back(static_cast<float>(sum));
            }
        }
    }
    return y;
}

const FloatShape shapes[] = {{1, 1, 16}, {1, 5, 32}, {4, 1, 16}, {7, 6, 48}, {12, 10, 64}};

}  // namespace

TEST_CASE("net training: products of matrices", "[net-training]") {
    // [1 2; 3 4] times a matrix whose first columns are [1 0; 0 1], by hand.
    std::vector<float> right(2 * 16);
    right[0] = 1;
    right[17] = 1;
    std::vector<float> product(2 * 16, 7);
    const float left[] = {1, 2, 3, 4};
    multiply(left, 2, 2, right.data(), 16, product.data());
    CHECK(product[0] == 1);
    CHECK(product[1] == 2);
    CHECK(product[2] == 0);
    CHECK(product[16] == 3);
    CHECK(product[17] == 4);

    for (const auto& [rows, k, n] :
         {std::array<std::size_t, 3>{1, 1, 16}, {5, 3, 32}, {13, 16, 48}, {200, 64, 64}}) {
        const std::vector<float> a = numbers(rows * k, rows), b = numbers(k * n, n), g = numbers(rows * n, 3);
        std::vector<float> c(rows * n), plain(rows * n);
        multiply(a.data(), rows, k, b.data(), n, c.data());
        for (std::size_t r = 0; r < rows; ++r) {
            for (std::size_t j = 0; j < n; ++j) {
                double sum = 0;
                for (std::size_t i = 0; i < k; ++i)
                    sum += static_cast<double>(a[r * k + i]) * static_cast<double>(b[i * n + j]);
                plain[r * n + j] = static_cast<float>(sum);
            }
        }
        check_close(c, plain);
        // ⟨g, a·b⟩ = ⟨aᵀ·g, b⟩; what was there is kept.
        std::vector<float> gradient(k * n, 0.5F);
        add_product_of_transposed(a.data(), g.data(), rows, k, n, gradient.data());
        for (float& value : gradient) value -= 0.5F;
        CHECK(dot(gradient, b) == Approx(dot(g, c)).epsilon(1e-4).margin(1e-3));
        CHECK(gradient[n + 5 < gradient.size() ? n + 5 : 0] != 0);
    }
}

TEST_CASE("net training: depthwise convolutions and their gradients", "[net-training]") {
    for (const FloatShape& shape : shapes) {
        const std::vector<float> x = numbers(shape.size(), 1), weights = numbers(9 * shape.channels, 2);
        const std::vector<float> g = numbers(shape.size(), 3);
        std::vector<float> y(shape.size());
        depthwise(x.data(), shape, weights.data(), false, y.data());
        check_close(y, plain_depthwise(x, shape, weights));
        std::vector<float> back(shape.size());
        depthwise(g.data(), shape, weights.data(), true, back.data());
        CHECK(dot(back, x) == Approx(dot(g, y)).epsilon(1e-4).margin(1e-3));
        std::vector<float> by_weights(weights.size(), 0.25F);
        add_depthwise_gradient(x.data(), g.data(), shape, by_weights.data());
        for (float& value : by_weights) value -= 0.25F;
        CHECK(dot(by_weights, weights) == Approx(dot(g, y)).epsilon(1e-4).margin(1e-3));
    }
}

TEST_CASE("net training: the stem reads every second pixel", "[net-training]") {
    // One weight of 1 in the middle: the pixels of even rows and columns.
    std::vector<float> middle(9 * 16);
    for (std::size_t c = 0; c < 16; ++c) middle[4 * 16 + c] = 1;
    const std::vector<float> x = numbers(5 * 4, 1);
    std::vector<float> y(3 * 2 * 16);
    stem(x.data(), 5, 4, middle.data(), 16, y.data());
    CHECK(y[0] == x[0]);
    CHECK(y[16] == x[2]);
    CHECK(y[2 * 16 + 15] == x[8]);
    CHECK(y[5 * 16] == x[18]);
    // One in the corner: zeros beyond the border.
    std::vector<float> corner(9 * 16);
    corner[0] = 1;
    stem(x.data(), 5, 4, corner.data(), 16, y.data());
    CHECK(y[0] == 0);
    CHECK(y[3 * 16] == x[1 * 4 + 1]);

    const std::vector<float> weights = numbers(9 * 16, 2), g = numbers(y.size(), 3);
    stem(x.data(), 5, 4, weights.data(), 16, y.data());
    std::vector<float> by_weights(weights.size());
    add_stem_gradient(x.data(), 5, 4, g.data(), 16, by_weights.data());
    CHECK(dot(by_weights, weights) == Approx(dot(g, y)).epsilon(1e-4));
}

TEST_CASE("net training: moments, rectification and their gradients", "[net-training]") {
    const std::size_t pixels = 150, channels = 32;
    const std::vector<float> x = numbers(pixels * channels, 1);
    std::vector<double> sums(channels, 1), squares(channels, 2);
    add_moments(x.data(), pixels, channels, sums.data(), squares.data());
    double sum = 1, square = 2;
    for (std::size_t p = 0; p < pixels; ++p) {
        const auto value = static_cast<double>(x[p * channels + 5]);
        sum += value;
        square += value * value;
    }
    CHECK(sums[5] == Approx(sum).epsilon(1e-5));
    CHECK(squares[5] == Approx(square).epsilon(1e-5));

    const std::vector<float> factors = numbers(channels, 2), offsets = numbers(channels, 3);
    std::vector<float> y(x.size());
    scale_and_rectify(x.data(), pixels, channels, factors.data(), offsets.data(), y.data());
    std::vector<float> g = numbers(x.size(), 4);
    const std::vector<float> before = g;
    std::vector<double> g_sums(channels), products(channels);
    rectify_gradient(x.data(), pixels, channels, factors.data(), offsets.data(), g.data(), g_sums.data(),
                     products.data());
    double g_sum = 0, product = 0;
    bool is_right = true;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const std::size_t c = i % channels;
        const float value = factors[c] * x[i] + offsets[c];
        is_right = is_right && std::abs(y[i] - std::max(0.0F, value)) < 1e-6F;
        is_right = is_right && g[i] == (y[i] > 0 ? before[i] : 0.0F);
        if (c != 7) continue;
        g_sum += static_cast<double>(g[i]);
        product += static_cast<double>(g[i]) * static_cast<double>(x[i]);
    }
    CHECK(is_right);
    CHECK(g_sums[7] == Approx(g_sum).epsilon(1e-4).margin(1e-4));
    CHECK(products[7] == Approx(product).epsilon(1e-4).margin(1e-4));

    const std::vector<float> a = numbers(channels, 5), b = numbers(channels, 6), c = numbers(channels, 7);
    std::vector<float> mixed = g;
    mix_gradient(x.data(), pixels, channels, a.data(), b.data(), c.data(), mixed.data());
    const std::size_t at = 33 * channels + 9;
    CHECK(mixed[at] == Approx(a[9] * g[at] + b[9] * x[at] + c[9]).margin(1e-6));
}

TEST_CASE("net training: pooling and repeating pixels, and their gradients", "[net-training]") {
    // Two equal largest: the first has the gradient.
    std::vector<float> four(4 * 16);
    for (std::size_t c = 0; c < 16; ++c) {
        four[0 * 16 + c] = 1;
        four[1 * 16 + c] = 3;
        four[2 * 16 + c] = 3;
        four[3 * 16 + c] = static_cast<float>(c);
    }
    std::vector<float> pooled(16), by_x(four.size(), 9);
    max_pool(four.data(), {2, 2, 16}, pooled.data());
    CHECK(pooled[0] == 3);
    CHECK(pooled[10] == 10);
    const std::vector<float> one(16, 1);
    max_pool_gradient(four.data(), {2, 2, 16}, one.data(), by_x.data());
    CHECK(by_x[1 * 16] == 1);
    CHECK(by_x[2 * 16] == 0);
    CHECK(by_x[3 * 16] == 0);
    CHECK(by_x[3 * 16 + 10] == 1);
    CHECK(by_x[1 * 16 + 10] == 0);

    const FloatShape shape{6, 8, 32};
    const std::vector<float> coarse = numbers(3 * 4 * 32, 1), zero(shape.size()),
                             g = numbers(shape.size(), 2);
    std::vector<float> y(shape.size());
    add_repeated(zero.data(), coarse.data(), shape, y.data());
    CHECK(pixel_of(y, shape, 3, 5, 7) == coarse[(1 * 4 + 2) * 32 + 7]);
    std::vector<float> back(coarse.size());
    add_sums_of_four(g.data(), shape, back.data());
    CHECK(dot(back, coarse) == Approx(dot(g, y)).epsilon(1e-4));
}
