#pragma once

#include <cstddef>

// The arithmetic of training a convolutional network, for one image or a part of a batch, on the calling
// thread and without memory of its own. Images are [row][column][channel] in single precision, without gaps.
// The number of channels of results (`n`, `channels`) is a multiple of 16. Results are the same on every
// machine with the same instruction set.
namespace fovea {

/// The size of an image.
struct FloatShape {
    std::size_t height = 0, width = 0, channels = 0;

    std::size_t pixels() const { return height * width; }
    std::size_t size() const { return pixels() * channels; }
    friend bool operator==(const FloatShape&, const FloatShape&) = default;
};

/// c[rows][n] = a[rows][k] · b[k][n]: a pointwise convolution, or its gradient by its input (b transposed).
void multiply(const float* a, std::size_t rows, std::size_t k, const float* b, std::size_t n, float* c);

/// c[k][n] += aᵀ · b for a[rows][k], b[rows][n]: the gradient of a pointwise convolution by its weights.
void add_product_of_transposed(const float* a, const float* b, std::size_t rows, std::size_t k, std::size_t n,
                               float* c);

/// y = each channel of x convolved with its 3×3 weights [9][channel], zeros beyond the border. `flipped`
/// takes the weights in reverse order, which turns a gradient by y into the gradient by x.
void depthwise(const float* x, FloatShape shape, const float* weights, bool flipped, float* y);

/// weights[9][channel] += the gradient of depthwise() by its weights. \param gradient by y.
void add_depthwise_gradient(const float* x, const float* gradient, FloatShape shape, float* weights);

/// y = x, of one channel, convolved with 3×3 weights [9][channel], stride 2: output (row, column) reads x
/// from (2·row − 1, 2·column − 1) on, zeros beyond the border. \param y half as high and wide, rounded up.
void stem(const float* x, std::size_t height, std::size_t width, const float* weights, std::size_t channels,
          float* y);

/// weights[9][channel] += the gradient of stem() by its weights. \param gradient by y.
void add_stem_gradient(const float* x, std::size_t height, std::size_t width, const float* gradient,
                       std::size_t channels, float* weights);

/// sums[channel] += Σ x, squares[channel] += Σ x².
void add_moments(const float* x, std::size_t pixels, std::size_t channels, double* sums, double* squares);

/// y = max(0, factors[channel] · x + offsets[channel]).
void scale_and_rectify(const float* x, std::size_t pixels, std::size_t channels, const float* factors,
                       const float* offsets, float* y);

/// First half of batch normalisation backwards: `gradient`, by the outputs of scale_and_rectify(), becomes 0
/// where these are 0; sums[channel] += Σ gradient, products[channel] += Σ gradient · x.
void rectify_gradient(const float* x, std::size_t pixels, std::size_t channels, const float* factors,
                      const float* offsets, float* gradient, double* sums, double* products);

/// Second half of batch normalisation backwards: gradient = a[channel] · gradient + b[channel] · x +
/// c[channel], where `gradient` is what rectify_gradient() left.
void mix_gradient(const float* x, std::size_t pixels, std::size_t channels, const float* a, const float* b,
                  const float* c, float* gradient);

/// y = the largest of each 2×2 pixels. \param shape of x; its sides are even.
void max_pool(const float* x, FloatShape shape, float* y);

/// x_gradient = y_gradient at the first of the largest of each 2×2 pixels (row by row), else 0.
/// \param shape of x; its sides are even.
void max_pool_gradient(const float* x, FloatShape shape, const float* y_gradient, float* x_gradient);

/// y = x + `coarse` repeated 2×2. \param shape of x and y; its sides are even.
void add_repeated(const float* x, const float* coarse, FloatShape shape, float* y);

/// coarse[row][column] += the sum of each 2×2 pixels of `fine`. \param shape of `fine`; its sides are even.
void add_sums_of_four(const float* fine, FloatShape shape, float* coarse);

}  // namespace fovea
