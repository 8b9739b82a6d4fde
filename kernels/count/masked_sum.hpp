#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace fovea {

/// Sums of weights over sets of 64 elements, the sets and the weights as bits.
///
/// sums[i] = Σ_p 2^p · popcount(sets[i] & weight_bits[p]): bit k of weight_bits[p] is bit p of element k's
/// weight, bit k of sets[i] says whether element k is in set i. The sums are below 2^22 if the weights
/// are below 2^16.
///
/// \param sums one for every set. Thread-safe.
void weighted_sums(std::span<const std::uint64_t> sets, std::span<const std::uint64_t> weight_bits,
                   std::span<std::uint64_t> sums);

}  // namespace fovea
