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

constexpr int strips_of(int /*channels*/) {
    return 1;
}

template <bool relu, int /*vectors*/, class Source>
void pointwise_parts(const PackedPointwise& layer, const Source& source, int width, std::uint8_t* to) {
    for (int x = 0; x < width; ++x) {
        for (int output = 0; output < layer.outputs; ++output) {
            std::int32_t sum = layer.results.bias[output];
            for (int step = 0; step < layer.steps; ++step) {
                const std::uint8_t* from = source.at(x, 0, step);
                const std::int8_t* weights =
                    layer.weights.fours.data() + std::ptrdiff_t{4} * (step * layer.outputs + output);
                for (int i = 0; i < 4; ++i) sum += from[i] * weights[i];
            }
            const float scale = layer.results.scale[output];
            *to++ =
                relu ? relu_result(sum, scale) : static_cast<std::uint8_t>(signed_result(sum, scale) + 128);
        }
    }
}

template <bool relu, class Source>
void pointwise(const PackedPointwise& layer, const Source& source, int width, std::uint8_t* to) {
    pointwise_parts<relu, 1>(layer, source, width, to);
}

std::ptrdiff_t depthwise_lane(const PackedDepthwise& layer, int channel) {
    return channel / 4 % 4 * static_cast<std::ptrdiff_t>(layer.lanes) + channel / 16 * 4 + channel % 4;
}

std::int32_t depthwise_sum(const PackedDepthwise& layer, const std::uint8_t* const (&rows)[4], int row, int x,
                           int channel) {
    const std::ptrdiff_t at = depthwise_lane(layer, channel);
    std::int32_t sum = layer.results.bias[at];
    for (int dx = 0; dx < 3; ++dx) {
        const std::int8_t* weights =
            layer.weights.fours.data() +
            4 * ((3 * row + dx) * PackedDepthwise::parts * static_cast<std::ptrdiff_t>(layer.lanes) + at);
        for (int y = 0; y < 4; ++y) sum += rows[y][(x + dx) * layer.channels + channel] * weights[y];
    }
    return sum;
}

void cell_sums(const PackedDepthwise& layer, const std::uint8_t* const (&rows)[4], int width,
               std::int32_t* const (&to)[2]) {
    for (int row = 0; row < 2; ++row) {
        for (int i = 0; i < 4 * width; ++i) to[row][i] = depthwise_sum(layer, rows, row, i / 4, i % 4);
    }
}

template <bool pooled>
void depthwise(const PackedDepthwise& layer, const std::uint8_t* const (&rows)[4], int width,
               std::uint8_t* const (&to)[2]) {
    for (int x = 0; x < width; x += pooled ? 2 : 1) {
        for (int channel = 0; channel < layer.channels; ++channel) {
            const auto result = [&](int row, int dx) {
                return relu_result(depthwise_sum(layer, rows, row, x + dx, channel),
                                   layer.results.scale[depthwise_lane(layer, channel)]);
            };
            if (pooled) {
                to[0][x / 2 * layer.channels + channel] =
                    std::max({result(0, 0), result(0, 1), result(1, 0), result(1, 1)});
            } else {
                for (int row = 0; row < 2; ++row) to[row][x * layer.channels + channel] = result(row, 0);
            }
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

// So many strips of a row fill a vector side by side.
constexpr int strips_of(int channels) {
    return vector_bytes % channels == 0 ? vector_bytes / channels : 1;
}
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

// How sums become results: fused, if the instruction set has it and the layer allows it.
template <bool fused>
struct ResultRule {
    hn::Vec<Floats> scale;
};
template <>
struct ResultRule<true> {
    hn::Vec<Floats> scale, offset;
};
template <bool fused>
HWY_INLINE ResultRule<fused> rule_of(const PackedResults& results, std::size_t lane) {
    const Floats floats;
    const auto scale = hn::LoadU(floats, results.scale.data() + lane);
    if constexpr (fused) {
        return {scale, hn::LoadU(floats, results.offset.data() + lane)};
    } else {
        return {scale};
    }
}
template <bool fused>
HWY_INLINE IntVector first_sum_of(const PackedResults& results, std::size_t lane) {
    return hn::LoadU(Ints(), (fused ? results.float_bias : results.bias).data() + lane);
}
template <bool fused>
HWY_INLINE IntVector result_of(const ResultRule<fused>& rule, IntVector sum) {
    const Floats floats;
    if constexpr (fused) {
        return rounded(hn::MulAdd(hn::BitCast(floats, sum), rule.scale, rule.offset));
    } else {
        return rounded(hn::Mul(hn::ConvertTo(floats, sum), rule.scale));
    }
}

template <class Use>
HWY_INLINE void if_fused(const PackedResults& results, const Use& use) {
#if HWY_NATIVE_FMA
    if (results.is_fused) return use(std::true_type());
#endif
    use(std::false_type());
}

// Two pairs of vectors as bytes, clamped, in the order in which InterleaveLower and InterleaveUpper take
// bytes apart. Clamped to signed bytes, 128 is added.
template <bool relu>
HWY_INLINE ByteVector pack(ShortVector low, ShortVector high) {
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

// A layer as some vectors of outputs need it: copies, because compilers take results for bytes that may
// overwrite the layer. The weights are among them if the number of steps is known: if it is not 0.
template <bool fused, int vectors, int steps>
struct PointwiseVectors {
    IntVector first_sum[vectors];
    ResultRule<fused> rule[vectors];
    Fours weights[steps + 1][vectors];

    HWY_INLINE PointwiseVectors(const PackedPointwise& layer, std::size_t lane) {
        for (std::size_t v = 0; v < vectors; ++v, lane += lanes) {
            first_sum[v] = first_sum_of<fused>(layer.results, lane);
            rule[v] = rule_of<fused>(layer.results, lane);
            for (std::size_t step = 0; step < steps; ++step) {
                weights[step][v] =
                    load_weights(layer.weights, step * static_cast<std::size_t>(layer.outputs) + lane);
            }
        }
    }
};

// `pixels` pixels from x on, some vectors of outputs from `first` on.
template <bool relu, int pixels, bool fused, int vectors, int steps, class Source>
HWY_INLINE void pointwise_tile(const PackedPointwise& packed,
                               const PointwiseVectors<fused, vectors, steps>& layer, const Source& source,
                               int x, int first, std::ptrdiff_t outputs, std::uint8_t* to) {
    constexpr int together = 4 / vectors;  // pixels that are packed into one vector
    constexpr int piece = vectors * lanes;
    static_assert(pixels % together == 0);
    IntVector sums[pixels][vectors];
    for (int v = 0; v < vectors; ++v) {
        for (int p = 0; p < pixels; ++p) sums[p][v] = layer.first_sum[v];
    }
    const auto add = [&](int step, const Fours(&weights)[vectors]) HWY_ATTR {
        for (int p = 0; p < pixels; ++p) {
            std::int32_t four = 0;
            std::memcpy(&four, source.at(x, p, step), sizeof four);
            const Inputs inputs = as_inputs(hn::BitCast(Bytes(), hn::Set(Ints(), four)));
            for (int v = 0; v < vectors; ++v) sums[p][v] = add_products(sums[p][v], inputs, weights[v]);
        }
    };
    if constexpr (steps > 0) {
        for (int step = 0; step < steps; ++step) add(step, layer.weights[step]);
    } else {
        auto lane = static_cast<std::size_t>(first);
        int step = 0;
        do {  // at least once, so that the sums need not be in memory
            Fours weights[vectors];
            for (int v = 0; v < vectors; ++v) {
                weights[v] = load_weights(packed.weights, lane + static_cast<std::size_t>(v * lanes));
            }
            add(step, weights);
            lane += static_cast<std::size_t>(outputs);
        } while (++step < packed.steps);
    }
    for (int p = 0; p < pixels; p += together) {
        IntVector values[4];
        for (int i = 0; i < 4; ++i)
            values[i] = result_of(layer.rule[i % vectors], sums[p + i / vectors][i % vectors]);
        const ByteVector bytes = in_order(pack<relu>(hn::ReorderDemote2To(Shorts(), values[0], values[1]),
                                                     hn::ReorderDemote2To(Shorts(), values[2], values[3])));
        std::uint8_t* place = to + (x + p) * outputs + first;
        if (together == 1 || outputs == piece) {
            hn::StoreU(bytes, Bytes(), place);
            continue;
        }
        HWY_ALIGN std::uint8_t pieces[vector_bytes];
        hn::Store(bytes, Bytes(), pieces);
        for (int i = 0; i < together; ++i) std::memcpy(place + i * outputs, pieces + i * piece, piece);
    }
}

template <bool relu, int pixels, int vectors, int steps, class Source>
void pointwise_tiles(const PackedPointwise& packed, const Source& source, int width, std::uint8_t* to) {
    static_assert(pixels <= net_row_more_pixels);
    if_fused(packed.results, [&](auto fused) HWY_ATTR {
        const int outputs = packed.outputs;
        for (int first = 0; first < outputs; first += vectors * lanes) {
            const PointwiseVectors<decltype(fused)::value, vectors, steps> layer(
                packed, static_cast<std::size_t>(first));
            for (int x = 0; x < width; x += pixels) {
                pointwise_tile<relu, pixels>(packed, layer, source, x, first, outputs, to);
            }
        }
    });
}

// \param vectors of outputs, of the layer or of a part of them.
template <bool relu, int vectors, class Source>
void pointwise_parts(const PackedPointwise& layer, const Source& source, int width, std::uint8_t* to) {
    if constexpr (vectors == 4) {
        constexpr int pixels = HWY_TARGET == HWY_AVX3_DL ? 6 : has_32_registers ? 4 : 2;
        pointwise_tiles<relu, pixels, 4, 0>(layer, source, width, to);
    } else if constexpr (vectors == 2) {
        pointwise_tiles<relu, has_32_registers ? 8 : 4, 2, 0>(layer, source, width, to);
    } else {
        constexpr int few = relu ? 3 : 4;  // steps of the stem, and of the layer after it
        if (layer.outputs == lanes && layer.steps == few) {
            pointwise_tiles<relu, 8, 1, few>(layer, source, width, to);
        } else {
            pointwise_tiles<relu, 8, 1, 0>(layer, source, width, to);
        }
    }
}

template <bool relu, class Source>
void pointwise(const PackedPointwise& layer, const Source& source, int width, std::uint8_t* to) {
    const int vectors = layer.outputs / lanes;
    if (vectors % 4 == 0) {
        pointwise_parts<relu, 4>(layer, source, width, to);
    } else if (vectors % 2 == 0) {
        pointwise_parts<relu, 2>(layer, source, width, to);
    } else {
        pointwise_parts<relu, 1>(layer, source, width, to);
    }
}

// The bytes of four rows at one place: four lanes of each part and block, bytes from the top to the bottom.
struct Column {
    Inputs parts[PackedDepthwise::parts];
};

HWY_INLINE Column interleaved(const std::uint8_t* const (&rows)[4], std::ptrdiff_t at) {
    const Bytes bytes;
    const Shorts shorts;
    ByteVector row[4];
    for (int i = 0; i < 4; ++i) row[i] = hn::LoadU(bytes, rows[i] + at);
    const auto words = [&](ByteVector v) HWY_ATTR { return hn::BitCast(shorts, v); };
    const auto inputs = [&](ShortVector v) HWY_ATTR { return as_inputs(hn::BitCast(bytes, v)); };
    const auto low = words(hn::InterleaveLower(bytes, row[0], row[1])),
               high = words(hn::InterleaveUpper(bytes, row[0], row[1])),
               low_bottom = words(hn::InterleaveLower(bytes, row[2], row[3])),
               high_bottom = words(hn::InterleaveUpper(bytes, row[2], row[3]));
    return {{inputs(hn::InterleaveLower(shorts, low, low_bottom)),
             inputs(hn::InterleaveUpper(shorts, low, low_bottom)),
             inputs(hn::InterleaveLower(shorts, high, high_bottom)),
             inputs(hn::InterleaveUpper(shorts, high, high_bottom))}};
}

// A layer as one vector of channels needs it: copies, because compilers take results for bytes that may
// overwrite the layer.
template <bool fused>
struct DepthwiseVector {
    static constexpr int parts = PackedDepthwise::parts;
    Fours weights[parts][2][3];  // of the upper and the lower row of results
    IntVector first_sum[parts];
    ResultRule<fused> rule[parts];

    HWY_INLINE DepthwiseVector(const PackedDepthwise& layer, std::size_t lane) {
        for (std::size_t part = 0; part < parts; ++part) {
            const std::size_t at = part * layer.lanes + lane;
            for (std::size_t row = 0; row < 2; ++row) {
                for (std::size_t dx = 0; dx < 3; ++dx) {
                    weights[part][row][dx] =
                        load_weights(layer.weights, (3 * row + dx) * parts * layer.lanes + at);
                }
            }
            first_sum[part] = first_sum_of<fused>(layer.results, at);
            rule[part] = rule_of<fused>(layer.results, at);
        }
    }
};

// Results of 2×2 pixels of one vector of channels, reduced to the largest if `pooled`.
template <bool fused, bool pooled>
struct DepthwiseSquare {
    static constexpr int results = pooled ? 1 : 4;
    ByteVector bytes[results];

    HWY_INLINE DepthwiseSquare(const DepthwiseVector<fused>& layer, const Column& a, const Column& b,
                               const Column& c, const Column& d) {
        ShortVector low[results], high[results];
        make_pairs<0>(layer, {&a, &b, &c, &d}, low);
        make_pairs<2>(layer, {&a, &b, &c, &d}, high);
        for (int i = 0; i < results; ++i) bytes[i] = pack<true>(low[i], high[i]);
    }

  private:
    template <int part>
    static HWY_INLINE void make_pairs(const DepthwiseVector<fused>& layer, const Column* const (&columns)[4],
                                      ShortVector (&pairs)[results]) {
        IntVector left[results], right[results];
        make_results<part>(layer, columns, left);
        make_results<part + 1>(layer, columns, right);
        for (int i = 0; i < results; ++i) pairs[i] = hn::ReorderDemote2To(Shorts(), left[i], right[i]);
    }
    template <int part>
    static HWY_INLINE void make_results(const DepthwiseVector<fused>& layer,
                                        const Column* const (&columns)[4], IntVector (&made)[results]) {
        IntVector sums[4];  // of the upper row, then of the lower one
        for (IntVector& sum : sums) sum = layer.first_sum[part];
        for (int dx = 0; dx < 3; ++dx) {
            for (int i = 0; i < 4; ++i) {
                sums[i] =
                    add_products(sums[i], columns[i % 2 + dx]->parts[part], layer.weights[part][i / 2][dx]);
            }
        }
        if constexpr (pooled) {  // the largest sum has the largest result
            const auto largest = hn::Max(hn::Max(sums[0], sums[1]), hn::Max(sums[2], sums[3]));
            made[0] = result_of(layer.rule[part], largest);
        } else {
            for (int i = 0; i < 4; ++i) made[i] = result_of(layer.rule[part], sums[i]);
        }
    }
};

// Stores the pixels of a column of all strips, `distance` bytes from strip to strip.
template <int strips>
HWY_INLINE void store_strips(ByteVector bytes, std::ptrdiff_t distance, std::uint8_t* to) {
    if constexpr (strips == 1) {
        hn::StoreU(bytes, Bytes(), to);
    } else {
        constexpr int piece = vector_bytes / strips;
        HWY_ALIGN std::uint8_t pieces[vector_bytes];
        hn::Store(bytes, Bytes(), pieces);
        for (int i = 0; i < strips; ++i) std::memcpy(to + i * distance, pieces + i * piece, piece);
    }
}

// The channels of one vector over the whole row: each column is interleaved once and serves three results.
template <bool fused, bool pooled, int strips>
void depthwise_channels(const PackedDepthwise& packed, const std::uint8_t* const (&rows)[4], int columns,
                        int first, std::uint8_t* const (&to)[2]) {
    const DepthwiseVector<fused> layer(packed, static_cast<std::size_t>(first / 4));
    const std::ptrdiff_t channels = packed.channels, pitch = strips * channels;
    const std::uint8_t* const from[4] = {rows[0] + first, rows[1] + first, rows[2] + first, rows[3] + first};
    std::uint8_t *const top = to[0] + first, *const bottom = pooled ? nullptr : to[1] + first;
    const std::ptrdiff_t distance = columns / (pooled ? 2 : 1) * channels;
    const auto make = [&](const Column& a, const Column& b, const Column& c, const Column& d, int x)
                          HWY_ATTR {
                              const DepthwiseSquare<fused, pooled> square(layer, a, b, c, d);
                              if constexpr (pooled) {
                                  store_strips<strips>(square.bytes[0], distance, top + x / 2 * channels);
                              } else {
                                  for (int i = 0; i < 4; ++i) {
                                      store_strips<strips>(square.bytes[i], distance,
                                                           (i < 2 ? top : bottom) + (x + i % 2) * channels);
                                  }
                              }
                          };
    Column a = interleaved(from, 0), b = interleaved(from, pitch);
    int x = 0;
    for (; x + 2 < columns; x += 4) {
        const Column c = interleaved(from, (x + 2) * pitch), d = interleaved(from, (x + 3) * pitch);
        make(a, b, c, d, x);
        a = interleaved(from, (x + 4) * pitch);
        b = interleaved(from, (x + 5) * pitch);
        make(c, d, a, b, x + 2);
    }
    if (x < columns) make(a, b, interleaved(from, (x + 2) * pitch), interleaved(from, (x + 3) * pitch), x);
}

template <bool pooled>
void depthwise(const PackedDepthwise& layer, const std::uint8_t* const (&rows)[4], int width,
               std::uint8_t* const (&to)[2]) {
    if_fused(layer.results, [&](auto is_fused) HWY_ATTR {
        constexpr bool fused = decltype(is_fused)::value;
        const int strips = strips_of(layer.channels), columns = columns_of(width, strips);
        if (vector_bytes >= 64 && strips == 4) {
            depthwise_channels<fused, pooled, vector_bytes / 16>(layer, rows, columns, 0, to);
        } else if (vector_bytes >= 32 && strips == 2) {
            depthwise_channels<fused, pooled, 2>(layer, rows, columns, 0, to);
        } else {
            // The last vector may have channels of the one before, which are made twice.
            const int last = std::max(layer.channels - vector_bytes, 0);
            for (int first = 0; first < last + vector_bytes; first += vector_bytes) {
                depthwise_channels<fused, pooled, 1>(layer, rows, columns, std::min(first, last), to);
            }
        }
    });
}

void cell_sums(const PackedDepthwise& layer, const std::uint8_t* const (&rows)[4], int width,
               std::int32_t* const (&to)[2]) {
    const int columns = columns_of(width, strips_of(layer.channels));
    const DepthwiseVector<false> vector(layer, 0);
    const auto first_part = [&](int x) HWY_ATTR {
        return interleaved(rows, std::ptrdiff_t{x} * vector_bytes).parts[0];
    };
    Inputs left = first_part(0), middle = first_part(1);
    for (int x = 0; x < columns; ++x) {
        const Inputs right = first_part(x + 2);
        for (int row = 0; row < 2; ++row) {
            const Fours(&weights)[3] = vector.weights[0][row];
            const auto sum =
                add_products(add_products(vector.first_sum[0], left, weights[0]), middle, weights[1]);
            hn::StoreU(add_products(sum, right, weights[2]), Ints(), to[row] + x * lanes);
        }
        left = middle;
        middle = right;
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

// Products of the bytes of a vector, in the order in which pack() takes them.
struct ByteProducts {
    hn::Vec<Floats> parts[4];

    HWY_INLINE ByteProducts(const std::uint8_t* from, float factor) {
        const Bytes bytes;
        const Shorts shorts;
        const auto vector = hn::LoadU(bytes, from), zero = hn::Zero(bytes);
        // Below these high halves a byte makes a float of 2^23 more.
        const auto high = hn::Set(shorts, 0x4B00);
        const auto more = hn::Set(Floats(), 0x1p23F), scale = hn::Set(Floats(), factor);
        const auto product = [&](ShortVector words) HWY_ATTR {
            const auto value = hn::BitCast(Floats(), words);
#if HWY_NATIVE_FMA
            return hn::MulSub(value, scale, hn::Mul(more, scale));  // 2^23 · scale is exact
#else
            return hn::Mul(hn::Sub(value, more), scale);
#endif
        };
        const auto low_words = hn::BitCast(shorts, hn::InterleaveLower(bytes, vector, zero)),
                   high_words = hn::BitCast(shorts, hn::InterleaveUpper(bytes, vector, zero));
        parts[0] = product(hn::InterleaveLower(shorts, low_words, high));
        parts[1] = product(hn::InterleaveUpper(shorts, low_words, high));
        parts[2] = product(hn::InterleaveLower(shorts, high_words, high));
        parts[3] = product(hn::InterleaveUpper(shorts, high_words, high));
    }
};

void add_maps(const FaceNetSum& sum, const std::uint8_t* fine, const std::uint8_t* coarse, int channels,
              int width, std::uint8_t* to) {
    const float fine_scale = sum.fine_scale, coarse_scale = sum.coarse_scale;
    const int last = std::max(channels - vector_bytes, 0);
    for (int x = 0; x < width; x += 2, coarse += channels) {
        for (int i = 0; i < last + vector_bytes; i += vector_bytes) {
            const int first = std::min(i, last);
            const ByteProducts coarse_products(coarse + first, coarse_scale);
            for (int pixel = x; pixel < x + 2; ++pixel) {
                const std::ptrdiff_t at = std::ptrdiff_t{pixel} * channels + first;
                const ByteProducts products(fine + at, fine_scale);
                IntVector values[4];
                for (int part = 0; part < 4; ++part) {
                    values[part] = rounded(hn::Add(products.parts[part], coarse_products.parts[part]));
                }
                hn::StoreU(pack<true>(hn::ReorderDemote2To(Shorts(), values[0], values[1]),
                                      hn::ReorderDemote2To(Shorts(), values[2], values[3])),
                           Bytes(), to + at);
            }
        }
    }
}
#endif

struct StemSource {
    const std::uint8_t* rows[3];

    HWY_INLINE const std::uint8_t* at(int x, int more, int step) const {
        return rows[step] + std::ptrdiff_t{2} * x + 2 * more;
    }
};

template <int strips>
struct RowSource {
    const std::uint8_t* row;
    std::ptrdiff_t channels;
    std::ptrdiff_t columns;

    // Four inputs of the pixel x + more. x is a multiple of the strips.
    HWY_INLINE const std::uint8_t* at(int x, int more, int step) const {
        const std::ptrdiff_t pixel = x / strips + more / strips + more % strips * columns;
        return row + pixel * channels + std::ptrdiff_t{4} * step;
    }
};

int strips_in_vectors(int channels) {
    return strips_of(channels);
}

void stem_in_vectors(const PackedPointwise& stem, const std::uint8_t* const (&rows)[3], int width,
                     std::uint8_t* to) {
    pointwise<true>(stem, StemSource{{rows[0], rows[1], rows[2]}}, width, to);
}

void pointwise_in_vectors(const PackedPointwise& layer, const std::uint8_t* from, int width,
                          std::uint8_t* to) {
    constexpr int beyond = 128;
    const std::ptrdiff_t inputs = std::ptrdiff_t{4} * layer.steps;
    const int strips = strips_of(layer.outputs), columns = columns_of(width, strips);
    const auto channels = static_cast<std::size_t>(layer.outputs), pitch = strips * channels;
    std::uint8_t* const first = to + pitch;
    if (strips == 4) {
        pointwise_parts<false, 1>(layer, RowSource<4>{from, inputs, columns}, 4 * columns, first);
    } else if (strips == 2) {
        pointwise_parts<false, 2>(layer, RowSource<2>{from, inputs, columns}, 2 * columns, first);
    } else {
        pointwise<false>(layer, RowSource<1>{from, inputs, columns}, width, first);
    }
    const auto column = [&](int x) { return first + x * static_cast<std::ptrdiff_t>(pitch); };
    // Borders: a strip's neighbours are the last column of the one before and the first of the next.
    if (width < strips * columns) {
        std::memset(column(width % columns) + static_cast<std::size_t>(width / columns) * channels, beyond,
                    channels);
    }
    std::memset(to, beyond, channels);
    std::memcpy(to + channels, column(columns - 1), pitch - channels);
    std::memcpy(column(columns), first + channels, pitch - channels);
    std::memset(column(columns) + pitch - channels, beyond, channels);
}

void depthwise_in_vectors(const PackedDepthwise& layer, const std::uint8_t* const (&rows)[4], int width,
                          std::uint8_t* const (&to)[2]) {
    depthwise<false>(layer, rows, width, to);
}

void pooled_depthwise_in_vectors(const PackedDepthwise& layer, const std::uint8_t* const (&rows)[4],
                                 int width, std::uint8_t* to) {
    depthwise<true>(layer, rows, width, {to, nullptr});
}

void cell_sums_in_vectors(const PackedDepthwise& layer, const std::uint8_t* const (&rows)[4], int width,
                          std::int32_t* const (&to)[2]) {
    cell_sums(layer, rows, width, to);
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

HWY_EXPORT(strips_in_vectors);
HWY_EXPORT(stem_in_vectors);
HWY_EXPORT(pointwise_in_vectors);
HWY_EXPORT(depthwise_in_vectors);
HWY_EXPORT(pooled_depthwise_in_vectors);
HWY_EXPORT(cell_sums_in_vectors);
HWY_EXPORT(pool_in_vectors);
HWY_EXPORT(sum_in_vectors);

MixedOrder mixed_order(int width, int channels) {
    const int strips = HWY_DYNAMIC_DISPATCH(strips_in_vectors)(channels);
    return {strips, columns_of(width, strips)};
}

void stem_row(const PackedPointwise& stem, const std::uint8_t* const (&rows)[3], int width,
              std::uint8_t* to) {
    HWY_DYNAMIC_DISPATCH(stem_in_vectors)(stem, rows, width, to);
}

void pointwise_row(const PackedPointwise& layer, const std::uint8_t* from, int width, std::uint8_t* to) {
    HWY_DYNAMIC_DISPATCH(pointwise_in_vectors)(layer, from, width, to);
}

void depthwise_rows(const PackedDepthwise& layer, const std::uint8_t* const (&rows)[4], int width,
                    std::uint8_t* const (&to)[2]) {
    HWY_DYNAMIC_DISPATCH(depthwise_in_vectors)(layer, rows, width, to);
}

void pooled_depthwise_rows(const PackedDepthwise& layer, const std::uint8_t* const (&rows)[4], int width,
                           std::uint8_t* to) {
    HWY_DYNAMIC_DISPATCH(pooled_depthwise_in_vectors)(layer, rows, width, to);
}

void cell_sum_rows(const PackedDepthwise& layer, const std::uint8_t* const (&rows)[4], int width,
                   std::int32_t* const (&to)[2]) {
    HWY_DYNAMIC_DISPATCH(cell_sums_in_vectors)(layer, rows, width, to);
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
