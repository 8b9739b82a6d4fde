#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/nearest/neighbour.hpp"
#include "kernels/vector_search/vector_distance_body.hpp"

namespace fovea::test {

using Components = std::vector<std::int16_t>;

enum class VectorKind {
    any,         ///< components of the whole range
    embeddings,  ///< of length 32767, as far as rounding lets them
    few,         ///< few different vectors, so that many distances are equal; some are 0 everywhere
    extreme,     ///< components of 32767 and -32767
    small,       ///< components of -1 to 1
};

inline constexpr VectorKind all_vector_kinds[] = {VectorKind::any, VectorKind::embeddings, VectorKind::few,
                                                  VectorKind::extreme, VectorKind::small};
inline constexpr VectorDistance all_vector_distances[] = {VectorDistance::euclidean, VectorDistance::cosine};

/// \return [count][length]
Components random_vectors(std::size_t length, std::size_t count, VectorKind kind, unsigned seed);

/// The distances by a plain loop in doubles. \return [query][vector]
std::vector<double> plain_distances(VectorDistance distance, std::size_t length, const Components& vectors,
                                    const Components& queries);

/// All distances sorted, by distance and then by index. \param leave_out_own query i does not get vector i.
/// \return [query][min(k, vectors, less the one that is left out)]
std::vector<Neighbour> plain_nearest(const std::vector<double>& distances, std::size_t queries, std::size_t k,
                                     bool leave_out_own);

}  // namespace fovea::test
