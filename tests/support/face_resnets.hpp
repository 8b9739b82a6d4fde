#pragma once

#include <cstdint>
#include <vector>

#include "kernels/face_embedding/face_resnet_weights.hpp"

namespace fovea::test {

/// Weights that keep the size of values from layer to layer. Equal everywhere for equal seeds.
FaceResnetWeights random_face_resnet(std::uint64_t seed);

/// The vector of a face, [150][150], by plain loops in double precision: the definition of the network.
std::vector<double> plain_face_vector(const FaceResnetWeights& weights, const std::uint8_t* face);

/// A drawing of a face, [150][150]: head, hair, eyes, brows, nose and mouth, whose shapes and greys depend on
/// the number. Equal everywhere for equal numbers.
std::vector<std::uint8_t> drawn_face(std::uint64_t number);

}  // namespace fovea::test
