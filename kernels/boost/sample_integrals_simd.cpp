// Features of many samples in vectors, compiled once for every instruction set and chosen at run time
// (Highway). Each lane does the same operations in the same order as a scan does for one window.

#include "kernels/boost/sample_integrals.hpp"
#include "kernels/haar_lbp/feature_corners.hpp"

#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/boost/sample_integrals_simd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

// Code that all instruction sets share is compiled once.
#if !defined(FOVEA_SAMPLE_INTEGRALS_SIMD_SHARED)
#define FOVEA_SAMPLE_INTEGRALS_SIMD_SHARED
namespace fovea {
namespace {

/// Those of a rectangle: its sum is 0 − 1 − 2 + 3.
using Corners = std::array<const std::int32_t*, 4>;

Corners corners_of(const SampleIntegrals& samples, const Rect& r, bool tilted, std::size_t first) {
    return rect_corners(r, tilted, [&](int x, int y) {
        return (tilted ? samples.tilted(x, y) : samples.sums(x, y)) + first;
    });
}

}  // namespace
}  // namespace fovea
#endif

HWY_BEFORE_NAMESPACE();
namespace fovea {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Ints = hn::ScalableTag<std::int32_t>;
using Floats = hn::ScalableTag<float>;

HWY_INLINE hn::Vec<Ints> sum_at(const Corners& corners, std::size_t i) {
    const Ints d;
    const auto load = [&](int corner) { return hn::LoadU(d, corners[static_cast<std::size_t>(corner)] + i); };
    return hn::Add(hn::Sub(hn::Sub(load(0), load(1)), load(2)), load(3));
}

void haar_values_of(const SampleIntegrals& samples, const HaarFeature& feature, std::size_t first,
                    std::size_t count, float* values) {
    const Floats d;
    const bool has_third = feature.weights[2] != 0;
    Corners corners[3];
    for (int r = 0; r < (has_third ? 3 : 2); ++r)
        corners[r] = corners_of(samples, feature.rects[static_cast<std::size_t>(r)], feature.tilted, first);
    const float* const inverse = samples.inverse_deviations() + first;
    const auto w0 = hn::Set(d, feature.weights[0]), w1 = hn::Set(d, feature.weights[1]),
               w2 = hn::Set(d, feature.weights[2]);
    for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
        auto value = hn::Add(hn::Mul(w0, hn::ConvertTo(d, sum_at(corners[0], i))),
                             hn::Mul(w1, hn::ConvertTo(d, sum_at(corners[1], i))));
        if (has_third) value = hn::Add(value, hn::Mul(w2, hn::ConvertTo(d, sum_at(corners[2], i))));
        hn::StoreU(hn::Mul(value, hn::LoadU(d, inverse + i)), d, values + i);
    }
}

void lbp_codes_of(const SampleIntegrals& samples, const LbpFeature& feature, std::size_t first,
                  std::size_t count, std::uint8_t* codes) {
    const Ints d;
    const hn::Rebind<std::uint8_t, Ints> bytes;
    const Rect& cell = feature.cell;
    Corners corners[9];
    // Clockwise from the top left, most significant bit first; the centre last.
    constexpr int column[9] = {0, 1, 2, 2, 2, 1, 0, 0, 1}, row[9] = {0, 0, 0, 1, 2, 2, 2, 1, 1};
    for (int i = 0; i < 9; ++i) {
        const Rect block{cell.x + column[i] * cell.width, cell.y + row[i] * cell.height, cell.width,
                         cell.height};
        corners[i] = corners_of(samples, block, false, first);
    }
    for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
        const auto centre = sum_at(corners[8], i);
        auto code = hn::Zero(d);
        for (int bit = 0; bit < 8; ++bit) {
            const auto is_less = hn::Lt(sum_at(corners[bit], i), centre);
            code = hn::Or(code, hn::IfThenZeroElse(is_less, hn::Set(d, 128 >> bit)));
        }
        hn::StoreU(hn::DemoteTo(bytes, code), bytes, codes + i);
    }
}

void find_bins(const float* values, std::size_t count, float least, float scale, std::uint8_t* bins) {
    const Floats d;
    const Ints ints;
    const hn::Rebind<std::uint8_t, Floats> bytes;
    for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
        const auto place = hn::Mul(hn::Sub(hn::LoadU(d, values + i), hn::Set(d, least)), hn::Set(d, scale));
        const auto inside = hn::Min(hn::Max(place, hn::Zero(d)), hn::Set(d, 255.0F));
        hn::StoreU(hn::DemoteTo(bytes, hn::ConvertTo(ints, inside)), bytes, bins + i);
    }
}

}  // namespace HWY_NAMESPACE
}  // namespace fovea
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea {

HWY_EXPORT(haar_values_of);
HWY_EXPORT(lbp_codes_of);
HWY_EXPORT(find_bins);

void haar_values(const SampleIntegrals& samples, const HaarFeature& feature, std::size_t first,
                 std::size_t count, float* values) {
    HWY_DYNAMIC_DISPATCH(haar_values_of)(samples, feature, first, count, values);
}

void lbp_codes(const SampleIntegrals& samples, const LbpFeature& feature, std::size_t first,
               std::size_t count, std::uint8_t* codes) {
    HWY_DYNAMIC_DISPATCH(lbp_codes_of)(samples, feature, first, count, codes);
}

void bins_of(const float* values, std::size_t count, float least, float scale, std::uint8_t* bins) {
    HWY_DYNAMIC_DISPATCH(find_bins)(values, count, least, scale, bins);
}

}  // namespace fovea
#endif
