#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "kernels/core/line_vector.hpp"
#include "kernels/face_net/face_net.hpp"

// The weights of a face network in the order in which vectors of any length read them. A vector's lane holds
// the sum of one output, to which four products of bytes are added at once.

namespace fovea {

/// Four weights for each lane.
struct PackedWeights {
    LineVector<std::int8_t> fours;  ///< [lane][4]: for instructions that multiply bytes
    /// For instructions that multiply words: `even` has the first and third weights, `odd` the others.
    LineVector<std::int16_t> even;  ///< [lane][2]
    LineVector<std::int16_t> odd;   ///< [lane][2]

    void resize(std::size_t lanes);
    void set(std::size_t lane, int i, std::int8_t weight);
};

/// How sums become results. Lanes are in the order of the layer's sums.
struct PackedResults {
    LineVector<std::int32_t> bias;
    LineVector<float> scale;
    /// Whether a fused multiply-add alone makes a result of a sum that began with `float_bias`: the sum's
    /// bits, read as a float, times the scale, plus `offset`.
    bool is_fused = false;
    LineVector<std::int32_t> float_bias;
    LineVector<float> offset;
};

/// A pointwise layer, whose sums have 4 · steps products. A stem is such a layer on 3×4 bytes around a pixel.
struct PackedPointwise {
    int steps = 0;
    int outputs = 0;        ///< a multiple of 16; outputs that the layer does not have are 0
    PackedWeights weights;  ///< [step][output]
    PackedResults results;  ///< [output]
};

/// A depthwise layer on bytes that are 128 too large. Channels stand in the order in which bytes of four rows
/// are interleaved to lanes: [part][block][4], channel = 16 · block + 4 · part + (0...3). The first blocks
/// follow the last once more, so that a vector may begin with any block.
struct PackedDepthwise {
    static constexpr int parts = 4;

    int channels = 0;       ///< a multiple of 16
    std::size_t lanes = 0;  ///< of a part: a multiple of 16, so that vectors of 64 bytes are aligned
    /// [row of the result][column of the kernel][part][block][4]: four rows make two rows of results, the
    /// upper without the last of the four, the lower without the first.
    PackedWeights weights;
    PackedResults results;  ///< [part][block][4]; the bias compensates the 128
};

struct PackedUnit {
    PackedPointwise pointwise;
    PackedDepthwise depthwise;
};

/// A head. Its last depthwise layer is not only packed, with outputs of 0 up to 16.
struct PackedHead {
    PackedUnit unit;
    PackedUnit last;
    FaceNetLayer outputs;
};

struct PackedFaceNet {
    int stem_channels = 0, quarter_channels = 0, channels = 0;  ///< as in FaceNet
    PackedPointwise stem;
    std::array<PackedUnit, FaceNet::backbone_units> backbone;
    std::array<PackedUnit, face_net_levels> neck;
    std::array<FaceNetSum, face_net_levels - 1> sums;
    std::array<PackedHead, face_net_levels> heads;
};

/// Packs the weights. \param net must have no fault (find_fault).
PackedFaceNet pack_face_net(const FaceNet& net);

}  // namespace fovea
