#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace fovea {

/// Adds the weights of the elements of each set, a subset of 64 elements; sets and weights are given as bits.
///
/// sums[i] = Σ_p 2^p · popcount(sets[i] & weight_bits[p]): bit k of weight_bits[p] is bit p of element k's
/// weight, bit k of sets[i] says whether element k is in set i. Thread-safe.
///
/// \param sums receives a sum for every set.
void weighted_sums(std::span<const std::uint64_t> sets, std::span<const std::uint64_t> weight_bits,
                   std::span<std::uint64_t> sums);

}  // namespace fovea
