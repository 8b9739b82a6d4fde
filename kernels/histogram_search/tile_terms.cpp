// Terms of a tile of gallery vectors, a vector to a lane, compiled once for every instruction set and chosen
// at run time (Highway). Sums are of integers and lanes never mix, so that the length of the vectors changes
// nothing.

#include "kernels/histogram_search/tile_terms.hpp"

#include <algorithm>
#include <bit>

#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/histogram_search/tile_terms.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

// Code that all instruction sets share is compiled once.
#if !defined(FOVEA_TILE_TERMS_SHARED)
#define FOVEA_TILE_TERMS_SHARED
namespace fovea {
namespace {

constexpr float magic = 12582912.0F;  // 1.5 · 2^23, see chi_square_term
// Below this many queries, converting a segment to floats costs more than converting the bins that they need.
constexpr std::size_t min_queries_to_convert = 3;

}  // namespace
}  // namespace fovea
#endif

HWY_BEFORE_NAMESPACE();
namespace fovea {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::CappedTag<float, vectors_of_tile>;
using Words = hn::CappedTag<std::uint32_t, vectors_of_tile>;
using FloatVector = hn::Vec<Floats>;
using WordVector = hn::Vec<Words>;
constexpr std::size_t lanes = hn::MaxLanes(Floats());
constexpr std::size_t parts = vectors_of_tile / lanes;

template <class Count>
HWY_INLINE WordVector load_words(const Count* counts) {
    return hn::PromoteTo(Words(), hn::LoadU(hn::Rebind<Count, Words>(), counts));
}

HWY_INLINE FloatVector load_floats(const float* counts) {
    return hn::LoadU(Floats(), counts);
}
template <class Count>
HWY_INLINE FloatVector load_floats(const Count* counts) {
    return hn::ConvertTo(Floats(), hn::BitCast(hn::RebindToSigned<Words>(), load_words(counts)));
}

// fl(1 / n) of whole numbers 1 to 131,070, as a division gives it.
HWY_INLINE FloatVector reciprocal(FloatVector n) {
    const auto one = hn::Set(Floats(), 1.0F);
#if HWY_ARCH_X86 && HWY_NATIVE_FMA
    // A Newton step squares the relative error, and then rounds once if its residue 1 - nr is exact.
    // Instructions have an error below 2^-11, so that the first step comes below 2^-21. In the second, n·r
    // has 41 bits behind the point at most, and as the residue is below 2^-21 it needs 20 of them: it is
    // exact. The number rounded in the end is 1 / n with an error below 2^-42, and 1 / n lies farther than
    // that from where rounding turns: from (2k + 1) / 2^j, j <= 41, it differs by 1 / (n · 2^j) or more.
    auto r = hn::ApproximateReciprocal(n);
    r = hn::MulAdd(r, hn::NegMulAdd(n, r, one), r);
    return hn::MulAdd(r, hn::NegMulAdd(n, r, one), r);
#else
    return hn::Div(one, n);
#endif
}

template <class Count>
HWY_INLINE void sum_harmonic(const Count* segment, std::span<const QueryBin> bins, int bits,
                             WordVector* sums) {
    const auto scale = hn::Set(Floats(), static_cast<float>(std::uint32_t{1} << (bits + 2)));
    const auto rounder = hn::Set(Floats(), magic);
    for (const QueryBin& bin : bins) {
        const auto a = hn::Set(Floats(), std::bit_cast<float>(bin.count));
        const Count* const counts = segment + bin.bin * vectors_of_tile;
        for (std::size_t part = 0; part < parts; ++part) {
            const auto b = load_floats(counts + part * lanes);
            const auto term = hn::Mul(hn::Mul(a, b), reciprocal(hn::Add(a, b)));
            // Scaling by a power of two is exact, here as well as before.
            const auto rounded = hn::MulAdd(term, scale, rounder);
            sums[part] = hn::Add(sums[part], hn::BitCast(Words(), rounded));
        }
    }
    const auto offset =
        hn::Set(Words(), std::bit_cast<std::uint32_t>(magic) * static_cast<std::uint32_t>(bins.size()));
    for (std::size_t part = 0; part < parts; ++part) sums[part] = hn::Sub(sums[part], offset);
}

template <bool product, class Count>
HWY_INLINE void sum_integers(const Count* segment, std::span<const QueryBin> bins, WordVector* sums) {
    for (const QueryBin& bin : bins) {
        const auto a = hn::Set(Words(), bin.count);
        const Count* const counts = segment + bin.bin * vectors_of_tile;
        for (std::size_t part = 0; part < parts; ++part) {
            const auto b = load_words(counts + part * lanes);
            if constexpr (product) {
                sums[part] = hn::Add(sums[part], hn::Mul(a, b));
            } else {
                sums[part] = hn::Add(sums[part], hn::Min(a, b));
            }
        }
    }
}

template <class Count>
void sum_tile(const SearchPlan& plan, const Count* tile, std::span<const SparseQuery> queries,
              std::uint64_t* sums) {
    alignas(64) float converted[max_bins_of_tile * vectors_of_tile];
    const bool converts = plan.term == HistogramTerm::harmonic && queries.size() >= min_queries_to_convert;
    std::fill_n(sums, queries.size() * vectors_of_tile, std::uint64_t{0});
    for (std::size_t s = 0; s < plan.segments.size(); ++s) {
        const SearchSegment& segment = plan.segments[s];
        const Count* const counts = tile + std::size_t{segment.first} * vectors_of_tile;
        if (converts) {
            for (std::size_t i = 0; i < segment.bins * vectors_of_tile; i += lanes) {
                hn::StoreU(load_floats(counts + i), Floats(), converted + i);
            }
        }
        for (std::size_t q = 0; q < queries.size(); ++q) {
            const SparseQuery& query = queries[q];
            const std::size_t first = s == 0 ? 0 : query.ends[s - 1];
            const std::span<const QueryBin> bins(query.bins.data() + first, query.ends[s] - first);
            WordVector words[parts];
            for (std::size_t part = 0; part < parts; ++part) words[part] = hn::Zero(Words());
            switch (plan.term) {
                case HistogramTerm::harmonic:
                    if (converts) {
                        sum_harmonic(static_cast<const float*>(converted), bins, plan.bits, words);
                    } else {
                        sum_harmonic(counts, bins, plan.bits, words);
                    }
                    break;
                case HistogramTerm::minimum:
                    sum_integers<false>(counts, bins, words);
                    break;
                case HistogramTerm::product:
                    sum_integers<true>(counts, bins, words);
                    break;
            }
            alignas(64) std::uint32_t stored[vectors_of_tile];
            for (std::size_t part = 0; part < parts; ++part) {
                hn::Store(words[part], Words(), stored + part * lanes);
            }
            std::uint64_t* const out = sums + q * vectors_of_tile;
            for (std::size_t i = 0; i < vectors_of_tile; ++i) {
                out[i] += std::uint64_t{segment.weight} * stored[i];
            }
        }
    }
}

void sum_any_tile(const SearchPlan& plan, const void* tile, std::span<const SparseQuery> queries,
                  std::uint64_t* sums) {
    if (plan.narrow) {
        sum_tile(plan, static_cast<const std::uint8_t*>(tile), queries, sums);
    } else {
        sum_tile(plan, static_cast<const std::uint16_t*>(tile), queries, sums);
    }
}

}  // namespace HWY_NAMESPACE
}  // namespace fovea
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea {

HWY_EXPORT(sum_any_tile);

SparseQuery make_sparse_query(const SearchPlan& plan, const std::uint16_t* counts) {
    SparseQuery query;
    query.own = self_term(plan, counts);
    for (const SearchSegment& segment : plan.segments) {
        for (std::uint32_t bin = 0; bin < segment.bins; ++bin) {
            const std::uint32_t count = counts[plan.source[segment.first + bin]];
            if (count == 0) continue;
            query.bins.push_back({bin, plan.term == HistogramTerm::harmonic
                                           ? std::bit_cast<std::uint32_t>(static_cast<float>(count))
                                           : count});
        }
        query.ends.push_back(query.bins.size());
    }
    return query;
}

void sum_terms_of_tile(const SearchPlan& plan, const void* tile, std::span<const SparseQuery> queries,
                       std::uint64_t* sums) {
    HWY_DYNAMIC_DISPATCH(sum_any_tile)(plan, tile, queries, sums);
}

}  // namespace fovea
#endif  // HWY_ONCE
