#include "kernels/face_embedding/face_resnet_weights.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace fovea {
namespace {

void check_numbers(const std::string& name, const std::vector<float>& numbers, std::size_t expected) {
    const std::string start = "the face network cannot be run: " + name;
    if (numbers.size() != expected) {
        throw std::invalid_argument(start + " must be " + std::to_string(expected) + " numbers, but are " +
                                    std::to_string(numbers.size()));
    }
    const auto fault =
        std::find_if(numbers.begin(), numbers.end(), [](float number) { return !std::isfinite(number); });
    if (fault == numbers.end()) return;
    throw std::invalid_argument(start + "[" + std::to_string(fault - numbers.begin()) +
                                "] must be a finite number");
}

void check_convolution(const std::string& name, const FaceResnetConvolution& convolution, std::size_t outputs,
                       std::size_t taps) {
    check_numbers(name + ".weights", convolution.weights, outputs * taps);
    check_numbers(name + ".bias", convolution.bias, outputs);
}

}  // namespace

void check_face_resnet(const FaceResnetWeights& weights) {
    check_convolution("stem", weights.stem, face_resnet_stem_channels,
                      face_resnet_stem_taps * face_resnet_stem_taps);
    for (std::size_t b = 0; b < face_resnet_blocks.size(); ++b) {
        const FaceResnetBlock& block = face_resnet_blocks[b];
        const std::string name = "blocks[" + std::to_string(b) + "]";
        check_convolution(name + "[0]", weights.blocks[b][0], block.channels, 9 * block.inputs);
        check_convolution(name + "[1]", weights.blocks[b][1], block.channels, 9 * block.channels);
    }
    check_numbers("projection", weights.projection, face_resnet_length * face_resnet_last_channels);
}

}  // namespace fovea
