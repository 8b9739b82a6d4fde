// A block of places side by side and the vector operations of one look-up, for the instruction set at hand.
// Included once for each (Highway); no include guard but Highway's toggle.

#include <cstdint>
#include <cstring>

#include "kernels/mct/evaluate.hpp"
#include "kernels/mct/mct_cascade.hpp"

#if defined(FOVEA_DENSE_BLOCK_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_DENSE_BLOCK_INL_HPP
#undef FOVEA_DENSE_BLOCK_INL_HPP
#else
#define FOVEA_DENSE_BLOCK_INL_HPP
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fovea {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Ints = hn::ScalableTag<std::int32_t>;
using IntVec = hn::Vec<Ints>;
constexpr Ints ints;

// As many of the lowest bits as there are lanes.
HWY_INLINE std::uint64_t lane_bits(std::uint64_t bits) {
    return bits & ((std::uint64_t{1} << hn::Lanes(ints)) - 1);
}

HWY_INLINE hn::Mask<Ints> mask_of(std::uint64_t bits) {
    std::uint8_t bytes[8];
    std::memcpy(bytes, &bits, sizeof(bytes));
    return hn::LoadMaskBits(ints, bytes);
}

HWY_INLINE std::uint64_t bits_of(hn::Mask<Ints> mask) {
    std::uint8_t bytes[8] = {};
    hn::StoreMaskBits(ints, mask, bytes);
    std::uint64_t bits;
    std::memcpy(&bits, bytes, sizeof(bits));
    return bits;
}

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
// What lies beside the element that is meant is loaded with it and shifted or masked out.
HWY_INLINE IntVec gather_codes(const std::uint16_t* codes, IntVec offsets) {
    const IntVec pairs =
        hn::GatherOffset(ints, reinterpret_cast<const std::int32_t*>(codes), hn::Add(offsets, offsets));
    return hn::And(pairs, hn::Set(ints, 0xffff));
}

HWY_INLINE IntVec gather_weights(const std::int8_t* table, IntVec codes) {
    return hn::ShiftRight<24>(
        hn::GatherOffset(ints, reinterpret_cast<const std::int32_t*>(table - 3), codes));
}
#else
template <class Element>
HWY_INLINE IntVec gather_each(const Element* from, IntVec offsets) {
    HWY_ALIGN std::int32_t lanes[HWY_MAX_BYTES / sizeof(std::int32_t)];
    hn::Store(offsets, ints, lanes);
    for (std::size_t i = 0; i < hn::Lanes(ints); ++i) lanes[i] = from[lanes[i]];
    return hn::Load(ints, lanes);
}

HWY_INLINE IntVec gather_codes(const std::uint16_t* codes, IntVec offsets) {
    return gather_each(codes, offsets);
}

HWY_INLINE IntVec gather_weights(const std::int8_t* table, IntVec codes) {
    return gather_each(table, codes);
}
#endif

#if HWY_TARGET == HWY_AVX3_DL
// 64 places; a whole table lies in eight registers. Sums have 16 bits.
class DenseBlock {
  public:
    static constexpr int places = 64;
    static constexpr int fewest = 10;  // below, gathering is faster
    static constexpr bool has_16_bits = true;

    static std::uint64_t bits(std::uint64_t alive) { return alive; }

    HWY_INLINE explicit DenseBlock(const std::int16_t* sums)
        : low_(sums == nullptr ? _mm512_setzero_si512() : _mm512_loadu_si512(sums)),
          high_(sums == nullptr ? _mm512_setzero_si512() : _mm512_loadu_si512(sums + 32)) {}

    // One bit a place that no threshold rejected.
    HWY_INLINE std::uint64_t evaluate(const PlacedLookup* lookup, const PlacedLookup* end,
                                      std::uint32_t offset) {
        __mmask32 low_alive = ~__mmask32{0};
        __mmask32 high_alive = ~__mmask32{0};
        for (; lookup != end; ++lookup) {
            if (lookup->starts_stage) low_ = high_ = _mm512_setzero_si512();
            // Bytes by turns: of the first 32 places, and of the last.
            const __m512i weights = weights_at(lookup->table, lookup->codes + offset);
            low_ = _mm512_add_epi16(low_, _mm512_srai_epi16(_mm512_slli_epi16(weights, 8), 8));
            high_ = _mm512_add_epi16(high_, _mm512_srai_epi16(weights, 8));
            const __m512i limit = _mm512_set1_epi16(
                static_cast<short>(std::clamp<std::int32_t>(lookup->reject_above, -32768, 32767)));
            low_alive &= _mm512_cmple_epi16_mask(low_, limit);
            high_alive &= _mm512_cmple_epi16_mask(high_, limit);
        }
        return low_alive | std::uint64_t{high_alive} << 32;
    }

    HWY_INLINE void store(std::int32_t* sums) const {
        _mm512_store_si512(sums, _mm512_cvtepi16_epi32(_mm512_castsi512_si256(low_)));
        _mm512_store_si512(sums + 16, _mm512_cvtepi16_epi32(_mm512_extracti64x4_epi64(low_, 1)));
        _mm512_store_si512(sums + 32, _mm512_cvtepi16_epi32(_mm512_castsi512_si256(high_)));
        _mm512_store_si512(sums + 48, _mm512_cvtepi16_epi32(_mm512_extracti64x4_epi64(high_, 1)));
    }

  private:
    static HWY_INLINE __m512i weights_at(const std::int8_t* table, const std::uint16_t* codes) {
        const __m512i low_byte = _mm512_set1_epi16(255);
        const __m512i first = _mm512_loadu_si512(codes);
        const __m512i last = _mm512_loadu_si512(codes + 32);
        const __m512i index =
            _mm512_ternarylogic_epi32(low_byte, first, _mm512_slli_epi16(last, 8), 0xca);  // low ? a : b
        const __m512i ninth_bits =
            _mm512_ternarylogic_epi32(low_byte, _mm512_srli_epi16(first, 8), last, 0xca);
        const __mmask64 upper_half = _mm512_test_epi8_mask(ninth_bits, _mm512_set1_epi8(1));
        const __mmask64 upper_quarter = _mm512_movepi8_mask(index);
        const auto quarter = [&](int i) HWY_ATTR {
            return _mm512_permutex2var_epi8(_mm512_load_si512(table + 128 * i), index,
                                            _mm512_load_si512(table + 128 * i + 64));
        };
        const __m512i lower = _mm512_mask_mov_epi8(quarter(0), upper_quarter, quarter(1));
        const __m512i upper = _mm512_mask_mov_epi8(quarter(2), upper_quarter, quarter(3));
        return _mm512_mask_mov_epi8(lower, upper_half, upper);
    }

    __m512i low_;
    __m512i high_;
};
#else
// A vector's places: their codes are one load, their weights gathered.
class DenseBlock {
  public:
    static constexpr int places = static_cast<int>(hn::MaxLanes(ints));
    static constexpr int fewest = (places + 1) / 2;
    static constexpr bool has_16_bits = false;

    static std::uint64_t bits(std::uint64_t alive) { return lane_bits(alive); }

    HWY_INLINE explicit DenseBlock(const std::int16_t* sums)
        : sums_(sums == nullptr ? hn::Zero(ints)
                                : hn::PromoteTo(ints, hn::LoadU(hn::Rebind<std::int16_t, Ints>(), sums))) {}

    HWY_INLINE std::uint64_t evaluate(const PlacedLookup* lookup, const PlacedLookup* end,
                                      std::uint32_t offset) {
        auto rejected = hn::Gt(hn::Zero(ints), hn::Zero(ints));
        for (; lookup != end; ++lookup) {
            if (lookup->starts_stage) sums_ = hn::Zero(ints);
            const IntVec codes =
                hn::PromoteTo(ints, hn::LoadU(hn::Rebind<std::uint16_t, Ints>(), lookup->codes + offset));
            sums_ = hn::Add(sums_, gather_weights(lookup->table, codes));
            rejected = hn::Or(rejected, hn::Gt(sums_, hn::Set(ints, lookup->reject_above)));
        }
        return lane_bits(~bits_of(rejected));
    }

    HWY_INLINE void store(std::int32_t* sums) const { hn::Store(sums_, ints, sums); }

  private:
    IntVec sums_;
};
#endif

}  // namespace HWY_NAMESPACE
}  // namespace fovea
HWY_AFTER_NAMESPACE();

#endif
