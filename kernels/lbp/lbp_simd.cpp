// Codes of a row of pixels in vectors of 16-bit lanes, which hold any sum of weights and pixels (at most 255
// · 255); compiled once for every instruction set and chosen at run time (Highway).

#include "kernels/lbp/lbp_simd.hpp"

#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/lbp/lbp_simd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fovea {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Shorts = hn::CappedTag<std::uint16_t, 32>;
using ShortVector = hn::Vec<Shorts>;

HWY_INLINE ShortVector pixels_at(const std::uint8_t* first) {
    const hn::Rebind<std::uint8_t, Shorts> bytes;
    return hn::PromoteTo(Shorts(), hn::LoadU(bytes, first));
}

// 255 times pixels.
HWY_INLINE ShortVector scaled(ShortVector pixels) {
    return hn::Sub(hn::ShiftLeft<8>(pixels), pixels);
}

// The bit in lanes where the sample is not below the centre, in the units of both.
HWY_INLINE ShortVector bit_where_not_below(ShortVector sample, ShortVector centre, ShortVector bit) {
    const auto not_below = hn::Eq(hn::SaturatedSub(centre, sample), hn::Zero(Shorts()));
    return hn::IfThenElseZero(not_below, bit);
}

void codes(const LbpRowSample* samples, std::size_t points, const std::uint8_t* centres, std::size_t count,
           std::uint16_t* out) {
    const Shorts shorts;
    const std::size_t lanes = hn::Lanes(shorts);
    for (std::size_t x = 0; x < count; x += lanes) {
        const auto centre = pixels_at(centres + x);
        const auto scaled_centre = scaled(centre);
        auto code = hn::Zero(shorts);
        for (std::size_t p = 0; p < points; ++p) {
            const LbpRowSample& sample = samples[p];
            const std::uint8_t* const from = centres + x;
            const auto bit = hn::Set(shorts, static_cast<std::uint16_t>(1U << p));
            const auto weighted = [&](std::size_t i) HWY_ATTR {
                return hn::Mul(pixels_at(from + sample.offsets[i]), hn::Set(shorts, sample.weights[i]));
            };
            if (sample.pixels == 1) {
                code = hn::Or(code, bit_where_not_below(pixels_at(from + sample.offsets[0]), centre, bit));
                continue;
            }
            auto sum = hn::Add(weighted(0), weighted(1));
            if (sample.pixels == 4) sum = hn::Add(sum, hn::Add(weighted(2), weighted(3)));
            code = hn::Or(code, bit_where_not_below(sum, scaled_centre, bit));
        }
        hn::StoreU(code, shorts, out + x);
    }
}

}  // namespace HWY_NAMESPACE
}  // namespace fovea
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea {
HWY_EXPORT(codes);

std::vector<LbpRowSample> make_row_samples(const LbpPlan& plan, std::ptrdiff_t stride) {
    std::vector<LbpRowSample> samples;
    for (const LbpSample& from : plan.samples) {
        const std::ptrdiff_t first = from.y * stride + from.x;
        const auto& w = from.weights;
        LbpRowSample to{4, {first, first + 1, first + stride, first + stride + 1}, {w[0], w[1], w[2], w[3]}};
        // Beside or below a sample on whole pixels there may be no image.
        if (w[0] == 255) {
            to.pixels = 1;
        } else if (w[2] == 0 && w[3] == 0) {
            to.pixels = 2;
        } else if (w[1] == 0 && w[3] == 0) {
            to.pixels = 2;
            to.offsets[1] = to.offsets[2];
            to.weights[1] = to.weights[2];
        }
        samples.push_back(to);
    }
    return samples;
}

void codes_of_row(const std::vector<LbpRowSample>& samples, const std::uint8_t* centres, std::size_t count,
                  std::uint16_t* codes) {
    HWY_DYNAMIC_DISPATCH(codes)(samples.data(), samples.size(), centres, count, codes);
}

}  // namespace fovea
#endif  // HWY_ONCE
