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

#if HWY_TARGET == HWY_SCALAR
using GroupWords = Words;
#else
using GroupWords = hn::FixedTag<std::uint16_t, AreaColumns::group>;

// 16 pixels from the first one of each group on.
template <class D>
HWY_INLINE hn::Vec<D> load_groups(D bytes, const std::uint8_t* from, const std::int32_t* first) {
    constexpr int groups = static_cast<int>(hn::MaxLanes(bytes)) / (2 * AreaColumns::group);
    if constexpr (groups <= 1) {
        return hn::LoadU(bytes, from + first[0]);
    } else {
        const hn::Half<D> half;
        return hn::Combine(bytes, load_groups(half, from, first + groups / 2),
                           load_groups(half, from, first));
    }
}
#endif

// area_columns of the groups that make a vector, from `group` on; 18 pixels from the first one of each are
// read.
template <class D>
HWY_INLINE void area_groups(D /*words*/, const std::uint8_t* from, const std::int32_t* first,
                            const AreaColumns& columns, int group, std::uint16_t* to) {
    const std::uint8_t* shuffle = columns.shuffle.data() + std::ptrdiff_t{2} * AreaColumns::group * group;
    const std::ptrdiff_t at = std::ptrdiff_t{AreaColumns::group} * group;
#if HWY_TARGET == HWY_SCALAR
    for (int i = 0; i < AreaColumns::group; ++i) {
        int sum = 0;
        for (int k = 0; k < 3; ++k) {
            const int pixel = shuffle[2 * i] < 128 ? from[*first + shuffle[2 * i] + k] : 0;
            sum += pixel * columns.weights[k][at + i];
        }
        to[i] = static_cast<std::uint16_t>(sum);
    }
#else
    const D words;
    const hn::Repartition<std::uint8_t, D> bytes;
    const auto places = hn::LoadU(bytes, shuffle);
    auto sum = hn::Zero(words);
    for (int k = 0; k < 3; ++k) {
        const auto pixels = hn::TableLookupBytesOr0(load_groups(bytes, from + k, first), places);
        sum = hn::Add(sum,
                      hn::Mul(hn::BitCast(words, pixels), hn::LoadU(words, columns.weights[k].data() + at)));
    }
    hn::StoreU(sum, words, to);
#endif
}

// The first pass over one octave row of `width` pixels: `count` groups of columns from `group` on.
void area_columns_row(const std::uint8_t* from, int width, const AreaColumns& columns, int group, int count,
                      std::uint16_t* to) {
    constexpr int reach = 18, size = AreaColumns::group;
    const int end = group + count;
    const auto are_inside = [&](int groups) {
        return group + groups <= end && columns.first[group + groups - 1] + reach <= width;
    };
    constexpr int together = std::max(static_cast<int>(hn::MaxLanes(Words())) / size, 1);
    for (; together > 1 && are_inside(together); group += together, to += together * size) {
        area_groups(Words(), from, columns.first.data() + group, columns, group, to);
    }
    for (; are_inside(1); ++group, to += size) {
        area_groups(GroupWords(), from, columns.first.data() + group, columns, group, to);
    }
    for (; group < end; ++group, to += size) {
        std::uint8_t rest[reach] = {};
        const int first = columns.first[group];
        if (first < width) std::memcpy(rest, from + first, std::min(reach, width - first));
        const std::int32_t beginning = 0;
        area_groups(GroupWords(), rest, &beginning, columns, group, to);
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

AreaColumns group_columns(const std::vector<AreaTap>& taps) {
    constexpr std::size_t size = AreaColumns::group;
    const std::size_t groups = (taps.size() + size - 1) / size;
    AreaColumns columns;
    columns.shuffle.resize(2 * size * groups, 0x80);  // gives 0
    for (auto& weights : columns.weights) weights.resize(size * groups);
    for (std::size_t i = 0; i < taps.size(); ++i) {
        if (i % size == 0) columns.first.push_back(taps[i].first);
        columns.shuffle[2 * i] = static_cast<std::uint8_t>(taps[i].first - columns.first.back());
        for (std::size_t k = 0; k < 3; ++k) columns.weights[k][i] = taps[i].weights[k];
    }
    return columns;
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
    constexpr int size = AreaColumns::group;
    HWY_DYNAMIC_DISPATCH(area_columns_row)
    (octave_.row(octave_row), octave_.width, columns_, area.x / size, (area.width + size - 1) / size, to);
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
    const int stride = (area.width + AreaColumns::group - 1) / AreaColumns::group * AreaColumns::group;
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
