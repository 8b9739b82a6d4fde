// Rows of a face network in vectors, compiled once for every instruction set and chosen at run time
// (Highway). All sums are exact integers, so that their order does not matter.

#include <algorithm>
#include <cstring>

#include "kernels/face_net/face_net_body.hpp"
#include "kernels/face_net/net_rows.hpp"

// The newest instruction set, for products of bytes.
#define HWY_WANT_AVX3_DL 1
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV | HWY_WASM_EMU256)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/face_net/net_rows_simd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fovea {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Highway's emulation of vectors (EMU128) has no registers of x86.
#undef FOVEA_NET_SSE
#if HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
#define FOVEA_NET_SSE 1
#else
#define FOVEA_NET_SSE 0
#endif

// On machines without vectors a vector is one byte: values are computed one after the other.
#if HWY_TARGET == HWY_SCALAR

template <bool relu, class Source>
void pointwise(const PackedPointwise& layer, const Source& source, int width, std::uint8_t* to) {
    for (int x = 0; x < width; ++x) {
        for (int output = 0; output < layer.outputs; ++output) {
            std::int32_t sum = layer.bias[output];
            for (int step = 0; step < layer.steps; ++step) {
                const std::uint8_t* from = source.at(x, step);
                const std::int8_t* weights =
                    layer.weights.fours.data() + std::ptrdiff_t{4} * (step * layer.outputs + output);
                for (int i = 0; i < 4; ++i) sum += from[i] * weights[i];
            }
            const float scale = layer.scale[output];
            *to++ =
                relu ? relu_result(sum, scale) : static_cast<std::uint8_t>(signed_result(sum, scale) + 128);
        }
    }
}

void depthwise(const PackedDepthwise& layer, const std::uint8_t* const (&rows)[3], int width,
               std::uint8_t* to) {
    for (int x = 0; x < width; ++x) {
        for (int channel = 0; channel < layer.channels; ++channel) {
            const std::ptrdiff_t at =
                channel / 4 % 4 * static_cast<std::ptrdiff_t>(layer.lanes) + channel / 16 * 4 + channel % 4;
            std::int32_t sum = layer.bias[at];
            for (int dx = 0; dx < 3; ++dx) {
                const std::int8_t* weights =
                    layer.weights.fours.data() +
                    4 * (dx * PackedDepthwise::parts * static_cast<std::ptrdiff_t>(layer.lanes) + at);
                for (int dy = 0; dy < 3; ++dy) {
                    sum += rows[dy][(x + dx) * layer.channels + channel] * weights[dy];
                }
            }
            *to++ = relu_result(sum, layer.scale[at]);
        }
    }
}

void pool(const std::uint8_t* top, const std::uint8_t* bottom, int channels, int width, std::uint8_t* to) {
    for (int i = 0; i < width * channels; ++i) {
        const int left = i / channels * 2 * channels + i % channels, right = left + channels;
        to[i] = std::max({top[left], top[right], bottom[left], bottom[right]});
    }
}

void add_maps(const FaceNetSum& sum, const std::uint8_t* fine, const std::uint8_t* coarse, int channels,
              int width, std::uint8_t* to) {
    for (int i = 0; i < width * channels; ++i) {
        to[i] = sum_result(fine[i], sum.fine_scale, coarse[i / channels / 2 * channels + i % channels],
                           sum.coarse_scale);
    }
}

#else

using Bytes = hn::ScalableTag<std::uint8_t>;
using Shorts = hn::Repartition<std::int16_t, Bytes>;
using Ints = hn::Repartition<std::int32_t, Bytes>;
using Floats = hn::RebindToFloat<Ints>;
using ByteVector = hn::Vec<Bytes>;
using ShortVector = hn::Vec<Shorts>;
using IntVector = hn::Vec<Ints>;
constexpr int vector_bytes = static_cast<int>(hn::MaxLanes(Bytes()));
constexpr int lanes = vector_bytes / 4;
constexpr bool has_32_registers = HWY_TARGET == HWY_AVX3_DL || HWY_TARGET == HWY_AVX3 || HWY_ARCH_ARM_A64;

// Four weights for each lane, and bytes that are multiplied with them.
#if HWY_TARGET == HWY_AVX3_DL
struct Fours {
    hn::Vec<hn::RebindToSigned<Bytes> > weights;
};
using Inputs = ByteVector;

HWY_INLINE Fours load_weights(const PackedWeights& weights, std::size_t lane) {
    return {hn::LoadU(hn::RebindToSigned<Bytes>(), weights.fours.data() + 4 * lane)};
}
HWY_INLINE Inputs as_inputs(ByteVector bytes) {
    return bytes;
}
HWY_INLINE IntVector add_products(IntVector sum, const Inputs& inputs, const Fours& fours) {
    // Highway chooses this target only where there is the instruction, but does not let compilers use it.
    asm("vpdpbusd %2, %1, %0" : "+v"(sum.raw) : "v"(inputs.raw), "vm"(fours.weights.raw));
    return sum;
}
#else
struct Fours {
    ShortVector even, odd;
};
struct Inputs {
    ShortVector even, odd;
};

HWY_INLINE Fours load_weights(const PackedWeights& weights, std::size_t lane) {
    return {hn::LoadU(Shorts(), weights.even.data() + 2 * lane),
            hn::LoadU(Shorts(), weights.odd.data() + 2 * lane)};
}
HWY_INLINE Inputs as_inputs(ByteVector bytes) {
    const hn::RebindToUnsigned<Shorts> words;
    const auto pairs = hn::BitCast(words, bytes);
    return {hn::BitCast(Shorts(), hn::And(pairs, hn::Set(words, 255))),
            hn::BitCast(Shorts(), hn::ShiftRight<8>(pairs))};
}
HWY_INLINE IntVector add_pairs(IntVector sum, ShortVector a, ShortVector b) {
#if FOVEA_NET_SSE
    IntVector unused = hn::Zero(Ints());
    return hn::ReorderWidenMulAccumulate(Ints(), a, b, sum, unused);
#else
    // Elsewhere that operation does not say which products it adds.
    const Ints ints;
    const auto low = [&](ShortVector v)
                         HWY_ATTR { return hn::ShiftRight<16>(hn::ShiftLeft<16>(hn::BitCast(ints, v))); };
    const auto high = [&](ShortVector v) HWY_ATTR { return hn::ShiftRight<16>(hn::BitCast(ints, v)); };
    return hn::Add(sum, hn::Add(hn::Mul(low(a), low(b)), hn::Mul(high(a), high(b))));
#endif
}
HWY_INLINE IntVector add_products(IntVector sum, const Inputs& inputs, const Fours& fours) {
    return add_pairs(add_pairs(sum, inputs.even, fours.even), inputs.odd, fours.odd);
}
#endif

// rint(value), which is within 32 bits: Highway's own conversion also serves larger numbers.
HWY_INLINE IntVector rounded(hn::Vec<Floats> value) {
#if HWY_TARGET == HWY_AVX3_DL || HWY_TARGET == HWY_AVX3
    return IntVector{_mm512_cvtps_epi32(value.raw)};
#elif HWY_TARGET == HWY_AVX2
    return IntVector{_mm256_cvtps_epi32(value.raw)};
#elif FOVEA_NET_SSE
    return IntVector{_mm_cvtps_epi32(value.raw)};
#else
    return hn::NearestInt(value);
#endif
}

HWY_INLINE IntVector scaled(IntVector sum, hn::Vec<Floats> scale) {
    return rounded(hn::Mul(hn::ConvertTo(Floats(), sum), scale));
}

// Four vectors as bytes, clamped, in the order in which InterleaveLower and InterleaveUpper take bytes apart.
// Clamped to signed bytes, 128 is added.
template <bool relu>
HWY_INLINE ByteVector pack(const IntVector (&values)[4]) {
    const auto low = hn::ReorderDemote2To(Shorts(), values[0], values[1]);
    const auto high = hn::ReorderDemote2To(Shorts(), values[2], values[3]);
#if HWY_TARGET == HWY_AVX3_DL || HWY_TARGET == HWY_AVX3
    const ByteVector bytes{relu ? _mm512_packus_epi16(low.raw, high.raw)
                                : _mm512_packs_epi16(low.raw, high.raw)};
#elif HWY_TARGET == HWY_AVX2
    const ByteVector bytes{relu ? _mm256_packus_epi16(low.raw, high.raw)
                                : _mm256_packs_epi16(low.raw, high.raw)};
#elif FOVEA_NET_SSE
    const ByteVector bytes{relu ? _mm_packus_epi16(low.raw, high.raw) : _mm_packs_epi16(low.raw, high.raw)};
#else
    using Half = std::conditional_t<relu, hn::Half<Bytes>, hn::RebindToSigned<hn::Half<Bytes> > >;
    const Half half;
    const auto bytes = hn::BitCast(
        Bytes(), hn::Combine(hn::Twice<Half>(), hn::DemoteTo(half, high), hn::DemoteTo(half, low)));
#endif
    return relu ? bytes : hn::Xor(bytes, hn::Set(Bytes(), 128));
}

// Bytes that pack() made, in the order of its four vectors, one after the other.
HWY_INLINE ByteVector in_order(ByteVector bytes) {
    if constexpr (vector_bytes == 16) {
        return bytes;
    } else {
        constexpr int blocks = vector_bytes / 16;
        HWY_ALIGN std::int32_t from[lanes];
        for (int i = 0; i < lanes; ++i) from[i] = i % blocks * 4 + i / blocks;
        return hn::BitCast(
            Bytes(), hn::TableLookupLanes(hn::BitCast(Ints(), bytes), hn::SetTableIndices(Ints(), from)));
    }
}

// `pixels` pixels from x on, `vectors` vectors of outputs from `first` on.
template <bool relu, int pixels, int vectors, class Source>
HWY_INLINE void pointwise_tile(const PackedPointwise& layer, const Source& source, int x, int first,
                               std::uint8_t* to) {
    constexpr int together = 4 / vectors;  // pixels that are packed into one vector
    constexpr int piece = vectors * lanes;
    static_assert(pixels % together == 0);
    IntVector sums[pixels][vectors];
    for (int v = 0; v < vectors; ++v) {
        const auto bias = hn::LoadU(Ints(), layer.bias.data() + first + v * lanes);
        for (int p = 0; p < pixels; ++p) sums[p][v] = bias;
    }
    std::size_t lane = static_cast<std::size_t>(first);
    int step = 0;
    do {  // at least once, so that the sums need not be in memory
        Fours weights[vectors];
        for (int v = 0; v < vectors; ++v) {
            weights[v] = load_weights(layer.weights, lane + static_cast<std::size_t>(v * lanes));
        }
        for (int p = 0; p < pixels; ++p) {
            std::int32_t four = 0;
            std::memcpy(&four, source.at(x + p, step), sizeof four);
            const Inputs inputs = as_inputs(hn::BitCast(Bytes(), hn::Set(Ints(), four)));
            for (int v = 0; v < vectors; ++v) sums[p][v] = add_products(sums[p][v], inputs, weights[v]);
        }
        lane += static_cast<std::size_t>(layer.outputs);
    } while (++step < layer.steps);
    const float* scale = layer.scale.data() + first;
    for (int p = 0; p < pixels; p += together) {
        IntVector values[4];
        for (int i = 0; i < 4; ++i) {
            values[i] =
                scaled(sums[p + i / vectors][i % vectors], hn::LoadU(Floats(), scale + i % vectors * lanes));
        }
        const ByteVector bytes = in_order(pack<relu>(values));
        std::uint8_t* place = to + static_cast<std::ptrdiff_t>(x + p) * layer.outputs + first;
        if (together == 1 || layer.outputs == piece) {
            hn::StoreU(bytes, Bytes(), place);
            continue;
        }
        HWY_ALIGN std::uint8_t pieces[vector_bytes];
        hn::Store(bytes, Bytes(), pieces);
        for (int i = 0; i < together; ++i) std::memcpy(place + i * layer.outputs, pieces + i * piece, piece);
    }
}

template <bool relu, int pixels, int vectors, class Source>
void pointwise_tiles(const PackedPointwise& layer, const Source& source, int width, std::uint8_t* to) {
    static_assert(pixels <= net_row_more_pixels);
    for (int x = 0; x < width; x += pixels) {
        for (int first = 0; first < layer.outputs; first += vectors * lanes) {
            pointwise_tile<relu, pixels, vectors>(layer, source, x, first, to);
        }
    }
}

template <bool relu, class Source>
void pointwise(const PackedPointwise& layer, const Source& source, int width, std::uint8_t* to) {
    const int vectors = layer.outputs / lanes;
    if (vectors % 4 == 0) {
        constexpr int pixels = HWY_TARGET == HWY_AVX3_DL ? 6 : has_32_registers ? 4 : 2;
        pointwise_tiles<relu, pixels, 4>(layer, source, width, to);
    } else if (vectors % 2 == 0) {
        pointwise_tiles<relu, has_32_registers ? 8 : 4, 2>(layer, source, width, to);
    } else {
        pointwise_tiles<relu, 8, 1>(layer, source, width, to);
    }
}

// The bytes of three rows at one place: four lanes of each part and block, bytes above, same, below, any.
struct Column {
    Inputs parts[PackedDepthwise::parts];
};

HWY_INLINE Column interleaved(const std::uint8_t* const (&rows)[3], std::ptrdiff_t at) {
    const Bytes bytes;
    const Shorts shorts;
    const auto top = hn::LoadU(bytes, rows[0] + at), same = hn::LoadU(bytes, rows[1] + at),
               bottom = hn::LoadU(bytes, rows[2] + at);
    const auto words = [&](ByteVector v) HWY_ATTR { return hn::BitCast(shorts, v); };
    const auto inputs = [&](ShortVector v) HWY_ATTR { return as_inputs(hn::BitCast(bytes, v)); };
    const auto low = words(hn::InterleaveLower(bytes, top, same)),
               high = words(hn::InterleaveUpper(bytes, top, same)),
               low_bottom = words(hn::InterleaveLower(bytes, bottom, bottom)),
               high_bottom = words(hn::InterleaveUpper(bytes, bottom, bottom));
    return {{inputs(hn::InterleaveLower(shorts, low, low_bottom)),
             inputs(hn::InterleaveUpper(shorts, low, low_bottom)),
             inputs(hn::InterleaveLower(shorts, high, high_bottom)),
             inputs(hn::InterleaveUpper(shorts, high, high_bottom))}};
}

HWY_INLINE Fours kernel_weights(const PackedDepthwise& layer, int dx, int part, std::size_t lane) {
    return load_weights(layer.weights,
                        static_cast<std::size_t>(dx * PackedDepthwise::parts + part) * layer.lanes + lane);
}

HWY_INLINE std::size_t part_lane(const PackedDepthwise& layer, int part, std::size_t lane) {
    return static_cast<std::size_t>(part) * layer.lanes + lane;
}

HWY_INLINE void store_results(const PackedDepthwise& layer, const IntVector (&sums)[PackedDepthwise::parts],
                              std::size_t lane, std::uint8_t* to) {
    IntVector values[4];
    for (int part = 0; part < 4; ++part) {
        values[part] =
            scaled(sums[part], hn::LoadU(Floats(), layer.scale.data() + part_lane(layer, part, lane)));
    }
    hn::StoreU(pack<true>(values), Bytes(), to);
}

// The channels of one vector over the whole row: each column is interleaved once and serves three results.
void depthwise_channels(const PackedDepthwise& layer, const std::uint8_t* const (&rows)[3], int width,
                        int first, std::uint8_t* to) {
    constexpr int parts = PackedDepthwise::parts;
    const auto lane = static_cast<std::size_t>(first / 4);
    // Copies: compilers take the results for bytes that may overwrite the layer.
    Fours weights[3][parts];
    IntVector bias[parts];
    hn::Vec<Floats> scale[parts];
    for (int part = 0; part < parts; ++part) {
        for (int dx = 0; dx < 3; ++dx) weights[dx][part] = kernel_weights(layer, dx, part, lane);
        bias[part] = hn::LoadU(Ints(), layer.bias.data() + part_lane(layer, part, lane));
        scale[part] = hn::LoadU(Floats(), layer.scale.data() + part_lane(layer, part, lane));
    }
    const std::ptrdiff_t step = layer.channels;
    const std::uint8_t* const columns[3] = {rows[0] + first, rows[1] + first, rows[2] + first};
    to += first;
    const auto result = [&](const Column& left, const Column& middle, const Column& right, int x) HWY_ATTR {
        IntVector values[parts];
        for (int part = 0; part < parts; ++part) {
            auto sum = add_products(bias[part], left.parts[part], weights[0][part]);
            sum = add_products(sum, middle.parts[part], weights[1][part]);
            values[part] = scaled(add_products(sum, right.parts[part], weights[2][part]), scale[part]);
        }
        hn::StoreU(pack<true>(values), Bytes(), to + x * step);
    };
    Column a = interleaved(columns, 0), b = interleaved(columns, step);
    int x = 0;
    for (; x + 3 <= width; x += 3) {
        Column c = interleaved(columns, (x + 2) * step);
        result(a, b, c, x);
        a = interleaved(columns, (x + 3) * step);
        result(b, c, a, x + 1);
        b = interleaved(columns, (x + 4) * step);
        result(c, a, b, x + 2);
    }
    for (; x < width; ++x) {
        const Column c = interleaved(columns, (x + 2) * step);
        result(a, b, c, x);
        a = b;
        b = c;
    }
}

// Vectors of several pixels, one after the other.
template <bool begins_at_first>
HWY_INLINE void depthwise_stream(const PackedDepthwise& layer, const std::uint8_t* const (&rows)[3],
                                 int width, std::uint8_t* to) {
    constexpr int parts = PackedDepthwise::parts;
    const int bytes = width * layer.channels;
    for (int at = 0; at < bytes; at += vector_bytes) {
        const std::size_t lane = begins_at_first ? 0 : static_cast<std::size_t>(at % layer.channels / 4);
        IntVector sums[parts];
        for (int part = 0; part < parts; ++part) {
            sums[part] = hn::LoadU(Ints(), layer.bias.data() + part_lane(layer, part, lane));
        }
        for (int dx = 0; dx < 3; ++dx) {
            const Column column = interleaved(rows, at + std::ptrdiff_t{dx} * layer.channels);
            for (int part = 0; part < parts; ++part) {
                sums[part] =
                    add_products(sums[part], column.parts[part], kernel_weights(layer, dx, part, lane));
            }
        }
        store_results(layer, sums, lane, to + at);
    }
}

void depthwise(const PackedDepthwise& layer, const std::uint8_t* const (&rows)[3], int width,
               std::uint8_t* to) {
    if (layer.channels % vector_bytes == 0) {
        for (int first = 0; first < layer.channels; first += vector_bytes) {
            depthwise_channels(layer, rows, width, first, to);
        }
    } else if (vector_bytes % layer.channels == 0) {
        depthwise_stream<true>(layer, rows, width, to);
    } else {
        depthwise_stream<false>(layer, rows, width, to);
    }
}

void pool(const std::uint8_t* top, const std::uint8_t* bottom, int channels, int width, std::uint8_t* to) {
    const hn::FixedTag<std::uint8_t, 16> block;
    for (int x = 0; x < width; ++x, top += channels, bottom += channels) {
        for (int channel = 0; channel < channels; channel += 16, top += 16, bottom += 16, to += 16) {
            const auto left = hn::Max(hn::LoadU(block, top), hn::LoadU(block, bottom));
            const auto right = hn::Max(hn::LoadU(block, top + channels), hn::LoadU(block, bottom + channels));
            hn::StoreU(hn::Max(left, right), block, to);
        }
    }
}

void add_maps(const FaceNetSum& sum, const std::uint8_t* fine, const std::uint8_t* coarse, int channels,
              int width, std::uint8_t* to) {
    const hn::Rebind<std::uint8_t, Ints> quarter;
    const auto fine_scale = hn::Set(Floats(), sum.fine_scale);
    const auto coarse_scale = hn::Set(Floats(), sum.coarse_scale);
    const auto product = [&](const std::uint8_t* from, hn::Vec<Floats> scale) HWY_ATTR {
        return hn::Mul(hn::ConvertTo(Floats(), hn::PromoteTo(Ints(), hn::LoadU(quarter, from))), scale);
    };
    for (int x = 0; x < width; ++x) {
        for (int channel = 0; channel < channels; channel += lanes, fine += lanes, to += lanes) {
            const auto total = hn::Add(product(fine, fine_scale),
                                       product(coarse + x / 2 * channels + channel, coarse_scale));
            hn::StoreU(hn::DemoteTo(quarter, rounded(total)), quarter, to);
        }
    }
}
#endif

struct StemSource {
    const std::uint8_t* rows[3];

    HWY_INLINE const std::uint8_t* at(int x, int step) const { return rows[step] + std::ptrdiff_t{2} * x; }
};

struct RowSource {
    const std::uint8_t* row;
    std::ptrdiff_t channels;

    HWY_INLINE const std::uint8_t* at(int x, int step) const {
        return row + x * channels + std::ptrdiff_t{4} * step;
    }
};

void stem_in_vectors(const PackedPointwise& stem, const std::uint8_t* const (&rows)[3], int width,
                     std::uint8_t* to) {
    pointwise<true>(stem, StemSource{{rows[0], rows[1], rows[2]}}, width, to);
}

void pointwise_in_vectors(const PackedPointwise& layer, const std::uint8_t* from, int width,
                          std::uint8_t* to) {
    pointwise<false>(layer, RowSource{from, std::ptrdiff_t{4} * layer.steps}, width, to);
}

void depthwise_in_vectors(const PackedDepthwise& layer, const std::uint8_t* const (&rows)[3], int width,
                          std::uint8_t* to) {
    depthwise(layer, rows, width, to);
}

void pool_in_vectors(const std::uint8_t* top, const std::uint8_t* bottom, int channels, int width,
                     std::uint8_t* to) {
    pool(top, bottom, channels, width, to);
}

void sum_in_vectors(const FaceNetSum& rule, const std::uint8_t* fine, const std::uint8_t* coarse,
                    int channels, int width, std::uint8_t* to) {
    add_maps(rule, fine, coarse, channels, width, to);
}

}  // namespace HWY_NAMESPACE
}  // namespace fovea
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea {

HWY_EXPORT(stem_in_vectors);
HWY_EXPORT(pointwise_in_vectors);
HWY_EXPORT(depthwise_in_vectors);
HWY_EXPORT(pool_in_vectors);
HWY_EXPORT(sum_in_vectors);

void stem_row(const PackedPointwise& stem, const std::uint8_t* const (&rows)[3], int width,
              std::uint8_t* to) {
    HWY_DYNAMIC_DISPATCH(stem_in_vectors)(stem, rows, width, to);
}

void pointwise_row(const PackedPointwise& layer, const std::uint8_t* from, int width, std::uint8_t* to) {
    HWY_DYNAMIC_DISPATCH(pointwise_in_vectors)(layer, from, width, to);
}

void depthwise_row(const PackedDepthwise& layer, const std::uint8_t* const (&rows)[3], int width,
                   std::uint8_t* to) {
    HWY_DYNAMIC_DISPATCH(depthwise_in_vectors)(layer, rows, width, to);
}

void pool_row(const std::uint8_t* top, const std::uint8_t* bottom, int channels, int width,
              std::uint8_t* to) {
    HWY_DYNAMIC_DISPATCH(pool_in_vectors)(top, bottom, channels, width, to);
}

void sum_row(const FaceNetSum& sum, const std::uint8_t* fine, const std::uint8_t* coarse, int channels,
             int width, std::uint8_t* to) {
    HWY_DYNAMIC_DISPATCH(sum_in_vectors)(sum, fine, coarse, channels, width, to);
}

}  // namespace fovea
#endif
