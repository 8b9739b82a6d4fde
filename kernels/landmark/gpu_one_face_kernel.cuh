#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kernels/core/gpu_warp.cuh"
#include "kernels/landmark/gpu_landmark_kernels.cuh"

// Few faces: a block, alone on its multiprocessor, takes one face through all cascades. A single face waits
// for memory most of the time, so all that does not depend on the face is brought beforehand: splits and
// places of pixels of the next cascade arrive while the leaves of this one are added, and leaves arrive in a
// ring of two parts while those before them are added in their order.
namespace fovea::cuda_backend {
namespace {

constexpr int one_face_threads = 512;
constexpr int max_rows_of_part = 128;
constexpr int min_rows_of_part = 16;

/// Places of a block's data, in bytes from the start of its shared memory.
struct OneFaceLayout {
    std::size_t to_image, turn, shape, weights, leaves, sums, pixels, pixel_places, splits, rows, bytes;
    /// Rows of leaves in each of the two parts of the ring; 0 where no cascade has floats.
    int rows_of_part;
};

/// \param max_bytes of shared memory that a block may have. The layout may need more: then this kernel cannot
/// be used.
inline OneFaceLayout one_face_layout(const GpuModel& model, std::size_t max_bytes) {
    OneFaceLayout layout{};
    std::size_t end = 0;
    const auto take = [&](std::size_t bytes) {
        const std::size_t at = end;
        end += whole_words(bytes);
        return at;
    };
    const auto quads = static_cast<std::size_t>(model.quads);
    layout.to_image = take(sizeof(UnitToImage));
    layout.turn = take(sizeof(ShapeTurn));
    layout.shape = take(sizeof(float4) * quads);
    layout.weights = take(sizeof(double) * 4 * quads);
    layout.leaves = take(sizeof(std::uint16_t) * trees_of_round);
    layout.sums = take(sizeof(int4) * quads);
    layout.pixels = take(static_cast<std::size_t>(model.max_pixels));
    layout.pixel_places = take(sizeof(LandmarkPixel) * static_cast<std::size_t>(model.max_pixels));
    layout.splits = take(sizeof(GpuSplit) * static_cast<std::size_t>(model.max_trees) *
                         ((std::size_t{1} << model.depth) - 1));
    layout.rows = end;
    if (model.has_float_leaves) {
        const std::size_t part_row = 2 * sizeof(float4) * quads;
        const std::size_t room = max_bytes > end ? (max_bytes - end) / part_row : 0;
        layout.rows_of_part =
            static_cast<int>(std::clamp<std::size_t>(room, min_rows_of_part, max_rows_of_part));
        end += part_row * static_cast<std::size_t>(layout.rows_of_part);
    }
    layout.bytes = end;
    return layout;
}

/// True if the kernel can evaluate a model in blocks with so much shared memory.
inline bool takes_one_face(const GpuModel& model, std::size_t max_bytes) {
    return model.max_trees <= trees_of_round && 4 * model.quads <= one_face_threads &&
           one_face_layout(model, max_bytes).bytes <= max_bytes;
}

// Copies an array to shared memory, and does not wait where the GPU copies asynchronously. Both begin at
// words of 16 bytes, and are read and written to the end of such a word.
__device__ void bring(void* target, const void* source, std::size_t bytes) {
    const auto words = static_cast<unsigned>(whole_words(bytes) / 16);
    for (unsigned i = threadIdx.x; i < words; i += blockDim.x)
        copy_async(static_cast<uint4*>(target) + i, static_cast<const uint4*>(source) + i);
}

// Adds the chosen rows of floats to the shape in the order of the trees.
__device__ void add_rows_in_order(const GpuModel& model, const GpuCascade& cascade, int rows_of_part,
                                  const std::uint16_t* chosen, float* shape, float* ring) {
    const int thread = static_cast<int>(threadIdx.x), quads = model.quads, stride = 4 * quads;
    const int first_row = thread / quads, quad = thread % quads;
    const int rows_at_once = static_cast<int>(blockDim.x) / quads;
    const auto* const leaves = reinterpret_cast<const float4*>(cascade.leaves) + quad;
    const auto bring_part = [&](int part) {
        auto* const target = reinterpret_cast<float4*>(ring) + part % 2 * rows_of_part * quads + quad;
        const int begin = part * rows_of_part, rows = min(rows_of_part, cascade.trees - begin);
        if (first_row < rows_at_once) {
            for (int row = first_row; row < rows; row += rows_at_once) {
                const int leaf = ((begin + row) << model.depth) + chosen[begin + row];
                copy_async(target + row * quads, leaves + static_cast<std::size_t>(leaf) * quads);
            }
        }
        commit_copies();
    };
    bring_part(0);
    bring_part(1);
    float sum = thread < stride ? shape[thread] : 0;
    for (int part = 0; part * rows_of_part < cascade.trees; ++part) {
        wait_for_copies<1>();
        __syncthreads();
        if (thread < stride) {
            const float* const rows = ring + part % 2 * rows_of_part * stride + thread;
            const int count = min(rows_of_part, cascade.trees - part * rows_of_part);
#pragma unroll 16
            for (int row = 0; row < count; ++row) sum += rows[row * stride];
        }
        __syncthreads();
        bring_part(part + 2);
    }
    if (thread < stride) shape[thread] = sum;
}

/// \param max_faces the kernel does nothing if there are more.
__global__ void __launch_bounds__(one_face_threads, 1)
    one_face_kernel(GpuModel model, OneFaceLayout layout, unsigned max_faces,
                    const ImageView<const std::uint8_t>* images, const LandmarkTask* tasks,
                    const unsigned* count, std::int32_t* positions) {
    extern __shared__ __align__(16) unsigned char memory[];
    const unsigned total = *count;
    if (total > max_faces) return;
    auto* const to_image = reinterpret_cast<UnitToImage*>(memory + layout.to_image);
    auto* const turn = reinterpret_cast<ShapeTurn*>(memory + layout.turn);
    auto* const shape = reinterpret_cast<float*>(memory + layout.shape);
    auto* const weights = reinterpret_cast<double*>(memory + layout.weights);
    auto* const leaves = reinterpret_cast<std::uint16_t*>(memory + layout.leaves);
    auto* const sums = reinterpret_cast<int*>(memory + layout.sums);
    std::uint8_t* const pixels = memory + layout.pixels;
    auto* const places = reinterpret_cast<LandmarkPixel*>(memory + layout.pixel_places);
    auto* const splits = reinterpret_cast<GpuSplit*>(memory + layout.splits);
    auto* const ring = reinterpret_cast<float*>(memory + layout.rows);
    const int threads = static_cast<int>(blockDim.x), thread = static_cast<int>(threadIdx.x);
    const int splits_of_tree = (1 << model.depth) - 1;
    for (int i = thread; i < 2 * model.points; i += threads) weights[i] = model.turn_weights[i];
    model.turn_weights = weights;
    const auto bring_tables = [&](int c) {
        if (c == model.cascade_count) return;
        const GpuCascade& cascade = model.cascades[c];
        bring(places, cascade.pixels, sizeof(LandmarkPixel) * static_cast<std::size_t>(cascade.pixel_count));
        bring(splits, cascade.splits,
              sizeof(GpuSplit) * static_cast<std::size_t>(cascade.trees) * splits_of_tree);
        commit_copies();
    };
    for (unsigned face = blockIdx.x; face < total; face += gridDim.x) {
        bring_tables(0);
        if (thread == 0) *to_image = unit_to_image(tasks[face].box);
        begin_shapes(model, 1, shape);
        const ImageView<const std::uint8_t> image = images[tasks[face].image];
        __syncthreads();
        for (int c = 0; c < model.cascade_count; ++c) {
            if (c > 0 && c == model.refit_after) refit_boxes(model, 1, tasks + face, shape, to_image);
            const GpuCascade cascade = model.cascades[c];
            find_turns(model, 1, shape, turn);
            for (int i = thread; i < 4 * model.quads; i += threads) sums[i] = 0;
            wait_for_copies();
            __syncthreads();
            for (int p = thread; p < cascade.pixel_count; p += threads)
                pixels[p] = landmark_pixel(image, *to_image, *turn, places[p], shape);
            __syncthreads();
            for (int t = thread; t < cascade.trees; t += threads) {
                leaves[t] = walk(splits + static_cast<std::size_t>(t) * splits_of_tree, model.depth, pixels,
                                 [](const int2* split) { return *split; });
            }
            __syncthreads();
            bring_tables(c + 1);
            if (cascade.leaves == nullptr) {
                QuantisedShare share(model, cascade);
                share.add(0, cascade.trees, leaves);
                share.finish(cascade.leaf_unit, sums, shape);
            } else {
                add_rows_in_order(model, cascade, layout.rows_of_part, leaves, shape, ring);
            }
            __syncthreads();
        }
        write_positions(model, 1, shape, to_image, face, positions);
        __syncthreads();
    }
}

}  // namespace
}  // namespace fovea::cuda_backend
