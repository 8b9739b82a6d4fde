// Compiled once for every instruction set and chosen at run time (Highway). Sums are exact integers.

#include <cstddef>
#include <cstdint>

#include "kernels/core/octave_pixel.hpp"
#include "kernels/resize/halve.hpp"

#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/resize/halve_simd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fovea {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Bytes = hn::ScalableTag<std::uint8_t>;
using Words = hn::RepartitionToWide<Bytes>;

// On machines without vectors a vector is one byte, which is not half a word.
#if HWY_TARGET == HWY_SCALAR
int halve_vectors(const std::uint8_t*, const std::uint8_t*, std::uint8_t*, int) {
    return 0;
}
#else
// Two pixels side by side, summed, of the 2·Lanes(words) from `from` on.
HWY_INLINE hn::Vec<Words> pair_sums(const std::uint8_t* from) {
    const Bytes bytes;
    const Words words;
    const auto pixels = hn::BitCast(words, hn::LoadU(bytes, from));
    return hn::Add(hn::And(pixels, hn::Set(words, 255)), hn::ShiftRight<8>(pixels));
}

// Returns how many of the `count` pixels it made: as many as fill vectors.
int halve_vectors(const std::uint8_t* top, const std::uint8_t* bottom, std::uint8_t* to, int count) {
    const Words words;
    const hn::RebindToSigned<Words> signed_words;
    const hn::Rebind<std::uint8_t, Words> half_bytes;
    const int lanes = static_cast<int>(hn::Lanes(words));
    int x = 0;
    for (; x + lanes <= count; x += lanes) {
        const auto sums =
            hn::Add(hn::Add(pair_sums(top + 2 * x), pair_sums(bottom + 2 * x)), hn::Set(words, 2));
        hn::StoreU(hn::DemoteTo(half_bytes, hn::BitCast(signed_words, hn::ShiftRight<2>(sums))), half_bytes,
                   to + x);
    }
    return x;
}
#endif

void halve_row(const std::uint8_t* top, const std::uint8_t* bottom, std::uint8_t* to, int count) {
    for (int x = halve_vectors(top, bottom, to, count); x < count; ++x) {
        to[x] = static_cast<std::uint8_t>(
            octave_pixel(top[2 * x], top[2 * x + 1], bottom[2 * x], bottom[2 * x + 1]));
    }
}

}  // namespace HWY_NAMESPACE
}  // namespace fovea
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea {

HWY_EXPORT(halve_row);

GreyBuffer halve_simd(ImageView<const std::uint8_t> image) {
    GreyBuffer half{{image.width / 2, image.height / 2}, {}};
    half.pixels.resize(static_cast<std::size_t>(half.size.width) * half.size.height);
    for (int y = 0; y < half.size.height; ++y) {
        HWY_DYNAMIC_DISPATCH(halve_row)
        (image.row(2 * y), image.row(2 * y + 1),
         half.pixels.data() + static_cast<std::size_t>(y) * half.size.width, half.size.width);
    }
    return half;
}

}  // namespace fovea
#endif
