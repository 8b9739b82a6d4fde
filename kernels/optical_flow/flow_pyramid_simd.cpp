// The levels of a pyramid in vectors, compiled once for every instruction set and chosen at run time
// (Highway). All sums are exact integers, so that their order does not matter.

#include "kernels/optical_flow/flow_pyramid_simd.hpp"

#include <vector>

#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/optical_flow/flow_pyramid_simd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

// Code that all instruction sets share is compiled once.
#if !defined(FOVEA_FLOW_PYRAMID_SIMD_SHARED)
#define FOVEA_FLOW_PYRAMID_SIMD_SHARED
namespace fovea {
namespace {

// Columns to the left of the image that the kernel needs, and that vectors may read to the right.
constexpr int columns_before = 2;
constexpr int columns_behind = 66;

struct FiveRows {
    const std::uint8_t* rows[5];
};

inline int column_sum(const FiveRows& from, int x) {
    return from.rows[0][x] + from.rows[4][x] + 4 * (from.rows[1][x] + from.rows[3][x]) + 6 * from.rows[2][x];
}

}  // namespace
}  // namespace fovea
#endif

HWY_BEFORE_NAMESPACE();
namespace fovea {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// On machines without vectors a vector is one element, and pairs do not fit into it.
#if HWY_TARGET == HWY_SCALAR
int add_columns(const FiveRows&, std::uint16_t*, int first, int) {
    return first;
}
int add_rows(const std::uint16_t*, std::uint8_t*, int) {
    return 0;
}
#else
using Words = hn::ScalableTag<std::uint16_t>;

// Sums of columns from `first` on; returns where it ended: where no whole vector was left.
int add_columns(const FiveRows& from, std::uint16_t* sums, int first, int end) {
    const Words words;
    const hn::Rebind<std::uint8_t, Words> bytes;
    const int lanes = static_cast<int>(hn::Lanes(words));
    const auto load = [&](int row, int x)
                          HWY_ATTR { return hn::PromoteTo(words, hn::LoadU(bytes, from.rows[row] + x)); };
    int x = first;
    for (; x + lanes <= end; x += lanes) {
        const auto outer = hn::Add(load(0, x), load(4, x));
        const auto inner = hn::ShiftLeft<2>(hn::Add(load(1, x), load(3, x)));
        const auto centre = load(2, x);
        const auto six = hn::Add(hn::ShiftLeft<2>(centre), hn::ShiftLeft<1>(centre));
        hn::StoreU(hn::Add(hn::Add(outer, inner), six), words, sums + x);
    }
    return x;
}

// Pixels from 0 on; returns where it ended.
int add_rows(const std::uint16_t* sums, std::uint8_t* to, int count) {
    const Words words;
    const hn::RepartitionToWide<Words> doubles;
    const hn::RebindToSigned<decltype(doubles)> signed_doubles;
    const hn::Rebind<std::uint8_t, decltype(doubles)> bytes;
    const int lanes = static_cast<int>(hn::Lanes(doubles));
    const auto low = hn::Set(doubles, 0xFFFF), round = hn::Set(doubles, 128);
    const auto load = [&](int x) HWY_ATTR { return hn::BitCast(doubles, hn::LoadU(words, sums + x)); };
    int x = 0;
    for (; x + lanes <= count; x += lanes) {
        const auto left = load(2 * x - 2), middle = load(2 * x), right = load(2 * x + 2);
        const auto outer = hn::Add(hn::And(left, low), hn::And(right, low));
        const auto inner = hn::ShiftLeft<2>(hn::Add(hn::ShiftRight<16>(left), hn::ShiftRight<16>(middle)));
        const auto centre = hn::And(middle, low);
        const auto six = hn::Add(hn::ShiftLeft<2>(centre), hn::ShiftLeft<1>(centre));
        const auto sum = hn::Add(hn::Add(outer, inner), hn::Add(six, round));
        hn::StoreU(hn::DemoteTo(bytes, hn::BitCast(signed_doubles, hn::ShiftRight<8>(sum))), bytes, to + x);
    }
    return x;
}
#endif

void halve_rows_simd(const ImageView<const std::uint8_t>& from, const ImageView<std::uint8_t>& to, int first,
                     int last) {
    std::vector<std::uint16_t> buffer(static_cast<std::size_t>(columns_before + from.width + columns_behind));
    std::uint16_t* const sums = buffer.data() + columns_before;
    const int end = from.width + 2;
    for (int y = first; y < last; ++y) {
        FiveRows rows;
        for (int i = 0; i < 5; ++i) rows.rows[i] = from.row(2 * y - 2 + i);
        for (int x = add_columns(rows, sums, -columns_before, end); x < end; ++x) {
            sums[x] = static_cast<std::uint16_t>(column_sum(rows, x));
        }
        std::uint8_t* const out = to.row(y);
        for (int x = add_rows(sums, out, to.width); x < to.width; ++x) {
            const std::uint16_t* const s = sums + 2 * x;
            out[x] = static_cast<std::uint8_t>((s[-2] + s[2] + 4 * (s[-1] + s[1]) + 6 * s[0] + 128) >> 8);
        }
    }
}

}  // namespace HWY_NAMESPACE
}  // namespace fovea
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea {
HWY_EXPORT(halve_rows_simd);

void halve_rows(const ImageView<const std::uint8_t>& from, const ImageView<std::uint8_t>& to, int first,
                int last) {
    HWY_DYNAMIC_DISPATCH(halve_rows_simd)(from, to, first, last);
}

}  // namespace fovea
#endif
