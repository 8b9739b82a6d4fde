#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/histogram_search/search_plan.hpp"

namespace fovea {

/// The number of gallery vectors that lie side by side in the CPU's memory: [bin][vectors_of_tile].
constexpr std::size_t vectors_of_tile = 32;
/// The longest segment of the CPU's plans: as floats of a tile, it stays in the first-level cache.
constexpr std::uint32_t max_bins_of_tile = 256;

/// A bin of a query whose count is not 0.
struct QueryBin {
    std::uint32_t bin = 0;    ///< from its segment's first
    std::uint32_t count = 0;  ///< for harmonic terms, the bits of a float
};

/// A query without its empty bins.
struct SparseQuery {
    std::vector<QueryBin> bins;     ///< segment by segment
    std::vector<std::size_t> ends;  ///< [segment]: where its bins end in `bins`
    std::int64_t own = 0;           ///< self_term()
};

/// \param plan made with max_bins_of_tile. \param counts [layout.bins], checked.
SparseQuery make_sparse_query(const SearchPlan& plan, const std::uint16_t* counts);

/// Computes Σ w Σ terms of every query and every vector of a tile, by vector instructions chosen at run time
/// (Highway); equal in every bit for all instruction sets.
///
/// \param plan made with max_bins_of_tile. \param tile [packed bin][vectors_of_tile] counts of 8 bits if
/// plan.narrow, else of 16. \param sums receives [query][vectors_of_tile].
void sum_terms_of_tile(const SearchPlan& plan, const void* tile, std::span<const SparseQuery> queries,
                       std::uint64_t* sums);

}  // namespace fovea
