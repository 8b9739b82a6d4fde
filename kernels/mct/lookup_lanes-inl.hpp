// The steps of a look-up in lanes of 32 bits: masks, gathers, and lists of the remaining places.
// Included once for each instruction set (Highway), which replaces the include guard.

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "kernels/mct/evaluate.hpp"

#if defined(FOVEA_LOOKUP_LANES_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_LOOKUP_LANES_INL_HPP
#undef FOVEA_LOOKUP_LANES_INL_HPP
#else
#define FOVEA_LOOKUP_LANES_INL_HPP
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fovea {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Ints = hn::ScalableTag<std::int32_t>;
using IntVec = hn::Vec<Ints>;
constexpr Ints ints;

// Keeps the lowest bits, as many as there are lanes.
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

// Moves the lanes whose bits are set to the front; lanes behind them are undefined.
#if HWY_TARGET == HWY_AVX2
constexpr std::array<std::uint64_t, 256> make_lane_orders() {
    std::array<std::uint64_t, 256> orders{};
    for (int bits = 0; bits < 256; ++bits) {
        int shift = 0;
        for (std::uint64_t lane = 0; lane < 8; ++lane) {
            if ((bits >> lane & 1) == 0) continue;
            orders[bits] |= lane << shift;
            shift += 8;
        }
    }
    return orders;
}
// GCC 12 copies Highway's own table to the stack at each use.
constexpr std::array<std::uint64_t, 256> lane_orders = make_lane_orders();

class Compression {
  public:
    HWY_INLINE explicit Compression(std::uint64_t bits)
        : order_(_mm256_cvtepu8_epi32(
              _mm_loadl_epi64(reinterpret_cast<const __m128i*>(&lane_orders[bits & 255])))) {}
    HWY_INLINE IntVec operator()(IntVec lanes) const {
        return IntVec{_mm256_permutevar8x32_epi32(lanes.raw, order_)};
    }

  private:
    __m256i order_;
};
#else
class Compression {
  public:
    HWY_INLINE explicit Compression(std::uint64_t bits) : mask_(mask_of(bits)) {}
    HWY_INLINE IntVec operator()(IntVec lanes) const { return hn::Compress(lanes, mask_); }

  private:
    hn::Mask<Ints> mask_;
};
#endif

// Appends the lanes whose bits are set; there must be room for all lanes.
HWY_INLINE void append_lanes(IntVec offsets, IntVec sums, std::uint64_t bits, PlaceQueue& to) {
    const Compression compressed(bits);
    hn::StoreU(compressed(offsets), ints, reinterpret_cast<std::int32_t*>(to.offsets.data() + to.size));
    hn::StoreU(compressed(sums), ints, to.sums.data() + to.size);
    to.size += std::popcount(bits);
}

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
// The neighbours of an element are loaded with it, and then shifted or masked out.
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

}  // namespace HWY_NAMESPACE
}  // namespace fovea
HWY_AFTER_NAMESPACE();

#endif
