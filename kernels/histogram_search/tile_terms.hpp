#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/histogram_search/search_plan.hpp"

namespace fovea {

/// Gallery vectors that lie side by side in the CPU's memory, bin by bin: [bin][vectors_of_tile].
constexpr std::size_t vectors_of_tile = 32;
/// The longest segment of the CPU's plans: of a tile as floats it stays in the first-level cache.
constexpr std::uint32_t max_bins_of_tile = 256;

/// A bin of a query whose count is not 0.
struct QueryBin {
    std::uint32_t bin = 0;    ///< from its segment's first
    std::uint32_t count = 0;  ///< of harmonic terms the bits of the float
};

/// A query without its empty bins.
struct SparseQuery {
    std::vector<QueryBin> bins;     ///< segment by segment
    std::vector<std::size_t> ends;  ///< [segment]: index in bins behind its last
    std::int64_t own = 0;           ///< self_term()
};

SparseQuery make_sparse_query(const SearchPlan& plan, const std::uint16_t* counts);

/// Σ w Σ terms of every query and every vector of a tile, in vectors of the instruction set chosen at run
/// time (Highway): equal in every bit for all of them.
///
/// \param plan made with max_bins_of_tile. \param tile [packed bin][vectors_of_tile] counts of 8 bits if
/// plan.narrow, else of 16. \param sums receives [query][vectors_of_tile].
void sum_terms_of_tile(const SearchPlan& plan, const void* tile, std::span<const SparseQuery> queries,
                       std::uint64_t* sums);

}  // namespace fovea
