#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "kernels/histogram_search/histogram_search.hpp"
#include "kernels/histogram_search/search_plan.hpp"
#include "kernels/histogram_search/tile_terms.hpp"

namespace fovea {

/// A HistogramGallery's vectors in host memory, in tiles. Searches use all threads of the caller's TBB arena.
/// The caller has checked all counts (check_counts).
class CpuHistogramGallery {
  public:
    CpuHistogramGallery(const HistogramLayout& layout, HistogramDistance distance);

    /// \throws std::bad_alloc: nothing was added then.
    void add(const std::uint16_t* counts, std::size_t count);
    std::size_t size() const { return size_; }
    std::size_t bytes() const;
    void clear() { size_ = 0; }

    /// Does HistogramGallery::search; k at least 1.
    std::vector<Neighbour> search(const std::uint16_t* queries, std::size_t count, std::size_t k) const;
    void distances(const std::uint16_t* queries, std::size_t count, double* out) const;

  private:
    /// The tiles [first, last) of one thread.
    struct TileRange {
        std::size_t first = 0, last = 0;
    };
    using TileSink = std::function<void(std::size_t range, std::size_t query, std::size_t tile,
                                        const double* distances, std::size_t count)>;

    std::size_t tile_bins() const { return plan_.source.size() * vectors_of_tile; }
    std::size_t tiles() const { return (size_ + vectors_of_tile - 1) / vectors_of_tile; }
    std::vector<TileRange> ranges() const;
    std::vector<SparseQuery> sparse_queries(const std::uint16_t* queries, std::size_t count) const;
    /// Calls `sink` for every tile and query; for one range, from one thread at a time.
    void scan(const std::vector<TileRange>& ranges, const std::vector<SparseQuery>& queries,
              const TileSink& sink) const;

    SearchPlan plan_;
    std::size_t size_ = 0;
    std::vector<std::uint8_t> narrow_;  // [tile][packed bin][vectors_of_tile], if the plan is narrow
    std::vector<std::uint16_t> wide_;   // [tile][packed bin][vectors_of_tile], if it is not
    std::vector<std::int64_t> own_;     // [vector]: self_term()
};

}  // namespace fovea
