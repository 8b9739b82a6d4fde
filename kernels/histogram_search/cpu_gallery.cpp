#include "kernels/histogram_search/cpu_gallery.hpp"

#include <algorithm>

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include "kernels/nearest/nearest.hpp"

namespace fovea {
namespace {

// So many queries go through a tile while it is in the cache.
constexpr std::size_t queries_at_once = 64;

template <class Count>
void put_into_tile(const SearchPlan& plan, const std::uint16_t* counts, Count* tile, std::size_t lane) {
    for (std::size_t i = 0; i < plan.source.size(); ++i) {
        tile[i * vectors_of_tile + lane] = static_cast<Count>(counts[plan.source[i]]);
    }
}

}  // namespace

CpuHistogramGallery::CpuHistogramGallery(const HistogramLayout& layout, HistogramDistance distance)
    : plan_(make_search_plan(layout, distance, 1, max_bins_of_tile)) {}

void CpuHistogramGallery::add(const std::uint16_t* counts, std::size_t count) {
    const std::size_t wanted = (size_ + count + vectors_of_tile - 1) / vectors_of_tile;
    const auto grow = [](auto& values, std::size_t size) {
        if (values.size() < size) values.resize(size);
    };
    if (plan_.narrow) {
        grow(narrow_, wanted * tile_bins());
    } else {
        grow(wide_, wanted * tile_bins());
    }
    grow(own_, size_ + count);
    const std::size_t first_tile = size_ / vectors_of_tile;
    tbb::parallel_for(first_tile, wanted, [&](std::size_t tile) {
        const std::size_t first = std::max(size_, tile * vectors_of_tile);
        const std::size_t last = std::min(size_ + count, (tile + 1) * vectors_of_tile);
        for (std::size_t i = first; i < last; ++i) {
            const std::uint16_t* const mine = counts + (i - size_) * plan_.layout.bins;
            own_[i] = self_term(plan_, mine);
            if (plan_.narrow) {
                put_into_tile(plan_, mine, narrow_.data() + tile * tile_bins(), i % vectors_of_tile);
            } else {
                put_into_tile(plan_, mine, wide_.data() + tile * tile_bins(), i % vectors_of_tile);
            }
        }
    });
    size_ += count;
}

std::size_t CpuHistogramGallery::bytes() const {
    return tiles() * tile_bins() * (plan_.narrow ? 1 : 2) + size_ * sizeof(std::int64_t);
}

std::vector<CpuHistogramGallery::TileRange> CpuHistogramGallery::ranges() const {
    const auto threads = static_cast<std::size_t>(tbb::this_task_arena::max_concurrency());
    const std::size_t length = std::clamp<std::size_t>(tiles() / (8 * threads), 1, 64);
    std::vector<TileRange> ranges;
    for (std::size_t first = 0; first < tiles(); first += length) {
        ranges.push_back({first, std::min(first + length, tiles())});
    }
    return ranges;
}

std::vector<SparseQuery> CpuHistogramGallery::sparse_queries(const std::uint16_t* queries,
                                                             std::size_t count) const {
    std::vector<SparseQuery> sparse(count);
    tbb::parallel_for(std::size_t{0}, count, [&](std::size_t q) {
        sparse[q] = make_sparse_query(plan_, queries + q * plan_.layout.bins);
    });
    return sparse;
}

void CpuHistogramGallery::scan(const std::vector<TileRange>& ranges, const std::vector<SparseQuery>& queries,
                               const TileSink& sink) const {
    tbb::parallel_for(std::size_t{0}, ranges.size(), [&](std::size_t r) {
        std::vector<std::uint64_t> sums(queries.size() * vectors_of_tile);
        double distances[vectors_of_tile];
        for (std::size_t tile = ranges[r].first; tile < ranges[r].last; ++tile) {
            const void* const counts = plan_.narrow
                                           ? static_cast<const void*>(narrow_.data() + tile * tile_bins())
                                           : wide_.data() + tile * tile_bins();
            sum_terms_of_tile(plan_, counts, queries, sums.data());
            const std::size_t first = tile * vectors_of_tile;
            const std::size_t count = std::min(vectors_of_tile, size_ - first);
            for (std::size_t q = 0; q < queries.size(); ++q) {
                for (std::size_t i = 0; i < count; ++i) {
                    const auto terms = static_cast<std::int64_t>(sums[q * vectors_of_tile + i]);
                    distances[i] =
                        distance_of_terms(plan_.distance, plan_.bits, terms, queries[q].own, own_[first + i]);
                }
                sink(r, q, tile, distances, count);
            }
        }
    });
}

std::vector<Neighbour> CpuHistogramGallery::search(const std::uint16_t* queries, std::size_t count,
                                                   std::size_t k) const {
    k = std::min(k, size_);
    std::vector<Neighbour> found(count * k);
    if (found.empty()) return found;
    const std::vector<TileRange> tile_ranges = ranges();
    for (std::size_t done = 0; done < count; done += queries_at_once) {
        const std::vector<SparseQuery> some =
            sparse_queries(queries + done * plan_.layout.bins, std::min(queries_at_once, count - done));
        std::vector<NearestList> lists(tile_ranges.size() * some.size(), NearestList(k));
        scan(tile_ranges, some,
             [&](std::size_t range, std::size_t query, std::size_t tile, const double* distances,
                 std::size_t vectors) {
                 NearestList& list = lists[range * some.size() + query];
                 for (std::size_t i = 0; i < vectors; ++i) {
                     list.offer({distances[i], static_cast<std::uint32_t>(tile * vectors_of_tile + i)});
                 }
             });
        tbb::parallel_for(std::size_t{0}, some.size(), [&](std::size_t q) {
            std::vector<Neighbour> all;
            for (std::size_t range = 0; range < tile_ranges.size(); ++range) {
                const auto& list = lists[range * some.size() + q].list();
                all.insert(all.end(), list.begin(), list.end());
            }
            keep_nearest(all, k);
            std::copy(all.begin(), all.end(), found.begin() + static_cast<std::ptrdiff_t>((done + q) * k));
        });
    }
    return found;
}

void CpuHistogramGallery::distances(const std::uint16_t* queries, std::size_t count, double* out) const {
    const std::vector<TileRange> tile_ranges = ranges();
    for (std::size_t done = 0; done < count; done += queries_at_once) {
        const std::vector<SparseQuery> some =
            sparse_queries(queries + done * plan_.layout.bins, std::min(queries_at_once, count - done));
        scan(tile_ranges, some,
             [&](std::size_t, std::size_t query, std::size_t tile, const double* distances,
                 std::size_t vectors) {
                 std::copy_n(distances, vectors, out + (done + query) * size_ + tile * vectors_of_tile);
             });
    }
}

}  // namespace fovea
