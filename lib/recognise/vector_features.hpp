#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

#include "kernels/face_normalise/face_normalise.hpp"
#include "kernels/vector_search/vector_distance_body.hpp"
#include "lib/json/field.hpp"
#include "lib/recognise/recogniser_kinds.hpp"

namespace fovea {

// The common part of recognisers by networks: a face's features are a vector, each word a signed integer, a
// component of the vector in units of 1/32767, from -1 to 1: see vector_word().

/// No step: networks have learned faces as they are.
FaceNormalisation no_normalisation();

/// The rule that a recogniser has no_normalisation().
void describe_no_normalisation(FieldVisitor& visitor, const RecogniserConfig& config);

/// The member "distance": "euclidean" or "cosine".
void describe_vector_distance(FieldVisitor& visitor, RecogniserConfig& config,
                              Presence presence = Presence::as_others);

/// For RecogniserKind::description. \param length of the vectors.
std::string describe_vectors(const RecogniserConfig& config, std::size_t length);

/// The metric of vectors of this length. \throws std::invalid_argument as VectorGallery, by its galleries.
FeatureMetric vector_metric(std::size_t length, VectorDistance distance);

}  // namespace fovea
