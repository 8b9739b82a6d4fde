#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include <cuda_runtime.h>

#include "kernels/net_training/adam_body.hpp"
#include "kernels/net_training/face_loss_body.hpp"
#include "kernels/net_training/gpu_net_products.cuh"
#include "kernels/net_training/net_plan.hpp"

// The kernels of a network's training. Maps are [crop][row][column][channel], as on the CPU; a row of a
// product is a pixel of a crop. Sums are added in an order that depends on nothing but their number: each
// block adds its own to a list of parts, and another kernel adds the parts. Kernels are static: a program of
// tests has them once more, compiled for the CPU.
namespace fovea::cuda_backend {

// --- sums by channel ---

constexpr unsigned channel_threads = 256;
/// Columns of a row that a thread takes one after the other.
constexpr int strip_columns = 6;
template <int kinds>
constexpr std::size_t channel_shared_bytes = sizeof(float) * channel_threads * 2 * kinds;
/// Sums of each channel that depthwise_back_kernel and stem_back_kernel leave: by nine taps and a bias.
constexpr int tap_sums = 10;

struct MapSize {
    std::uint32_t crops;
    int height, width, channels;

    __host__ __device__ std::uint32_t pixels() const {
        return crops * static_cast<std::uint32_t>(height * width);
    }
    __host__ __device__ std::uint32_t strips() const {
        return crops * static_cast<std::uint32_t>(height * ((width + strip_columns - 1) / strip_columns));
    }
};

/// Threads of a block that have the same two channels.
__host__ __device__ constexpr int lanes_of(int channels) {
    return static_cast<int>(channel_threads) * 2 / channels;
}

/// The two channels of a thread, and its number among the threads that have them; some threads of a block
/// have nothing to do.
struct ChannelPair {
    int channel, lane, lanes;

    __device__ explicit ChannelPair(int channels)
        : channel(static_cast<int>(threadIdx.x) % (channels / 2) * 2),
          lane(static_cast<int>(threadIdx.x) / (channels / 2)),
          lanes(lanes_of(channels)) {}

    /// Calls use(item) for the items of this thread, of so many.
    template <class Use>
    __device__ void each(std::uint32_t items, const Use& use) const {
        if (lane >= lanes) return;
        for (std::uint32_t i = blockIdx.x * lanes + lane; i < items; i += gridDim.x * lanes) use(i);
    }

    /// Adds the sums of the lanes of a block in their order: part [kind][channel] of block blockIdx.x.
    template <int kinds, class Total>
    __device__ void add_up(const float2 (&sums)[kinds], int channels, Total* parts) const {
        float* shared = reinterpret_cast<float*>(shared_words);  // [lane][kind][channel]
        if (lane < lanes) {
            for (int k = 0; k < kinds; ++k) {
                float* to = shared + (lane * kinds + k) * channels + channel;
                to[0] = sums[k].x;
                to[1] = sums[k].y;
            }
        }
        __syncthreads();
        const int count = kinds * channels;
        for (int i = static_cast<int>(threadIdx.x); i < count; i += channel_threads) {
            Total total = 0;
            for (int l = 0; l < lanes; ++l) total += static_cast<Total>(shared[l * count + i]);
            parts[static_cast<std::size_t>(blockIdx.x) * count + i] = total;
        }
    }
};

__device__ inline float2 two_at(const float* values, std::size_t at) {
    return *reinterpret_cast<const float2*>(values + at);
}
__device__ inline void set_two(float* values, std::size_t at, float2 two) {
    *reinterpret_cast<float2*>(values + at) = two;
}
__device__ inline void add_product(float2 a, float2 b, float2& sum) {
    sum.x = __fmaf_rn(a.x, b.x, sum.x);
    sum.y = __fmaf_rn(a.y, b.y, sum.y);
}
__device__ inline void add_moments_of(float2 value, float2 (&moments)[2]) {
    moments[0].x += value.x;
    moments[0].y += value.y;
    add_product(value, value, moments[1]);
}

/// A strip of a row of a map.
struct Strip {
    std::size_t first_pixel;  ///< of the crop
    int row, begin, end;      ///< columns

    __device__ Strip(const MapSize& size, std::uint32_t number) {
        const int strips = (size.width + strip_columns - 1) / strip_columns;
        begin = static_cast<int>(number % strips) * strip_columns;
        end = min(begin + strip_columns, size.width);
        row = static_cast<int>(number / strips % size.height);
        first_pixel = static_cast<std::size_t>(number / strips / size.height) * (size.height * size.width);
    }

    /// Calls use(place, window) for each column: the place of its two channels in the map, and the values
    /// [column][row] about it, which at(place) has; beyond the border they are 0.
    template <class At, class Use>
    __device__ void each_window(const MapSize& size, int channel, const At& at, const Use& use) const {
        const auto place = [&](int y, int x) {
            return (first_pixel + static_cast<std::size_t>(y * size.width + x)) * size.channels + channel;
        };
        float2 window[3][3];
        const auto load = [&](int column, float2(&to)[3]) {
#pragma unroll
            for (int dy = 0; dy < 3; ++dy) {
                const int y = row + dy - 1;
                const bool is_inside = y >= 0 && y < size.height && column >= 0 && column < size.width;
                to[dy] = is_inside ? at(place(y, column)) : float2{0, 0};
            }
        };
        load(begin - 1, window[0]);
        load(begin, window[1]);
        for (int x = begin; x < end; ++x) {
            load(x + 1, window[2]);
            use(place(row, x), window);
#pragma unroll
            for (int dy = 0; dy < 3; ++dy) {
                window[0][dy] = window[1][dy];
                window[1][dy] = window[2][dy];
            }
        }
    }
};

/// A convolution of each channel.
struct DepthwiseTask {
    MapSize size;
    const float* from;
    const float* weights;  ///< [tap][channel]
    const float* bias;     ///< [channel]; null: there is none, and the moments are wanted
    float* to;
    double* parts;  ///< [block]{Σ, Σ²}[channel]
};

static __global__ void __launch_bounds__(channel_threads) depthwise_kernel(DepthwiseTask task) {
    const ChannelPair pair(task.size.channels);
    float2 weights[9], bias{0, 0}, moments[2] = {};
#pragma unroll
    for (int t = 0; t < 9; ++t) weights[t] = two_at(task.weights, t * task.size.channels + pair.channel);
    if (task.bias != nullptr) bias = two_at(task.bias, pair.channel);
    pair.each(task.size.strips(), [&](std::uint32_t number) {
        Strip(task.size, number)
            .each_window(
                task.size, pair.channel, [&](std::size_t place) { return two_at(task.from, place); },
                [&](std::size_t place, const float2(&window)[3][3]) {
                    float2 sum{0, 0};
#pragma unroll
                    for (int t = 0; t < 9; ++t) add_product(window[t % 3][t / 3], weights[t], sum);
                    sum.x += bias.x;
                    sum.y += bias.y;
                    set_two(task.to, place, sum);
                    add_moments_of(sum, moments);
                });
    });
    if (task.bias == nullptr) pair.add_up(moments, task.size.channels, task.parts);
}

/// A pixel of the stem's result.
struct StemPlace {
    const float* crop;
    int y, x, side;  ///< the pixel above and left of those that it reads

    __device__ StemPlace(const float* crops, const MapSize& size, std::uint32_t pixel) {
        side = 2 * size.width;
        x = static_cast<int>(pixel % size.width) * 2 - 1;
        y = static_cast<int>(pixel / size.width % size.height) * 2 - 1;
        crop = crops + static_cast<std::size_t>(pixel / size.width / size.height) * (side * side);
    }
    __device__ float value(int tap) const {
        const int row = y + tap / 3, column = x + tap % 3;
        // The last row and column of the crop are the last that the stem reads.
        return row >= 0 && column >= 0 ? crop[row * side + column] : 0;
    }
};

struct StemTask {
    MapSize size;          ///< of the result
    const float* crops;    ///< [crop][row][column], twice as high and wide
    const float* weights;  ///< [tap][channel]
    float* to;
    double* parts;  ///< as depthwise_kernel
};

static __global__ void __launch_bounds__(channel_threads) stem_kernel(StemTask task) {
    const ChannelPair pair(task.size.channels);
    float2 weights[9], moments[2] = {};
#pragma unroll
    for (int t = 0; t < 9; ++t) weights[t] = two_at(task.weights, t * task.size.channels + pair.channel);
    pair.each(task.size.pixels(), [&](std::uint32_t pixel) {
        const StemPlace place(task.crops, task.size, pixel);
        float2 sum{0, 0};
#pragma unroll
        for (int t = 0; t < 9; ++t) {
            const float value = place.value(t);
            add_product({value, value}, weights[t], sum);
        }
        set_two(task.to, static_cast<std::size_t>(pixel) * task.size.channels + pair.channel, sum);
        add_moments_of(sum, moments);
    });
    pair.add_up(moments, task.size.channels, task.parts);
}

/// The gradient by the result of a layer, and what its normalisation did.
struct GradientView {
    const float* gradient;
    const float* sums;  ///< of the layer; null: it does not normalise
    const float *factors, *offsets;
    const float *a, *b, *c;  ///< [channel], of scale_back_kernel
};

/// Adds up what the gradient by a normalisation needs: parts [block]{Σ gradient, Σ gradient · sum}[channel],
/// of the gradients that rectification lets pass.
static __global__ void __launch_bounds__(channel_threads)
    rectify_back_kernel(GradientView view, MapSize size, double* parts) {
    const ChannelPair pair(size.channels);
    const float2 factor = two_at(view.factors, pair.channel), offset = two_at(view.offsets, pair.channel);
    float2 sums[2] = {};
    pair.each(size.pixels(), [&](std::uint32_t pixel) {
        const std::size_t at = static_cast<std::size_t>(pixel) * size.channels + pair.channel;
        const float2 value = two_at(view.sums, at);
        float2 here = two_at(view.gradient, at);
        if (!(__fmaf_rn(factor.x, value.x, offset.x) > 0)) here.x = 0;
        if (!(__fmaf_rn(factor.y, value.y, offset.y) > 0)) here.y = 0;
        sums[0].x += here.x;
        sums[0].y += here.y;
        add_product(here, value, sums[1]);
    });
    pair.add_up(sums, size.channels, parts);
}

/// Two channels of a gradient by the sums of a layer.
class GradientPair {
  public:
    __device__ GradientPair(const GradientView& view, int channel) : view_(view) {
        if (view.sums == nullptr) return;
        factor_ = two_at(view.factors, channel);
        offset_ = two_at(view.offsets, channel);
        a_ = two_at(view.a, channel);
        b_ = two_at(view.b, channel);
        c_ = two_at(view.c, channel);
    }
    __device__ float2 at(std::size_t place) const {
        float2 here = two_at(view_.gradient, place);
        if (view_.sums == nullptr) return here;
        const float2 value = two_at(view_.sums, place);
        if (!(__fmaf_rn(factor_.x, value.x, offset_.x) > 0)) here.x = 0;
        if (!(__fmaf_rn(factor_.y, value.y, offset_.y) > 0)) here.y = 0;
        here.x = __fmaf_rn(a_.x, here.x, __fmaf_rn(b_.x, value.x, c_.x));
        here.y = __fmaf_rn(a_.y, here.y, __fmaf_rn(b_.y, value.y, c_.y));
        return here;
    }

  private:
    const GradientView& view_;
    float2 factor_{0, 0}, offset_{0, 0}, a_{0, 0}, b_{0, 0}, c_{0, 0};
};

struct DepthwiseBackTask {
    MapSize size;
    GradientView gradient;  ///< by the result of the layer
    const float* from;      ///< what the convolution read
    const float* weights;   ///< [tap][channel]
    float* by_from;
    float* parts;  ///< [block][tap_sums][channel]
};

static __global__ void __launch_bounds__(channel_threads) depthwise_back_kernel(DepthwiseBackTask task) {
    const ChannelPair pair(task.size.channels);
    const GradientPair gradient(task.gradient, pair.channel);
    float2 weights[9], sums[tap_sums] = {};
#pragma unroll
    for (int t = 0; t < 9; ++t) weights[t] = two_at(task.weights, t * task.size.channels + pair.channel);
    pair.each(task.size.strips(), [&](std::uint32_t number) {
        Strip(task.size, number)
            .each_window(
                task.size, pair.channel, [&](std::size_t place) { return gradient.at(place); },
                [&](std::size_t place, const float2(&window)[3][3]) {
                    const float2 value = two_at(task.from, place);
                    float2 sum{0, 0};
#pragma unroll
                    for (int t = 0; t < 9; ++t) {
                        const float2 near = window[t % 3][t / 3];
                        add_product(near, weights[8 - t], sum);
                        add_product(near, value, sums[8 - t]);
                    }
                    sums[9].x += window[1][1].x;
                    sums[9].y += window[1][1].y;
                    set_two(task.by_from, place, sum);
                });
    });
    pair.add_up(sums, task.size.channels, task.parts);
}

/// The gradient of the stem by its weights.
struct StemBackTask {
    MapSize size;  ///< of the stem's result
    GradientView gradient;
    const float* crops;
    float* parts;  ///< [block][tap_sums][channel]
};

static __global__ void __launch_bounds__(channel_threads) stem_back_kernel(StemBackTask task) {
    const ChannelPair pair(task.size.channels);
    const GradientPair gradient(task.gradient, pair.channel);
    float2 sums[tap_sums] = {};
    pair.each(task.size.pixels(), [&](std::uint32_t pixel) {
        const StemPlace place(task.crops, task.size, pixel);
        const float2 here = gradient.at(static_cast<std::size_t>(pixel) * task.size.channels + pair.channel);
#pragma unroll
        for (int t = 0; t < 9; ++t) {
            const float value = place.value(t);
            add_product({value, value}, here, sums[t]);
        }
    });
    pair.add_up(sums, task.size.channels, task.parts);
}

// --- normalisation ---

/// Channels of a block, and the threads that add the parts of each.
constexpr int scale_channels = 16, scale_groups = 32;
constexpr unsigned scale_threads = scale_channels * scale_groups;
constexpr std::size_t scale_shared_bytes = sizeof(double) * 2 * scale_threads;

struct ScaleTask {
    const double* parts;  ///< [part][2][channel]
    int part_count, channels;
    double count;  ///< of the values of a channel
    const float *gamma, *beta;
    float* statistics;  ///< means, then variances
    float *factors, *offsets;
    double *means, *inverse_deviations;
    // Backwards
    float *a, *b, *c;
    float *by_gamma, *by_beta;
};

/// Adds the parts of a block's channels. \return true for the threads that have a channel's sums.
__device__ inline bool add_parts(const ScaleTask& task, int& channel, double (&sums)[2]) {
    auto* shared = reinterpret_cast<double*>(shared_words);  // [group][2][channel of the block]
    const int place = static_cast<int>(threadIdx.x) % scale_channels;
    const int group = static_cast<int>(threadIdx.x) / scale_channels;
    channel = static_cast<int>(blockIdx.x) * scale_channels + place;
    sums[0] = sums[1] = 0;
#pragma unroll 4
    for (int p = group; p < task.part_count; p += scale_groups) {
        sums[0] += task.parts[2 * p * task.channels + channel];
        sums[1] += task.parts[(2 * p + 1) * task.channels + channel];
    }
    for (int k = 0; k < 2; ++k) shared[(2 * group + k) * scale_channels + place] = sums[k];
    __syncthreads();
    if (group > 0) return false;
    sums[0] = sums[1] = 0;
    for (int g = 0; g < scale_groups; ++g) {
        for (int k = 0; k < 2; ++k) sums[k] += shared[(2 * g + k) * scale_channels + place];
    }
    return true;
}

/// Normalisation by the batch, as FloatNet has it.
static __global__ void __launch_bounds__(scale_threads) scale_kernel(ScaleTask task) {
    int c;
    double sums[2];
    if (!add_parts(task, c, sums)) return;
    const double mean = sums[0] / task.count;
    const double variance = larger_of(0.0, sums[1] / task.count - mean * mean);
    float *means = task.statistics, *variances = means + task.channels;
    means[c] += statistics_momentum * (static_cast<float>(mean) - means[c]);
    variances[c] += statistics_momentum * (static_cast<float>(variance) - variances[c]);
    const double inverse = 1 / std::sqrt(variance + least_variance);
    const double factor = static_cast<double>(task.gamma[c]) * inverse;
    task.means[c] = mean;
    task.inverse_deviations[c] = inverse;
    task.factors[c] = static_cast<float>(factor);
    task.offsets[c] = static_cast<float>(static_cast<double>(task.beta[c]) - factor * mean);
}

static __global__ void __launch_bounds__(scale_threads) scale_back_kernel(ScaleTask task) {
    int k;
    double sums[2];
    if (!add_parts(task, k, sums)) return;
    const double inverse = task.inverse_deviations[k], mean = task.means[k];
    const double by_gamma = inverse * (sums[1] - mean * sums[0]);
    const double factor = inverse * static_cast<double>(task.gamma[k]);
    task.by_gamma[k] = static_cast<float>(by_gamma);
    task.by_beta[k] = static_cast<float>(sums[0]);
    task.a[k] = static_cast<float>(factor);
    task.b[k] = static_cast<float>(-factor * inverse * by_gamma / task.count);
    task.c[k] = static_cast<float>(factor * (inverse * mean * by_gamma - sums[0]) / task.count);
}

// --- pooling and joins: a thread for each value of the smaller map ---

constexpr unsigned value_threads = 256;

/// Two maps, of which the coarse one is half as high and wide.
struct TwoScales {
    MapSize coarse;
    MapView fine_map, coarse_map;
    // Results, or gradients by the two maps; `adds` says whether to what is there.
    float *fine, *coarse_values;
    bool adds_fine, adds_coarse;

    __device__ bool has_value() const { return value() < coarse.pixels() * coarse.channels; }
    __device__ std::uint32_t value() const { return blockIdx.x * value_threads + threadIdx.x; }
    __device__ int channel() const { return static_cast<int>(value() % coarse.channels); }
    /// The place of one of the four values.
    __device__ std::size_t place(int of_four) const {
        const std::uint32_t pixel = value() / coarse.channels;
        const std::uint32_t x = 2 * (pixel % coarse.width) + of_four % 2;
        const std::size_t y = 2 * static_cast<std::size_t>(pixel / coarse.width) + of_four / 2;
        return (y * (2 * coarse.width) + x) * coarse.channels + channel();
    }
    __device__ void set_fine(int of_four, float value) const {
        float& to = fine[place(of_four)];
        to = adds_fine ? to + value : value;
    }
};

/// coarse_values = the largest of each four of fine_map.
static __global__ void __launch_bounds__(value_threads) pool_kernel(TwoScales maps) {
    if (!maps.has_value()) return;
    float largest = value_at(maps.fine_map, maps.place(0), maps.channel());
    for (int i = 1; i < 4; ++i)
        largest = max(largest, value_at(maps.fine_map, maps.place(i), maps.channel()));
    maps.coarse_values[maps.value()] = largest;
}

/// fine (+)= the gradient, which coarse_map is, at the first of the largest of each four of fine_map.
static __global__ void __launch_bounds__(value_threads) pool_back_kernel(TwoScales maps) {
    if (!maps.has_value()) return;
    float values[4], largest = 0;
    for (int i = 0; i < 4; ++i) {
        values[i] = value_at(maps.fine_map, maps.place(i), maps.channel());
        largest = i == 0 ? values[0] : max(largest, values[i]);
    }
    float left = maps.coarse_map.values[maps.value()];
    for (int i = 0; i < 4; ++i) {
        const bool is_it = values[i] == largest;
        maps.set_fine(i, is_it ? left : 0.0F);
        if (is_it) left = 0;
    }
}

/// fine = fine_map + coarse_map repeated.
static __global__ void __launch_bounds__(value_threads) join_kernel(TwoScales maps) {
    if (!maps.has_value()) return;
    const float coarse = value_at(maps.coarse_map, maps.value(), maps.channel());
    for (int i = 0; i < 4; ++i)
        maps.set_fine(i, value_at(maps.fine_map, maps.place(i), maps.channel()) + coarse);
}

/// The gradient by a join, which fine_map is, is that by its fine map; four of it are that by its coarse map.
static __global__ void __launch_bounds__(value_threads) join_back_kernel(TwoScales maps) {
    if (!maps.has_value()) return;
    float& to = maps.coarse_values[maps.value()];
    float sum = maps.adds_coarse ? to : 0.0F;
    for (int i = 0; i < 4; ++i) {
        const float value = maps.fine_map.values[maps.place(i)];
        maps.set_fine(i, value);
        sum += value;
    }
    to = sum;
}

// --- the loss and the optimiser ---

/// The numbers that a step gets from the host beside crops and targets.
struct StepNumbers {
    AdamStep adam;
    double face_cells;  ///< at least 1
};

struct LossTask {
    const float* heads[face_net_levels];  ///< [crop][cell][head_channels]
    float* gradients[face_net_levels];
    int sides[face_net_levels];  ///< cells
    const CellTarget* targets;   ///< [crop][head][cell]
    const StepNumbers* numbers;
    std::uint32_t crops;
    double* parts;  ///< [block]{odds, boxes}
};

constexpr unsigned loss_threads = 256;
constexpr std::size_t loss_shared_bytes = sizeof(double) * 2 * loss_threads;

/// Adds a number of each thread of a block of a power of two of threads, pair by pair.
__device__ inline double sum_of_block(double mine, double* shared) {
    shared[threadIdx.x] = mine;
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) shared[threadIdx.x] += shared[threadIdx.x + half];
        __syncthreads();
    }
    return shared[0];
}

/// A thread for each cell.
static __global__ void __launch_bounds__(loss_threads) loss_kernel(LossTask task) {
    const std::uint32_t i = blockIdx.x * loss_threads + threadIdx.x;
    std::uint32_t cells_of_crop = 0;
    for (int h = 0; h < face_net_levels; ++h) cells_of_crop += task.sides[h] * task.sides[h];
    CellLoss loss;
    if (i < task.crops * cells_of_crop) {
        const std::uint32_t crop = i / cells_of_crop;
        int cell = static_cast<int>(i % cells_of_crop), head = 0;
        for (; cell >= task.sides[head] * task.sides[head]; ++head)
            cell -= task.sides[head] * task.sides[head];
        const int side = task.sides[head];
        const std::size_t at = (static_cast<std::size_t>(crop) * side * side + cell) * head_channels;
        const float* numbers = task.heads[head] + at;
        loss = cell_loss(task.targets[i], {head, cell / side, cell % side, numbers[0], numbers[1], numbers[2],
                                           numbers[3], numbers[4]});
        const float share = 1 / static_cast<float>(task.numbers->face_cells);
        float* gradient = task.gradients[head] + at;
        for (std::size_t n = 0; n < head_channels; ++n)
            gradient[n] = n < head_numbers ? loss.gradient[n] * share : 0.0F;
    }
    auto* shared = reinterpret_cast<double*>(shared_words);
    const double odds = sum_of_block(loss.odds, shared);
    const double boxes = sum_of_block(loss.boxes, shared + loss_threads);
    if (threadIdx.x == 0) {
        task.parts[2 * blockIdx.x] = odds;
        task.parts[2 * blockIdx.x + 1] = boxes;
    }
}

/// losses += the parts of a step, for a cell of a face. One block of loss_threads.
static __global__ void __launch_bounds__(loss_threads)
    add_losses_kernel(const double* parts, int part_count, const StepNumbers* numbers, NetLosses* losses) {
    double odds = 0, boxes = 0;
    for (int p = static_cast<int>(threadIdx.x); p < part_count; p += loss_threads) {
        odds += parts[2 * p];
        boxes += parts[2 * p + 1];
    }
    auto* shared = reinterpret_cast<double*>(shared_words);
    odds = sum_of_block(odds, shared);
    boxes = sum_of_block(boxes, shared + loss_threads);
    if (threadIdx.x > 0) return;
    losses->odds += odds / numbers->face_cells;
    losses->boxes += boxes / numbers->face_cells;
}

/// The place of the parts of a parameter's gradient among all parts.
struct GradientParts {
    std::uint32_t first, stride, count;
};

/// Parameters of a block, and the threads that add the parts of each.
constexpr int gradient_parameters = 32, gradient_groups = 8;
constexpr unsigned gradient_threads = gradient_parameters * gradient_groups;
constexpr std::size_t gradient_shared_bytes = sizeof(double) * gradient_threads;

struct GradientTask {
    const GradientParts* places;  ///< [parameter]
    const float* parts;
    std::uint32_t parameters;
    float* gradient;
    double* squares;  ///< [block] Σ gradient²
};

static __global__ void __launch_bounds__(gradient_threads) gradient_kernel(GradientTask task) {
    auto* shared = reinterpret_cast<float*>(shared_words);  // [group][parameter of the block]
    const unsigned place = threadIdx.x % gradient_parameters, group = threadIdx.x / gradient_parameters;
    const std::uint32_t p = blockIdx.x * gradient_parameters + place;
    float sum = 0;
    if (p < task.parameters) {
        const GradientParts parts = task.places[p];
#pragma unroll 8
        for (std::uint32_t i = group; i < parts.count; i += gradient_groups)
            sum += task.parts[parts.first + static_cast<std::size_t>(i) * parts.stride];
    }
    shared[threadIdx.x] = sum;
    __syncthreads();
    sum = 0;
    if (group == 0) {
        for (int g = 0; g < gradient_groups; ++g) sum += shared[g * gradient_parameters + place];
        if (p < task.parameters) task.gradient[p] = sum;
    }
    __syncthreads();
    const double mine = static_cast<double>(sum);
    const double square = sum_of_block(mine * mine, reinterpret_cast<double*>(shared_words));
    if (threadIdx.x == 0) task.squares[blockIdx.x] = square;
}

struct AdamTask {
    const StepNumbers* numbers;
    const float* gradient;
    const double* squares;
    std::uint32_t square_count, parameters;
    const char* decays;
    float *values, *momentum, *spread, *averaged;
};

constexpr unsigned adam_threads = 256;
constexpr std::size_t adam_shared_bytes = sizeof(double) * adam_threads;

/// A thread for each parameter.
static __global__ void __launch_bounds__(adam_threads) adam_kernel(AdamTask task) {
    double square = 0;
    for (std::uint32_t i = threadIdx.x; i < task.square_count; i += adam_threads) square += task.squares[i];
    square = sum_of_block(square, reinterpret_cast<double*>(shared_words));
    const std::uint32_t p = blockIdx.x * adam_threads + threadIdx.x;
    if (p >= task.parameters) return;
    const AdamStep step = task.numbers->adam;
    take_adam_step(step, step.clip(square) * static_cast<double>(task.gradient[p]), task.decays[p] != 0,
                   {&task.values[p], &task.momentum[p], &task.spread[p], &task.averaged[p]});
}

}  // namespace fovea::cuda_backend
