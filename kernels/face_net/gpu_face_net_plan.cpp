#include "kernels/face_net/gpu_face_net_plan.hpp"

#include <algorithm>
#include <bit>

#include <tbb/parallel_for.h>

#include "kernels/core/align.hpp"
#include "kernels/face_net/packed_bytes_body.hpp"

namespace fovea {
namespace {

/// Words from which a vector of four may be read.
std::size_t next_place(std::vector<std::uint32_t>& words) {
    while (words.size() % 4 != 0) words.push_back(0);
    return words.size();
}

template <class T>
std::size_t add_values(const std::vector<T>& values, int outputs, std::vector<std::uint32_t>& words) {
    const std::size_t place = next_place(words);
    for (const T value : values) words.push_back(std::bit_cast<std::uint32_t>(value));
    words.resize(place + static_cast<std::size_t>(outputs));
    return place;
}

// The rows of a stem or depthwise layer.
std::size_t add_rows(const FaceNetLayer& layer, int outputs, std::vector<std::uint32_t>& words) {
    const std::size_t place = next_place(words);
    for (std::size_t row = 0; row < 3; ++row) {
        for (std::size_t o = 0; o < static_cast<std::size_t>(outputs); ++o) {
            const std::size_t at = 9 * o + 3 * row;
            words.push_back(at < layer.weights.size() ? packed_bytes(layer.weights[at], layer.weights[at + 1],
                                                                     layer.weights[at + 2], 0)
                                                      : 0);
        }
    }
    return place;
}

std::size_t add_pointwise(const FaceNetLayer& layer, int inputs, int outputs,
                          std::vector<std::uint32_t>& words) {
    const std::size_t place = next_place(words);
    for (int o = 0; o < outputs; ++o) {
        for (int i = 0; i < inputs; i += 4) {
            const auto at = static_cast<std::size_t>(o * inputs + i);
            words.push_back(at < layer.weights.size()
                                ? packed_bytes(layer.weights[at], layer.weights[at + 1],
                                               layer.weights[at + 2], layer.weights[at + 3])
                                : 0);
        }
    }
    return place;
}

NetUnitPlace add_unit(const FaceNetUnit& unit, int inputs, int outputs, std::vector<std::uint32_t>& words) {
    NetUnitPlace place;
    place.inputs = inputs;
    place.outputs = outputs;
    place.pointwise = add_pointwise(unit.pointwise, inputs, outputs, words);
    place.pointwise_bias = add_values(unit.pointwise.bias, outputs, words);
    place.pointwise_scale = add_values(unit.pointwise.scale, outputs, words);
    place.depthwise = add_rows(unit.depthwise, outputs, words);
    place.depthwise_bias = add_values(unit.depthwise.bias, outputs, words);
    place.depthwise_scale = add_values(unit.depthwise.scale, outputs, words);
    return place;
}

}  // namespace

void NetSegments::add(std::span<const NetImage> images, int cells, std::uint32_t job) {
    for (std::size_t i = 0; i < images.size(); ++i) {
        const int rows = (images[i].rows * cells + net_tile_rows - 1) / net_tile_rows;
        const int columns = (images[i].columns * cells + net_tile_columns - 1) / net_tile_columns;
        segments.push_back({tiles, static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(columns), job});
        tiles += static_cast<std::uint32_t>(rows * columns);
    }
}

std::vector<std::vector<NetCell>> cells_by_image(std::span<const FoundCell> found, std::size_t images) {
    std::vector<std::vector<NetCell>> cells(images);
    for (const FoundCell& cell : found) cells[cell.image].push_back(cell.cell);
    tbb::parallel_for(std::size_t{0}, images,
                      [&](std::size_t i) { std::sort(cells[i].begin(), cells[i].end(), is_before); });
    return cells;
}

GpuNetWeights gpu_net_weights(const FaceNet& net) {
    GpuNetWeights weights;
    auto& words = weights.words;
    const int c = net.stem_channels, channels = net.channels;
    weights.stem = add_rows(net.stem, c, words);
    weights.stem_bias = add_values(net.stem.bias, c, words);
    weights.stem_scale = add_values(net.stem.scale, c, words);
    for (std::size_t i = 0; i < weights.backbone.size(); ++i) {
        const int unit = static_cast<int>(i);
        weights.backbone[i] =
            add_unit(net.backbone[i], net.backbone_inputs(unit), net.backbone_outputs(unit), words);
    }
    for (std::size_t level = 0; level < weights.neck.size(); ++level) {
        weights.neck[level] = add_unit(net.neck[level], channels, channels, words);
        weights.heads[level][0] = add_unit(net.heads[level][0], channels, channels, words);
        weights.heads[level][1] = add_unit(net.heads[level][1], channels, net_head_outputs, words);
    }
    next_place(words);
    return weights;
}

NetMaps net_maps(const FaceNet& net, std::size_t cells) {
    NetMaps maps;
    const auto add = [&](int side, int channels) {
        const std::size_t place = maps.bytes;
        maps.bytes +=
            align_up(cells * static_cast<std::size_t>(side * side) * static_cast<std::size_t>(channels));
        return place;
    };
    maps.pooled_quarter = add(8, net.stem_channels);
    for (std::size_t i = 0; i < maps.inner.size(); ++i)
        maps.inner[i] = add(8 >> i, net.backbone_outputs(static_cast<int>(2 * i + 1)));
    for (std::size_t level = 0; level < maps.levels.size(); ++level) {
        const int side = 4 >> level;
        maps.levels[level] = add(side, net.channels);
        maps.pooled[level] = add(side, net.backbone_outputs(static_cast<int>(2 * level + 2)));
        maps.necks[level] = add(side, net.channels);
        maps.heads[level] = add(side, net.channels);
    }
    return maps;
}

}  // namespace fovea
