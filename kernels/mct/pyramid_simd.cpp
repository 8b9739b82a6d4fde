// The pyramid in vectors, compiled once for every instruction set and chosen at run time (Highway). All sums
// are exact integers, so that their order does not matter.

#include "kernels/mct/pyramid_simd.hpp"

#include <algorithm>
#include <cstring>

#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/mct/pyramid_simd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fovea {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Bytes = hn::ScalableTag<std::uint8_t>;
using Words = hn::RepartitionToWide<Bytes>;

// area_columns of one group; 18 pixels from `from` on are read.
HWY_INLINE void area_group(const std::uint8_t* from, const ColumnGroup& group, std::uint16_t* to) {
#if HWY_TARGET == HWY_SCALAR
    for (int i = 0; i < ColumnGroup::columns; ++i) {
        int sum = 0;
        for (int k = 0; k < 3; ++k) {
            const int pixel = group.shuffle[2 * i] < 128 ? from[group.shuffle[2 * i] + k] : 0;
            sum += pixel * group.weights[k][i];
        }
        to[i] = static_cast<std::uint16_t>(sum);
    }
#else
    const hn::FixedTag<std::uint8_t, 16> bytes;
    const hn::FixedTag<std::uint16_t, 8> words;
    const auto shuffle = hn::LoadU(bytes, group.shuffle.data());
    auto sum = hn::Zero(words);
    for (int k = 0; k < 3; ++k) {
        const auto pixels = hn::TableLookupBytesOr0(hn::LoadU(bytes, from + k), shuffle);
        sum = hn::Add(sum, hn::Mul(hn::BitCast(words, pixels), hn::LoadU(words, group.weights[k].data())));
    }
    hn::StoreU(sum, words, to);
#endif
}

// The first pass over one octave row of `width` pixels.
void area_columns_row(const std::uint8_t* from, int width, const ColumnGroup* groups, int count,
                      std::uint16_t* to) {
    constexpr int reach = 18;
    int group = 0;
    for (; group < count && groups[group].first + reach <= width; ++group) {
        area_group(from + groups[group].first, groups[group], to + ColumnGroup::columns * group);
    }
    for (; group < count; ++group) {
        std::uint8_t end[reach] = {};
        const int first = groups[group].first;
        if (first < width) std::memcpy(end, from + first, std::min(reach, width - first));
        area_group(end, groups[group], to + ColumnGroup::columns * group);
    }
}

// area_rows in words: with v = 256·high + low, Σ v·w + 2^15 = 256·(Σ high·w + 128) + Σ low·w, and both sums,
// and 1/256 of the whole, stay below 2^16.
void area_rows_row(const std::uint16_t* const (&rows)[3], const AreaTap& tap, std::uint8_t* to, int count) {
    int x = 0;
#if HWY_TARGET != HWY_SCALAR
    const Words words;
    const hn::RebindToSigned<Words> signed_words;
    const hn::Rebind<std::uint8_t, Words> half_bytes;
    const int lanes = static_cast<int>(hn::Lanes(words));
    const auto w0 = hn::Set(words, tap.weights[0]);
    const auto w1 = hn::Set(words, tap.weights[1]);
    const auto w2 = hn::Set(words, tap.weights[2]);
    const auto low_byte = hn::Set(words, 255);
    const auto weighted = [&](auto a, auto b, auto c) HWY_ATTR {
        return hn::Add(hn::Add(hn::Mul(a, w0), hn::Mul(b, w1)), hn::Mul(c, w2));
    };
    for (; x + lanes <= count; x += lanes) {
        const auto a = hn::LoadU(words, rows[0] + x);
        const auto b = hn::LoadU(words, rows[1] + x);
        const auto c = hn::LoadU(words, rows[2] + x);
        const auto high = weighted(hn::ShiftRight<8>(a), hn::ShiftRight<8>(b), hn::ShiftRight<8>(c));
        const auto low = weighted(hn::And(a, low_byte), hn::And(b, low_byte), hn::And(c, low_byte));
        const auto sum = hn::Add(hn::Add(high, hn::Set(words, 128)), hn::ShiftRight<8>(low));
        hn::StoreU(hn::DemoteTo(half_bytes, hn::BitCast(signed_words, hn::ShiftRight<8>(sum))), half_bytes,
                   to + x);
    }
#endif
    for (; x < count; ++x) {
        to[x] = static_cast<std::uint8_t>(area_rows(rows[0][x], rows[1][x], rows[2][x], tap));
    }
}

}  // namespace HWY_NAMESPACE
}  // namespace fovea
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea {

HWY_EXPORT(area_columns_row);
HWY_EXPORT(area_rows_row);

namespace {

std::vector<ColumnGroup> group_columns(const std::vector<AreaTap>& taps) {
    constexpr std::size_t size = ColumnGroup::columns;
    std::vector<ColumnGroup> groups((taps.size() + size - 1) / size);
    for (std::size_t g = 0; g < groups.size(); ++g) {
        ColumnGroup& group = groups[g];
        group.first = taps[g * size].first;
        group.shuffle.fill(0x80);  // gives 0
        for (auto& weights : group.weights) weights.fill(0);
        for (std::size_t i = 0; i < size && g * size + i < taps.size(); ++i) {
            const AreaTap& tap = taps[g * size + i];
            group.shuffle[2 * i] = static_cast<std::uint8_t>(tap.first - group.first);
            for (int k = 0; k < 3; ++k) group.weights[k][i] = tap.weights[k];
        }
    }
    return groups;
}

}  // namespace

std::vector<GreyBuffer> halve_often(ImageView<const std::uint8_t> image,
                                    std::span<const PyramidLevel> levels) {
    std::vector<GreyBuffer> octaves;
    const int last = levels.empty() ? 0 : level_source(levels.back().scale).octave;
    for (int octave = 1; octave <= last; ++octave) {
        octaves.push_back(halve_simd(octave == 1 ? image : octaves.back().view()));
    }
    return octaves;
}

LevelResampler::LevelResampler(ImageView<const std::uint8_t> octave, Size size, float scale)
    : octave_(octave), identity_(level_source(scale).ratio == 1) {
    if (identity_) return;
    const double ratio = level_source(scale).ratio;
    columns_ = group_columns(area_taps(size.width, ratio, octave.width));
    rows_ = area_taps(size.height, ratio, octave.height);
}

void LevelResampler::make_row(int octave_row, const Rect& area, std::uint16_t* to) const {
    constexpr int size = ColumnGroup::columns;
    HWY_DYNAMIC_DISPATCH(area_columns_row)
    (octave_.row(octave_row), octave_.width, columns_.data() + area.x / size, (area.width + size - 1) / size,
     to);
}

void LevelResampler::make(const Rect& area, ImageView<std::uint8_t> to, Scratch& scratch) const {
    if (identity_) {
        for (int y = 0; y < area.height; ++y) {
            std::memcpy(to.row(y), octave_.row(area.y + y) + area.x, area.width);
        }
        return;
    }
    // Neighbouring rows of the level share octave rows: the last four of these are kept.
    constexpr int kept = 4;
    const int stride = (area.width + ColumnGroup::columns - 1) / ColumnGroup::columns * ColumnGroup::columns;
    scratch.rows.resize(std::max(scratch.rows.size(), static_cast<std::size_t>(kept) * stride));
    int made = -1;
    for (int y = 0; y < area.height; ++y) {
        const AreaTap& tap = rows_[area.y + y];
        const std::uint16_t* rows[3];
        for (int k = 0; k < 3; ++k) {
            // A row of weight 0 may lie beyond the octave's end: any row may stand for it.
            const int row = tap.weights[k] > 0 ? tap.first + k : tap.first;
            std::uint16_t* place = scratch.rows.data() + static_cast<std::size_t>(row % kept) * stride;
            if (row > made) {
                make_row(row, area, place);
                made = row;
            }
            rows[k] = place;
        }
        HWY_DYNAMIC_DISPATCH(area_rows_row)(rows, tap, to.row(y), area.width);
    }
}

}  // namespace fovea
#endif
