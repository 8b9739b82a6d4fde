#pragma once

#include <cstddef>
#include <cstdint>

#include <cuda_runtime.h>

#include "kernels/landmark/gpu_landmarks.hpp"
#include "kernels/landmark/landmark_body.hpp"

// Ensembles of regression trees on a GPU. A block takes up to eight faces through all cascades. It reads the
// pixels of each face, then each thread walks through one tree for one face, and then each thread adds the
// leaves of four coordinates of a face (of one if there is only one face), tree after tree in their order.
// Most time goes to the leaves. They come from the second-level cache, which holds the cascade that all
// blocks work on.
//
// Everything here has internal linkage: only the source file that launches the kernels includes it.
namespace fovea::cuda_backend {
namespace {

constexpr int block_threads = 288;
constexpr int max_faces_of_block = 8;
constexpr int min_blocks_of_processor = 3;
// Trees that are walked through before their leaves are added.
constexpr int trees_of_round = 512;
constexpr int task_threads = 256;

/// A LandmarkSplit that a thread loads by one instruction.
struct alignas(8) GpuSplit {
    std::uint16_t first;
    std::uint16_t second;
    std::int16_t threshold;
    std::int16_t padding;
};

struct GpuCascade {
    const LandmarkPixel* pixels;
    const GpuSplit* splits;
    const float* leaves;                  ///< rows of 4 · quads; null if quantised
    const std::int8_t* quantised_leaves;  ///< rows of 4 · quads; null if not quantised
    float leaf_unit;
    int pixel_count;
    int trees;
};

struct GpuModel {
    const GpuCascade* cascades;
    const float* initial_shape;
    const double* turn_weights;
    int cascade_count;
    int refit_after;
    int points;
    int depth;
    int subpixels;
    bool turns;
    double mean_x, mean_y;  ///< of the initial shape
    int quads;              ///< groups of four coordinates: 2 · points / 4, rounded up
    int max_pixels;         ///< the most pixels of a cascade
    int max_trees;          ///< the most trees of a cascade
    bool has_float_leaves;  ///< in any cascade
};

/// Bytes rounded up to words of 16, as copies to shared memory want them.
__host__ __device__ inline std::size_t whole_words(std::size_t bytes) {
    return (bytes + 15) / 16 * 16;
}

struct SharedLayout {
    std::size_t shapes, pixels, leaves, turns, places, sums, bytes;
};

__host__ __device__ inline SharedLayout shared_layout(const GpuModel& model, int faces) {
    SharedLayout layout;
    layout.places = 0;
    layout.turns = whole_words(sizeof(UnitToImage) * faces);
    layout.shapes = layout.turns + whole_words(sizeof(ShapeTurn) * faces);
    layout.leaves = layout.shapes + sizeof(float4) * model.quads * faces;
    layout.sums = layout.leaves + whole_words(sizeof(std::uint16_t) * trees_of_round * faces);
    layout.pixels = layout.sums + sizeof(int4) * model.quads;
    layout.bytes = layout.pixels + whole_words(static_cast<std::size_t>(model.max_pixels) * faces);
    return layout;
}

// In lane 0 of turn_lanes: the sum of all, in the order of the host's sum_of_lanes().
__device__ double sum_of_lanes(double mine) {
    for (int step = turn_lanes / 2; step > 0; step /= 2)
        mine += __shfl_down_sync(0xFFFFFFFF, mine, step, turn_lanes);
    return mine;
}

__device__ void find_turns(const GpuModel& model, int faces, const float* shapes, ShapeTurn* turns) {
    const unsigned whole_warps = (faces * turn_lanes + 31) / 32 * 32;
    for (unsigned i = threadIdx.x; i < whole_warps; i += blockDim.x) {
        const int face = static_cast<int>(i) / turn_lanes, lane = static_cast<int>(i) % turn_lanes;
        TurnSums sums;
        if (face < faces && model.turns) {
            sums = turn_sums(model.turn_weights, shapes + face * 4 * model.quads, model.points, lane);
        }
        sums = {sum_of_lanes(sums.along), sum_of_lanes(sums.across)};
        if (face < faces && lane == 0) {
            turns[face] = model.turns
                              ? ShapeTurn{static_cast<float>(sums.along), static_cast<float>(sums.across)}
                              : ShapeTurn{};
        }
    }
}

__device__ void begin_shapes(const GpuModel& model, int faces, float* shapes) {
    const int stride = 4 * model.quads, coordinates = 2 * model.points;
    for (int i = static_cast<int>(threadIdx.x); i < faces * stride; i += static_cast<int>(blockDim.x))
        shapes[i] = i % stride < coordinates ? model.initial_shape[i % stride] : 0;
}

// Gives the faces their fitted boxes, and the shapes their beginning.
__device__ void refit_boxes(const GpuModel& model, int faces, const LandmarkTask* tasks, float* shapes,
                            UnitToImage* to_image) {
    const int stride = 4 * model.quads;
    const unsigned whole_warps = (faces * turn_lanes + 31) / 32 * 32;
    for (unsigned i = threadIdx.x; i < whole_warps; i += blockDim.x) {
        const int face = static_cast<int>(i) / turn_lanes, lane = static_cast<int>(i) % turn_lanes;
        BoxSpan span;
        FitSums sums;
        if (face < faces) {
            span = span_of(tasks[face].box);
            sums = fit_sums(model.turn_weights, shapes + face * stride, model.points, span, lane);
        }
        sums = {sum_of_lanes(sums.along), sum_of_lanes(sums.across), sum_of_lanes(sums.x),
                sum_of_lanes(sums.y)};
        if (face < faces && lane == 0) {
            const UnitToImage square = fitted_square(sums, model.mean_x, model.mean_y, model.points);
            to_image[face] = refitted(to_image[face], square, span);
        }
    }
    __syncthreads();
    begin_shapes(model, faces, shapes);
    __syncthreads();
}

/// The leaf that a face reaches. \param load gives the words of a split.
template <class Load>
__device__ std::uint16_t walk(const GpuSplit* tree, int depth, const std::uint8_t* pixels, Load load) {
    int node = 0;
    for (int level = 0; level < depth; ++level) {
        const int2 words = load(reinterpret_cast<const int2*>(tree + node));
        const int first = words.x & 0xFFFF, second = static_cast<unsigned>(words.x) >> 16;
        const int threshold = static_cast<std::int16_t>(words.y & 0xFFFF);
        node = 2 * node + 1 + (pixels[first] - pixels[second] > threshold ? 0 : 1);
    }
    return static_cast<std::uint16_t>(node - ((1 << depth) - 1));
}

__device__ std::uint16_t walk(const GpuSplit* tree, int depth, const std::uint8_t* pixels) {
    return walk(tree, depth, pixels, [](const int2* split) { return __ldg(split); });
}

/// A thread adds four neighbouring coordinates, or one where there are threads enough. On an H200, 528 faces
/// in blocks of two took 0.94 ms by one coordinate and 0.67 ms by four; 264 faces in blocks of one took 0.44
/// ms by one and 0.64 ms by four.
template <int Width>
struct Lanes;
template <>
struct Lanes<4> {
    using Floats = float4;
    using Bytes = char4;
    using Words = int4;
    static constexpr int leaves_under_way = 8;

    template <class Sum, class Value>
    static __device__ void add(Sum& sum, const Value& value) {
        sum.x += value.x;
        sum.y += value.y;
        sum.z += value.z;
        sum.w += value.w;
    }
    static __device__ float4 scaled(const int4& words, float unit) {
        return make_float4(unit * static_cast<float>(words.x), unit * static_cast<float>(words.y),
                           unit * static_cast<float>(words.z), unit * static_cast<float>(words.w));
    }
};
template <>
struct Lanes<1> {
    using Floats = float;
    using Bytes = signed char;
    using Words = int;
    static constexpr int leaves_under_way = 32;

    template <class Sum, class Value>
    static __device__ void add(Sum& sum, const Value& value) {
        sum += value;
    }
    static __device__ float scaled(int words, float unit) { return unit * static_cast<float>(words); }
};

// Adds the chosen rows in order, with several loads under way at once. \param columns of a row.
template <int Width, class Sum, class Row>
__device__ void add_leaves(Sum& sum, const Row* rows, int leaves_of_tree, int columns,
                           const std::uint16_t* chosen, int trees) {
    constexpr int under_way = Lanes<Width>::leaves_under_way;
    const auto row = [&](int t) {
        return rows + (static_cast<std::size_t>(t) * leaves_of_tree + chosen[t]) * columns;
    };
    int t = 0;
    for (; t + under_way <= trees; t += under_way) {
        Row values[under_way];
#pragma unroll
        for (int k = 0; k < under_way; ++k) values[k] = __ldg(row(t + k));
#pragma unroll
        for (int k = 0; k < under_way; ++k) Lanes<Width>::add(sum, values[k]);
    }
    for (; t < trees; ++t) Lanes<Width>::add(sum, __ldg(row(t)));
}

// Adds the leaves of a cascade to the shapes of a block's faces.
template <int Width>
__device__ void add_cascade(const GpuModel& model, const GpuCascade& cascade, int faces, float* shapes,
                            const std::uint8_t* pixels, std::uint16_t* leaves) {
    using Kind = Lanes<Width>;
    const int threads = static_cast<int>(blockDim.x), thread = static_cast<int>(threadIdx.x);
    const int leaves_of_tree = 1 << model.depth;
    const int columns = 4 * model.quads / Width;
    // The sums of quantised leaves last for a whole cascade, so each thread keeps its coordinates throughout.
    // If there are more coordinates than threads, all of it is repeated a few times.
    for (int begin = 0; begin < faces * columns; begin += threads) {
        const int item = begin + thread;
        const bool busy = item < faces * columns;
        const int face = item / columns, column = item % columns;
        auto* const shape = reinterpret_cast<typename Kind::Floats*>(shapes) + (busy ? item : 0);
        typename Kind::Floats sum = *shape;
        typename Kind::Words words{};
        for (int round = 0; round < cascade.trees; round += trees_of_round) {
            const int trees = min(trees_of_round, cascade.trees - round);
            __syncthreads();
            for (int i = thread; i < faces * trees; i += threads) {
                const int f = i / trees, t = i % trees;
                leaves[f * trees_of_round + t] =
                    walk(cascade.splits + static_cast<std::size_t>(round + t) * (leaves_of_tree - 1),
                         model.depth, pixels + f * model.max_pixels);
            }
            __syncthreads();
            if (!busy) continue;
            const std::size_t first = static_cast<std::size_t>(round) * leaves_of_tree * columns + column;
            const std::uint16_t* const chosen = leaves + face * trees_of_round;
            if (cascade.leaves != nullptr) {
                add_leaves<Width>(sum, reinterpret_cast<const typename Kind::Floats*>(cascade.leaves) + first,
                                  leaves_of_tree, columns, chosen, trees);
            } else {
                add_leaves<Width>(
                    words, reinterpret_cast<const typename Kind::Bytes*>(cascade.quantised_leaves) + first,
                    leaves_of_tree, columns, chosen, trees);
            }
        }
        if (!busy) continue;
        if (cascade.leaves == nullptr) Kind::add(sum, Kind::scaled(words, cascade.leaf_unit));
        *shape = sum;
    }
}

/// A thread's share of the quantised leaves of one face: sums of integers have no order, so the threads share
/// the trees, and each adds four neighbouring coordinates.
class QuantisedShare {
  public:
    __device__ QuantisedShare(const GpuModel& model, const GpuCascade& cascade)
        : quads_(model.quads),
          shares_(static_cast<int>(blockDim.x) / quads_),
          share_(static_cast<int>(threadIdx.x) / quads_),
          quad_(static_cast<int>(threadIdx.x) % quads_),
          leaves_of_tree_(1 << model.depth),
          rows_(reinterpret_cast<const Kind::Bytes*>(cascade.quantised_leaves) + quad_) {}

    /// \param chosen leaves of the trees first, first + 1, ...
    __device__ void add(int first, int trees, const std::uint16_t* chosen) {
        constexpr int under_way = 16;
        if (share_ >= shares_) return;
        for (int begin = share_; begin < trees; begin += under_way * shares_) {
            // All loads are under way before the first is waited for: none depends on a branch.
            Kind::Bytes values[under_way];
#pragma unroll
            for (int k = 0; k < under_way; ++k) {
                const int t = min(begin + k * shares_, trees - 1);
                const auto row = static_cast<std::size_t>(first + t) * leaves_of_tree_ + chosen[t];
                values[k] = __ldg(rows_ + row * quads_);
            }
#pragma unroll
            for (int k = 0; k < under_way; ++k) {
                if (begin + k * shares_ < trees) Kind::add(words_, values[k]);
            }
        }
    }

    /// Adds the shares of all threads to the shape. All threads of the block must call it.
    /// \param sums [4 · quads], 0 before.
    __device__ void finish(float unit, int* sums, float* shape) const {
        if (share_ < shares_) {
            const int own[4] = {words_.x, words_.y, words_.z, words_.w};
#pragma unroll
            for (int i = 0; i < 4; ++i) atomicAdd(sums + 4 * quad_ + i, own[i]);
        }
        __syncthreads();
        for (int i = static_cast<int>(threadIdx.x); i < 4 * quads_; i += static_cast<int>(blockDim.x)) {
            float sum = shape[i];
            Lanes<1>::add(sum, Lanes<1>::scaled(sums[i], unit));
            shape[i] = sum;
        }
    }

  private:
    using Kind = Lanes<4>;
    int quads_, shares_, share_, quad_, leaves_of_tree_;
    const Kind::Bytes* rows_;
    Kind::Words words_{};
};

// Adds the quantised leaves of a cascade to the shape of one face.
__device__ void add_quantised_cascade(const GpuModel& model, const GpuCascade& cascade, float* shape,
                                      const std::uint8_t* pixels, std::uint16_t* leaves, int* sums) {
    const int threads = static_cast<int>(blockDim.x), thread = static_cast<int>(threadIdx.x);
    for (int i = thread; i < 4 * model.quads; i += threads) sums[i] = 0;
    QuantisedShare share(model, cascade);
    for (int round = 0; round < cascade.trees; round += trees_of_round) {
        const int trees = min(trees_of_round, cascade.trees - round);
        __syncthreads();
        for (int t = thread; t < trees; t += threads) {
            leaves[t] = walk(cascade.splits + static_cast<std::size_t>(round + t) * ((1 << model.depth) - 1),
                             model.depth, pixels);
        }
        __syncthreads();
        share.add(round, trees, leaves);
    }
    share.finish(cascade.leaf_unit, sums, shape);
}

// Writes the positions of a block's faces. \param first of them
__device__ void write_positions(const GpuModel& model, int faces, const float* shapes,
                                const UnitToImage* to_image, unsigned first, std::int32_t* positions) {
    const int threads = static_cast<int>(blockDim.x);
    for (int i = static_cast<int>(threadIdx.x); i < faces * model.points; i += threads) {
        const int f = i / model.points, p = i % model.points;
        const float* const point = shapes + f * 4 * model.quads + 2 * p;
        const ImagePlace place = place_of(to_image[f], point[0], point[1]);
        std::int32_t* const to = positions + (static_cast<std::size_t>(first) + f) * 2 * model.points + 2 * p;
        to[0] = rounded_coordinate(place.x, model.subpixels);
        to[1] = rounded_coordinate(place.y, model.subpixels);
    }
}

/// \param min_faces at least 1: the kernel does nothing if there are fewer.
__global__ void __launch_bounds__(block_threads, min_blocks_of_processor)
    landmark_kernel(GpuModel model, int faces_of_block, unsigned min_faces,
                    const ImageView<const std::uint8_t>* images, const LandmarkTask* tasks,
                    const unsigned* count, std::int32_t* positions) {
    extern __shared__ __align__(16) unsigned char memory[];
    const SharedLayout layout = shared_layout(model, faces_of_block);
    UnitToImage* const to_image = reinterpret_cast<UnitToImage*>(memory + layout.places);
    ShapeTurn* const turns = reinterpret_cast<ShapeTurn*>(memory + layout.turns);
    float* const shapes = reinterpret_cast<float*>(memory + layout.shapes);
    std::uint16_t* const leaves = reinterpret_cast<std::uint16_t*>(memory + layout.leaves);
    int* const sums = reinterpret_cast<int*>(memory + layout.sums);
    std::uint8_t* const pixels = memory + layout.pixels;
    const unsigned total = *count;
    if (total < min_faces) return;
    const int threads = static_cast<int>(blockDim.x), thread = static_cast<int>(threadIdx.x);
    const int stride = 4 * model.quads;
    // The same number of faces, or nearly so, for every block: few faces are spread over all of them.
    const unsigned rounds = (total + gridDim.x * faces_of_block - 1) / (gridDim.x * faces_of_block);
    const unsigned share = (total + gridDim.x * rounds - 1) / (gridDim.x * rounds);
    for (unsigned first = blockIdx.x * share; first < total; first += gridDim.x * share) {
        const int faces = static_cast<int>(min(share, total - first));
        for (int f = thread; f < faces; f += threads) to_image[f] = unit_to_image(tasks[first + f].box);
        begin_shapes(model, faces, shapes);
        __syncthreads();
        for (int c = 0; c < model.cascade_count; ++c) {
            if (c > 0 && c == model.refit_after) refit_boxes(model, faces, tasks + first, shapes, to_image);
            const GpuCascade cascade = model.cascades[c];
            find_turns(model, faces, shapes, turns);
            __syncthreads();
            for (int i = thread; i < faces * cascade.pixel_count; i += threads) {
                const int f = i / cascade.pixel_count, p = i % cascade.pixel_count;
                pixels[f * model.max_pixels + p] =
                    landmark_pixel(images[tasks[first + f].image], to_image[f], turns[f], cascade.pixels[p],
                                   shapes + f * stride);
            }
            __syncthreads();
            if (faces == 1 && cascade.leaves == nullptr && model.quads <= threads) {
                add_quantised_cascade(model, cascade, shapes, pixels, leaves, sums);
            } else if (faces == 1 && stride <= threads) {
                add_cascade<1>(model, cascade, faces, shapes, pixels, leaves);
            } else {
                add_cascade<4>(model, cascade, faces, shapes, pixels, leaves);
            }
            __syncthreads();
        }
        write_positions(model, faces, shapes, to_image, first, positions);
        __syncthreads();
    }
}

// One block: the images' places in the list of tasks follow from the sum of the counts before them.
__global__ void __launch_bounds__(task_threads)
    task_kernel(DetectedFaces faces, const ImageView<const std::uint8_t>* images, LandmarkTask* tasks,
                unsigned* count) {
    __shared__ unsigned sums[task_threads];
    __shared__ unsigned before;
    const unsigned thread = threadIdx.x;
    if (thread == 0) before = 0;
    for (int base = 0; base < faces.images; base += task_threads) {
        const int image = base + static_cast<int>(thread);
        const unsigned own =
            image < faces.images ? min(faces.counts[image], static_cast<unsigned>(faces.first_count)) : 0;
        sums[thread] = own;
        __syncthreads();
        for (unsigned step = 1; step < task_threads; step *= 2) {
            const unsigned left = thread >= step ? sums[thread - step] : 0;
            __syncthreads();
            sums[thread] += left;
            __syncthreads();
        }
        unsigned place = before + sums[thread] - own;
        for (unsigned g = 0; g < own; ++g) {
            const RectGroup& group = faces.groups[static_cast<std::size_t>(image) * faces.first_count + g];
            const FaceBox box = inside_image(face_of_window(faces.face, group.rect), images[image].width,
                                             images[image].height);
            tasks[place++] = {static_cast<std::uint32_t>(image), rect_of_edges(box, faces.edges)};
        }
        __syncthreads();
        if (thread == task_threads - 1) before += sums[thread];
        __syncthreads();
    }
    if (thread == 0) *count = before;
}

}  // namespace
}  // namespace fovea::cuda_backend
