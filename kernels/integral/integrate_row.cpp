// Compiled once for every instruction set and chosen at run time (Highway). All sums are integers modulo
// 2^32.

#include "kernels/integral/integrate_row.hpp"

#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/integral/integrate_row.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fovea {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR
template <bool split, bool with_squared>
int integrate_eights(const std::uint8_t*, int, const IntegralLayout&, SumRow, SumRow, std::uint32_t&,
                     std::uint32_t&) {
    return 0;
}
#else
constexpr hn::FixedTag<std::uint16_t, 8> words;
constexpr hn::FixedTag<std::uint32_t, 4> sums_of_4;
using Sums = hn::Vec<decltype(sums_of_4)>;

// Sums from the first to each of eight pixels, in two halves.
struct RunningSums {
    Sums low;
    Sums high;
};

HWY_INLINE Sums promoted_low(hn::Vec<decltype(words)> values) {
    return hn::PromoteTo(sums_of_4, hn::LowerHalf(values));
}
HWY_INLINE Sums promoted_high(hn::Vec<decltype(words)> values) {
    return hn::PromoteTo(sums_of_4, hn::UpperHalf(hn::Half<decltype(words)>(), values));
}

// Eight pixels stay below 2^16.
HWY_INLINE RunningSums running_sums(hn::Vec<decltype(words)> pixels) {
    auto sums = hn::Add(pixels, hn::ShiftLeftLanes<1>(words, pixels));
    sums = hn::Add(sums, hn::ShiftLeftLanes<2>(words, sums));
    sums = hn::Add(sums, hn::ShiftLeftLanes<4>(words, sums));
    return {promoted_low(sums), promoted_high(sums)};
}

HWY_INLINE Sums running_sums_of_4(Sums values) {
    const auto pairs = hn::Add(values, hn::ShiftLeftLanes<1>(sums_of_4, values));
    return hn::Add(pairs, hn::ShiftLeftLanes<2>(sums_of_4, pairs));
}

HWY_INLINE RunningSums running_squares(hn::Vec<decltype(words)> pixels) {
    const auto squares = hn::Mul(pixels, pixels);
    const Sums low = running_sums_of_4(promoted_low(squares));
    return {low, hn::Add(running_sums_of_4(promoted_high(squares)), hn::Broadcast<3>(low))};
}

// Puts the sums to pixels [x, x + 8), behind `before`, below the row above. \return the last of them.
template <bool split>
HWY_INLINE std::uint32_t put_eight(RunningSums running, std::uint32_t before, const IntegralLayout& layout,
                                   int x, SumRow row) {
    const Sums carried = hn::Set(sums_of_4, before);
    const Sums low = hn::Add(running.low, carried), high = hn::Add(running.high, carried);
    const auto put = [&](std::ptrdiff_t at, Sums sums) HWY_ATTR {
        hn::StoreU(hn::Add(hn::LoadU(sums_of_4, row.above + at), sums), sums_of_4, row.sums + at);
    };
    if constexpr (split) {
        put(layout.half + (x >> 1), hn::ConcatEven(sums_of_4, high, low));
        put((x >> 1) + 1, hn::ConcatOdd(sums_of_4, high, low));
    } else {
        put(x + 1, low);
        put(x + 5, high);
    }
    return before + hn::ExtractLane(running.high, 3);
}

// \return the number of pixels that were added: as many as fill eights.
template <bool split, bool with_squared>
int integrate_eights(const std::uint8_t* pixels, int width, const IntegralLayout& layout, SumRow plain,
                     SumRow squared, std::uint32_t& sum, std::uint32_t& square) {
    int x = 0;
    for (; x + 8 <= width; x += 8) {
        const auto values = hn::PromoteTo(words, hn::LoadU(hn::FixedTag<std::uint8_t, 8>(), pixels + x));
        sum = put_eight<split>(running_sums(values), sum, layout, x, plain);
        if constexpr (with_squared)
            square = put_eight<split>(running_squares(values), square, layout, x, squared);
    }
    return x;
}
#endif

template <bool split, bool with_squared>
void integrate(const std::uint8_t* pixels, int width, const IntegralLayout& layout, SumRow plain,
               SumRow squared) {
    std::uint32_t sum = 0;
    std::uint32_t square = 0;
    plain.sums[0] = 0;
    if constexpr (with_squared) squared.sums[0] = 0;
    int x = integrate_eights<split, with_squared>(pixels, width, layout, plain, squared, sum, square);
    for (; x < width; ++x) {
        const std::ptrdiff_t at = split ? layout.column(x + 1) : x + 1;
        const std::uint32_t value = pixels[x];
        sum += value;
        plain.sums[at] = plain.above[at] + sum;
        if constexpr (with_squared) {
            square += value * value;
            squared.sums[at] = squared.above[at] + square;
        }
    }
}

void integrate_row_target(const std::uint8_t* pixels, int width, const IntegralLayout& layout, SumRow plain,
                          SumRow squared) {
    const bool with_squared = squared.sums != nullptr;
    if (layout.split) {
        with_squared ? integrate<true, true>(pixels, width, layout, plain, squared)
                     : integrate<true, false>(pixels, width, layout, plain, squared);
    } else {
        with_squared ? integrate<false, true>(pixels, width, layout, plain, squared)
                     : integrate<false, false>(pixels, width, layout, plain, squared);
    }
}

}  // namespace HWY_NAMESPACE
}  // namespace fovea
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea {

HWY_EXPORT(integrate_row_target);

void integrate_row(const std::uint8_t* pixels, int width, const IntegralLayout& layout, SumRow plain,
                   SumRow squared) {
    HWY_DYNAMIC_DISPATCH(integrate_row_target)(pixels, width, layout, plain, squared);
}

}  // namespace fovea
#endif
