#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/core/line_vector.hpp"
#include "kernels/core/share_work.hpp"
#include "kernels/nearest/nearest.hpp"
#include "kernels/vector_search/dot_products.hpp"
#include "kernels/vector_search/vector_distance_body.hpp"

namespace fovea {

/// A VectorGallery's vectors in host memory, in tiles. Searches use all threads of the caller's TBB arena.
/// The caller has checked all components.
///
/// A tile of 32 vectors stays in the first-level cache while a block of queries is multiplied with it. Per
/// pair and two components the CPU makes one lane of one multiply-add; 8 multiply-adds of a vector register
/// share 2 loads of vectors and 4 of queries.
class CpuVectorGallery {
  public:
    CpuVectorGallery(std::size_t length, VectorDistance distance);

    /// \throws std::bad_alloc: nothing was added then.
    void add(const std::int16_t* rows, std::size_t count);
    std::size_t size() const { return size_; }
    std::size_t bytes() const;
    void clear();

    /// Does VectorGallery::search; k from 1 to size().
    std::vector<Neighbour> search(const std::int16_t* queries, std::size_t count, std::size_t k) const;
    /// Does VectorGallery::neighbours; k from 1 to size() - 1.
    std::vector<Neighbour> neighbours(std::size_t k) const;
    void distances(const std::int16_t* queries, std::size_t count, double* out) const;

  private:
    /// Queries that go through a tile while it is in the cache.
    struct QueryBlock {
        std::size_t count = 0;
        std::vector<std::uint32_t> words;      ///< [query][pairs]: two components
        std::vector<std::uint32_t> high, low;  ///< [query][pairs]: their bytes; empty if no tile needs them
        std::vector<double> own;               ///< [query]
        double largest_squares = 0;
        bool is_of_gallery = false;
        std::size_t first = 0;  ///< of the gallery, if it is of the gallery
    };
    /// Memory of one thread.
    struct DotScratch {
        LineVector<std::int32_t> dots, high;  ///< [query][vectors_of_dot_tile]
        std::vector<std::int64_t> wide;       ///< [query][vectors_of_dot_tile]
    };

    std::size_t tiles() const { return (size_ + vectors_of_dot_tile - 1) / vectors_of_dot_tile; }
    std::size_t components_of_tile() const { return 2 * pairs_ * vectors_of_dot_tile; }
    QueryBlock block_of_rows(const std::int16_t* rows, std::size_t count) const;
    QueryBlock block_of_gallery(std::size_t first, std::size_t count) const;
    void finish_block(QueryBlock& block) const;
    /// True if the dot products of the block with the tile's vectors fit 32 bits (Cauchy and Schwarz).
    bool fits_32_bits(const QueryBlock& block, std::size_t tile) const;
    /// Leaves dot products in scratch.dots.
    void multiply(const QueryBlock& block, std::size_t tile, DotScratch& scratch) const;
    /// Leaves dot products that may not fit 32 bits in scratch.wide.
    void multiply_wide(const QueryBlock& block, std::size_t tile, DotScratch& scratch) const;
    /// Offers the vectors of tiles that may be among the nearest to their queries' lists, with their ranks.
    void search_tiles(const QueryBlock& block, IndexRange tiles, std::vector<NearestList>& lists) const;
    /// Searches for the nearest of the queries of blocks. \param block_at gives block i.
    template <class BlockAt>
    std::vector<Neighbour> search_blocks(std::size_t count, std::size_t k, const BlockAt& block_at) const;

    std::size_t length_;
    std::size_t pairs_;  // of components of a vector
    VectorDistance distance_;
    std::size_t size_ = 0;
    LineVector<std::int16_t> components_;   // [tile][pair][vectors_of_dot_tile][2]
    std::vector<double> own_;               // [vector]: vector_own(), whole tiles
    std::vector<float> factors_, offsets_;  // [vector]: filter_term(), whole tiles
    std::vector<double> largest_squares_;   // [tile]
    OwnRange range_;
};

}  // namespace fovea
