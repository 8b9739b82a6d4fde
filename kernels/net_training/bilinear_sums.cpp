// Compiled once for every instruction set and chosen at run time (Highway). A lane is a place.

#include "kernels/net_training/bilinear_sums.hpp"

#include <algorithm>
#include <array>

#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/net_training/bilinear_sums.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fovea {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using Integers = hn::RebindToSigned<Floats>;
using Float = hn::Vec<Floats>;
using Integer = hn::Vec<Integers>;

/// Two neighbouring pixels of a row, of which the second may be the first one.
struct Neighbours {
    Integer first, second;
    Float second_share;
};

// The neighbours of a coordinate along an edge of `size` pixels.
HWY_INLINE Neighbours neighbours_of(Float at, int size) {
    const Floats d;
    const Integers di;
    const Float half = hn::Set(d, 0.5F);
    const Integer one = hn::Set(di, 1), zero = hn::Zero(di), last = hn::Set(di, size - 1);
    // Coordinates in the image are above -1, so that one more makes the conversion round down.
    const Integer left = hn::Sub(hn::ConvertTo(di, hn::Add(at, half)), one);
    const Float share = hn::Sub(hn::Sub(at, half), hn::ConvertTo(d, left));
    return {hn::Min(hn::Max(left, zero), last), hn::Max(hn::Min(hn::Add(left, one), last), zero), share};
}

/// \param size of the image, at least four pixels
HWY_INLINE Float mixed_pixels(const std::uint8_t* pixels, int size, Integer row, const Neighbours& columns) {
    const Floats d;
    const Integers di;
    const hn::RebindToUnsigned<Floats> du;
    // Four bytes about the pixels, which lie in the image as a whole.
    const Integer at = hn::Add(row, columns.first), base = hn::Min(at, hn::Set(di, size - 4));
    const auto word =
        hn::BitCast(du, hn::GatherOffset(di, reinterpret_cast<const std::int32_t*>(pixels), base));
    const auto bits = hn::BitCast(du, hn::ShiftLeft<3>(hn::Sub(at, base)));
    const auto more = hn::BitCast(du, hn::ShiftLeft<3>(hn::Sub(columns.second, columns.first)));
    const auto byte = hn::Set(du, 255);
    const Float a = hn::ConvertTo(d, hn::BitCast(di, hn::And(hn::Shr(word, bits), byte)));
    const Float b = hn::ConvertTo(d, hn::BitCast(di, hn::And(hn::Shr(word, hn::Add(bits, more)), byte)));
    return hn::Add(a, hn::Mul(hn::Sub(b, a), columns.second_share));
}

HWY_ATTR void add_bilinear(const GreyPixels& image, const PixelPlaces& places, const PixelPlaces& offsets,
                           float* sums, std::int32_t* counts) {
    const Floats d;
    const Integers di;
    const std::size_t lanes = hn::Lanes(d), count = places.x.size();
    const Float zero = hn::Zero(d), width = hn::Set(d, static_cast<float>(image.width)),
                height = hn::Set(d, static_cast<float>(image.height));
    const Integer row_size = hn::Set(di, image.width);
    for (std::size_t p = 0; p < count; p += lanes) {
        const std::size_t now = std::min(lanes, count - p);
        const auto are_there = hn::FirstN(d, now);
        const Float corner_x = hn::MaskedLoad(are_there, d, places.x.data() + p),
                    corner_y = hn::MaskedLoad(are_there, d, places.y.data() + p);
        Float sum = zero;
        Integer inside = hn::Zero(di);
        for (std::size_t i = 0; i < offsets.x.size(); ++i) {
            const Float x = hn::Add(corner_x, hn::Set(d, offsets.x[i])),
                        y = hn::Add(corner_y, hn::Set(d, offsets.y[i]));
            const auto is_inside = hn::And(hn::And(hn::Ge(x, zero), hn::Ge(y, zero)),
                                           hn::And(hn::Lt(x, width), hn::Lt(y, height)));
            const Neighbours columns = neighbours_of(x, image.width), rows = neighbours_of(y, image.height);
            const int size = std::max(image.width * image.height, 4);
            const Float above = mixed_pixels(image.pixels, size, hn::Mul(rows.first, row_size), columns),
                        below = mixed_pixels(image.pixels, size, hn::Mul(rows.second, row_size), columns);
            const Float value = hn::Add(above, hn::Mul(hn::Sub(below, above), rows.second_share));
            sum = hn::IfThenElse(is_inside, hn::Add(sum, value), sum);
            inside = hn::Sub(inside, hn::BitCast(di, hn::VecFromMask(d, is_inside)));
        }
        hn::BlendedStore(sum, are_there, d, sums + p);
        hn::BlendedStore(inside, hn::FirstN(di, now), di, counts + p);
    }
}

}  // namespace HWY_NAMESPACE
}  // namespace fovea
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea {

HWY_EXPORT(add_bilinear);

void add_bilinear(const GreyPixels& image, const PixelPlaces& places, const PixelPlaces& offsets, float* sums,
                  std::int32_t* counts) {
    std::array<std::uint8_t, 4> few{};
    GreyPixels padded = image;
    if (image.width * image.height < 4) {
        // A smaller image has too few pixels for the words in which they are loaded.
        std::copy_n(image.pixels, image.width * image.height, few.begin());
        padded.pixels = few.data();
    }
    HWY_DYNAMIC_DISPATCH(add_bilinear)(padded, places, offsets, sums, counts);
}

}  // namespace fovea
#endif
