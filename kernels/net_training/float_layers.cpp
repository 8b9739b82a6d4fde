// Compiled once for every instruction set and chosen at run time (Highway). A lane is a channel.

#include "kernels/net_training/float_layers.hpp"

#include <algorithm>

#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/net_training/float_layers.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fovea {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Channels come in sixteens.
using Floats = hn::CappedTag<float, 16>;
using Vector = hn::Vec<Floats>;

HWY_INLINE std::size_t lanes() {
    return hn::Lanes(Floats());
}

/// Rows of a product that stay in registers, with as many vectors.
constexpr std::size_t block_rows = 6;

// The part of a product that `columns` vectors from b on make, for up to block_rows rows.
template <std::size_t rows, std::size_t columns>
HWY_INLINE void multiply_block(const float* a, std::size_t k, const float* b, std::size_t n, float* c) {
    const Floats d;
    const std::size_t lane_count = lanes();
    Vector sums[rows][columns];
    for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t j = 0; j < columns; ++j) sums[r][j] = hn::Zero(d);
    }
    for (std::size_t i = 0; i < k; ++i) {
        Vector right[columns];
        for (std::size_t j = 0; j < columns; ++j) right[j] = hn::LoadU(d, b + i * n + j * lane_count);
        for (std::size_t r = 0; r < rows; ++r) {
            const Vector left = hn::Set(d, a[r * k + i]);
            for (std::size_t j = 0; j < columns; ++j) sums[r][j] = hn::MulAdd(left, right[j], sums[r][j]);
        }
    }
    for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t j = 0; j < columns; ++j) hn::StoreU(sums[r][j], d, c + r * n + j * lane_count);
    }
}

template <std::size_t columns>
HWY_INLINE void multiply_columns(const float* a, std::size_t rows, std::size_t k, const float* b,
                                 std::size_t n, float* c) {
    std::size_t row = 0;
    for (; row + block_rows <= rows; row += block_rows)
        multiply_block<block_rows, columns>(a + row * k, k, b, n, c + row * n);
    for (; row < rows; ++row) multiply_block<1, columns>(a + row * k, k, b, n, c + row * n);
}

HWY_ATTR void multiply(const float* a, std::size_t rows, std::size_t k, const float* b, std::size_t n,
                       float* c) {
    const std::size_t lane_count = lanes();
    // Rows of a in parts that stay in the cache while all columns are made.
    constexpr std::size_t part = 16 * block_rows;
    for (std::size_t row = 0; row < rows; row += part) {
        const std::size_t count = std::min(part, rows - row);
        std::size_t j = 0;
        for (; j + 2 * lane_count <= n; j += 2 * lane_count)
            multiply_columns<2>(a + row * k, count, k, b + j, n, c + row * n + j);
        for (; j < n; j += lane_count) multiply_columns<1>(a + row * k, count, k, b + j, n, c + row * n + j);
    }
}

// c[depth rows][columns vectors] += products of `rows` rows.
template <std::size_t depth, std::size_t columns>
HWY_INLINE void add_outer_block(const float* a, std::size_t k, const float* b, std::size_t n,
                                std::size_t rows, float* c) {
    const Floats d;
    const std::size_t lane_count = lanes();
    Vector sums[depth][columns];
    for (std::size_t i = 0; i < depth; ++i) {
        for (std::size_t j = 0; j < columns; ++j) sums[i][j] = hn::LoadU(d, c + i * n + j * lane_count);
    }
    for (std::size_t row = 0; row < rows; ++row) {
        Vector right[columns];
        for (std::size_t j = 0; j < columns; ++j) right[j] = hn::LoadU(d, b + row * n + j * lane_count);
        for (std::size_t i = 0; i < depth; ++i) {
            const Vector left = hn::Set(d, a[row * k + i]);
            for (std::size_t j = 0; j < columns; ++j) sums[i][j] = hn::MulAdd(left, right[j], sums[i][j]);
        }
    }
    for (std::size_t i = 0; i < depth; ++i) {
        for (std::size_t j = 0; j < columns; ++j) hn::StoreU(sums[i][j], d, c + i * n + j * lane_count);
    }
}

template <std::size_t columns>
HWY_INLINE void add_outer_columns(const float* a, std::size_t k, const float* b, std::size_t n,
                                  std::size_t rows, float* c) {
    constexpr std::size_t depth = 4;
    std::size_t i = 0;
    for (; i + depth <= k; i += depth) add_outer_block<depth, columns>(a + i, k, b, n, rows, c + i * n);
    for (; i < k; ++i) add_outer_block<1, columns>(a + i, k, b, n, rows, c + i * n);
}

HWY_ATTR void add_product_of_transposed(const float* a, const float* b, std::size_t rows, std::size_t k,
                                        std::size_t n, float* c) {
    const std::size_t lane_count = lanes();
    constexpr std::size_t part = 64;
    for (std::size_t row = 0; row < rows; row += part) {
        const std::size_t count = std::min(part, rows - row);
        const float* left = a + row * k;
        const float* right = b + row * n;
        std::size_t j = 0;
        for (; j + 2 * lane_count <= n; j += 2 * lane_count)
            add_outer_columns<2>(left, k, right + j, n, count, c + j);
        for (; j < n; j += lane_count) add_outer_columns<1>(left, k, right + j, n, count, c + j);
    }
}

/// Taps of a 3×3 neighbourhood that lie inside the image: the first and the one behind the last.
struct Taps {
    std::size_t first = 0, end = 3;
};

HWY_INLINE Taps taps_at(std::size_t at, std::size_t side) {
    return {at == 0 ? std::size_t{1} : std::size_t{0}, at + 1 == side ? std::size_t{2} : std::size_t{3}};
}

HWY_ATTR void depthwise(const float* x, FloatShape shape, const float* weights, bool flipped, float* y) {
    const Floats d;
    const std::size_t lane_count = lanes(), channels = shape.channels, row_size = shape.width * channels;
    for (std::size_t j = 0; j < channels; j += lane_count) {
        Vector taps[9];
        for (std::size_t t = 0; t < 9; ++t)
            taps[t] = hn::LoadU(d, weights + (flipped ? 8 - t : t) * channels + j);
        for (std::size_t row = 0; row < shape.height; ++row) {
            const Taps rows = taps_at(row, shape.height);
            for (std::size_t column = 0; column < shape.width; ++column) {
                const Taps columns = taps_at(column, shape.width);
                // The pixel one row up and one column to the left; the number may wrap.
                const std::size_t corner = row * row_size + column * channels + j - row_size - channels;
                Vector sum = hn::Zero(d);
                for (std::size_t dy = rows.first; dy < rows.end; ++dy) {
                    for (std::size_t dx = columns.first; dx < columns.end; ++dx) {
                        const Vector value = hn::LoadU(d, x + (corner + dy * row_size + dx * channels));
                        sum = hn::MulAdd(value, taps[3 * dy + dx], sum);
                    }
                }
                hn::StoreU(sum, d, y + row * row_size + column * channels + j);
            }
        }
    }
}

HWY_ATTR void add_depthwise_gradient(const float* x, const float* gradient, FloatShape shape,
                                     float* weights) {
    const Floats d;
    const std::size_t lane_count = lanes(), channels = shape.channels, row_size = shape.width * channels;
    for (std::size_t j = 0; j < channels; j += lane_count) {
        Vector sums[9];
        for (std::size_t t = 0; t < 9; ++t) sums[t] = hn::LoadU(d, weights + t * channels + j);
        for (std::size_t row = 0; row < shape.height; ++row) {
            const Taps rows = taps_at(row, shape.height);
            for (std::size_t column = 0; column < shape.width; ++column) {
                const Taps columns = taps_at(column, shape.width);
                const std::size_t corner = row * row_size + column * channels + j - row_size - channels;
                const Vector here = hn::LoadU(d, gradient + row * row_size + column * channels + j);
                for (std::size_t dy = rows.first; dy < rows.end; ++dy) {
                    for (std::size_t dx = columns.first; dx < columns.end; ++dx) {
                        const Vector value = hn::LoadU(d, x + (corner + dy * row_size + dx * channels));
                        sums[3 * dy + dx] = hn::MulAdd(value, here, sums[3 * dy + dx]);
                    }
                }
            }
        }
        for (std::size_t t = 0; t < 9; ++t) hn::StoreU(sums[t], d, weights + t * channels + j);
    }
}

/// The pixel that a tap of the stem reads: its place, or the number of pixels where it is none.
HWY_INLINE std::size_t stem_pixel(std::size_t row, std::size_t column, std::size_t tap, std::size_t height,
                                  std::size_t width) {
    const std::size_t y = 2 * row + tap / 3 - 1, x = 2 * column + tap % 3 - 1;
    return y < height && x < width ? y * width + x : height * width;
}

HWY_ATTR void stem(const float* x, std::size_t height, std::size_t width, const float* weights,
                   std::size_t channels, float* y) {
    const Floats d;
    const std::size_t lane_count = lanes();
    for (std::size_t row = 0; 2 * row < height; ++row) {
        for (std::size_t column = 0; 2 * column < width; ++column) {
            float values[9];
            for (std::size_t t = 0; t < 9; ++t) {
                const std::size_t pixel = stem_pixel(row, column, t, height, width);
                values[t] = pixel < height * width ? x[pixel] : 0.0F;
            }
            for (std::size_t j = 0; j < channels; j += lane_count) {
                Vector sum = hn::Zero(d);
                for (std::size_t t = 0; t < 9; ++t)
                    sum = hn::MulAdd(hn::Set(d, values[t]), hn::LoadU(d, weights + t * channels + j), sum);
                hn::StoreU(sum, d, y + j);
            }
            y += channels;
        }
    }
}

HWY_ATTR void add_stem_gradient(const float* x, std::size_t height, std::size_t width, const float* gradient,
                                std::size_t channels, float* weights) {
    const Floats d;
    const std::size_t lane_count = lanes(), columns = (width + 1) / 2;
    for (std::size_t j = 0; j < channels; j += lane_count) {
        Vector sums[9];
        for (std::size_t t = 0; t < 9; ++t) sums[t] = hn::LoadU(d, weights + t * channels + j);
        for (std::size_t row = 0; 2 * row < height; ++row) {
            for (std::size_t column = 0; column < columns; ++column) {
                const Vector here = hn::LoadU(d, gradient + (row * columns + column) * channels + j);
                for (std::size_t t = 0; t < 9; ++t) {
                    const std::size_t pixel = stem_pixel(row, column, t, height, width);
                    const float value = pixel < height * width ? x[pixel] : 0.0F;
                    sums[t] = hn::MulAdd(hn::Set(d, value), here, sums[t]);
                }
            }
        }
        for (std::size_t t = 0; t < 9; ++t) hn::StoreU(sums[t], d, weights + t * channels + j);
    }
}

// Adds a vector to doubles, lane by lane.
HWY_INLINE void add_to(Vector value, double* to) {
    float lane[16];
    hn::StoreU(value, Floats(), lane);
    for (std::size_t i = 0; i < lanes(); ++i) to[i] += static_cast<double>(lane[i]);
}

/// Pixels whose sums are floats before they are added to doubles.
constexpr std::size_t sum_pixels = 64;

HWY_ATTR void add_moments(const float* x, std::size_t pixels, std::size_t channels, double* sums,
                          double* squares) {
    const Floats d;
    for (std::size_t j = 0; j < channels; j += lanes()) {
        for (std::size_t first = 0; first < pixels; first += sum_pixels) {
            const std::size_t end = std::min(first + sum_pixels, pixels);
            Vector sum = hn::Zero(d), square = hn::Zero(d);
            for (std::size_t p = first; p < end; ++p) {
                const Vector value = hn::LoadU(d, x + p * channels + j);
                sum = hn::Add(sum, value);
                square = hn::MulAdd(value, value, square);
            }
            add_to(sum, sums + j);
            add_to(square, squares + j);
        }
    }
}

HWY_ATTR void scale_and_rectify(const float* x, std::size_t pixels, std::size_t channels,
                                const float* factors, const float* offsets, float* y) {
    const Floats d;
    for (std::size_t j = 0; j < channels; j += lanes()) {
        const Vector factor = hn::LoadU(d, factors + j), offset = hn::LoadU(d, offsets + j);
        for (std::size_t p = 0; p < pixels; ++p) {
            const Vector value = hn::MulAdd(factor, hn::LoadU(d, x + p * channels + j), offset);
            hn::StoreU(hn::Max(value, hn::Zero(d)), d, y + p * channels + j);
        }
    }
}

HWY_ATTR void rectify_gradient(const float* x, std::size_t pixels, std::size_t channels, const float* factors,
                               const float* offsets, float* gradient, double* sums, double* products) {
    const Floats d;
    for (std::size_t j = 0; j < channels; j += lanes()) {
        const Vector factor = hn::LoadU(d, factors + j), offset = hn::LoadU(d, offsets + j);
        for (std::size_t first = 0; first < pixels; first += sum_pixels) {
            const std::size_t end = std::min(first + sum_pixels, pixels);
            Vector sum = hn::Zero(d), product = hn::Zero(d);
            for (std::size_t p = first; p < end; ++p) {
                const std::size_t at = p * channels + j;
                const Vector value = hn::LoadU(d, x + at);
                const auto passes = hn::Gt(hn::MulAdd(factor, value, offset), hn::Zero(d));
                const Vector here = hn::IfThenElseZero(passes, hn::LoadU(d, gradient + at));
                hn::StoreU(here, d, gradient + at);
                sum = hn::Add(sum, here);
                product = hn::MulAdd(here, value, product);
            }
            add_to(sum, sums + j);
            add_to(product, products + j);
        }
    }
}

HWY_ATTR void mix_gradient(const float* x, std::size_t pixels, std::size_t channels, const float* a,
                           const float* b, const float* c, float* gradient) {
    const Floats d;
    for (std::size_t j = 0; j < channels; j += lanes()) {
        const Vector va = hn::LoadU(d, a + j), vb = hn::LoadU(d, b + j), vc = hn::LoadU(d, c + j);
        for (std::size_t p = 0; p < pixels; ++p) {
            const std::size_t at = p * channels + j;
            const Vector rest = hn::MulAdd(vb, hn::LoadU(d, x + at), vc);
            hn::StoreU(hn::MulAdd(va, hn::LoadU(d, gradient + at), rest), d, gradient + at);
        }
    }
}

HWY_ATTR void max_pool(const float* x, FloatShape shape, float* y) {
    const Floats d;
    const std::size_t channels = shape.channels, row_size = shape.width * channels;
    for (std::size_t row = 0; row + 1 < shape.height; row += 2) {
        for (std::size_t column = 0; column + 1 < shape.width; column += 2) {
            const float* at = x + row * row_size + column * channels;
            for (std::size_t j = 0; j < channels; j += lanes()) {
                const Vector above = hn::Max(hn::LoadU(d, at + j), hn::LoadU(d, at + channels + j));
                const Vector below =
                    hn::Max(hn::LoadU(d, at + row_size + j), hn::LoadU(d, at + row_size + channels + j));
                hn::StoreU(hn::Max(above, below), d, y + j);
            }
            y += channels;
        }
    }
}

HWY_ATTR void max_pool_gradient(const float* x, FloatShape shape, const float* y_gradient,
                                float* x_gradient) {
    const Floats d;
    const std::size_t channels = shape.channels, row_size = shape.width * channels;
    const std::size_t places[4] = {0, channels, row_size, row_size + channels};
    for (std::size_t row = 0; row + 1 < shape.height; row += 2) {
        for (std::size_t column = 0; column + 1 < shape.width; column += 2) {
            const std::size_t at = row * row_size + column * channels;
            for (std::size_t j = 0; j < channels; j += lanes()) {
                Vector values[4];
                for (std::size_t i = 0; i < 4; ++i) values[i] = hn::LoadU(d, x + at + places[i] + j);
                const Vector largest = hn::Max(hn::Max(values[0], values[1]), hn::Max(values[2], values[3]));
                Vector left = hn::LoadU(d, y_gradient + j);
                for (std::size_t i = 0; i < 4; ++i) {
                    const auto is_it = hn::Eq(values[i], largest);
                    hn::StoreU(hn::IfThenElseZero(is_it, left), d, x_gradient + at + places[i] + j);
                    left = hn::IfThenZeroElse(is_it, left);
                }
            }
            y_gradient += channels;
        }
    }
}

HWY_ATTR void add_repeated(const float* x, const float* coarse, FloatShape shape, float* y) {
    const Floats d;
    const std::size_t channels = shape.channels;
    for (std::size_t row = 0; row < shape.height; ++row) {
        for (std::size_t column = 0; column < shape.width; ++column) {
            const std::size_t at = (row * shape.width + column) * channels;
            const float* from = coarse + ((row / 2) * (shape.width / 2) + column / 2) * channels;
            for (std::size_t j = 0; j < channels; j += lanes())
                hn::StoreU(hn::Add(hn::LoadU(d, x + at + j), hn::LoadU(d, from + j)), d, y + at + j);
        }
    }
}

HWY_ATTR void add_sums_of_four(const float* fine, FloatShape shape, float* coarse) {
    const Floats d;
    const std::size_t channels = shape.channels;
    for (std::size_t row = 0; row < shape.height; ++row) {
        for (std::size_t column = 0; column < shape.width; ++column) {
            const float* from = fine + (row * shape.width + column) * channels;
            float* to = coarse + ((row / 2) * (shape.width / 2) + column / 2) * channels;
            for (std::size_t j = 0; j < channels; j += lanes())
                hn::StoreU(hn::Add(hn::LoadU(d, to + j), hn::LoadU(d, from + j)), d, to + j);
        }
    }
}

}  // namespace HWY_NAMESPACE
}  // namespace fovea
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea {

HWY_EXPORT(multiply);
HWY_EXPORT(add_product_of_transposed);
HWY_EXPORT(depthwise);
HWY_EXPORT(add_depthwise_gradient);
HWY_EXPORT(stem);
HWY_EXPORT(add_stem_gradient);
HWY_EXPORT(add_moments);
HWY_EXPORT(scale_and_rectify);
HWY_EXPORT(rectify_gradient);
HWY_EXPORT(mix_gradient);
HWY_EXPORT(max_pool);
HWY_EXPORT(max_pool_gradient);
HWY_EXPORT(add_repeated);
HWY_EXPORT(add_sums_of_four);

void multiply(const float* a, std::size_t rows, std::size_t k, const float* b, std::size_t n, float* c) {
    HWY_DYNAMIC_DISPATCH(multiply)(a, rows, k, b, n, c);
}

void add_product_of_transposed(const float* a, const float* b, std::size_t rows, std::size_t k, std::size_t n,
                               float* c) {
    HWY_DYNAMIC_DISPATCH(add_product_of_transposed)(a, b, rows, k, n, c);
}

void depthwise(const float* x, FloatShape shape, const float* weights, bool flipped, float* y) {
    HWY_DYNAMIC_DISPATCH(depthwise)(x, shape, weights, flipped, y);
}

void add_depthwise_gradient(const float* x, const float* gradient, FloatShape shape, float* weights) {
    HWY_DYNAMIC_DISPATCH(add_depthwise_gradient)(x, gradient, shape, weights);
}

void stem(const float* x, std::size_t height, std::size_t width, const float* weights, std::size_t channels,
          float* y) {
    HWY_DYNAMIC_DISPATCH(stem)(x, height, width, weights, channels, y);
}

void add_stem_gradient(const float* x, std::size_t height, std::size_t width, const float* gradient,
                       std::size_t channels, float* weights) {
    HWY_DYNAMIC_DISPATCH(add_stem_gradient)(x, height, width, gradient, channels, weights);
}

void add_moments(const float* x, std::size_t pixels, std::size_t channels, double* sums, double* squares) {
    HWY_DYNAMIC_DISPATCH(add_moments)(x, pixels, channels, sums, squares);
}

void scale_and_rectify(const float* x, std::size_t pixels, std::size_t channels, const float* factors,
                       const float* offsets, float* y) {
    HWY_DYNAMIC_DISPATCH(scale_and_rectify)(x, pixels, channels, factors, offsets, y);
}

void rectify_gradient(const float* x, std::size_t pixels, std::size_t channels, const float* factors,
                      const float* offsets, float* gradient, double* sums, double* products) {
    HWY_DYNAMIC_DISPATCH(rectify_gradient)(x, pixels, channels, factors, offsets, gradient, sums, products);
}

void mix_gradient(const float* x, std::size_t pixels, std::size_t channels, const float* a, const float* b,
                  const float* c, float* gradient) {
    HWY_DYNAMIC_DISPATCH(mix_gradient)(x, pixels, channels, a, b, c, gradient);
}

void max_pool(const float* x, FloatShape shape, float* y) {
    HWY_DYNAMIC_DISPATCH(max_pool)(x, shape, y);
}

void max_pool_gradient(const float* x, FloatShape shape, const float* y_gradient, float* x_gradient) {
    HWY_DYNAMIC_DISPATCH(max_pool_gradient)(x, shape, y_gradient, x_gradient);
}

void add_repeated(const float* x, const float* coarse, FloatShape shape, float* y) {
    HWY_DYNAMIC_DISPATCH(add_repeated)(x, coarse, shape, y);
}

void add_sums_of_four(const float* fine, FloatShape shape, float* coarse) {
    HWY_DYNAMIC_DISPATCH(add_sums_of_four)(fine, shape, coarse);
}

}  // namespace fovea
#endif
