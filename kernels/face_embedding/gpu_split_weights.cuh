#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <cuda_fp16.h>

#include "kernels/face_embedding/face_resnet_weights.hpp"
#include "kernels/face_embedding/gpu_face_resnet_kernels.cuh"

namespace fovea::cuda_backend {

/// The weights of a convolution of 3 × 3 as ConvolutionTask has them.
struct SplitWeights {
    std::vector<std::uint16_t> halves;
    float scale = 1;
};

/// \param inputs of the convolution, a multiple of convolution_inputs.
inline SplitWeights split_weights(const FaceResnetConvolution& convolution, std::size_t inputs) {
    const std::size_t outputs = convolution.bias.size();
    constexpr std::size_t together = convolution_inputs;
    float largest = 0;
    for (const float weight : convolution.weights) largest = std::max(largest, std::abs(weight));
    // The largest becomes 2^10, since the low halves of small numbers lack bits.
    constexpr int magnitude = 10;
    const int exponent = largest > 0 ? magnitude - std::ilogb(largest) : 0;
    SplitWeights split{std::vector<std::uint16_t>(2 * convolution.weights.size()),
                       std::ldexp(1.0F, -exponent)};
    for (std::size_t i = 0; i < convolution.weights.size(); ++i) {
        const std::size_t tap = i % 9, input = i / 9 % inputs, output = i / 9 / inputs;
        const std::size_t chunk = tap * (inputs / together) + input / together;
        const std::size_t at = (2 * chunk * outputs + output) * together + input % together;
        const float weight = std::ldexp(convolution.weights[i], exponent);
        const __half high = __float2half_rn(weight);
        split.halves[at] = __half_as_ushort(high);
        split.halves[at + outputs * together] =
            __half_as_ushort(__float2half_rn(weight - __half2float(high)));
    }
    return split;
}

}  // namespace fovea::cuda_backend
