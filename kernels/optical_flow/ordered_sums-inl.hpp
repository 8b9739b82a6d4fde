// Sums over a window in OpenCV's order of addition; included once for every instruction set.

#if defined(FOVEA_ORDERED_SUMS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_ORDERED_SUMS_INL
#undef FOVEA_ORDERED_SUMS_INL
#else
#define FOVEA_ORDERED_SUMS_INL
#endif

#include <algorithm>
#include <cstdlib>
#include <vector>

#include <hwy/highway.h>

#include "kernels/optical_flow/vector_sums-inl.hpp"
#include "kernels/optical_flow/window_layout.hpp"

HWY_BEFORE_NAMESPACE();
namespace fovea {
namespace HWY_NAMESPACE {
#if HWY_TARGET != HWY_SCALAR
namespace hn = hwy::HWY_NAMESPACE;

// Stores a vector's products in their rows: the halves of a long vector belong to two rows.
template <class Shape>
HWY_INLINE void store_in_rows(const Shape& shape, FloatVector values, int row, int stride, float* to) {
    const Floats floats;
    if constexpr (hn::MaxLanes(Floats()) == 16) {
        const hn::Half<Floats> half;
        hn::StoreU(hn::LowerHalf(half, values), half, to + row * stride);
        hn::StoreU(hn::UpperHalf(half, values), half, to + (shape.layout().rows() + row) * stride);
    } else {
        hn::StoreU(values, floats, to + row * stride);
    }
}

// Stores the products of pairs of values, row by row, as floats or as the bits of integers.
template <bool AsIntegers, class Shape>
HWY_INLINE void store_products(const Shape& shape, int group, const std::int16_t* first,
                               const std::int16_t* second, float* to) {
    const Ints ints;
    const Shorts shorts;
    const Floats floats;
    const auto low = hn::BitCast(shorts, hn::Set(ints, 0xFFFF));
    const int stride = shape.layout().groups * shape.layout().columns;
    const auto stored = [&](IntVector products) HWY_ATTR {
        if constexpr (AsIntegers) {
            return hn::BitCast(floats, products);
        } else {
            return hn::ConvertTo(floats, products);
        }
    };
    for (int p = 0; p < shape.layout().pairs; ++p) {
        const std::size_t place = shape.layout().vector(group, p, shape.layout().pairs);
        const auto a = hn::Load(shorts, first + place), b = hn::Load(shorts, second + place);
        const auto upper = add_products(hn::And(a, low), b, hn::Zero(ints));
        const auto lower = add_products(hn::AndNot(low, a), b, hn::Zero(ints));
        store_in_rows(shape, stored(upper), 2 * p, stride, to + group * shape.layout().columns);
        store_in_rows(shape, stored(lower), 2 * p + 1, stride, to + group * shape.layout().columns);
    }
}

/// The first row that must be added in order.
template <class Shape>
HWY_INLINE int first_row_after(const Shape& shape, ExactRows rows) {
    if (rows == ExactRows::none) return 0;
    return rows == ExactRows::all ? shape.layout().size.height
                                  : std::min(shape.layout().rows(), shape.layout().size.height);
}

/// Continues sums of products as OpenCV adds them, after the rows that are exact.
/// \tparam Pairs whether columns at a distance of four are added as integers first.
/// \param factors of each product. \param states of each sum after the exact rows; receives the results.
/// \param products memory to work in.
template <bool Pairs, int Count, class Shape>
HWY_NOINLINE void add_in_order(const Shape& shape, const ProvenRows& proven,
                               const std::int16_t* const (&factors)[Count][2], std::vector<float>& products,
                               ChainState (&states)[Count]) {
    const FourInts four;
    const FourFloats floats;
    const int stride = shape.layout().groups * shape.layout().columns;
    const int main_columns = flow_main_columns(shape.layout().size.width);
    const int width = shape.layout().size.width, height = shape.layout().size.height;
    const int first_main = first_row_after(shape, proven.main),
              first_tail = first_row_after(shape, proven.tail);
    const std::ptrdiff_t size = std::ptrdiff_t{stride} * shape.layout().segments * shape.layout().rows();
    products.resize(3 * static_cast<std::size_t>(size));
    hn::Vec<FourFloats> chains[Count];
    // One lane, so that compilers keep the tails apart: the additions of each wait for one another.
    const hn::CappedTag<float, 1> single;
    hn::Vec<decltype(single)> tails[Count];
    for (int i = 0; i < Count; ++i) {
        float* const to = products.data() + i * size;
        if (first_main < height) {
            for (int g = 0; g < shape.layout().main_groups; ++g) {
                store_products<Pairs>(shape, g, factors[i][0], factors[i][1], to);
            }
        }
        if (first_tail < height) {
            for (int g = shape.layout().main_groups; g < shape.layout().groups; ++g) {
                store_products<false>(shape, g, factors[i][0], factors[i][1], to);
            }
        }
        chains[i] = states[i].chains;
        tails[i] = hn::Set(single, states[i].tail);
    }
    for (int y = std::min(first_main, first_tail); y < height; ++y) {
        const float* const row = products.data() + std::ptrdiff_t{y} * stride;
        for (int x = 0; y >= first_main && x < main_columns; x += 8) {
            for (int i = 0; i < Count; ++i) {
                const auto near = hn::LoadU(floats, row + i * size + x),
                           far = hn::LoadU(floats, row + i * size + x + 4);
                if constexpr (Pairs) {
                    const auto sum = hn::Add(hn::BitCast(four, near), hn::BitCast(four, far));
                    chains[i] = hn::Add(chains[i], hn::ConvertTo(floats, sum));
                } else {
                    chains[i] = hn::Add(hn::Add(chains[i], near), far);
                }
            }
        }
        for (int x = main_columns; y >= first_tail && x < width; ++x) {
            for (int i = 0; i < Count; ++i) {
                tails[i] = hn::Add(tails[i], hn::LoadU(single, row + i * size + x));
            }
        }
    }
    for (int i = 0; i < Count; ++i) {
        states[i].chains = chains[i];
        states[i].tail = hn::GetLane(tails[i]);
    }
}

/// Adds the absolute differences row by row. \param differences [group][pair of rows].
template <class Shape>
float difference_in_order(const Shape& shape, const std::int16_t* differences) {
    float sum = 0;
    for (int y = 0; y < shape.layout().size.height; ++y) {
        const int segment = y / shape.layout().rows(), row = y % shape.layout().rows();
        for (int x = 0; x < shape.layout().size.width; ++x) {
            const std::size_t place =
                shape.layout().vector(x / shape.layout().columns, row / 2, shape.layout().pairs);
            const int lane = segment * shape.layout().columns + x % shape.layout().columns;
            sum += static_cast<float>(
                std::abs(int{differences[place + static_cast<std::size_t>(2 * lane + row % 2)]}));
        }
    }
    return sum;
}

#endif
}  // namespace HWY_NAMESPACE
}  // namespace fovea
HWY_AFTER_NAMESPACE();

#endif
