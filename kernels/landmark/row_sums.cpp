// Sums of rows in vectors, compiled once for every instruction set and chosen at run time (Highway). Columns
// never mix, so that the length of the vectors changes nothing.

#include "kernels/landmark/row_sums.hpp"

#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/landmark/row_sums.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fovea {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// `Vectors` vectors of all chosen rows.
template <std::size_t Vectors>
HWY_INLINE void add_columns(const float* rows, std::size_t stride, std::span<const std::uint32_t> chosen,
                            float* sum) {
    const hn::CappedTag<float, 16> floats;
    const std::size_t lanes = hn::Lanes(floats);
    hn::Vec<decltype(floats)> sums[Vectors];
    for (std::size_t v = 0; v < Vectors; ++v) sums[v] = hn::LoadU(floats, sum + v * lanes);
    for (const std::uint32_t index : chosen) {
        const float* const row = rows + index * stride;
        for (std::size_t v = 0; v < Vectors; ++v)
            sums[v] = hn::Add(sums[v], hn::LoadU(floats, row + v * lanes));
    }
    for (std::size_t v = 0; v < Vectors; ++v) hn::StoreU(sums[v], floats, sum + v * lanes);
}

void add_chosen_rows(const float* rows, std::size_t stride, std::span<const std::uint32_t> chosen,
                     float* sum) {
    // The most that fit into the registers beside what is loaded.
    constexpr std::size_t vectors = 9;
    const hn::CappedTag<float, 16> floats;
    const std::size_t lanes = hn::Lanes(floats);
    std::size_t at = 0;
    for (; at + vectors * lanes <= stride; at += vectors * lanes) {
        add_columns<vectors>(rows + at, stride, chosen, sum + at);
    }
    for (; at < stride; at += lanes) add_columns<1>(rows + at, stride, chosen, sum + at);
}

}  // namespace HWY_NAMESPACE
}  // namespace fovea
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea {
HWY_EXPORT(add_chosen_rows);

void add_rows(const float* rows, std::size_t stride, std::span<const std::uint32_t> chosen, float* sum) {
    HWY_DYNAMIC_DISPATCH(add_chosen_rows)(rows, stride, chosen, sum);
}

}  // namespace fovea
#endif
