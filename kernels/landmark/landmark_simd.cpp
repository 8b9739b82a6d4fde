// Landmarks of a block of faces in vectors, compiled once for every instruction set and chosen at run time
// (Highway). Coordinates never mix and comparisons are exact, so that the length of the vectors changes
// nothing.

#include "kernels/landmark/landmark_simd.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "kernels/landmark/landmark_body.hpp"

#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/landmark/landmark_simd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

// Code that all instruction sets share is compiled once.
#if !defined(FOVEA_LANDMARK_SIMD_SHARED)
#define FOVEA_LANDMARK_SIMD_SHARED
namespace fovea {
namespace {

// Below this many faces, walking through each tree takes less time than evaluating all its splits for all
// faces at once.
constexpr std::size_t min_faces_at_once = 6;
// Deeper trees have too many splits for it.
constexpr int max_levels_at_once = 5;
// Trees whose leaves are added before the next face has its turn: their leaves fit into the cache.
constexpr std::size_t trees_of_round = 32;
// int8 values that an int16 can sum without overflow.
constexpr std::size_t values_of_short_sum = 256;

/// State of a block's faces while a cascade is evaluated.
struct BlockState {
    std::vector<UnitToImage> to_image;  ///< [face]
    std::vector<float> shapes;          ///< [face][leaf_stride]
    std::vector<std::uint8_t> pixels;   ///< [pixel][max_faces_of_block]
    std::vector<std::uint16_t> leaves;  ///< [face][tree]
    std::vector<std::int32_t> sums;     ///< [leaf_stride]
};

/// Gives the faces their fitted boxes, and the shapes their beginning.
void refit_boxes(const LandmarkModel& model, const LandmarkTables& tables,
                 std::span<const LandmarkTask> faces, BlockState& state) {
    const std::size_t stride = model.leaf_stride();
    for (std::size_t f = 0; f < faces.size(); ++f) {
        float* const shape = state.shapes.data() + f * stride;
        const BoxSpan span = span_of(faces[f].box);
        state.to_image[f] = refitted(state.to_image[f], square_of_shape(model, tables, shape, span), span);
        std::copy(model.initial_shape.begin(), model.initial_shape.end(), shape);
    }
}

void walk_trees(const LandmarkModel& model, const LandmarkCascade& cascade, const BlockState& state,
                std::size_t face, std::uint16_t* leaves) {
    const std::size_t splits = model.splits_of_tree();
    const std::uint8_t* const pixels = state.pixels.data() + face;
    for (std::size_t t = 0; t < cascade.trees; ++t) {
        const LandmarkSplit* const tree = cascade.splits.data() + t * splits;
        std::size_t node = 0;
        for (int level = 0; level < model.depth; ++level) {
            const LandmarkSplit split = tree[node];
            const int difference = int{pixels[split.first * max_faces_of_block]} -
                                   int{pixels[split.second * max_faces_of_block]};
            node = 2 * node + 1 + (difference > split.threshold ? 0 : 1);
        }
        leaves[t] = static_cast<std::uint16_t>(node - splits);
    }
}

}  // namespace
}  // namespace fovea
#endif

HWY_BEFORE_NAMESPACE();
namespace fovea {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Bytes = hn::CappedTag<std::uint8_t, max_faces_of_block>;
using ByteVector = hn::Vec<Bytes>;

// A bit per face, in bytes of 0 and 1: whether it goes to the right.
HWY_INLINE ByteVector goes_right(const LandmarkSplit& split, const std::uint8_t* pixels) {
    const Bytes bytes;
    const auto first = hn::LoadU(bytes, pixels + split.first * max_faces_of_block);
    const auto second = hn::LoadU(bytes, pixels + split.second * max_faces_of_block);
    const auto one = hn::Set(bytes, 1);
    // first - second > threshold, in unsigned bytes: a negative threshold is one of second - first <
    // -threshold.
    if (split.threshold >= 0) {
        const auto limit = hn::Set(bytes, static_cast<std::uint8_t>(split.threshold));
        const auto beyond = hn::SaturatedSub(hn::SaturatedSub(first, second), limit);
        return hn::Xor(hn::Min(beyond, one), one);
    }
    const auto limit = hn::Set(bytes, static_cast<std::uint8_t>(-split.threshold - 1));
    return hn::Min(hn::SaturatedSub(hn::SaturatedSub(second, first), limit), one);
}

// The leaves of one tree for as many faces as a vector has lanes.
template <int Depth>
HWY_INLINE ByteVector leaves_of_tree(const LandmarkSplit* tree, const std::uint8_t* pixels) {
    const Bytes bytes;
    auto leaf = hn::Zero(bytes);
    ByteVector path[Depth];
    for (int level = 0; level < Depth; ++level) {
        const int nodes = 1 << level;
        ByteVector right[1 << (Depth - 1)];
        for (int i = 0; i < nodes; ++i) right[i] = goes_right(tree[nodes - 1 + i], pixels);
        // The one of each pair of siblings on the path, from the bottom up.
        for (int up = level - 1; up >= 0; --up) {
            for (int i = 0; i < 1 << up; ++i) {
                const auto differ = hn::Xor(right[2 * i], right[2 * i + 1]);
                right[i] = hn::Xor(right[2 * i], hn::And(path[up], differ));
            }
        }
        path[level] = right[0];
        leaf = hn::Add(hn::Add(leaf, leaf), right[0]);
    }
    return leaf;
}

template <int Depth>
void evaluate_all_splits(const LandmarkCascade& cascade, std::size_t faces, BlockState& state) {
    const Bytes bytes;
    const std::size_t lanes = hn::Lanes(bytes);
    constexpr std::size_t splits = (std::size_t{1} << Depth) - 1;
    HWY_ALIGN std::uint8_t found[max_faces_of_block];
    for (std::size_t t = 0; t < cascade.trees; ++t) {
        for (std::size_t first = 0; first < faces; first += lanes) {
            hn::Store(leaves_of_tree<Depth>(cascade.splits.data() + t * splits, state.pixels.data() + first),
                      bytes, found + first);
        }
        for (std::size_t f = 0; f < faces; ++f) state.leaves[f * cascade.trees + t] = found[f];
    }
}

void find_leaves(const LandmarkModel& model, const LandmarkCascade& cascade, std::size_t faces,
                 BlockState& state) {
    if (faces >= min_faces_at_once && model.depth >= 1 && model.depth <= max_levels_at_once) {
        switch (model.depth) {
            case 1:
                return evaluate_all_splits<1>(cascade, faces, state);
            case 2:
                return evaluate_all_splits<2>(cascade, faces, state);
            case 3:
                return evaluate_all_splits<3>(cascade, faces, state);
            case 4:
                return evaluate_all_splits<4>(cascade, faces, state);
            default:
                return evaluate_all_splits<5>(cascade, faces, state);
        }
    }
    for (std::size_t f = 0; f < faces; ++f) {
        walk_trees(model, cascade, state, f, state.leaves.data() + f * cascade.trees);
    }
}

// landmark_pixel for all pixels of a cascade.
void look_at_pixels(const LandmarkCascade& cascade, ImageView<const std::uint8_t> image,
                    const UnitToImage& to_image, const ShapeTurn& turn, const float* shape,
                    std::uint8_t* pixels) {
    for (std::size_t i = 0; i < cascade.pixels.size(); ++i) {
        pixels[i * max_faces_of_block] = landmark_pixel(image, to_image, turn, cascade.pixels[i], shape);
    }
}

// Adds the leaves of trees [first, last) to `Vectors` vectors of a shape from `from` on.
template <std::size_t Vectors>
HWY_INLINE void add_leaves(const float* leaves, std::size_t leaves_of_tree, std::size_t stride,
                           const std::uint16_t* chosen, std::size_t first, std::size_t last, float* shape) {
    const hn::CappedTag<float, 16> floats;
    const std::size_t lanes = hn::Lanes(floats);
    hn::Vec<decltype(floats)> sums[Vectors];
    for (std::size_t v = 0; v < Vectors; ++v) sums[v] = hn::LoadU(floats, shape + v * lanes);
    for (std::size_t t = first; t < last; ++t) {
        const float* const leaf = leaves + (t * leaves_of_tree + chosen[t]) * stride;
        for (std::size_t v = 0; v < Vectors; ++v)
            sums[v] = hn::Add(sums[v], hn::LoadU(floats, leaf + v * lanes));
    }
    for (std::size_t v = 0; v < Vectors; ++v) hn::StoreU(sums[v], floats, shape + v * lanes);
}

void add_leaves_to_shapes(const LandmarkModel& model, const LandmarkCascade& cascade, std::size_t faces,
                          BlockState& state) {
    // The most that fit into the registers beside what is loaded.
    constexpr std::size_t vectors = 9;
    const hn::CappedTag<float, 16> floats;
    const std::size_t lanes = hn::Lanes(floats);
    const std::size_t stride = model.leaf_stride(), leaves_of_tree = model.leaves_of_tree();
    for (std::size_t first = 0; first < cascade.trees; first += trees_of_round) {
        const std::size_t last = std::min(first + trees_of_round, cascade.trees);
        for (std::size_t f = 0; f < faces; ++f) {
            const std::uint16_t* const chosen = state.leaves.data() + f * cascade.trees;
            float* const shape = state.shapes.data() + f * stride;
            std::size_t at = 0;
            for (; at + vectors * lanes <= stride; at += vectors * lanes) {
                add_leaves<vectors>(cascade.leaves.data() + at, leaves_of_tree, stride, chosen, first, last,
                                    shape + at);
            }
            for (; at < stride; at += lanes) {
                add_leaves<1>(cascade.leaves.data() + at, leaves_of_tree, stride, chosen, first, last,
                              shape + at);
            }
        }
    }
}

void add_quantised_leaves_to_shape(const LandmarkModel& model, const LandmarkCascade& cascade,
                                   const std::uint16_t* chosen, std::int32_t* sums, float* shape) {
    const hn::CappedTag<std::int16_t, 16> shorts;
    const hn::Rebind<std::int8_t, decltype(shorts)> bytes;
    const std::size_t lanes = hn::Lanes(shorts);
    const std::size_t stride = model.leaf_stride(), leaves_of_tree = model.leaves_of_tree();
    HWY_ALIGN std::int16_t partial[16];
    for (std::size_t at = 0; at < stride; at += lanes) {
        std::fill_n(sums + at, lanes, 0);
        for (std::size_t first = 0; first < cascade.trees; first += values_of_short_sum) {
            const std::size_t last = std::min(first + values_of_short_sum, cascade.trees);
            auto sum = hn::Zero(shorts);
            for (std::size_t t = first; t < last; ++t) {
                const std::int8_t* const leaf =
                    cascade.quantised_leaves.data() + (t * leaves_of_tree + chosen[t]) * stride + at;
                sum = hn::Add(sum, hn::PromoteTo(shorts, hn::LoadU(bytes, leaf)));
            }
            hn::Store(sum, shorts, partial);
            for (std::size_t i = 0; i < lanes; ++i) sums[at + i] += partial[i];
        }
    }
    for (std::size_t k = 0; k < stride; ++k) {
        shape[k] += cascade.leaf_unit * static_cast<float>(sums[k]);
    }
}

void evaluate_block(const LandmarkModel& model, const LandmarkTables& tables,
                    std::span<const ImageView<const std::uint8_t>> images,
                    std::span<const LandmarkTask> faces, BlockState& state) {
    const std::size_t stride = model.leaf_stride();
    for (std::size_t c = 0; c < model.cascades.size(); ++c) {
        if (c > 0 && c == model.refit_after) refit_boxes(model, tables, faces, state);
        const LandmarkCascade& cascade = model.cascades[c];
        state.pixels.resize(cascade.pixels.size() * max_faces_of_block);
        state.leaves.resize(cascade.trees * faces.size());
        for (std::size_t f = 0; f < faces.size(); ++f) {
            const float* const shape = state.shapes.data() + f * stride;
            look_at_pixels(cascade, images[faces[f].image], state.to_image[f],
                           turn_of_shape(model, tables, shape), shape, state.pixels.data() + f);
        }
        find_leaves(model, cascade, faces.size(), state);
        if (!cascade.is_quantised()) {
            add_leaves_to_shapes(model, cascade, faces.size(), state);
            continue;
        }
        for (std::size_t f = 0; f < faces.size(); ++f) {
            add_quantised_leaves_to_shape(model, cascade, state.leaves.data() + f * cascade.trees,
                                          state.sums.data(), state.shapes.data() + f * stride);
        }
    }
}

}  // namespace HWY_NAMESPACE
}  // namespace fovea
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea {
HWY_EXPORT(evaluate_block);

void find_landmarks_of_block(const LandmarkModel& model, const LandmarkTables& tables,
                             std::span<const ImageView<const std::uint8_t>> images,
                             std::span<const LandmarkTask> faces, std::int32_t* positions) {
    const std::size_t stride = model.leaf_stride(), coordinates = model.initial_shape.size();
    BlockState state;
    state.shapes.resize(faces.size() * stride);
    state.sums.resize(stride);
    for (std::size_t f = 0; f < faces.size(); ++f) {
        state.to_image.push_back(unit_to_image(faces[f].box));
        std::copy(model.initial_shape.begin(), model.initial_shape.end(), state.shapes.begin() + f * stride);
    }
    HWY_DYNAMIC_DISPATCH(evaluate_block)(model, tables, images, faces, state);
    for (std::size_t f = 0; f < faces.size(); ++f) {
        for (std::size_t i = 0; i < coordinates; i += 2) {
            const float* const point = state.shapes.data() + f * stride + i;
            const ImagePlace place = place_of(state.to_image[f], point[0], point[1]);
            positions[f * coordinates + i] = rounded_coordinate(place.x, model.subpixels);
            positions[f * coordinates + i + 1] = rounded_coordinate(place.y, model.subpixels);
        }
    }
}

}  // namespace fovea
#endif
