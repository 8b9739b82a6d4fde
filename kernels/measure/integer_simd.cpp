// Integer arithmetic in vector registers, compiled once for every instruction set and chosen at run time
// (Highway), as the cascade scan is.

#include "kernels/measure/integer_simd.hpp"

#include <cstdint>

#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/measure/integer_simd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fovea {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::ScalableTag<std::uint32_t>;
using Vec = hn::Vec<Tag>;

// Twelve chains: with four vector units, three steps of latency are covered. Each chain takes in its
// neighbour, so that no step can be left out or several be made one.
template <class Step>
HWY_INLINE std::uint32_t run(std::uint32_t seed, std::int64_t iterations, const Step& step) {
    const Tag tag;
    Vec a = hn::Iota(tag, seed), b = hn::Iota(tag, seed + 1), c = hn::Iota(tag, seed + 2);
    Vec d = hn::Iota(tag, seed + 3), e = hn::Iota(tag, seed + 4), f = hn::Iota(tag, seed + 5);
    Vec g = hn::Iota(tag, seed + 6), h = hn::Iota(tag, seed + 7), i = hn::Iota(tag, seed + 8);
    Vec j = hn::Iota(tag, seed + 9), k = hn::Iota(tag, seed + 10), l = hn::Iota(tag, seed + 11);
    for (std::int64_t n = 0; n < iterations; ++n) {
        a = step(a, b), b = step(b, c), c = step(c, d), d = step(d, e), e = step(e, f), f = step(f, g);
        g = step(g, h), h = step(h, i), i = step(i, j), j = step(j, k), k = step(k, l), l = step(l, a);
    }
    const Vec low = hn::Xor(hn::Xor(hn::Xor(a, b), hn::Xor(c, d)), hn::Xor(e, f));
    const Vec high = hn::Xor(hn::Xor(hn::Xor(g, h), hn::Xor(i, j)), hn::Xor(k, l));
    return hn::GetLane(hn::SumOfLanes(tag, hn::Xor(low, high)));
}

std::uint32_t add(std::uint32_t seed, std::int64_t iterations) {
    return run(seed, iterations, [](Vec x, Vec y) HWY_ATTR { return hn::Add(x, y); });
}

std::uint32_t multiply_add(std::uint32_t seed, std::int64_t iterations) {
    const Vec factor = hn::Set(Tag(), 2654435761u ^ seed);
    return run(seed, iterations, [factor](Vec x, Vec y) HWY_ATTR { return hn::Add(hn::Mul(x, factor), y); });
}

std::int64_t lanes() {
    return static_cast<std::int64_t>(hn::Lanes(Tag()));
}

const char* target_name() {
    return hwy::TargetName(HWY_TARGET);
}

}  // namespace HWY_NAMESPACE
}  // namespace fovea
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea {

HWY_EXPORT(add);
HWY_EXPORT(multiply_add);
HWY_EXPORT(lanes);
HWY_EXPORT(target_name);

std::uint32_t host_integer_operations(IntegerOperation operation, std::uint32_t seed,
                                      std::int64_t iterations) {
    return operation == IntegerOperation::add ? HWY_DYNAMIC_DISPATCH(add)(seed, iterations)
                                              : HWY_DYNAMIC_DISPATCH(multiply_add)(seed, iterations);
}

std::int64_t host_integer_operations_per_iteration() {
    return 12 * HWY_DYNAMIC_DISPATCH(lanes)();
}

std::string measure_simd_target() {
    return HWY_DYNAMIC_DISPATCH(target_name)();
}

}  // namespace fovea
#endif
