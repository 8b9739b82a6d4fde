// Sums of products in vectors; included once for every instruction set.

#if defined(FOVEA_VECTOR_SUMS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_VECTOR_SUMS_INL
#undef FOVEA_VECTOR_SUMS_INL
#else
#define FOVEA_VECTOR_SUMS_INL
#endif

#include <hwy/highway.h>

#include "kernels/core/pair_products-inl.hpp"
#include "kernels/optical_flow/flow_body.hpp"

HWY_BEFORE_NAMESPACE();
namespace fovea {
namespace HWY_NAMESPACE {
#if HWY_TARGET != HWY_SCALAR
namespace hn = hwy::HWY_NAMESPACE;

using Ints = hn::CappedTag<std::int32_t, 16>;
using Shorts = hn::Repartition<std::int16_t, Ints>;
using FlowBytes = hn::Repartition<std::uint8_t, Ints>;
using Floats = hn::Rebind<float, Ints>;
using FourInts = hn::CappedTag<std::int32_t, 4>;
using FourFloats = hn::CappedTag<float, 4>;
using IntVector = hn::Vec<Ints>;
using ShortVector = hn::Vec<Shorts>;
using FloatVector = hn::Vec<Floats>;

/// Adds a pair of products to each lane of `sum`.
HWY_INLINE IntVector add_products(ShortVector a, ShortVector b, IntVector sum) {
    return add_pair_products(Ints(), a, b, sum);
}

/// Adds the lanes of the same number modulo 4.
template <class D, class V>
HWY_INLINE auto folded([[maybe_unused]] D d, V v) {
    if constexpr (hn::MaxLanes(D()) > 4) {
        const hn::Half<D> half;
        return folded(half, hn::Add(hn::LowerHalf(half, v), hn::UpperHalf(half, v)));
    } else {
        return v;
    }
}

/// Does folded() for the lanes of a window's first segment.
template <class D, class V>
HWY_INLINE auto folded_first([[maybe_unused]] D d, V v) {
    if constexpr (hn::MaxLanes(D()) > 8) {
        const hn::Half<D> half;
        return folded(half, hn::LowerHalf(half, v));
    } else {
        return folded(d, v);
    }
}

/// The floats of a sum's chains after some rows.
struct ChainState {
    HWY_INLINE ChainState() : chains(hn::Zero(FourFloats())), tail(0) {}

    hn::Vec<FourFloats> chains;
    float tail;

    HWY_INLINE float total() const {
        HWY_ALIGN float c[4];
        hn::Store(chains, FourFloats(), c);
        return flow_total(tail, c[0], c[1], c[2], c[3]);
    }
};

/// The rows of a window up to which sums are proven to be exact.
enum class ExactRows { none, first_segment, all };

/// Sums of one product over a window: integers in lanes, which may have overflowed.
struct ProductSums {
    // Written out, because compilers use the instruction set only then.
    HWY_INLINE ProductSums() : chains(hn::Zero(Ints())), tail(hn::Zero(Ints())) {}

    IntVector chains;
    IntVector tail;

    /// The chains after the exact rows.
    HWY_INLINE ChainState after(ExactRows main, ExactRows tails) const {
        const FourInts four;
        ChainState state;
        if (main != ExactRows::none) {
            state.chains = hn::ConvertTo(
                FourFloats(), main == ExactRows::all ? folded(Ints(), chains) : folded_first(Ints(), chains));
        }
        if (tails != ExactRows::none) {
            const auto sum = tails == ExactRows::all ? folded(Ints(), tail) : folded_first(Ints(), tail);
            state.tail = static_cast<float>(hn::GetLane(hn::SumOfLanes(four, sum)));
        }
        return state;
    }
};

/// Sums of squares over each chain, nearly exact.
struct ChainSquares {
    HWY_INLINE ChainSquares() : chains(hn::Zero(FourFloats())), tail(0) {}
    HWY_INLINE ChainSquares(hn::Vec<FourFloats> of_chains, float of_tail)
        : chains(of_chains), tail(of_tail) {}

    HWY_INLINE ChainSquares times(const ChainSquares& other) const {
        return {hn::Mul(chains, other.chains), tail * other.tail};
    }
    HWY_INLINE ChainSquares larger_of(const ChainSquares& other) const {
        return {hn::Max(chains, other.chains), tail > other.tail ? tail : other.tail};
    }
    HWY_INLINE bool chains_below(float limit) const {
        return hn::AllTrue(FourFloats(), hn::Lt(chains, hn::Set(FourFloats(), limit)));
    }

    hn::Vec<FourFloats> chains;
    float tail;
};

/// Collects sums of squares as floats. The caller adds integers until they could overflow, then flushes.
class SquareSums {
  public:
    /// The most pairs of rows whose squares 32 bits can hold: |value| <= 8160.
    static constexpr int max_pairs = 16;

    HWY_INLINE SquareSums() : chains_(hn::Zero(Floats())), tail_(hn::Zero(Floats())) {}

    HWY_INLINE void flush(IntVector squares, bool is_tail) {
        const auto values = hn::ConvertTo(Floats(), squares);
        if (is_tail) {
            tail_ = hn::Add(tail_, values);
        } else {
            chains_ = hn::Add(chains_, values);
        }
    }
    HWY_INLINE ChainSquares sums() const {
        return {folded(Floats(), chains_),
                hn::GetLane(hn::SumOfLanes(FourFloats(), folded(Floats(), tail_)))};
    }
    /// The sums of the first segment.
    HWY_INLINE ChainSquares first_sums() const {
        return {folded_first(Floats(), chains_),
                hn::GetLane(hn::SumOfLanes(FourFloats(), folded_first(Floats(), tail_)))};
    }

  private:
    FloatVector chains_;
    FloatVector tail_;
};

/// Integers up to 2^24 are exact as floats; 0.1 % less, because sums of squares are only nearly exact.
constexpr float max_exact = 16777216.0F * 0.999F;

/// The rows up to which sums are exact, by bounds for all rows and for the first segment's.
struct ProvenRows {
    HWY_INLINE ProvenRows(const ChainSquares& all, const ChainSquares& first, float limit)
        : main(all.chains_below(limit)     ? ExactRows::all
               : first.chains_below(limit) ? ExactRows::first_segment
                                           : ExactRows::none),
          tail(all.tail < limit     ? ExactRows::all
               : first.tail < limit ? ExactRows::first_segment
                                    : ExactRows::none) {}

    ExactRows main, tail;
};

#endif
}  // namespace HWY_NAMESPACE
}  // namespace fovea
HWY_AFTER_NAMESPACE();

#endif
