// Compiled once for every instruction set and chosen at run time (Highway). All values are exact integers.

#include "kernels/resize/blend_simd.hpp"

#include "kernels/resize/resize_body.hpp"

#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/resize/blend_simd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fovea {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR
int blend_groups_target(const std::uint8_t*, const ColumnTaps::Window*, int, const std::uint16_t*, int,
                        std::uint16_t*) {
    return 0;
}

int blend_row_vectors(const std::uint16_t*, const std::uint16_t*, int, std::uint8_t*, int) {
    return 0;
}
#else
template <int windows_of_group>
void blend_groups_of(const std::uint8_t* pixels, const ColumnTaps::Window* window,
                     const std::uint16_t* weights, int groups, std::uint16_t* to) {
    const hn::FixedTag<std::uint8_t, 16> bytes;
    const hn::FixedTag<std::uint16_t, 8> words;
    for (int group = 0; group < groups; ++group) {
        auto pairs = hn::Zero(bytes);
        for (int i = 0; i < windows_of_group; ++i, ++window) {
            const auto places = hn::LoadU(bytes, window->places);
            pairs = hn::Or(pairs, hn::TableLookupBytesOr0(hn::LoadU(bytes, pixels + window->first), places));
        }
        // The left pixel is the lower byte. 256·left + weight·(right - left) is exact modulo 2^16.
        const auto both = hn::BitCast(words, pairs);
        const auto left = hn::And(both, hn::Set(words, 255));
        const auto step = hn::Sub(hn::ShiftRight<8>(both), left);
        const int x = group * ColumnTaps::group_columns;
        hn::StoreU(hn::Add(hn::ShiftLeft<8>(both), hn::Mul(step, hn::LoadU(words, weights + x))), words,
                   to + x);
    }
}

int blend_groups_target(const std::uint8_t* pixels, const ColumnTaps::Window* windows, int per_group,
                        const std::uint16_t* weights, int groups, std::uint16_t* to) {
    if (per_group == 1) {
        blend_groups_of<1>(pixels, windows, weights, groups, to);
    } else if (per_group == 2) {
        blend_groups_of<2>(pixels, windows, weights, groups, to);
    } else {
        blend_groups_of<4>(pixels, windows, weights, groups, to);
    }
    return groups * ColumnTaps::group_columns;
}

// In words: with v = 256·high + low, Σ v·w + 2^15 = 256·(Σ high·w + 128) + Σ low·w, and both sums, and 1/256
// of the whole, stay below 2^16.
int blend_row_vectors(const std::uint16_t* top, const std::uint16_t* bottom, int weight, std::uint8_t* to,
                      int count) {
    const hn::ScalableTag<std::uint16_t> words;
    const hn::RebindToSigned<decltype(words)> signed_words;
    const hn::Rebind<std::uint8_t, decltype(words)> half_bytes;
    const int lanes = static_cast<int>(hn::Lanes(words));
    const auto of_top = hn::Set(words, static_cast<std::uint16_t>(256 - weight));
    const auto of_bottom = hn::Set(words, static_cast<std::uint16_t>(weight));
    const auto low_byte = hn::Set(words, 255);
    int x = 0;
    for (; x + lanes <= count; x += lanes) {
        const auto a = hn::LoadU(words, top + x);
        const auto b = hn::LoadU(words, bottom + x);
        const auto high =
            hn::Add(hn::Mul(hn::ShiftRight<8>(a), of_top), hn::Mul(hn::ShiftRight<8>(b), of_bottom));
        const auto low =
            hn::Add(hn::Mul(hn::And(a, low_byte), of_top), hn::Mul(hn::And(b, low_byte), of_bottom));
        const auto sum = hn::Add(hn::Add(high, hn::Set(words, 128)), hn::ShiftRight<8>(low));
        hn::StoreU(hn::DemoteTo(half_bytes, hn::BitCast(signed_words, hn::ShiftRight<8>(sum))), half_bytes,
                   to + x);
    }
    return x;
}
#endif

void blend_two_rows_target(const std::uint16_t* top, const std::uint16_t* bottom, int weight,
                           std::uint8_t* to, int count) {
    for (int x = blend_row_vectors(top, bottom, weight, to, count); x < count; ++x)
        to[x] = static_cast<std::uint8_t>(blend_rows(top[x], bottom[x], weight));
}

}  // namespace HWY_NAMESPACE
}  // namespace fovea
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea {

HWY_EXPORT(blend_groups_target);
HWY_EXPORT(blend_two_rows_target);

int blend_groups(const std::uint8_t* pixels, const ColumnTaps::Window* windows, int per_group,
                 const std::uint16_t* weights, int groups, std::uint16_t* to) {
    return HWY_DYNAMIC_DISPATCH(blend_groups_target)(pixels, windows, per_group, weights, groups, to);
}

void blend_two_rows(const std::uint16_t* top, const std::uint16_t* bottom, int weight, std::uint8_t* to,
                    int count) {
    HWY_DYNAMIC_DISPATCH(blend_two_rows_target)(top, bottom, weight, to, count);
}

}  // namespace fovea
#endif
