#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/face_net/face_net.hpp"

// The preparation of a face network for a GPU, made on the host: weights in the order of the kernels, places
// of maps, and tiles. It needs no GPU.

namespace fovea {

/// The part of a map that a block of threads makes, in pixels.
constexpr int net_tile_rows = 8, net_tile_columns = 16;

/// An image in one size. Its map of stride 32 / c has c × c values for each cell of stride 32.
struct NetImage {
    const std::uint8_t* pixels = nullptr;  ///< on the GPU
    std::int64_t pitch = 0;                ///< bytes from row to row
    std::int32_t width = 0, height = 0;
    std::int32_t columns = 0, rows = 0;  ///< cells of stride 32
    std::uint32_t first_cell = 0;        ///< number of cells of all images before
};

/// The tiles of an image's map, row by row; a block makes one.
struct NetSegment {
    std::uint32_t first_tile = 0;  ///< number of tiles of all segments before
    std::uint32_t image = 0;
    std::uint32_t columns = 0;  ///< tiles in a row
    std::uint32_t job = 0;      ///< index in UnitJobs
};

/// The tiles of a launch.
struct NetSegments {
    std::vector<NetSegment> segments;
    std::uint32_t tiles = 0;

    /// Adds the map of stride 32 / cells of every image. \param job of these segments.
    void add(std::span<const NetImage> images, int cells, std::uint32_t job);
};

/// A cell that a head found, and its image.
struct FoundCell {
    std::uint32_t image = 0;
    NetCell cell;
};

/// Sorts cells, found in any order, by image: [image][cell], each list in the order of FaceNetRunner::run().
std::vector<std::vector<NetCell>> cells_by_image(std::span<const FoundCell> found, std::size_t images);

/// The places of a unit's weights in GpuNetWeights::words.
struct NetUnitPlace {
    int inputs = 0, outputs = 0;                          ///< channels; outputs in memory, a multiple of 4
    std::size_t pointwise = 0;                            ///< [output][input / 4]: four weights
    std::size_t pointwise_bias = 0, pointwise_scale = 0;  ///< [output]
    std::size_t depthwise = 0;                            ///< [row][output]: three weights and 0
    std::size_t depthwise_bias = 0, depthwise_scale = 0;  ///< [output]
};

/// Channels of the last layers of heads in memory: face_net_outputs, and three that are 0.
constexpr int net_head_outputs = 8;

/// All weights as the kernels read them.
struct GpuNetWeights {
    std::vector<std::uint32_t> words;
    std::size_t stem = 0;  ///< [row][channel]: three weights and 0
    std::size_t stem_bias = 0, stem_scale = 0;
    std::array<NetUnitPlace, FaceNet::backbone_units> backbone;
    std::array<NetUnitPlace, face_net_levels> neck;
    std::array<std::array<NetUnitPlace, 2>, face_net_levels> heads;
};

/// Packs the weights. \param net must have no fault (find_fault).
GpuNetWeights gpu_net_weights(const FaceNet& net);

/// The places of a batch's maps, in bytes; each map holds all images.
struct NetMaps {
    std::size_t pooled_quarter = 0;  ///< unit 0, pooled: stride 4
    /// Units 1, 3, 5 and 7.
    std::array<std::size_t, 4> inner{};
    /// Units 4, 6 and 8: strides 8, 16 and 32.
    std::array<std::size_t, face_net_levels> levels{};
    /// Units 2, 4 and 6, pooled (the largest of 2×2 values): strides 8, 16 and 32.
    std::array<std::size_t, face_net_levels> pooled{};
    std::array<std::size_t, face_net_levels> necks{};
    std::array<std::size_t, face_net_levels> heads{};  ///< the first unit of each head
    std::size_t bytes = 0;
};

/// Places the maps of a batch. \param cells number of cells of stride 32 of all images
NetMaps net_maps(const FaceNet& net, std::size_t cells);

}  // namespace fovea
