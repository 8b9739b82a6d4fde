// Blocks of places, which make a look-up at once.
// Included once for each instruction set (Highway), which replaces the include guard.

#include <bit>
#include <cstdint>

#include "kernels/mct/evaluate.hpp"

#if defined(FOVEA_LOOKUP_BLOCKS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_LOOKUP_BLOCKS_INL_HPP
#undef FOVEA_LOOKUP_BLOCKS_INL_HPP
#else
#define FOVEA_LOOKUP_BLOCKS_INL_HPP
#endif

#include <hwy/highway.h>

#include "kernels/mct/lookup_lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace fovea {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_AVX3_DL
// Weights of 64 codes, from a table in eight registers. Bytes of the first and last 32 codes take turns.
HWY_INLINE __m512i weights_of(const std::int8_t* table, __m512i first, __m512i last) {
    const __m512i low_byte = _mm512_set1_epi16(255);
    const __m512i index =
        _mm512_ternarylogic_epi32(low_byte, first, _mm512_slli_epi16(last, 8), 0xca);  // low ? a : b
    const __m512i ninth_bits = _mm512_ternarylogic_epi32(low_byte, _mm512_srli_epi16(first, 8), last, 0xca);
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

// Sums of 64 places in 16 bits, to which look-ups are added.
struct WordSums {
    __m512i first;
    __m512i last;
    __mmask32 first_alive = ~__mmask32{0};
    __mmask32 last_alive = ~__mmask32{0};

    HWY_INLINE void add(const PlacedLookup& lookup, __m512i first_codes, __m512i last_codes) {
        if (lookup.starts_stage) first = last = _mm512_setzero_si512();
        const __m512i weights = weights_of(lookup.table, first_codes, last_codes);
        first = _mm512_add_epi16(first, _mm512_srai_epi16(_mm512_slli_epi16(weights, 8), 8));
        last = _mm512_add_epi16(last, _mm512_srai_epi16(weights, 8));
        const __m512i limit = _mm512_set1_epi16(lookup.reject_above_16);
        first_alive &= _mm512_cmple_epi16_mask(first, limit);
        last_alive &= _mm512_cmple_epi16_mask(last, limit);
    }
};

// 64 places; sums have 16 bits.
class DenseBlock {
  public:
    static constexpr int places = 64;
    static constexpr int fewest = 16;  // below, gathering is faster
    static constexpr bool has_16_bits = true;

    static std::uint64_t bits(std::uint64_t alive) { return alive; }

    HWY_INLINE explicit DenseBlock(const std::int16_t* sums)
        : sums_{sums == nullptr ? _mm512_setzero_si512() : _mm512_loadu_si512(sums),
                sums == nullptr ? _mm512_setzero_si512() : _mm512_loadu_si512(sums + 32)} {}

    // Makes look-ups [lookup, end). \return one bit a place: 1 if no threshold rejected it.
    HWY_INLINE std::uint64_t evaluate(const PlacedLookup* lookup, const PlacedLookup* end,
                                      std::uint32_t offset) {
        for (; lookup != end; ++lookup) {
            const std::uint16_t* codes = lookup->codes + offset;
            sums_.add(*lookup, _mm512_loadu_si512(codes), _mm512_loadu_si512(codes + 32));
        }
        return sums_.first_alive | std::uint64_t{sums_.last_alive} << 32;
    }

    HWY_INLINE void store(std::int32_t* sums) const {
        _mm512_store_si512(sums, _mm512_cvtepi16_epi32(_mm512_castsi512_si256(sums_.first)));
        _mm512_store_si512(sums + 16, _mm512_cvtepi16_epi32(_mm512_extracti64x4_epi64(sums_.first, 1)));
        _mm512_store_si512(sums + 32, _mm512_cvtepi16_epi32(_mm512_castsi512_si256(sums_.last)));
        _mm512_store_si512(sums + 48, _mm512_cvtepi16_epi32(_mm512_extracti64x4_epi64(sums_.last, 1)));
    }

  private:
    WordSums sums_;
};

// 64 places anywhere. Their codes are gathered 16 at a time, and pairs of sixteens are interleaved.
class SparseBlock {
  public:
    static constexpr int places = 64;

    HWY_INLINE SparseBlock(const std::uint32_t* offsets, const std::int32_t* sums) {
        for (int i = 0; i < 4; ++i) offsets_[i] = _mm512_loadu_si512(offsets + 16 * i);
        sums_.first = interleaved(_mm512_loadu_si512(sums), _mm512_loadu_si512(sums + 16));
        sums_.last = interleaved(_mm512_loadu_si512(sums + 32), _mm512_loadu_si512(sums + 48));
    }

    HWY_INLINE void evaluate(const PlacedLookup* lookup, const PlacedLookup* end) {
        for (; lookup != end; ++lookup) {
            const auto codes = [&](int i)
                                   HWY_ATTR { return _mm512_i32gather_epi32(offsets_[i], lookup->codes, 2); };
            sums_.add(*lookup, interleaved(codes(0), codes(1)), interleaved(codes(2), codes(3)));
        }
    }

    // Appends the places that no threshold rejected.
    HWY_INLINE void append(PlaceQueue& to) const {
        const auto quarter = [&](__m512i offsets, __m512i sums, std::uint32_t bits) HWY_ATTR {
            const auto mask = static_cast<__mmask16>(bits);
            _mm512_storeu_si512(to.offsets.data() + to.size, _mm512_maskz_compress_epi32(mask, offsets));
            _mm512_storeu_si512(to.sums.data() + to.size, _mm512_maskz_compress_epi32(mask, sums));
            to.size += std::popcount(bits);
        };
        const auto even = [](__m512i sums)
                              HWY_ATTR { return _mm512_srai_epi32(_mm512_slli_epi32(sums, 16), 16); };
        const auto odd = [](__m512i sums) HWY_ATTR { return _mm512_srai_epi32(sums, 16); };
        quarter(offsets_[0], even(sums_.first), _pext_u32(sums_.first_alive, 0x55555555));
        quarter(offsets_[1], odd(sums_.first), _pext_u32(sums_.first_alive, 0xaaaaaaaa));
        quarter(offsets_[2], even(sums_.last), _pext_u32(sums_.last_alive, 0x55555555));
        quarter(offsets_[3], odd(sums_.last), _pext_u32(sums_.last_alive, 0xaaaaaaaa));
    }

  private:
    // Interleaves the low halves of both.
    static HWY_INLINE __m512i interleaved(__m512i even, __m512i odd) {
        return _mm512_mask_mov_epi16(even, 0xaaaaaaaa, _mm512_slli_epi32(odd, 16));
    }

    __m512i offsets_[4];
    WordSums sums_;
};
#else
// One place for each lane of a vector: codes are loaded, weights gathered.
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
