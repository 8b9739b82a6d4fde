// Products of pairs of 16-bit integers in vectors; included once for every instruction set.

#if defined(FOVEA_PAIR_PRODUCTS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_PAIR_PRODUCTS_INL
#undef FOVEA_PAIR_PRODUCTS_INL
#else
#define FOVEA_PAIR_PRODUCTS_INL
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fovea {
namespace HWY_NAMESPACE {
#if HWY_TARGET != HWY_SCALAR

/// Adds a0·b0 + a1·b1 to each lane of `sum`, modulo 2^32: a0 is the lower half of the lane of `a`, a1 the
/// upper one. \param ints the tag of `sum`; `a` and `b` have twice as many lanes.
template <class D, class ShortLanes, class IntLanes>
HWY_INLINE IntLanes add_pair_products([[maybe_unused]] D ints, ShortLanes a, ShortLanes b, IntLanes sum) {
#if HWY_TARGET == HWY_AVX3_DL
    // Highway chooses this target only where the instruction exists, but does not let compilers use it.
    asm("vpdpwssd %2, %1, %0" : "+v"(sum.raw) : "v"(a.raw), "vm"(b.raw));
    return sum;
#elif HWY_ARCH_X86 && HWY_TARGET != HWY_EMU128
    IntLanes unused = hwy::HWY_NAMESPACE::Zero(ints);
    return hwy::HWY_NAMESPACE::ReorderWidenMulAccumulate(ints, a, b, sum, unused);
#else
    namespace hn = hwy::HWY_NAMESPACE;
    // Elsewhere ReorderWidenMulAccumulate does not say which products it adds.
    const auto low = [&](ShortLanes v)
                         HWY_ATTR { return hn::ShiftRight<16>(hn::ShiftLeft<16>(hn::BitCast(ints, v))); };
    const auto high = [&](ShortLanes v) HWY_ATTR { return hn::ShiftRight<16>(hn::BitCast(ints, v)); };
    return hn::Add(sum, hn::Add(hn::Mul(low(a), low(b)), hn::Mul(high(a), high(b))));
#endif
}

#endif
}  // namespace HWY_NAMESPACE
}  // namespace fovea
HWY_AFTER_NAMESPACE();

#endif
