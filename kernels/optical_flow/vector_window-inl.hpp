// Sums over a window in vectors; included once for every instruction set.

#if defined(FOVEA_VECTOR_WINDOW_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_VECTOR_WINDOW_INL
#undef FOVEA_VECTOR_WINDOW_INL
#else
#define FOVEA_VECTOR_WINDOW_INL
#endif

#include <hwy/aligned_allocator.h>
#include <hwy/highway.h>

#include "kernels/optical_flow/ordered_sums-inl.hpp"
#include "kernels/optical_flow/vector_sums-inl.hpp"
#include "kernels/optical_flow/window_layout.hpp"

HWY_BEFORE_NAMESPACE();
namespace fovea {
namespace HWY_NAMESPACE {
#if HWY_TARGET != HWY_SCALAR
namespace hn = hwy::HWY_NAMESPACE;

/// Sums over a window for PointFollower, in vectors.
/// \tparam Width, Height of the window if they are known at compile time, else 0.
template <int Width, int Height>
class VectorWindow {
  public:
    explicit VectorWindow(Size size)
        : shape_(size),
          memory_(allocate(shape_.layout())),
          patch_(take(layout().rows() + 1)),
          gradients_x_(take_rows(layout().rows() + 1)),
          gradients_y_(take_rows(layout().rows() + 1)),
          grey_(take(layout().pairs)),
          x_(take(layout().pairs)),
          y_(take(layout().pairs)),
          differences_(take(layout().pairs)),
          masks_(take_rows(layout().pairs)),
          lookups_(take(3)),
          columns_(take(1)) {
        make_masks();
        make_lookups();
    }

    FlowMatrix start(const ImageView<const std::uint8_t>& image, const FlowPlace& place) {
        next_ = nullptr;
        const Weights weights(place.weights);
        const bool inside = place.x >= 0 && place.y >= 0 && place.x + layout().size.width < image.width &&
                            place.y + layout().size.height < image.height;
        ProductSums xx, xy, yy;
        SquareSums squares_x, squares_y;
        for (int g = 0; g < layout().groups; ++g) {
            if (inside) {
                make_gradients<false>(g, place, image);
            } else {
                make_gradients<true>(g, place, image);
            }
            interpolate_grey(weights, g);
            add_gradients(weights, g, xx, xy, yy, squares_x, squares_y);
        }
        squares_ = squares_x.sums().larger_of(squares_y.sums());
        first_squares_ = squares_x.first_sums().larger_of(squares_y.first_sums());
        const ProvenRows proven(squares_, first_squares_, max_exact);
        ChainState states[3] = {xx.after(proven.main, proven.tail), xy.after(proven.main, proven.tail),
                                yy.after(proven.main, proven.tail)};
        if (!all_rows(proven)) {
            const std::int16_t* const factors[3][2] = {{x_, x_}, {x_, y_}, {y_, y_}};
            add_in_order<false>(shape_, proven, factors, products_, states);
        }
        return {states[0].total(), states[1].total(), states[2].total()};
    }

    FlowMismatch mismatch(const ImageView<const std::uint8_t>& next, const FlowPlace& place) {
        use_patch_of(next, place);
        const Weights weights(place.weights);
        ProductSums sum_x, sum_y;
        SquareSums squares;
        for (int g = 0; g < layout().main_groups; ++g) {
            add_differences(weights, g, false, sum_x.chains, sum_y.chains, squares);
        }
        for (int g = layout().main_groups; g < layout().groups; ++g) {
            add_differences(weights, g, true, sum_x.tail, sum_y.tail, squares);
        }
        const ProvenRows proven(squares.sums().times(squares_), squares.first_sums().times(first_squares_),
                                max_exact * max_exact);
        ChainState states[2] = {sum_x.after(proven.main, proven.tail), sum_y.after(proven.main, proven.tail)};
        if (!all_rows(proven)) {
            store_differences(weights);
            const std::int16_t* const factors[2][2] = {{differences_, x_}, {differences_, y_}};
            add_in_order<true>(shape_, proven, factors, products_, states);
        }
        return {states[0].total(), states[1].total()};
    }

    float difference(const ImageView<const std::uint8_t>& next, const FlowPlace& place) {
        use_patch_of(next, place);
        store_differences(Weights(place.weights));
        std::int64_t sum = 0;
        const Ints ints;
        const Shorts shorts;
        const auto ones = hn::Set(shorts, 1);
        for (int g = 0; g < layout().groups; ++g) {
            auto sums = hn::Zero(ints);
            for (int p = 0; p < layout().pairs; ++p) {
                sums = add_products(hn::Abs(load(differences_, g, p)), ones, sums);
            }
            sum += hn::GetLane(hn::SumOfLanes(ints, sums));
        }
        // Up to 2^24, every partial sum is exact.
        if (sum <= (1 << 24)) return static_cast<float>(sum);
        return difference_in_order(shape_, differences_);
    }

  private:
    using Memory = hwy::AlignedFreeUniquePtr<std::int16_t[]>;
    static constexpr std::size_t lanes = hn::MaxLanes(Ints());
    static_assert(lanes == 4 || lanes == 8 || lanes == 16);

    struct Weights {
        explicit Weights(const FlowWeights& w)
            : top(pair(w.top_left, w.top_right)), bottom(pair(w.bottom_left, w.bottom_right)) {}
        static HWY_INLINE ShortVector pair(int first, int second) {
            const std::uint32_t both =
                (static_cast<std::uint32_t>(first) & 0xFFFF) | static_cast<std::uint32_t>(second) << 16;
            return hn::BitCast(Shorts(), hn::Set(Ints(), static_cast<std::int32_t>(both)));
        }
        ShortVector top, bottom;
    };

    // Takes vectors from the window's memory, one part after the other.
    std::int16_t* take_rows(int vectors) {
        std::int16_t* const part = memory_.get() + taken_;
        taken_ += static_cast<std::size_t>(vectors) * 2 * lanes;
        return part;
    }
    std::int16_t* take(int vectors_of_group) { return take_rows(vectors_of_group * layout().groups); }

    static Memory allocate(const WindowLayout& layout) {
        const int rows = layout.rows() + 1;
        const int vectors = layout.groups * (rows + 4 * layout.pairs + 4) + 2 * rows + layout.pairs;
        Memory memory = hwy::AllocateAligned<std::int16_t>(static_cast<std::size_t>(vectors) * 2 * lanes);
        if (!memory) throw std::bad_alloc();
        return memory;
    }

    // --- layout ---

    // Makes the masks of lanes whose rows the window has.
    void make_masks() {
        for (int p = 0; p < layout().pairs; ++p) {
            for (std::size_t i = 0; i < 2 * lanes; ++i) {
                const int segment = static_cast<int>(i / 2) / layout().columns;
                const int row = segment * layout().rows() + 2 * p + static_cast<int>(i % 2);
                masks_[layout().vector(0, p, 0) + i] =
                    static_cast<std::int16_t>(row < layout().size.height ? -1 : 0);
            }
        }
    }

    // Makes the places of a group's pixels in the 16 bytes from one column to the left on: pairs of
    // neighbours, in lanes of columns that the window has. Shifts 0, 1 and 2 are for the pixels to the left,
    // the pixels themselves and the pixels to the right.
    void make_lookups() {
        for (int g = 0; g < layout().groups; ++g) {
            for (std::size_t i = 0; i < 2 * lanes; ++i) {
                const int column = static_cast<int>(i / 2) % layout().columns;
                const int place = column + static_cast<int>(i % 2);
                const bool exists = column < layout().columns_of(g);
                for (int shift = 0; shift < 3; ++shift) {
                    // High bytes become 0.
                    lookups_[layout().vector(g, shift, 3) + i] =
                        static_cast<std::int16_t>(exists ? 0x8000 | (place + shift) : 0x8080);
                }
                columns_[layout().vector(g, 0, 1) + i] =
                    static_cast<std::int16_t>(g * layout().columns + place);
            }
        }
    }

    HWY_INLINE ShortVector load(const std::int16_t* memory, int group, int pair) const {
        return hn::Load(Shorts(), memory + layout().vector(group, pair, layout().pairs));
    }
    HWY_INLINE ShortVector load_row(const std::int16_t* memory, int row) const {
        return hn::Load(Shorts(), memory + layout().vector(0, row, 0));
    }

    // --- pixels ---

    // Goes down the rows of each segment, from row `row` of the window on. In place of rows behind
    // `last_row`, that row is read again; it does not count.
    class RowPointers {
      public:
        HWY_INLINE RowPointers(const VectorWindow& window, const ImageView<const std::uint8_t>& image, int x,
                               int y, int row, int last_row)
            : stride_(image.stride), left_(last_row - row) {
            at[0] = image.row(y + row) + x;
            at[1] = at[0];
            if (window.layout().segments == 2) {
                const int down = std::min(window.layout().rows(), left_);
                at[1] += down * stride_;
                left_ -= down;
            }
        }
        HWY_INLINE void next() {
            const bool last = left_ <= 0;
            at[1] += last ? 0 : stride_;
            if constexpr (lanes == 16) {
                at[0] += stride_;
            } else {
                at[0] = at[1];
            }
            --left_;
        }
        const std::uint8_t* at[2];

      private:
        std::ptrdiff_t stride_;
        int left_;
    };

    // 16 pixels of a row in each segment, from the pixel to the left of the row's pointers on.
    static HWY_INLINE hn::Vec<FlowBytes> pixels(const RowPointers& rows) {
        const FlowBytes bytes;
        if constexpr (lanes == 16) {
            const hn::Half<FlowBytes> half;
            return hn::Combine(bytes, hn::LoadDup128(half, rows.at[1] - 1),
                               hn::LoadDup128(half, rows.at[0] - 1));
        } else {
            return hn::LoadDup128(bytes, rows.at[0] - 1);
        }
    }
    static HWY_INLINE ShortVector pairs_of(hn::Vec<FlowBytes> pixels_of_row, hn::Vec<FlowBytes> lookup) {
        return hn::BitCast(Shorts(), hn::TableLookupBytesOr0(pixels_of_row, lookup));
    }
    /// \param shift -1 for the pixels to the left, 0 for the group's own, 1 for the pixels to the right.
    HWY_INLINE hn::Vec<FlowBytes> lookup_of(int group, int shift) const {
        return hn::BitCast(FlowBytes(), hn::Load(Shorts(), lookups_ + layout().vector(group, shift + 1, 3)));
    }

    HWY_INLINE void load_patch(const ImageView<const std::uint8_t>& image, const FlowPlace& place) {
        for (int g = 0; g < layout().groups; ++g) {
            RowPointers rows(*this, image, place.x + g * layout().columns, place.y, 0, layout().size.height);
            const auto lookup = lookup_of(g, 0);
            std::int16_t* const to = patch_ + layout().vector(g, 0, layout().rows() + 1);
            for (int i = 0; i <= layout().rows(); ++i, rows.next()) {
                hn::Store(pairs_of(pixels(rows), lookup), Shorts(), to + layout().vector(0, i, 0));
            }
        }
    }

    HWY_INLINE void use_patch_of(const ImageView<const std::uint8_t>& next, const FlowPlace& place) {
        if (next_ == next.data && next_x_ == place.x && next_y_ == place.y) return;
        next_ = next.data;
        next_x_ = place.x;
        next_y_ = place.y;
        load_patch(next, place);
    }

    // --- interpolation ---

    // Calls use(pair, values) with a group's grey values at the patch's place, for each pair of rows.
    template <class Use>
    HWY_INLINE void for_grey(const Weights& weights, int group, int first, int last, const Use& use) const {
        const Ints ints;
        const Shorts shorts;
        const auto round = hn::Set(ints, 1 << (flow_grey_shift - 1));
        const auto high = hn::BitCast(shorts, hn::Set(ints, static_cast<std::int32_t>(0xFFFF0000U)));
        const std::int16_t* from =
            patch_ + layout().vector(group, 0, layout().rows() + 1) + layout().vector(0, 2 * first, 0);
        auto above = hn::Load(shorts, from);
        for (int p = first; p < last; ++p, from += 4 * lanes) {
            const auto middle = hn::Load(shorts, from + 2 * lanes),
                       below = hn::Load(shorts, from + 4 * lanes);
            const auto upper = add_products(middle, weights.bottom, add_products(above, weights.top, round));
            const auto lower = add_products(below, weights.bottom, add_products(middle, weights.top, round));
            above = below;
            const auto low_half = hn::BitCast(shorts, hn::ShiftRight<flow_grey_shift>(upper));
            const auto high_half = hn::BitCast(shorts, hn::ShiftLeft<16 - flow_grey_shift>(lower));
            use(p, hn::OrAnd(low_half, high_half, high));
        }
    }

    void interpolate_grey(const Weights& weights, int group) {
        std::int16_t* const to = grey_ + layout().vector(group, 0, layout().pairs);
        for_grey(weights, group, 0, layout().pairs, [&](int p, ShortVector values) HWY_ATTR {
            hn::Store(values, Shorts(), to + layout().vector(0, p, 0));
        });
    }

    template <class Use>
    HWY_INLINE void for_differences(const Weights& weights, int group, int first, int last,
                                    const Use& use) const {
        const std::size_t at = layout().vector(group, 0, layout().pairs);
        const std::int16_t* const grey = grey_ + at;
        for_grey(weights, group, first, last, [&](int p, ShortVector values) HWY_ATTR {
            const std::size_t place = layout().vector(0, p, 0);
            const auto difference = hn::Sub(values, hn::Load(Shorts(), grey + place));
            use(at + place,
                layout().is_full(p) ? difference : hn::And(difference, hn::Load(Shorts(), masks_ + place)));
        });
    }

    HWY_INLINE void add_differences(const Weights& weights, int group, bool is_tail, IntVector& sum_x,
                                    IntVector& sum_y, SquareSums& squares) const {
        for (int first = 0; first < layout().pairs; first += SquareSums::max_pairs) {
            auto square = hn::Zero(Ints());
            for_differences(weights, group, first, std::min(first + SquareSums::max_pairs, layout().pairs),
                            [&](std::size_t place, ShortVector difference) HWY_ATTR {
                                const Shorts shorts;
                                sum_x = add_products(difference, hn::Load(shorts, x_ + place), sum_x);
                                sum_y = add_products(difference, hn::Load(shorts, y_ + place), sum_y);
                                square = add_products(difference, difference, square);
                            });
            squares.flush(square, is_tail);
        }
    }

    void store_differences(const Weights& weights) {
        for (int g = 0; g < layout().groups; ++g) {
            for_differences(weights, g, 0, layout().pairs,
                            [&](std::size_t place, ShortVector difference)
                                HWY_ATTR { hn::Store(difference, Shorts(), differences_ + place); });
        }
    }

    // --- gradients ---

    struct RowTerms {
        ShortVector across;  // right - left
        ShortVector sum;     // 3 · (left + right) + 10 · centre
    };

    struct Lookups {
        hn::Vec<FlowBytes> left, centre, right;
    };

    // 3 · outer + 10 · centre.
    static HWY_INLINE ShortVector smoothed(ShortVector outer, ShortVector centre) {
        const Shorts shorts;
        return hn::Add(hn::Mul(outer, hn::Set(shorts, 3)), hn::Mul(centre, hn::Set(shorts, 10)));
    }

    static HWY_INLINE RowTerms row_terms(const Lookups& lookups, hn::Vec<FlowBytes> pixels_of_row) {
        const auto left = pairs_of(pixels_of_row, lookups.left),
                   right = pairs_of(pixels_of_row, lookups.right);
        return {hn::Sub(right, left),
                smoothed(hn::Add(left, right), pairs_of(pixels_of_row, lookups.centre))};
    }

    // Makes Scharr's gradients at the pixels of a group, as pairs of neighbours; 0 outside of the image.
    // Keeps the pixels as the patch.
    template <bool AtEdge>
    HWY_INLINE void make_gradients(int group, const FlowPlace& place,
                                   const ImageView<const std::uint8_t>& image) {
        const Shorts shorts;
        const Lookups lookups{lookup_of(group, -1), lookup_of(group, 0), lookup_of(group, 1)};
        std::int16_t* const patch = patch_ + layout().vector(group, 0, layout().rows() + 1);
        RowPointers rows(*this, image, place.x + group * layout().columns, place.y, -1,
                         layout().size.height + 1);
        RowTerms above = row_terms(lookups, pixels(rows));
        rows.next();
        auto pixels_here = pixels(rows);
        RowTerms here = row_terms(lookups, pixels_here);
        for (int i = 0; i <= layout().rows(); ++i) {
            rows.next();
            hn::Store(pairs_of(pixels_here, lookups.centre), shorts, patch + layout().vector(0, i, 0));
            pixels_here = pixels(rows);
            const RowTerms below = row_terms(lookups, pixels_here);
            auto x = smoothed(hn::Add(above.across, below.across), here.across);
            auto y = hn::Sub(below.sum, above.sum);
            if constexpr (AtEdge) {
                const auto inside = inside_mask(group, i, place, image);
                x = hn::And(x, inside);
                y = hn::And(y, inside);
            }
            hn::Store(x, shorts, gradients_x_ + layout().vector(0, i, 0));
            hn::Store(y, shorts, gradients_y_ + layout().vector(0, i, 0));
            above = here;
            here = below;
        }
    }

    HWY_INLINE ShortVector inside_mask(int group, int row, const FlowPlace& place,
                                       const ImageView<const std::uint8_t>& image) const {
        constexpr int most = 32767;
        const Shorts shorts;
        const auto columns = hn::Load(shorts, columns_ + layout().vector(group, 0, 1));
        const auto before = hn::Set(shorts, static_cast<std::int16_t>(std::clamp(-place.x - 1, -most, most)));
        const auto end =
            hn::Set(shorts, static_cast<std::int16_t>(std::clamp(image.width - place.x, -most, most)));
        const auto in_columns =
            hn::VecFromMask(shorts, hn::And(hn::Gt(columns, before), hn::Lt(columns, end)));
        const auto row_mask = [&](int r) HWY_ATTR {
            return static_cast<std::int16_t>(place.y + r >= 0 && place.y + r < image.height ? -1 : 0);
        };
        if constexpr (lanes == 16) {
            const hn::Half<Shorts> half;
            return hn::And(in_columns, hn::Combine(shorts, hn::Set(half, row_mask(layout().rows() + row)),
                                                   hn::Set(half, row_mask(row))));
        } else {
            return hn::And(in_columns, hn::Set(shorts, row_mask(row)));
        }
    }

    // A pair of rows of a gradient, interpolated between the pixels.
    HWY_INLINE ShortVector interpolated_gradient(const Weights& weights, const std::int16_t* gradients,
                                                 int pair) const {
        const Ints ints;
        const Shorts shorts;
        const auto round = hn::Set(ints, 1 << (flow_gradient_shift - 1));
        const auto low = hn::BitCast(shorts, hn::Set(ints, 0xFFFF));
        const auto above = load_row(gradients, 2 * pair), middle = load_row(gradients, 2 * pair + 1),
                   below = load_row(gradients, 2 * pair + 2);
        const auto upper = add_products(middle, weights.bottom, add_products(above, weights.top, round));
        const auto lower = add_products(below, weights.bottom, add_products(middle, weights.top, round));
        const auto low_half = hn::BitCast(shorts, hn::ShiftRight<flow_gradient_shift>(upper));
        const auto high_half =
            hn::BitCast(shorts, hn::ShiftLeft<16>(hn::ShiftRight<flow_gradient_shift>(lower)));
        const auto both = hn::OrAnd(high_half, low_half, low);
        return layout().is_full(pair) ? both : hn::And(both, load_row(masks_, pair));
    }

    // Interpolates a group's gradients and adds their products to the sums.
    void add_gradients(const Weights& weights, int group, ProductSums& xx, ProductSums& xy, ProductSums& yy,
                       SquareSums& squares_x, SquareSums& squares_y) {
        const bool is_tail = group >= layout().main_groups;
        auto sum_xy = hn::Zero(Ints());
        for (int first = 0; first < layout().pairs; first += SquareSums::max_pairs) {
            auto sum_xx = hn::Zero(Ints()), sum_yy = hn::Zero(Ints());
            for (int p = first; p < std::min(first + SquareSums::max_pairs, layout().pairs); ++p) {
                const auto x = interpolated_gradient(weights, gradients_x_, p),
                           y = interpolated_gradient(weights, gradients_y_, p);
                const std::size_t place = layout().vector(group, p, layout().pairs);
                hn::Store(x, Shorts(), x_ + place);
                hn::Store(y, Shorts(), y_ + place);
                sum_xx = add_products(x, x, sum_xx);
                sum_xy = add_products(x, y, sum_xy);
                sum_yy = add_products(y, y, sum_yy);
            }
            squares_x.flush(sum_xx, is_tail);
            squares_y.flush(sum_yy, is_tail);
            IntVector& to_xx = is_tail ? xx.tail : xx.chains;
            IntVector& to_yy = is_tail ? yy.tail : yy.chains;
            to_xx = hn::Add(to_xx, sum_xx);
            to_yy = hn::Add(to_yy, sum_yy);
        }
        IntVector& to_xy = is_tail ? xy.tail : xy.chains;
        to_xy = hn::Add(to_xy, sum_xy);
    }

    // --- sums ---

    static HWY_INLINE bool all_rows(const ProvenRows& proven) {
        return proven.main == ExactRows::all && proven.tail == ExactRows::all;
    }

    constexpr const WindowLayout& layout() const { return shape_.layout(); }

    WindowShape<Width, Height, static_cast<int>(lanes)> shape_;
    Memory memory_;
    std::size_t taken_ = 0;
    std::int16_t* patch_;                          // [group][row]: pairs of pixels
    std::int16_t *gradients_x_, *gradients_y_;     // [row]: pairs of pixels, of one group
    std::int16_t *grey_, *x_, *y_, *differences_;  // [group][pair of rows]
    std::int16_t* masks_;                          // [pair of rows]
    std::int16_t *lookups_, *columns_;             // [group][left, centre, right]; [group]
    ChainSquares squares_, first_squares_;         // of the gradients
    std::vector<float> products_;
    const std::uint8_t* next_ = nullptr;
    int next_x_ = 0, next_y_ = 0;
};

#endif
}  // namespace HWY_NAMESPACE
}  // namespace fovea
HWY_AFTER_NAMESPACE();

#endif
