#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "kernels/face_net/face_net.hpp"
#include "kernels/net_training/float_layers.hpp"

namespace fovea {

/// Channels of the network, multiples of 16: at half of the image's size, at a quarter, and behind.
struct NetWidth {
    std::size_t stem = 16, quarter = 64, trunk = 64;

    friend bool operator==(const NetWidth&, const NetWidth&) = default;
};

/// Numbers that a head has for a cell, in this order: the logarithm of the odds that a face's centre lies
/// there; the face's centre from the cell's, in strides; the logarithms of its width and height over twice
/// the stride.
inline constexpr std::size_t head_numbers = face_net_outputs;
/// Channels of a head in memory; those behind the five are 0.
inline constexpr std::size_t head_channels = 16;
/// Pixels between the cells of each head.
inline constexpr std::array<std::size_t, face_net_levels> head_strides{face_net_stride(0), face_net_stride(1),
                                                                       face_net_stride(2)};
/// The part that normalisation adds to a variance.
inline constexpr double least_variance = 1e-5;
/// Share of a batch in the statistics.
inline constexpr float statistics_momentum = 0.05F;

/// The place of a part's parameters among all parameters of the network.
struct ParameterRange {
    std::size_t first = 0, count = 0;
};

/// A layer of the network. All have one result for each crop.
struct NetLayer {
    enum class Kind {
        stem,  ///< 3×3 weights on the crop, stride 2, then normalisation and rectification
        /// A convolution of 1×1 and one of 3×3 for each channel, then normalisation (S. Ioffe, C. Szegedy,
        /// 2015) and rectification; the last unit of a head has a bias instead of these.
        unit,
        pool,  ///< the largest of 2×2
        join,  ///< `input` plus `coarse`, each value of which is repeated 2×2
    };
    Kind kind = Kind::unit;
    bool is_last = false;               ///< of a head
    std::size_t input = 0, coarse = 0;  ///< numbers of the layers that it reads; the stem reads the crops
    std::size_t in = 0;                 ///< channels of the input
    FloatShape shape;                   ///< of the result
    /// [in][out], [tap][out]; the stem has its weights in the second one. Without parameters the count is 0.
    ParameterRange pointwise, depthwise;
    ParameterRange gamma, beta, bias;
    std::size_t statistics = 0;  ///< place of its means among those of the network; variances follow

    bool normalises() const { return gamma.count > 0; }
};

/// The network that finds faces of all sizes in one pass: a trunk of pointwise and depthwise convolutions (A.
/// Howard et al., 2017), three scales that are joined from the coarse to the fine (T.-Y. Lin et al., 2017), a
/// head for each; kernels/face_net runs it with 8 bits.
struct NetPlan {
    NetWidth width;
    std::size_t side = 0;  ///< of the crops, pixels
    /// In the order in which they run. Units: one behind the stem; two at each of 1/4, 1/8, 1/16 and 1/32;
    /// the necks of 1/32, 1/16 and 1/8; two of each head.
    std::vector<NetLayer> layers;
    std::array<std::size_t, face_net_levels> heads{};  ///< layers whose results the heads are
    std::vector<char> decays;    ///< [parameter] whether weight decay applies: to weights alone
    std::size_t statistics = 0;  ///< means and variances by channel

    std::size_t parameters() const { return decays.size(); }
    std::size_t cells(std::size_t head) const { return layers[heads[head]].shape.pixels(); }
    std::size_t cells_of_crop() const { return cells(0) + cells(1) + cells(2); }
};

/// \param side of the crops, pixels; a multiple of 32. \throws std::invalid_argument for others.
NetPlan make_net_plan(NetWidth width, std::size_t side);

}  // namespace fovea
