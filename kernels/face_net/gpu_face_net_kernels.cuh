#pragma once

#include <cstdint>

#include <cuda_runtime.h>

#include "kernels/core/gpu_byte_products.cuh"
#include "kernels/core/gpu_chain.cuh"
#include "kernels/core/gpu_warp.cuh"
#include "kernels/core/octave_pixel.hpp"
#include "kernels/face_net/face_net_body.hpp"
#include "kernels/face_net/gpu_face_net_plan.hpp"
#include "kernels/face_net/packed_bytes_body.hpp"

namespace fovea::cuda_backend {

// A tile with the border of one value that a 3×3 convolution reads.
constexpr int padded_columns = net_tile_columns + 2, padded_rows = net_tile_rows + 2;
constexpr int padded_pixels = padded_columns * padded_rows;
/// Pixels in sixteens, as tensor cores take them; the last ones are none.
constexpr int pixel_tiles = (padded_pixels + 15) / 16;
constexpr int net_threads = 256;
/// Threads of a block where tiles are so few that each must be made fast.
constexpr int many_net_threads = 512;
/// Threads of a block for units of at most few_channels, where more threads would have nothing to do.
constexpr int few_net_threads = 128;
constexpr int few_channels = 32;
/// Pixels of the image below a tile of the stem's map.
constexpr int patch_rows = 2 * padded_rows + 1, patch_pitch = 2 * padded_columns + 4;

/// The source of the values that a unit reads.
enum class NetSource {
    map,
    sum,   ///< a map, to which a coarser map is added
    stem,  ///< the image, through the stem
};

/// The addresses of a unit's weights.
struct UnitWeights {
    int inputs, outputs;
    const uint4* pointwise;  ///< [output][input]
    const int4* pointwise_bias;
    const float4* pointwise_scale;
    const uint4* depthwise;
    const int4* depthwise_bias;
    const float4* depthwise_scale;
};

struct StemWeights {
    const uint4* weights;  ///< [row][channel]
    const int4* bias;
    const float4* scale;
    int channels;
};

/// A unit at one stride.
struct UnitJob {
    int cells;  ///< values in a row of a cell of stride 32
    const std::uint8_t* map;
    const std::uint8_t* coarse;  ///< the coarser map of a sum, half as wide and high
    FaceNetSum sum;
    StemWeights stem;
    UnitWeights weights;
    std::uint8_t* full;    ///< the result, or null
    std::uint8_t* pooled;  ///< the largest of 2×2 values, or null
    float min_logit;       ///< for a head's last unit
    int level;
};

/// The jobs of one launch.
struct UnitJobs {
    UnitJob job[face_net_levels];
};

/// The segment that a block's tile belongs to: the last one that does not begin behind it. All lanes look at
/// once, as a search by halves would wait for memory again and again.
__device__ inline NetSegment segment_of_block(const NetSegment* segments, int count) {
    const int lane = threadIdx.x % 32;
    int found = 0;
    for (int base = 0; base < count; base += 32) {
        const bool begins = base + lane < count && segments[base + lane].first_tile <= blockIdx.x;
        const std::uint32_t beginning = __ballot_sync(all_lanes, begins);
        if (beginning == 0) break;
        found = base + __popc(beginning) - 1;
    }
    return segments[found];
}

/// The place of a block's tile in its image's map.
struct TilePlace {
    int width, height;  ///< of the image's map
    int x, y;           ///< of the tile's first value
    std::size_t first;  ///< where the image's map begins in the map of all images, in pixels
    bool is_at_border;  ///< the tile with its border reaches beyond the map

    __device__ TilePlace(const NetImage& image, const NetSegment& segment, int cells)
        : width(image.columns * cells),
          height(image.rows * cells),
          x((blockIdx.x - segment.first_tile) % segment.columns * net_tile_columns),
          y((blockIdx.x - segment.first_tile) / segment.columns * net_tile_rows),
          first(static_cast<std::size_t>(image.first_cell) * cells * cells),
          is_at_border(x == 0 || y == 0 || x + net_tile_columns >= width || y + net_tile_rows >= height) {}

    __device__ bool is_inside(int column, int row) const {
        return column >= 0 && row >= 0 && column < width && row < height;
    }
    /// The number of a pixel in the image's map. A map has fewer than 2^32.
    __device__ std::uint32_t pixel(int column, int row) const {
        return static_cast<std::uint32_t>(row) * static_cast<std::uint32_t>(width) +
               static_cast<std::uint32_t>(column);
    }
};

/// Calls use(pixel, word) for a thread's share of the words of pixels; neighbouring threads have neighbouring
/// words. A thread has the same word for all of its pixels if a warp has all words of a pixel.
template <class Use>
__device__ __forceinline__ void each_word(int pixels, int words, const Use& use) {
    int pixel = threadIdx.x / words, word = threadIdx.x % words;
    const int more_pixels = blockDim.x / words;
    // Blocks are whole warps.
    if (32 % words == 0) {
        for (; pixel < pixels; pixel += more_pixels) use(pixel, word);
        return;
    }
    const int more_words = blockDim.x % words;
    while (pixel < pixels) {
        use(pixel, word);
        pixel += more_pixels;
        word += more_words;
        if (word >= words) {
            word -= words;
            ++pixel;
        }
    }
}

/// Pieces of 16 channels from one pixel of a tile's inputs in shared memory to the next, and from one
/// output's weights to the next: an even number, as tensor cores take two at a time, and one more, so that
/// rows that a warp reads at once lie in different banks.
__host__ __device__ constexpr int piece_pitch(int inputs) {
    return (inputs + 31) / 32 * 2 + 1;
}
/// Pairs of pieces, at most.
constexpr int max_piece_pairs = piece_pitch(face_net_max_channels) / 2;

/// Words from one pixel of the mixed map in shared memory to the next, so that words that a warp reads at
/// once lie in different banks.
__host__ __device__ constexpr int mixed_pitch(int outputs) {
    return outputs / 4 + outputs / 8;
}

/// Rows of a unit's weights in shared memory: outputs in sixteens, as tensor cores take them.
__host__ __device__ constexpr int weight_rows(int outputs) {
    return (outputs + 15) / 16 * 16;
}

/// Bytes of shared memory of run_units and run_head_ends.
inline int unit_shared_bytes(int inputs, int outputs, NetSource source) {
    const int patch = source == NetSource::stem ? patch_rows * patch_pitch : 0;
    const int rows = 16 * pixel_tiles + weight_rows(outputs);
    return 16 * rows * piece_pitch(inputs) + padded_pixels * mixed_pitch(outputs) * 4 + patch;
}

__device__ inline std::uint32_t sum_word(std::uint32_t fine, std::uint32_t coarse, const FaceNetSum& sum) {
    int values[4];
    for (int i = 0; i < 4; ++i) {
        values[i] = rounded_sum(static_cast<std::uint8_t>(fine >> (8 * i)), sum.fine_scale,
                                static_cast<std::uint8_t>(coarse >> (8 * i)), sum.coarse_scale);
    }
    return clamped_bytes(values[0], values[1], values[2], values[3]);
}

/// Loads the inputs of a tile, [padded pixel][piece_pitch], into shared memory; the channels that fill up the
/// last pair of pieces are left as they are, as their weights are 0. Maps are copied asynchronously.
template <NetSource source>
__device__ __forceinline__ void load_inputs(const UnitJob& job, const TilePlace& place, int channels,
                                            uint4* inputs) {
    const int parts = channels / 16, pitch = piece_pitch(channels);
    const uint4* const map = reinterpret_cast<const uint4*>(job.map) + place.first * parts;
    each_word(padded_pixels, parts, [&](int pixel, int part) {
        const int column = place.x - 1 + pixel % padded_columns, row = place.y - 1 + pixel / padded_columns;
        const bool is_inside = !place.is_at_border || place.is_inside(column, row);
        const uint4* const from =
            map + (is_inside ? static_cast<std::size_t>(place.pixel(column, row)) * parts + part : 0);
        uint4* const to = inputs + pixel * pitch + part;
        if constexpr (source == NetSource::sum) {
            uint4 values = make_uint4(0, 0, 0, 0);
            if (is_inside) {
                const std::size_t at = static_cast<std::size_t>(row / 2) * (place.width / 2) + column / 2;
                const uint4 fine = *from, coarse = (reinterpret_cast<const uint4*>(job.coarse) +
                                                    place.first / 4 * parts)[at * parts + part];
                values = make_uint4(sum_word(fine.x, coarse.x, job.sum), sum_word(fine.y, coarse.y, job.sum),
                                    sum_word(fine.z, coarse.z, job.sum), sum_word(fine.w, coarse.w, job.sum));
            }
            *to = values;
        } else {
            copy_async_or_clear(to, from, is_inside);
        }
    });
}

__device__ inline std::uint32_t relu_word(const int* sums, const float4& scale) {
    return clamped_bytes(rounded_result(sums[0], scale.x), rounded_result(sums[1], scale.y),
                         rounded_result(sums[2], scale.z), rounded_result(sums[3], scale.w));
}

/// Four pixels of a row from `column` on, the first one lowest; grey beyond the image.
__device__ inline std::uint32_t four_pixels(const NetImage& image, int column, int row) {
    if (row < 0 || row >= image.height) return face_net_grey * 0x01010101U;
    const std::uint8_t* const at = image.pixels + row * image.pitch + column;
    if (column >= 4 && column + 8 <= image.width) {
        // Two aligned words, both of this row.
        const auto shift = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(at) % 4);
        const auto* const words = reinterpret_cast<const std::uint32_t*>(at - shift);
        return permuted_bytes(words[0], words[1], 0x3210U + 0x1111U * shift);
    }
    int levels[4];
    for (int i = 0; i < 4; ++i) {
        const int x = column + i;
        levels[i] = x >= 0 && x < image.width ? at[i] : face_net_grey;
    }
    return packed_bytes(levels[0], levels[1], levels[2], levels[3]);
}

/// Makes the inputs of a tile from the image, by the stem. \param patch patch_rows × patch_pitch bytes
__device__ __forceinline__ void make_stem(const StemWeights& stem, int channels, const NetImage& image,
                                          const TilePlace& place, std::uint32_t* patch,
                                          std::uint32_t* inputs) {
    constexpr int patch_words = patch_pitch / 4;
    const int left = 2 * (place.x - 1) - 1, top = 2 * (place.y - 1) - 1;
    for (int item = threadIdx.x; item < patch_rows * patch_words; item += blockDim.x) {
        // Grey levels less 128, as signed bytes.
        patch[item] =
            four_pixels(image, left + item % patch_words * 4, top + item / patch_words) ^ 0x80808080U;
    }
    __syncthreads();
    const int words = channels / 4, pitch = 4 * piece_pitch(channels);
    // Two words of a pixel at a time. Most threads have the same two for all of their pixels.
    int held = -1;
    uint4 weights[3][2];
    int4 bias[2];
    float4 scale[2];
    each_word(padded_pixels, words / 2, [&](int pixel, int pair) {
        // Three pixels of each row begin at an even place: in the first or in the second half of a word.
        const int first = 2 * (pixel / padded_columns) * patch_pitch + 2 * (pixel % padded_columns);
        const std::uint32_t* at = patch + first / 4;
        const std::uint32_t selector = first % 4 == 0 ? 0x3210 : 0x5432;
        std::uint32_t rows[3];
        for (int row = 0; row < 3; ++row) {
            const std::uint32_t* here = at + row * patch_words;
            // The fourth byte does not count: its weight is 0.
            rows[row] = permuted_bytes(here[0], here[1], selector);
        }
        if (pair != held) {
            held = pair;
            for (int i = 0; i < 2; ++i) {
                const int word = 2 * pair + i;
                bias[i] = stem.bias[word];
                scale[i] = stem.scale[word];
                for (int row = 0; row < 3; ++row) weights[row][i] = stem.weights[row * words + word];
            }
        }
        std::uint32_t results[2];
        for (int i = 0; i < 2; ++i) {
            int sums[4] = {bias[i].x, bias[i].y, bias[i].z, bias[i].w};
            for (int row = 0; row < 3; ++row) {
                const uint4& here = weights[row][i];
                sums[0] = dot_of_signed(rows[row], here.x, sums[0]);
                sums[1] = dot_of_signed(rows[row], here.y, sums[1]);
                sums[2] = dot_of_signed(rows[row], here.z, sums[2]);
                sums[3] = dot_of_signed(rows[row], here.w, sums[3]);
            }
            results[i] = relu_word(sums, scale[i]);
        }
        *reinterpret_cast<uint2*>(inputs + pixel * pitch + 2 * pair) = make_uint2(results[0], results[1]);
    });
}

/// Copies the weights of a unit's pointwise layer, [output][channel], to shared memory, asynchronously; 0 for
/// the channels that fill up the last pair of pieces.
__device__ __forceinline__ void load_weights(const UnitWeights& unit, int inputs, int outputs,
                                             uint4* weights) {
    const int parts = inputs / 16, pitch = piece_pitch(inputs);
    each_word(outputs, pitch - 1, [&](int output, int part) {
        const bool is_there = pitch - 1 == parts || part < parts;
        copy_async_or_clear(weights + output * pitch + part,
                            unit.pointwise + (is_there ? output * parts + part : 0), is_there);
    });
}

/// The shared memory of a block in run_units and run_head_ends.
struct UnitMemory {
    uint4* inputs;         ///< [padded pixel][piece_pitch], in sixteens of pixels
    uint4* weights;        ///< [output][piece_pitch], in sixteens of outputs
    std::uint32_t* mixed;  ///< [padded pixel][mixed_pitch]

    __device__ UnitMemory(uint4* memory, int channels, int outputs)
        : inputs(memory),
          weights(inputs + 16 * pixel_tiles * piece_pitch(channels)),
          mixed(reinterpret_cast<std::uint32_t*>(weights + weight_rows(outputs) * piece_pitch(channels))) {}
};

/// Mixes the channels of a tile: [padded pixel][mixed_pitch] words of four channels, 0 beyond the map. Each
/// warp makes 16 channels of 16 pixels at a time, on tensor cores.
__device__ __forceinline__ void mix_channels(const UnitWeights& unit, int inputs, int outputs,
                                             const TilePlace& place, const UnitMemory& memory) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    const int quad = lane % 4;
    const bool is_odd = quad % 2 != 0;
    const int pitch = piece_pitch(inputs), word_pitch = mixed_pitch(outputs), pairs = pitch / 2;
    constexpr std::uint32_t piece_bytes = sizeof(uint4);
    // The rows that a lane names: 16 pixels, 8 and 8, of two pieces; 16 outputs, of each 8 two pieces.
    const auto pixel_rows = static_cast<std::uint32_t>(__cvta_generic_to_shared(memory.inputs)) +
                            (lane % 16 * pitch + lane / 16) * piece_bytes;
    const auto output_rows = static_cast<std::uint32_t>(__cvta_generic_to_shared(memory.weights)) +
                             ((lane % 8 + lane / 16 * 8) * pitch + lane / 8 % 2) * piece_bytes;
    const int pixel_of_lane = lane / 4 + (is_odd ? 8 : 0);
    const int groups = weight_rows(outputs) / 16;
    for (int group = warp % groups; group < groups; group += warps) {
        const bool has_two = outputs % 16 == 0 || outputs - 16 * group > 8;
        int biases[2][4];
        float2 scales[2];
        for (int half = 0; half < 2; ++half) {
            const int channel = 16 * group + 8 * (has_two ? half : 0) + 2 * quad;
            const int2 bias = reinterpret_cast<const int2*>(unit.pointwise_bias)[channel / 2];
            biases[half][0] = biases[half][2] = bias.x;
            biases[half][1] = biases[half][3] = bias.y;
            scales[half] = reinterpret_cast<const float2*>(unit.pointwise_scale)[channel / 2];
        }
        std::uint32_t weights[max_piece_pairs][4];
#pragma unroll
        for (int pair = 0; pair < max_piece_pairs; ++pair) {
            if (pair < pairs)
                load_matrices(weights[pair], output_rows + (16 * group * pitch + 2 * pair) * piece_bytes);
        }
        // Warps that have the same channels, each every so-many-th tile of pixels.
        const int sharing = max(1, (warps - group + groups - 1) / groups);
        for (int tile = warp / groups; tile < pixel_tiles; tile += sharing) {
            int sums[2][4];
#pragma unroll
            for (int pair = 0; pair < max_piece_pairs; ++pair) {
                if (pair >= pairs) break;
                std::uint32_t pixels[4];
                load_matrices(pixels, pixel_rows + (16 * tile * pitch + 2 * pair) * piece_bytes);
                for (int half = 0; half < 2; ++half) {
                    byte_products<false, true>(sums[half], pixels, weights[pair][2 * half],
                                               weights[pair][2 * half + 1],
                                               pair == 0 ? biases[half] : sums[half]);
                }
            }
            // A lane has two channels of two pixels, for each half. It gives those of one pixel to its
            // neighbour for those of the other: then it has four channels of one.
            const auto bytes_of = [&](int row) {
                const auto result = [&](int half, int i) {
                    return rounded_result(sums[half][2 * row + i], i == 0 ? scales[half].x : scales[half].y);
                };
                return clamped_signed_bytes(result(0, 0), result(0, 1), result(1, 0), result(1, 1));
            };
            const std::uint32_t above = bytes_of(0), below = bytes_of(1);
            const std::uint32_t own = is_odd ? below : above;
            const std::uint32_t other = __shfl_xor_sync(all_lanes, is_odd ? above : below, 1);
            const int pixel = 16 * tile + pixel_of_lane;
            if (pixel < padded_pixels) {
                const bool is_inside =
                    !place.is_at_border || place.is_inside(place.x - 1 + pixel % padded_columns,
                                                           place.y - 1 + pixel / padded_columns);
                std::uint32_t* const to = memory.mixed + pixel * word_pitch + 4 * group + quad / 2;
                to[0] = is_inside ? permuted_bytes(own, other, is_odd ? 0x1054 : 0x5410) : 0;
                if (has_two) to[2] = is_inside ? permuted_bytes(own, other, is_odd ? 0x3276 : 0x7632) : 0;
            }
            __syncwarp();
        }
    }
}

/// Mixes the channels of a tile whose inputs and weights the threads have begun to load.
__device__ __forceinline__ void mix_loaded(const UnitWeights& unit, int inputs, int outputs,
                                           const TilePlace& place, const UnitMemory& memory) {
    wait_for_copies();
    __syncthreads();
    mix_channels(unit, inputs, outputs, place, memory);
    __syncthreads();
}

/// The weights of a depthwise layer for four channels.
struct DepthwiseWeights {
    int4 bias;
    uint4 rows[3];
    float4 scale;

    __device__ __forceinline__ void load(const UnitWeights& unit, int words, int word) {
        bias = unit.depthwise_bias[word];
        scale = unit.depthwise_scale[word];
        for (int row = 0; row < 3; ++row) rows[row] = unit.depthwise[row * words + word];
    }
};

/// Sums of 2×2 values of four channels: [2 · row + column][channel].
struct BlockSums {
    int value[4][4];

    /// \param mixed the word of these channels at the block's upper left neighbour.
    __device__ __forceinline__ BlockSums(const std::uint32_t* mixed, int pitch,
                                         const DepthwiseWeights& weights) {
        for (auto& sums : value) {
            sums[0] = weights.bias.x;
            sums[1] = weights.bias.y;
            sums[2] = weights.bias.z;
            sums[3] = weights.bias.w;
        }
        for (int row = 0; row < 4; ++row) {
            std::uint32_t pixels[4], channels[4];
            for (int column = 0; column < 4; ++column)
                pixels[column] = mixed[(row * padded_columns + column) * pitch];
            transpose_bytes(pixels, channels);
            // The upper values read rows 0 to 2, the lower ones 1 to 3.
            if (row < 3) add_row(channels, weights.rows[row], 0);
            if (row > 0) add_row(channels, weights.rows[row - 1], 2);
        }
    }

  private:
    __device__ __forceinline__ void add_row(const std::uint32_t* channels, const uint4& weights, int first) {
        const std::uint32_t here[4] = {weights.x, weights.y, weights.z, weights.w};
        for (int c = 0; c < 4; ++c) {
            value[first][c] = dot_of_signed(channels[c], here[c], value[first][c]);
            value[first + 1][c] = dot_of_signed(channels[c], here[c] << 8, value[first + 1][c]);
        }
    }
};

/// Convolves the channels of a tile and writes the results.
__device__ __forceinline__ void convolve_channels(const UnitJob& job, int outputs, const TilePlace& place,
                                                  const std::uint32_t* mixed) {
    const int words = outputs / 4, pitch = mixed_pitch(outputs);
    auto* const full =
        job.full == nullptr ? nullptr : reinterpret_cast<std::uint32_t*>(job.full) + place.first * words;
    auto* const pooled = job.pooled == nullptr
                             ? nullptr
                             : reinterpret_cast<std::uint32_t*>(job.pooled) + place.first / 4 * words;
    constexpr int block_columns = net_tile_columns / 2, blocks = block_columns * net_tile_rows / 2;
    // Most threads have the same channels for all of their pixels.
    int held = -1;
    DepthwiseWeights weights;
    each_word(blocks, words, [&](int block, int word) {
        if (word != held) {
            held = word;
            weights.load(job.weights, words, word);
        }
        const int column = 2 * (block % block_columns), row = 2 * (block / block_columns);
        const int x = place.x + column, y = place.y + row;
        if (!place.is_inside(x, y)) return;
        BlockSums sums(mixed + (row * padded_columns + column) * pitch + word, pitch, weights);
        if (full != nullptr) {
            const bool has_right = x + 1 < place.width, has_below = y + 1 < place.height;
            const auto result = [&](int i) { return relu_word(sums.value[i], weights.scale); };
            std::uint32_t* const above = full + static_cast<std::size_t>(place.pixel(x, y)) * words + word;
            std::uint32_t* const below = above + static_cast<std::size_t>(place.width) * words;
            above[0] = result(0);
            if (has_right) above[words] = result(1);
            if (has_below) below[0] = result(2);
            if (has_right && has_below) below[words] = result(3);
        }
        if (pooled != nullptr) {
            // The largest sum gives the largest result. Pooled maps have even sides.
            int largest[4];
            for (int c = 0; c < 4; ++c) {
                largest[c] =
                    max(max(sums.value[0][c], sums.value[1][c]), max(sums.value[2][c], sums.value[3][c]));
            }
            const std::uint32_t pixel =
                static_cast<std::uint32_t>(y / 2) * static_cast<std::uint32_t>(place.width / 2) +
                static_cast<std::uint32_t>(x / 2);
            pooled[static_cast<std::size_t>(pixel) * words + word] = relu_word(largest, weights.scale);
        }
    });
}

/// Threads of a block at most, for units of so many outputs; 0: of any number.
constexpr int max_threads_of(int outputs) {
    return outputs > 0 && outputs <= few_channels ? few_net_threads : many_net_threads;
}
/// Blocks of these that a multiprocessor is to hold, registers permitting.
constexpr int wanted_blocks_of(int outputs) {
    return outputs > 0 && outputs <= few_channels ? 8 : 2;
}

/// Runs units: a block makes one tile. Known channels turn most of the work on addresses into constants.
/// \tparam known_inputs, known_outputs channels of all jobs; 0: they are those of the job.
template <NetSource source, int known_inputs = 0, int known_outputs = 0>
__global__ void __launch_bounds__(max_threads_of(known_outputs), wanted_blocks_of(known_outputs))
    run_units(const NetImage* images, const NetSegment* segments, int segment_count, UnitJobs jobs) {
    extern __shared__ uint4 shared[];
    const NetSegment segment = segment_of_block(segments, segment_count);
    const UnitJob& job = jobs.job[segment.job];
    const UnitWeights& unit = job.weights;
    const int inputs = known_inputs > 0 ? known_inputs : unit.inputs;
    const int outputs = known_outputs > 0 ? known_outputs : unit.outputs;
    const NetImage image = images[segment.image];
    const TilePlace place(image, segment, job.cells);
    const UnitMemory memory(shared, inputs, outputs);
    load_weights(unit, inputs, outputs, memory.weights);
    let_next_kernel_begin();
    wait_for_kernel_before();
    if constexpr (source == NetSource::stem) {
        std::uint32_t* const patch = memory.mixed + padded_pixels * mixed_pitch(outputs);
        make_stem(job.stem, inputs, image, place, patch, reinterpret_cast<std::uint32_t*>(memory.inputs));
    } else {
        load_inputs<source>(job, place, inputs, memory.inputs);
    }
    mix_loaded(unit, inputs, outputs, place, memory);
    convolve_channels(job, outputs, place, memory.mixed);
}

/// Runs the last units of heads, whose depthwise results are not rounded. Cells that reach min_logit are
/// added to `found` in any order. \tparam known_inputs see run_units
template <int known_inputs = 0>
__global__ void __launch_bounds__(few_net_threads, 8)
    run_head_ends(const NetImage* images, const NetSegment* segments, int segment_count, UnitJobs jobs,
                  FoundCell* found, unsigned* count) {
    extern __shared__ uint4 shared[];
    const NetSegment segment = segment_of_block(segments, segment_count);
    const UnitJob& job = jobs.job[segment.job];
    const UnitWeights& unit = job.weights;
    const int inputs = known_inputs > 0 ? known_inputs : unit.inputs;
    constexpr int outputs = net_head_outputs, pitch = mixed_pitch(outputs);
    const TilePlace place(images[segment.image], segment, job.cells);
    const UnitMemory memory(shared, inputs, outputs);
    load_weights(unit, inputs, outputs, memory.weights);
    let_next_kernel_begin();
    wait_for_kernel_before();
    load_inputs<NetSource::map>(job, place, inputs, memory.inputs);
    mix_loaded(unit, inputs, outputs, place, memory);
    for (int item = threadIdx.x; item < net_tile_rows * net_tile_columns; item += blockDim.x) {
        const int column = item % net_tile_columns, row = item / net_tile_columns;
        const int x = place.x + column, y = place.y + row;
        if (!place.is_inside(x, y)) continue;
        const auto result = [&](int channel) {
            int sum = reinterpret_cast<const int*>(unit.depthwise_bias)[channel];
            for (int tap_row = 0; tap_row < 3; ++tap_row) {
                std::uint32_t taps[3];
                for (int i = 0; i < 3; ++i) {
                    const int pixel = (row + tap_row) * padded_columns + column + i;
                    taps[i] = memory.mixed[pixel * pitch + channel / 4] >> (8 * (channel % 4));
                }
                const std::uint32_t here =
                    reinterpret_cast<const std::uint32_t*>(unit.depthwise)[tap_row * outputs + channel];
                sum = dot_of_signed(packed_bytes(taps[0], taps[1], taps[2], 0), here, sum);
            }
            return static_cast<float>(sum) * reinterpret_cast<const float*>(unit.depthwise_scale)[channel];
        };
        const float logit = result(0);
        if (!(logit >= job.min_logit)) continue;
        found[atomicAdd(count, 1U)] = {segment.image,
                                       {job.level, y, x, logit, result(1), result(2), result(3), result(4)}};
    }
}

/// An image at a quarter of its size.
struct QuarterJob {
    const std::uint8_t* pixels;
    std::int64_t pitch;
    std::uint8_t* to;            ///< without gaps between rows
    std::int32_t width, height;  ///< of the quarter
};

/// Halves images twice; each image has a row of blocks.
inline __global__ void make_quarters(const QuarterJob* jobs) {
    let_next_kernel_begin();
    wait_for_kernel_before();
    const QuarterJob job = jobs[blockIdx.y];
    const std::int64_t count = std::int64_t{job.width} * job.height;
    for (std::int64_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count;
         i += std::int64_t{gridDim.x} * blockDim.x) {
        const std::int64_t x = i % job.width, y = i / job.width;
        const auto half = [&](int dx, int dy) {
            const std::uint8_t* top = job.pixels + (4 * y + 2 * dy) * job.pitch + 4 * x + 2 * dx;
            const std::uint8_t* bottom = top + job.pitch;
            return octave_pixel(top[0], top[1], bottom[0], bottom[1]);
        };
        job.to[i] = static_cast<std::uint8_t>(octave_pixel(half(0, 0), half(1, 0), half(0, 1), half(1, 1)));
    }
}

}  // namespace fovea::cuda_backend
