#pragma once

#include <cstddef>
#include <cstdint>

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "kernels/core/gpu_half_products.cuh"
#include "kernels/core/gpu_warp.cuh"
#include "kernels/face_embedding/face_resnet_weights.hpp"

// The kernels of a FaceResnet. Tensor cores multiply numbers of half precision. A number of single precision
// is the sum of two such halves, a high and a low one, to 22 bits; the product of two numbers is taken as
// three products of halves, and the fourth is too small to count. (Ootomo and Yokota 2022, "Recovering single
// precision accuracy from Tensor Cores while surpassing the FP32 theoretical peak performance", section 3.)
namespace fovea::cuda_backend {

/// Maps of faces, split into halves: [high, low][face][side][side][channels], as the bits of half precision.
/// Their numbers are at most 65,504.
struct SplitMaps {
    std::uint16_t* values = nullptr;
    std::uint32_t plane = 0;  ///< values from high to low
    int side = 0;             ///< rows and columns of a map
    int channels = 0;
};

/// The maps that are added to the result of a convolution, before it is rectified.
enum class AddedMaps {
    none,
    same,   ///< the value at the same place
    means,  ///< the mean of the 2 × 2 values that lie there in a map of twice the side; 0 in channels that
            ///< the map does not have
};

/// A convolution of 3 × 3, whose result is rectified.
struct ConvolutionTask {
    SplitMaps from{};
    int stride = 1;
    int border = 1;  ///< zeros on each side of `from`
    /// Split: [tap][32 inputs][high, low][output][32], times 1 / scale.
    const std::uint16_t* weights = nullptr;
    float scale = 1;
    const float* bias = nullptr;  ///< [output]
    /// The convolution makes this many rows and columns; those behind them are what is added alone.
    int made = 0;
    AddedMaps adds = AddedMaps::none;
    SplitMaps added{};  ///< may be `to`, if the same places are added
    SplitMaps to{};
    std::uint32_t results = 0;  ///< places in all maps of `to`
};

constexpr int convolution_results = 128;  // places of a block
constexpr int convolution_inputs = 32;    // that are multiplied at once
constexpr int input_pieces = convolution_inputs / 8;
/// Parts of the inputs in shared memory: one that is multiplied, and one on its way. More gained nothing.
constexpr int convolution_stages = 2;

/// The threads of a block that makes so many channels.
template <int outputs>
constexpr int convolution_threads = 4 * outputs;
/// The pieces of 16 bytes that such a block has in shared memory for one part of the inputs.
template <int outputs>
constexpr int convolution_stage = 2 * (convolution_results + outputs) * input_pieces;
template <int outputs>
constexpr std::size_t convolution_shared_bytes = sizeof(uint4) *
                                                 (convolution_stages * convolution_stage<outputs>);

__device__ __forceinline__ float value_of_halves(std::uint32_t high, std::uint32_t low) {
    return __half2float(__ushort_as_half(static_cast<std::uint16_t>(high))) +
           __half2float(__ushort_as_half(static_cast<std::uint16_t>(low)));
}

/// Two numbers in halves; each word holds the first number's half in its lower bits.
struct HalvesOfPair {
    std::uint32_t high, low;
};

__device__ __forceinline__ HalvesOfPair split_pair(float first, float second) {
    const __half high_first = __float2half_rn(first), high_second = __float2half_rn(second);
    const auto both = [](__half a, __half b) {
        return static_cast<std::uint32_t>(__half_as_ushort(a)) |
               static_cast<std::uint32_t>(__half_as_ushort(b)) << 16;
    };
    return {both(high_first, high_second), both(__float2half_rn(first - __half2float(high_first)),
                                                __float2half_rn(second - __half2float(high_second)))};
}

struct PairOfValues {
    float first, second;
};

/// Two neighbouring channels.
__device__ __forceinline__ PairOfValues pair_at(const SplitMaps& maps, std::uint32_t place) {
    const std::uint32_t high = *reinterpret_cast<const std::uint32_t*>(maps.values + place);
    const std::uint32_t low = *reinterpret_cast<const std::uint32_t*>(maps.values + maps.plane + place);
    return {value_of_halves(high & 0xFFFF, low & 0xFFFF), value_of_halves(high >> 16, low >> 16)};
}

__device__ __forceinline__ PairOfValues mean_at(const SplitMaps& maps, int face, int row, int column,
                                                int channel) {
    if (channel >= maps.channels) return {0, 0};
    const std::uint32_t right = maps.channels, below = maps.side * maps.channels;
    const std::uint32_t place =
        ((face * maps.side + 2 * row) * maps.side + 2 * column) * maps.channels + channel;
    const PairOfValues a = pair_at(maps, place), b = pair_at(maps, place + right);
    const PairOfValues c = pair_at(maps, place + below), d = pair_at(maps, place + below + right);
    return {((a.first + b.first) + (c.first + d.first)) * 0.25F,
            ((a.second + b.second) + (c.second + d.second)) * 0.25F};
}

/// The stem of the network, and the maxima of its result: a block makes a row of the maxima for a face.
/// Shared memory: eleven rows of grey levels, the weights, three rows of the stem's result.
constexpr int stem_made = 71;  // rows and columns of the stem's result that the maxima read
constexpr int stem_places = 72;
constexpr int stem_together = 4;  // places of a thread, and
constexpr int stem_outputs = 8;   // its channels
constexpr int stem_rows_of_faces = 11;
constexpr int stem_face_row = 152;
constexpr int stem_channels = static_cast<int>(face_resnet_stem_channels);
constexpr int stem_taps = static_cast<int>(face_resnet_stem_taps);
constexpr int stem_threads_of_row = stem_places / stem_together * (stem_channels / stem_outputs);
constexpr int stem_threads = 224;  // of which three rows use 216
constexpr int stem_weights = stem_taps * stem_taps * stem_channels;
constexpr std::size_t stem_shared_bytes =
    sizeof(float) * (stem_rows_of_faces * stem_face_row + stem_weights + 3 * stem_places * stem_channels);
constexpr int pooled_side = 35;

/// \param faces [face][150][150]. \param weights [tap][channel]. \param to of pooled_side.
static __global__ void __launch_bounds__(stem_threads)
    stem_kernel(const std::uint8_t* faces, const float* weights, const float* bias, SplitMaps to) {
    extern __shared__ uint4 tiles[];
    float* const grey = reinterpret_cast<float*>(tiles);
    float* const own_weights = grey + stem_rows_of_faces * stem_face_row;
    float* const maps = own_weights + stem_weights;
    constexpr int side = static_cast<int>(face_resnet_side);
    const int face = blockIdx.x / pooled_side, row = blockIdx.x % pooled_side;
    const std::uint8_t* const pixels = faces + (static_cast<std::size_t>(face) * side + 4 * row) * side;
    for (int i = threadIdx.x; i < stem_rows_of_faces * stem_face_row; i += stem_threads) {
        const int y = i / stem_face_row, x = i % stem_face_row;
        grey[i] =
            x < side && 4 * row + y < side ? static_cast<float>(pixels[y * side + x]) - face_resnet_grey : 0;
    }
    for (int i = threadIdx.x; i < stem_weights; i += stem_threads) own_weights[i] = weights[i];
    __syncthreads();
    if (threadIdx.x < 3 * stem_threads_of_row) {
        const int stem_row = threadIdx.x / stem_threads_of_row;
        const int channel = threadIdx.x % (stem_channels / stem_outputs) * stem_outputs;
        const int place = threadIdx.x % stem_threads_of_row / (stem_channels / stem_outputs) * stem_together;
        float sums[stem_together][stem_outputs];
#pragma unroll
        for (int p = 0; p < stem_together; ++p) {
#pragma unroll
            for (int c = 0; c < stem_outputs; ++c) sums[p][c] = bias[channel + c];
        }
        for (int dy = 0; dy < stem_taps; ++dy) {
            constexpr int levels = 2 * (stem_together - 1) + stem_taps;
            float level[levels];
#pragma unroll
            for (int x = 0; x < levels; ++x) {
                level[x] = grey[(2 * stem_row + dy) * stem_face_row + 2 * place + x];
            }
#pragma unroll
            for (int dx = 0; dx < stem_taps; ++dx) {
                const float* const of_tap = own_weights + (dy * stem_taps + dx) * stem_channels + channel;
#pragma unroll
                for (int c = 0; c < stem_outputs; ++c) {
                    const float weight = of_tap[c];
#pragma unroll
                    for (int p = 0; p < stem_together; ++p) {
                        sums[p][c] = __fmaf_rn(level[2 * p + dx], weight, sums[p][c]);
                    }
                }
            }
        }
#pragma unroll
        for (int p = 0; p < stem_together; ++p) {
            float* const result = maps + (stem_row * stem_places + place + p) * stem_channels + channel;
#pragma unroll
            for (int c = 0; c < stem_outputs; ++c) result[c] = max(sums[p][c], 0.0F);
        }
    }
    __syncthreads();
    for (int i = 2 * threadIdx.x; i < pooled_side * stem_channels; i += 2 * stem_threads) {
        const int column = i / stem_channels, channel = i % stem_channels;
        float first = 0, second = 0;
        for (int y = 0; y < 3; ++y) {
            for (int x = 0; x < 3; ++x) {
                const float* const value =
                    maps + (y * stem_places + 2 * column + x) * stem_channels + channel;
                first = max(first, value[0]);
                second = max(second, value[1]);
            }
        }
        const HalvesOfPair halves = split_pair(first, second);
        const std::uint32_t at =
            ((face * pooled_side + row) * pooled_side + column) * stem_channels + channel;
        *reinterpret_cast<std::uint32_t*>(to.values + at) = halves.high;
        *reinterpret_cast<std::uint32_t*>(to.values + to.plane + at) = halves.low;
    }
}

/// A block makes convolution_results places of `outputs` channels: those from outputs · blockIdx.y on. A warp
/// makes 32 places of 32 channels. Each sum of 32 inputs of a tap is begun anew and added in single
/// precision, since tensor cores cut off what they add, and the error would grow with the length of the sum.
template <int outputs>
static __global__ void __launch_bounds__(convolution_threads<outputs>)
    convolution_kernel(ConvolutionTask task) {
    extern __shared__ uint4 tiles[];
    constexpr int rows_at_once = convolution_threads<outputs> / input_pieces;
    constexpr int own_rows = convolution_results / rows_at_once;
    constexpr int plane_of_maps = convolution_results * input_pieces,
                  plane_of_weights = outputs * input_pieces;
    // Pieces of a row change places, so that eight rows of a piece, and eight pieces of two rows, lie in
    // different banks.
    const auto place_of = [](int row, int piece) { return row * input_pieces + (piece ^ (row / 2 % 4)); };
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int warp_row = warp % 4 * 32, warp_output = warp / 4 * 32;
    const int piece = threadIdx.x % input_pieces, loading_row = threadIdx.x / input_pieces;
    const std::uint32_t first_result = blockIdx.x * convolution_results;
    const int first_output = blockIdx.y * outputs;
    const int places = task.to.side * task.to.side;

    // The corners of the neighbourhoods that the thread loads.
    int top[own_rows], left[own_rows], corner[own_rows];
#pragma unroll
    for (int i = 0; i < own_rows; ++i) {
        const std::uint32_t result = first_result + loading_row + i * rows_at_once;
        const int face = result / places, place = result % places;
        top[i] = place / task.to.side * task.stride - task.border;
        left[i] = place % task.to.side * task.stride - task.border;
        corner[i] = ((face * task.from.side + top[i]) * task.from.side + left[i]) * task.from.channels;
        if (result >= task.results) top[i] = task.from.side;
    }
    const int parts = task.from.channels / convolution_inputs;
    const int chunks = 9 * parts;
    const auto load = [&](int chunk) {
        uint4* const stage = tiles + chunk % convolution_stages * convolution_stage<outputs>;
        const int tap = chunk / parts, dy = tap / 3, dx = tap % 3;
        const int inputs = chunk % parts * convolution_inputs + piece * 8;
        const int step = (dy * task.from.side + dx) * task.from.channels + inputs;
#pragma unroll
        for (int i = 0; i < own_rows; ++i) {
            const bool is_inside =
                static_cast<unsigned>(top[i] + dy) < static_cast<unsigned>(task.from.side) &&
                static_cast<unsigned>(left[i] + dx) < static_cast<unsigned>(task.from.side);
            const std::uint16_t* const source = task.from.values + (is_inside ? corner[i] + step : 0);
            const int place = place_of(loading_row + i * rows_at_once, piece);
            copy_async_or_clear(stage + place, source, is_inside);
            copy_async_or_clear(stage + plane_of_maps + place, source + task.from.plane, is_inside);
        }
        uint4* const weights = stage + 2 * plane_of_maps;
        const std::size_t channels = task.to.channels;
        for (int i = threadIdx.x; i < 2 * plane_of_weights; i += convolution_threads<outputs>) {
            const int half = i / plane_of_weights, row = i % plane_of_weights / input_pieces;
            const std::size_t of_chunk = (2 * static_cast<std::size_t>(chunk) + half) * channels;
            copy_async(
                weights + half * plane_of_weights + place_of(row, i % input_pieces),
                task.weights + (of_chunk + first_output + row) * convolution_inputs + i % input_pieces * 8);
        }
    };

    const auto shared = static_cast<std::uint32_t>(__cvta_generic_to_shared(tiles));
    float sums[2][4][4] = {};
    load(0);
    commit_copies();
    for (int chunk = 0; chunk < chunks; ++chunk) {
        wait_for_copies<0>();
        // All have multiplied the part before, in whose place the next one goes.
        __syncthreads();
        if (chunk + 1 < chunks) load(chunk + 1);
        commit_copies();
        const std::uint32_t stage =
            shared + sizeof(uint4) * (chunk % convolution_stages * convolution_stage<outputs>);
        const std::uint32_t weights = stage + sizeof(uint4) * 2 * plane_of_maps;
        float part[2][4][4] = {};
#pragma unroll
        for (int k = 0; k < convolution_inputs / 16; ++k) {
            std::uint32_t high[2][4], low[2][4];
#pragma unroll
            for (int i = 0; i < 2; ++i) {
                const std::uint32_t at =
                    stage + sizeof(uint4) * place_of(warp_row + i * 16 + lane % 16, 2 * k + lane / 16);
                load_matrices(high[i], at);
                load_matrices(low[i], at + sizeof(uint4) * plane_of_maps);
            }
#pragma unroll
            for (int j = 0; j < 2; ++j) {
                std::uint32_t high_weights[4], low_weights[4];
                const std::uint32_t at =
                    weights + sizeof(uint4) * place_of(warp_output + j * 16 + lane / 16 * 8 + lane % 8,
                                                       2 * k + lane / 8 % 2);
                load_matrices(high_weights, at);
                load_matrices(low_weights, at + sizeof(uint4) * plane_of_weights);
#pragma unroll
                for (int i = 0; i < 2; ++i) {
#pragma unroll
                    for (int n = 0; n < 2; ++n) {
                        float(&sum)[4] = part[i][2 * j + n];
                        add_half_products(sum, low[i], high_weights[2 * n], high_weights[2 * n + 1]);
                        add_half_products(sum, high[i], low_weights[2 * n], low_weights[2 * n + 1]);
                        add_half_products(sum, high[i], high_weights[2 * n], high_weights[2 * n + 1]);
                    }
                }
            }
        }
#pragma unroll
        for (int i = 0; i < 2; ++i) {
#pragma unroll
            for (int j = 0; j < 4; ++j) {
#pragma unroll
                for (int s = 0; s < 4; ++s) sums[i][j][s] += part[i][j][s];
            }
        }
    }

#pragma unroll
    for (int i = 0; i < 2; ++i) {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            const std::uint32_t result = first_result + warp_row + i * 16 + half * 8 + lane / 4;
            if (result >= task.results) continue;
            const int face = result / places, place = result % places;
            const int row = place / task.to.side, column = place % task.to.side;
            const bool is_made = row < task.made && column < task.made;
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                const int output = first_output + warp_output + j * 8 + lane % 4 * 2;
                const std::uint32_t at = result * task.to.channels + output;
                PairOfValues value{0, 0};
                if (is_made) {
                    value = {__fmaf_rn(sums[i][j][2 * half], task.scale, task.bias[output]),
                             __fmaf_rn(sums[i][j][2 * half + 1], task.scale, task.bias[output + 1])};
                }
                if (task.adds != AddedMaps::none) {
                    const PairOfValues added = task.adds == AddedMaps::same
                                                   ? pair_at(task.added, at)
                                                   : mean_at(task.added, face, row, column, output);
                    value = {value.first + added.first, value.second + added.second};
                }
                const HalvesOfPair halves = split_pair(max(value.first, 0.0F), max(value.second, 0.0F));
                *reinterpret_cast<std::uint32_t*>(task.to.values + at) = halves.high;
                *reinterpret_cast<std::uint32_t*>(task.to.values + task.to.plane + at) = halves.low;
            }
        }
    }
}

constexpr int projected_faces = 4;  // of a block

/// The means of the last maps, of 2 × 2 values, and the vectors. A thread makes a component.
/// \param projection [channel][component]. Shared memory: the means of the block's faces.
static __global__ void __launch_bounds__(static_cast<int>(face_resnet_length))
    project_kernel(SplitMaps maps, const float* projection, int faces, float* vectors) {
    extern __shared__ uint4 tiles[];
    float* const means = reinterpret_cast<float*>(tiles);
    constexpr int channels = static_cast<int>(face_resnet_last_channels);
    constexpr int length = static_cast<int>(face_resnet_length);
    const int first = blockIdx.x * projected_faces;
    const int own_faces = min(projected_faces, faces - first);
    for (int i = 2 * threadIdx.x; i < own_faces * channels; i += 2 * length) {
        const PairOfValues mean = mean_at(maps, first + i / channels, 0, 0, i % channels);
        means[i] = mean.first;
        means[i + 1] = mean.second;
    }
    __syncthreads();
    float sums[projected_faces] = {};
    for (int c = 0; c < channels; ++c) {
        const float weight = projection[c * length + threadIdx.x];
        for (int face = 0; face < projected_faces; ++face) {
            if (face < own_faces) sums[face] = __fmaf_rn(means[face * channels + c], weight, sums[face]);
        }
    }
    for (int face = 0; face < own_faces; ++face) {
        vectors[static_cast<std::size_t>(first + face) * length + threadIdx.x] = sums[face];
    }
}

}  // namespace fovea::cuda_backend
