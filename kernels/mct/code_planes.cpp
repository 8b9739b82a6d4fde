// Census codes in vectors, compiled once for every instruction set and chosen at run time (Highway).
//
// The census planes are one transform: of 3×3 values that lie 1 or 2 apart, where the values are pixels or
// sums of blocks, at every pixel or at every second one. 9·v > Σ is decided as v > floor(Σ / 9), which is the
// same for integers and needs one comparison of 16 bits.

#include "kernels/mct/code_planes.hpp"

#include <algorithm>

#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/mct/code_planes.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fovea {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Words = hn::ScalableTag<std::uint16_t>;
using SignedWords = hn::RebindToSigned<Words>;
using WordVec = hn::Vec<Words>;
constexpr Words words;
constexpr SignedWords signed_words;
constexpr hn::Rebind<std::uint8_t, Words> half_bytes;
constexpr int part_columns = CodePlanes::part_columns;
constexpr int part_rows = CodePlanes::part_rows;
constexpr std::ptrdiff_t value_stride = CodePlanes::value_stride;

HWY_INLINE WordVec pixels_at(const std::uint8_t* from) {
    return hn::PromoteTo(words, hn::LoadU(half_bytes, from));
}

// Sums of 2×2 pixels at every second one.
HWY_INLINE WordVec cell_sums(const std::uint8_t* top, const std::uint8_t* bottom) {
#if HWY_TARGET == HWY_SCALAR
    return hn::Set(words, static_cast<std::uint16_t>(top[0] + top[1] + bottom[0] + bottom[1]));
#else
    const hn::ScalableTag<std::uint8_t> bytes;
    const auto a = hn::BitCast(words, hn::LoadU(bytes, top));
    const auto b = hn::BitCast(words, hn::LoadU(bytes, bottom));
    const auto low_byte = hn::Set(words, 255);
    return hn::Add(hn::Add(hn::And(a, low_byte), hn::ShiftRight<8>(a)),
                   hn::Add(hn::And(b, low_byte), hn::ShiftRight<8>(b)));
#endif
}

// Row `y` of the values of a plane, at least `count`, which are a whole number of vectors.
void value_row(MctPlane plane, ImageView<const std::uint8_t> level, int y, int count, std::uint16_t* to) {
    const int lanes = static_cast<int>(hn::Lanes(words));
    const std::uint8_t* row = level.row(mct_is_coarse(plane) ? 2 * y : y);
    if (plane == MctPlane::pixel) {
        for (int x = 0; x < count; x += lanes) hn::StoreU(pixels_at(row + x), words, to + x);
        return;
    }
    const std::uint8_t* below = row + level.stride;
    if (plane == MctPlane::block2) {
        for (int x = 0; x < count; x += lanes) {
            const auto sum = hn::Add(hn::Add(pixels_at(row + x), pixels_at(row + x + 1)),
                                     hn::Add(pixels_at(below + x), pixels_at(below + x + 1)));
            hn::StoreU(sum, words, to + x);
        }
        return;
    }
    if (plane == MctPlane::coarse2) {
        for (int x = 0; x < count; x += lanes) {
            hn::StoreU(cell_sums(row + 2 * x, below + 2 * x), words, to + x);
        }
        return;
    }
    const std::uint8_t* third = below + level.stride;
    const std::uint8_t* fourth = third + level.stride;
    for (int x = 0; x < count; x += lanes) {
        const std::ptrdiff_t at = 2 * x;
        const auto left = hn::Add(cell_sums(row + at, below + at), cell_sums(third + at, fourth + at));
        const auto right =
            hn::Add(cell_sums(row + at + 2, below + at + 2), cell_sums(third + at + 2, fourth + at + 2));
        hn::StoreU(hn::Add(left, right), words, to + x);
    }
}

struct ValueRow {
    WordVec values[3];
    WordVec sum;
};

HWY_INLINE ValueRow load_values(const std::uint16_t* from, int apart) {
    ValueRow row;
    for (int k = 0; k < 3; ++k) row.values[k] = hn::LoadU(words, from + k * apart);
    row.sum = hn::Add(hn::Add(row.values[0], row.values[1]), row.values[2]);
    return row;
}

// Masked additions are one instruction where masks have registers of their own.
HWY_INLINE hn::Vec<SignedWords> add_where(hn::Mask<SignedWords> mask, hn::Vec<SignedWords> sum,
                                          std::int16_t addend) {
    const auto added = hn::Set(signed_words, addend);
#if HWY_TARGET == HWY_AVX3
    return hn::IfThenElse(mask, hn::Add(sum, added), sum);
#else
    return hn::Or(sum, hn::IfThenElseZero(mask, added));
#endif
}

HWY_INLINE WordVec codes_of(const ValueRow& top, const ValueRow& middle, const ValueRow& bottom) {
    // floor(s / 9) = s · 58255 >> 19 for all sums up to 9 · 4080; values are below 2^15.
    const auto total = hn::Add(hn::Add(top.sum, middle.sum), bottom.sum);
    const auto mean = hn::BitCast(signed_words, hn::ShiftRight<3>(hn::MulHigh(total, hn::Set(words, 58255))));
    auto code = hn::Zero(signed_words);
    int bit = 256;
    for (const ValueRow* row : {&top, &middle, &bottom}) {
        for (int k = 0; k < 3; ++k, bit /= 2) {
            const auto above = hn::Gt(hn::BitCast(signed_words, row->values[k]), mean);
            code = add_where(above, code, static_cast<std::int16_t>(bit));
        }
    }
    return hn::BitCast(words, code);
}

// The value of the contrast plane, in the place of a census.
HWY_INLINE WordVec contrasts_of(const ValueRow& top, const ValueRow& middle, const ValueRow& bottom) {
    auto least = top.values[0];
    auto most = top.values[0];
    for (const ValueRow* row : {&top, &middle, &bottom}) {
        for (const WordVec& value : row->values) {
            least = hn::Min(least, value);
            most = hn::Max(most, value);
        }
    }
    return hn::ShiftRight<3>(hn::Sub(most, least));
}

// Codes of `rows` rows of `count` values each, a whole number of vectors. Values of 2·apart more rows, and
// beyond the rows' ends, are read.
template <int apart, bool contrast>
void code_rows(const std::uint16_t* values, int rows, int count, std::uint16_t* to,
               std::ptrdiff_t to_stride) {
    const int lanes = static_cast<int>(hn::Lanes(words));
    for (int x = 0; x < count; x += lanes) {
        // Down the rows, so that each is loaded once for the three codes it is part of.
        for (int first = 0; first < std::min(apart, rows); ++first) {
            const std::uint16_t* from = values + first * value_stride + x;
            ValueRow top = load_values(from, apart);
            ValueRow middle = load_values(from + apart * value_stride, apart);
            for (int y = first; y < rows; y += apart) {
                from = values + (y + 2 * apart) * value_stride + x;
                const ValueRow bottom = load_values(from, apart);
                const auto codes =
                    contrast ? contrasts_of(top, middle, bottom) : codes_of(top, middle, bottom);
                hn::StoreU(codes, words, to + y * to_stride + x);
                top = middle;
                middle = bottom;
            }
        }
    }
}

// Values stay in the first-level cache until all codes of a part are made from them. \param contrasts the
// contrast plane, or null; it has the values of `plane`.
void transform_plane(MctPlane plane, ImageView<const std::uint8_t> level, Size count, std::uint16_t* values,
                     std::uint16_t* codes, std::uint16_t* contrasts, std::ptrdiff_t stride) {
    const int lanes = static_cast<int>(hn::Lanes(words));
    const int apart = plane == MctPlane::block2 || plane == MctPlane::coarse4 ? 2 : 1;
    const auto whole_vectors = [&](int n) { return (n + lanes - 1) / lanes * lanes; };
    for (int y = 0; y < count.height; y += part_rows) {
        for (int x = 0; x < count.width; x += part_columns) {
            const Size part{std::min(part_columns, count.width - x), std::min(part_rows, count.height - y)};
            const int first = mct_is_coarse(plane) ? 2 * x : x;
            const ImageView<const std::uint8_t> pixels{level.data + first, level.width - first, level.height,
                                                       level.stride};
            for (int i = 0; i < part.height + 2 * apart; ++i) {
                value_row(plane, pixels, y + i, whole_vectors(part.width + 2 * apart),
                          values + i * value_stride);
            }
            const int columns = whole_vectors(part.width);
            const std::ptrdiff_t to = y * stride + x;
            if (codes != nullptr) {
                const auto make_codes = apart == 1 ? code_rows<1, false> : code_rows<2, false>;
                make_codes(values, part.height, columns, codes + to, stride);
            }
            if (contrasts != nullptr)
                code_rows<2, true>(values, part.height, columns, contrasts + to, stride);
        }
    }
}

}  // namespace HWY_NAMESPACE
}  // namespace fovea
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea {

HWY_EXPORT(transform_plane);

namespace {

constexpr int max_lanes = CodePlanes::max_lanes;

// Neighbourhoods of a plane that lie in a part.
Size code_count(MctPlane plane, Size part) {
    const int edge = 3 * mct_block(plane);
    const int grid = mct_is_coarse(plane) ? 2 : 1;
    return {(part.width - edge) / grid + 1, (part.height - edge) / grid + 1};
}

// Not a multiple of a page, or the rows of a column would share cache sets.
std::int32_t row_elements(int count) {
    const std::int32_t padded = (count + max_lanes + 31) / 32 * 32;
    return padded % 512 == 0 ? padded + 32 : padded;
}

}  // namespace

PlaneSet planes_of(const MctCascade& cascade) {
    PlaneSet used{};
    for (const MctLookup& lookup : cascade.lookups) used[static_cast<int>(lookup.plane)] = true;
    return used;
}

std::ptrdiff_t CodePlanes::row_bytes(int width) {
    return row_elements(width) + 3 * max_lanes;
}

void CodePlanes::reserve(const PlaneSet& used, Size part) {
    used_ = used;
    window_stride_ = row_elements(part.width);
    cell_stride_ = row_elements(part.width / 2);
    for (int i = 0; i < mct_plane_count; ++i) {
        const auto kind = static_cast<MctPlane>(i);
        if (!used[i]) continue;
        const std::size_t rows = mct_is_coarse(kind) ? part.height / 2 : part.height;
        const std::size_t elements = rows * stride(kind) + slack;
        if (planes_[i].size() < elements) planes_[i].resize(elements);
    }
    values_.resize(static_cast<std::size_t>((part_rows + 4) * value_stride + max_lanes));
}

void CodePlanes::transform(MctPlane plane, ImageView<const std::uint8_t> level, bool with_contrasts) {
    const auto data_of = [&](MctPlane one) {
        const auto i = static_cast<std::size_t>(one);
        return used_[i] ? planes_[i].data() : nullptr;
    };
    std::uint16_t *const codes = data_of(plane), *const contrasts =
                                                     with_contrasts ? data_of(MctPlane::contrast4) : nullptr;
    if (codes == nullptr && contrasts == nullptr) return;
    HWY_DYNAMIC_DISPATCH(transform_plane)
    (plane, level, code_count(plane, {level.width, level.height}), values_.data(), codes, contrasts,
     stride(plane));
}

void CodePlanes::transform_cells(ImageView<const std::uint8_t> level) {
    transform(MctPlane::coarse2, level);
    transform(MctPlane::coarse4, level, true);
}

void CodePlanes::transform_windows(ImageView<const std::uint8_t> level) {
    transform(MctPlane::pixel, level);
    transform(MctPlane::block2, level);
}

std::size_t CodePlanes::bytes() const {
    std::size_t elements = values_.size();
    for (const auto& plane : planes_) elements += plane.size();
    return elements * sizeof(std::uint16_t);
}

}  // namespace fovea
#endif
