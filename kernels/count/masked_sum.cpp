// Counting bits in vector registers, compiled once for every instruction set and chosen at run time
// (Highway): the baseline of x86-64 has not even an instruction for it.

#include "kernels/count/masked_sum.hpp"

#include <bit>

#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/count/masked_sum.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fovea {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void sum_masked(const std::uint64_t* sets, std::size_t set_count, const std::uint64_t* weight_bits,
                std::size_t bit_count, std::uint64_t* sums) {
    const hn::ScalableTag<std::uint64_t> tag;
    const std::size_t lanes = hn::Lanes(tag);
    std::size_t i = 0;
    for (; i + lanes <= set_count; i += lanes) {
        const auto set = hn::LoadU(tag, sets + i);
        auto sum = hn::Zero(tag);
        // Horner's scheme from the highest bit down, so that no shift is by a variable.
        for (std::size_t p = bit_count; p-- > 0;) {
            const auto count = hn::PopulationCount(hn::And(set, hn::Set(tag, weight_bits[p])));
            sum = hn::Add(hn::Add(sum, sum), count);
        }
        hn::StoreU(sum, tag, sums + i);
    }
    for (; i < set_count; ++i) {
        std::uint64_t sum = 0;
        for (std::size_t p = bit_count; p-- > 0;) {
            sum = 2 * sum + static_cast<std::uint64_t>(std::popcount(sets[i] & weight_bits[p]));
        }
        sums[i] = sum;
    }
}

}  // namespace HWY_NAMESPACE
}  // namespace fovea
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea {

HWY_EXPORT(sum_masked);

void weighted_sums(std::span<const std::uint64_t> sets, std::span<const std::uint64_t> weight_bits,
                   std::span<std::uint64_t> sums) {
    HWY_DYNAMIC_DISPATCH(sum_masked)
    (sets.data(), sets.size(), weight_bits.data(), weight_bits.size(), sums.data());
}

}  // namespace fovea
#endif  // HWY_ONCE
