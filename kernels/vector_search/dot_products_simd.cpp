// Dot products of a tile of gallery vectors, a vector to a lane, compiled once for every instruction set and
// chosen at run time (Highway). Sums are of integers, so that their order does not matter.

#include <algorithm>
#include <cstring>

#include "kernels/vector_search/dot_products.hpp"

// The newest instruction set, for sums of products of pairs.
#define HWY_WANT_AVX3_DL 1
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV | HWY_WASM_EMU256)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/vector_search/dot_products_simd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/core/pair_products-inl.hpp"

// Code that all instruction sets share is compiled once.
#if !defined(FOVEA_DOT_PRODUCTS_SHARED)
#define FOVEA_DOT_PRODUCTS_SHARED
namespace fovea {
namespace {

std::uint32_t bits_that_reach(const std::int32_t* dots, const float* factors, const float* offsets,
                              float limit) {
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < vectors_of_dot_tile; ++i) {
        const bool reaches = static_cast<float>(dots[i]) * factors[i] - offsets[i] >= limit;
        bits |= std::uint32_t{reaches} << i;
    }
    return bits;
}

}  // namespace
}  // namespace fovea
#endif

HWY_BEFORE_NAMESPACE();
namespace fovea {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// On machines without vectors a lane has room for one number.
#if HWY_TARGET == HWY_SCALAR

void dots_of_tile(const std::uint32_t* queries, std::size_t stride, std::size_t count,
                  const std::int16_t* tile, std::size_t pairs, std::int32_t* dots) {
    for (std::size_t q = 0; q < count; ++q, queries += stride, dots += vectors_of_dot_tile) {
        for (std::size_t i = 0; i < vectors_of_dot_tile; ++i) {
            std::uint32_t sum = 0;
            for (std::size_t p = 0; p < pairs; ++p) {
                const std::int16_t* const b = tile + 2 * (p * vectors_of_dot_tile + i);
                sum += static_cast<std::uint32_t>(static_cast<std::int16_t>(queries[p]) * b[0]);
                sum += static_cast<std::uint32_t>(static_cast<std::int16_t>(queries[p] >> 16) * b[1]);
            }
            dots[i] = static_cast<std::int32_t>(sum);
        }
    }
}

void dots_that_reach(const std::int32_t* dots, std::size_t count, const float* factors, const float* offsets,
                     const float* limits, std::uint32_t* reached) {
    for (std::size_t q = 0; q < count; ++q) {
        reached[q] = bits_that_reach(dots + q * vectors_of_dot_tile, factors, offsets, limits[q]);
    }
}

#else

using Ints = hn::CappedTag<std::int32_t, vectors_of_dot_tile / 2>;
using Words = hn::RebindToUnsigned<Ints>;
using Shorts = hn::Repartition<std::int16_t, Ints>;
using Floats = hn::RebindToFloat<Ints>;
constexpr std::size_t lanes = hn::MaxLanes(Ints());
// Vectors of one query's sums that are kept in registers at once.
constexpr std::size_t parts = 2;
constexpr std::size_t queries_of_group = 4;
static_assert(vectors_of_dot_tile % (parts * lanes) == 0);

template <std::size_t queries_now>
HWY_INLINE void dots_of_group(const std::uint32_t* queries, std::size_t stride, const std::int16_t* tile,
                              std::size_t pairs, std::int32_t* dots) {
    const Ints ints;
    for (std::size_t first = 0; first < vectors_of_dot_tile; first += parts * lanes) {
        hn::Vec<Ints> sums[queries_now][parts];
        for (auto& of_query : sums) {
            for (auto& sum : of_query) sum = hn::Zero(ints);
        }
        const std::int16_t* components = tile + 2 * first;
        for (std::size_t p = 0; p < pairs; ++p, components += 2 * vectors_of_dot_tile) {
            const auto b0 = hn::LoadU(Shorts(), components);
            const auto b1 = hn::LoadU(Shorts(), components + 2 * lanes);
            for (std::size_t q = 0; q < queries_now; ++q) {
                const auto a = hn::BitCast(Shorts(), hn::Set(Words(), queries[q * stride + p]));
                sums[q][0] = add_pair_products(ints, a, b0, sums[q][0]);
                sums[q][1] = add_pair_products(ints, a, b1, sums[q][1]);
            }
        }
        for (std::size_t q = 0; q < queries_now; ++q) {
            for (std::size_t part = 0; part < parts; ++part) {
                hn::StoreU(sums[q][part], ints, dots + q * vectors_of_dot_tile + first + part * lanes);
            }
        }
    }
}

void dots_of_tile(const std::uint32_t* queries, std::size_t stride, std::size_t count,
                  const std::int16_t* tile, std::size_t pairs, std::int32_t* dots) {
    std::size_t q = 0;
    for (; q + queries_of_group <= count; q += queries_of_group) {
        dots_of_group<queries_of_group>(queries + q * stride, stride, tile, pairs,
                                        dots + q * vectors_of_dot_tile);
    }
    for (; q < count; ++q) {
        dots_of_group<1>(queries + q * stride, stride, tile, pairs, dots + q * vectors_of_dot_tile);
    }
}

void dots_that_reach(const std::int32_t* dots, std::size_t count, const float* factors, const float* offsets,
                     const float* limits, std::uint32_t* reached) {
    const Floats floats;
    for (std::size_t q = 0; q < count; ++q, dots += vectors_of_dot_tile) {
        const auto limit = hn::Set(floats, limits[q]);
        auto largest = hn::Zero(floats);
        for (std::size_t i = 0; i < vectors_of_dot_tile; i += lanes) {
            const auto dot = hn::ConvertTo(floats, hn::LoadU(Ints(), dots + i));
            const auto value =
                hn::MulSub(dot, hn::LoadU(floats, factors + i), hn::LoadU(floats, offsets + i));
            largest = i == 0 ? value : hn::Max(largest, value);
        }
        const bool none = hn::AllFalse(floats, hn::Ge(largest, limit));
        // Few tiles have any, and here a multiplication may be rounded for itself: filter_limit() allows
        // both.
        reached[q] = none ? 0 : bits_that_reach(dots, factors, offsets, limits[q]);
    }
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace fovea
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea {

HWY_EXPORT(dots_of_tile);
HWY_EXPORT(dots_that_reach);

void dot_products_of_tile(const std::uint32_t* queries, std::size_t stride, std::size_t count,
                          const std::int16_t* tile, std::size_t pairs, std::int32_t* dots) {
    HWY_DYNAMIC_DISPATCH(dots_of_tile)(queries, stride, count, tile, pairs, dots);
}

void find_dots_that_reach(const std::int32_t* dots, std::size_t count, const float* factors,
                          const float* offsets, const float* limits, std::uint32_t* reached) {
    HWY_DYNAMIC_DISPATCH(dots_that_reach)(dots, count, factors, offsets, limits, reached);
}

}  // namespace fovea
#endif  // HWY_ONCE
