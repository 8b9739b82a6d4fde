// SIMD evaluation of a band of windows, compiled once for every instruction set and chosen at run time
// (Highway).
//
// Lanes are neighbouring windows, so a feature's corner is one contiguous load for all of them. Windows
// that are still alive are collected from the whole band where a vector has few of them, and their corners
// gathered. Either way each lane does exactly what a single window would: the same float operations, the same
// double sums in the order of the trees.

#include <algorithm>

#include "kernels/haar_lbp/scan_band.hpp"

// Vectors are kept in structures here, which those of unknown size cannot be.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/haar_lbp/scan_simd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fovea {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using Ints = hn::RebindToSigned<Floats>;
using HalfFloats = hn::Half<Floats>;
using HalfInts = hn::Half<Ints>;
using Doubles = hn::Rebind<double, HalfFloats>;
using FloatVec = hn::Vec<Floats>;
using IntVec = hn::Vec<Ints>;
using DoubleVec = hn::Vec<Doubles>;

constexpr Floats floats;
constexpr Ints ints;
constexpr HalfFloats half_floats;
constexpr HalfInts half_ints;
constexpr Doubles doubles;

// Windows in a row that share one vector: corners are contiguous.
struct DenseCorners {
    const std::int32_t* base;
    HWY_INLINE IntVec load(std::int32_t corner) const { return hn::LoadU(ints, base + corner); }
};

// Windows anywhere in the band.
struct SparseCorners {
    const std::int32_t* base;
    IntVec offsets;
    HWY_INLINE IntVec load(std::int32_t corner) const {
        return hn::GatherIndex(ints, base + corner, offsets);
    }
};

struct StageSums {
    DoubleVec low;
    DoubleVec high;
};

// A vector of floats is two vectors of doubles; on machines without vectors it is one of each.
#if HWY_TARGET == HWY_SCALAR
constexpr bool has_upper_half = false;
template <class HalfTag, class Tag, class Vector>
HWY_INLINE Vector upper_half(HalfTag, Tag, Vector vector) {
    return vector;
}
template <class Tag, class Vector>
HWY_INLINE Vector join_halves(Tag, Vector, Vector lower) {
    return lower;
}
#else
constexpr bool has_upper_half = true;
template <class HalfTag, class Tag, class Vector>
HWY_INLINE auto upper_half(HalfTag half, Tag, Vector vector) {
    return hn::UpperHalf(half, vector);
}
template <class Tag, class HalfVector>
HWY_INLINE auto join_halves(Tag tag, HalfVector upper, HalfVector lower) {
    return hn::Combine(tag, upper, lower);
}
#endif

HWY_INLINE void add_leaves(StageSums& sums, FloatVec leaves) {
    sums.low = hn::Add(sums.low, hn::PromoteTo(doubles, hn::LowerHalf(half_floats, leaves)));
    if constexpr (has_upper_half) {
        sums.high = hn::Add(sums.high, hn::PromoteTo(doubles, upper_half(half_floats, floats, leaves)));
    }
}

// One bit a lane.
template <class D, class Mask>
HWY_INLINE std::uint32_t to_bits(D d, Mask mask) {
    std::uint8_t bytes[8] = {};
    hn::StoreMaskBits(d, mask, bytes);
    return bytes[0] | static_cast<std::uint32_t>(bytes[1]) << 8 | static_cast<std::uint32_t>(bytes[2]) << 16 |
           static_cast<std::uint32_t>(bytes[3]) << 24;
}

template <class Corners>
HWY_INLINE FloatVec rect_sum(const Corners& at, const std::array<std::int32_t, 4>& corners) {
    const IntVec sum = hn::Add(
        hn::Sub(hn::Sub(at.load(corners[0]), at.load(corners[1])), at.load(corners[2])), at.load(corners[3]));
    return hn::ConvertTo(floats, sum);
}

// Which lanes go left.
struct HaarTest {
    using Node = PackedCascade::HaarNode;
    static constexpr bool has_deviation = true;
    FloatVec inverse_deviation;

    static const Node* nodes(const PackedCascade& cascade) { return cascade.haar_nodes.data(); }

    template <class Corners>
    HWY_INLINE hn::Mask<Floats> left(const Corners& at, const Node& node) const {
        FloatVec value = hn::Add(hn::Mul(hn::Set(floats, node.weights[0]), rect_sum(at, node.corners[0])),
                                 hn::Mul(hn::Set(floats, node.weights[1]), rect_sum(at, node.corners[1])));
        if (node.rects == 3) {
            value = hn::Add(value, hn::Mul(hn::Set(floats, node.weights[2]), rect_sum(at, node.corners[2])));
        }
        return hn::Lt(hn::Mul(value, inverse_deviation), hn::Set(floats, node.threshold));
    }
};

// The same, where rectangles' common corners are merged: a third less to load.
struct MergedTest {
    using Node = PackedCascade::MergedNode;
    static constexpr bool has_deviation = true;
    FloatVec inverse_deviation;

    static const Node* nodes(const PackedCascade& cascade) { return cascade.merged_nodes.data(); }

    template <class Corners>
    HWY_INLINE hn::Mask<Floats> left(const Corners& at, const Node& node) const {
        const auto corner = [&](int i) HWY_ATTR { return at.load(node.corners[i]); };
        FloatVec value;
        if (node.kind == MergedPattern::edge) {
            const IntVec halves = hn::Sub(corner(4), corner(5));
            const IntVec outer = hn::Sub(hn::Add(corner(0), corner(1)), hn::Add(corner(2), corner(3)));
            value = hn::ConvertTo(floats, hn::Add(outer, hn::Add(halves, halves)));
        } else if (node.kind == MergedPattern::line) {
            const IntVec outer = hn::Sub(hn::Add(corner(0), corner(3)), hn::Add(corner(1), corner(2)));
            const IntVec inner = hn::Sub(hn::Add(corner(4), corner(7)), hn::Add(corner(5), corner(6)));
            value = hn::Sub(hn::Mul(hn::Set(floats, node.weight), hn::ConvertTo(floats, inner)),
                            hn::ConvertTo(floats, outer));
        } else {
            const IntVec outer = hn::Add(hn::Add(corner(0), corner(1)), hn::Add(corner(2), corner(3)));
            const IntVec middle = hn::Add(hn::Add(corner(4), corner(5)), hn::Add(corner(6), corner(7)));
            const IntVec centre = hn::ShiftLeft<1>(corner(8));
            const IntVec inner = hn::Sub(centre, middle);
            value = hn::Mul(hn::Set(floats, node.weight),
                            hn::ConvertTo(floats, hn::Add(outer, hn::Add(inner, inner))));
        }
        return hn::Lt(hn::Mul(value, inverse_deviation), hn::Set(floats, node.threshold));
    }
};

// Masked subtractions are one instruction where masks have registers of their own.
HWY_INLINE IntVec subtract_where(hn::Mask<Ints> mask, IntVec from, std::int32_t amount) {
    const IntVec amounts = hn::Set(ints, amount);
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
    return hn::IfThenElse(mask, hn::Sub(from, amounts), from);
#else
    return hn::Sub(from, hn::IfThenElseZero(mask, amounts));
#endif
}

// The words of a table of eight, by index.
HWY_INLINE IntVec words_of_eight(const std::int32_t* table, IntVec index) {
#if HWY_TARGET == HWY_SCALAR
    return hn::GatherIndex(ints, table, index);
#else
    if constexpr (hn::MaxLanes(ints) == 16) {
        const auto words = hn::LoadU(half_ints, table);
        return hn::TableLookupLanes(hn::Combine(ints, words, words), hn::IndicesFromVec(ints, index));
    } else if constexpr (hn::MaxLanes(ints) == 8) {
        return hn::TableLookupLanes(hn::LoadU(ints, table), hn::IndicesFromVec(ints, index));
    } else {
        return hn::GatherIndex(ints, table, index);
    }
#endif
}

struct LbpTest {
    using Node = PackedCascade::LbpNode;
    static constexpr bool has_deviation = false;

    static const Node* nodes(const PackedCascade& cascade) { return cascade.lbp_nodes.data(); }

    template <class Corners>
    HWY_INLINE hn::Mask<Floats> left(const Corners& at, const Node& node) const {
        // Cell sums of the 3×3 grid from its 4×4 grid points, a row of cells at a time.
        IntVec cells[9];
        IntVec above[4];
        for (int i = 0; i < 4; ++i) above[i] = at.load(node.corners[i]);
        for (int row = 0; row < 3; ++row) {
            IntVec strips[4];
            for (int i = 0; i < 4; ++i) {
                const IntVec below = at.load(node.corners[4 * (row + 1) + i]);
                strips[i] = hn::Sub(below, above[i]);
                above[i] = below;
            }
            for (int i = 0; i < 3; ++i) cells[3 * row + i] = hn::Sub(strips[i + 1], strips[i]);
        }
        const IntVec centre = cells[4];
        const int order[8] = {0, 1, 2, 5,
                              8, 7, 6, 3};  // clockwise from the top left, most significant bit first
        IntVec code = hn::Set(ints, 255);
        for (int i = 0; i < 8; ++i) code = subtract_where(hn::Lt(cells[order[i]], centre), code, 128 >> i);
        const IntVec word = words_of_eight(node.subset.data(), hn::ShiftRight<5>(code));
        const IntVec bit = hn::Shl(hn::Set(ints, 1), hn::And(code, hn::Set(ints, 31)));
        return hn::RebindMask(floats, hn::Ne(hn::And(word, bit), hn::Zero(ints)));
    }
};

// A tree of any shape: each node narrows the lanes that reach its children (which come later in the list).
template <class Test, class Corners>
HWY_NOINLINE FloatVec tree_leaves(const PackedCascade::Tree& tree, const typename Test::Node* nodes,
                                  const Corners& at, const Test& test) {
    constexpr int max_nodes = 64;  // read_cascade refuses larger trees
    HWY_ALIGN std::int32_t reached[max_nodes][HWY_MAX_BYTES / sizeof(std::int32_t)];
    const IntVec all = hn::Set(ints, -1);
    for (int i = 0; i < tree.node_count; ++i) hn::Store(i == 0 ? all : hn::Zero(ints), ints, reached[i]);
    FloatVec leaves = hn::Zero(floats);
    for (int i = 0; i < tree.node_count; ++i) {
        const typename Test::Node& node = nodes[tree.first_node + i];
        const IntVec here = hn::Load(ints, reached[i]);
        const IntVec left = hn::BitCast(ints, hn::VecFromMask(floats, test.left(at, node)));
        const IntVec goes_left = hn::And(here, left);
        const IntVec goes_right = hn::AndNot(left, here);
        const auto route = [&](int child, float leaf, IntVec lanes) {
            if (child > 0) {
                hn::Store(hn::Or(hn::Load(ints, reached[child]), lanes), ints, reached[child]);
            } else {
                leaves = hn::IfThenElse(hn::RebindMask(floats, hn::MaskFromVec(lanes)), hn::Set(floats, leaf),
                                        leaves);
            }
        };
        route(node.left, node.left_leaf, goes_left);
        route(node.right, node.right_leaf, goes_right);
    }
    return leaves;
}

template <class Test, class Corners>
HWY_INLINE StageSums stage_sums(const PackedCascade& cascade, const CascadeStage& stage, const Corners& at,
                                const Test& test) {
    StageSums sums{hn::Zero(doubles), hn::Zero(doubles)};
    const typename Test::Node* nodes = Test::nodes(cascade);
    const PackedCascade::Tree* trees = cascade.trees.data() + stage.first_tree;
    for (int i = 0; i < stage.tree_count; ++i) {
        if (trees[i].node_count == 1) {
            const typename Test::Node& node = nodes[trees[i].first_node];
            add_leaves(sums, hn::IfThenElse(test.left(at, node), hn::Set(floats, node.left_leaf),
                                            hn::Set(floats, node.right_leaf)));
        } else {
            add_leaves(sums, tree_leaves(trees[i], nodes, at, test));
        }
    }
    return sums;
}

HWY_INLINE std::uint32_t passing_lanes(const StageSums& sums, float threshold) {
    const DoubleVec limit = hn::Set(doubles, threshold);
    const std::uint32_t low = to_bits(doubles, hn::Not(hn::Lt(sums.low, limit)));
    if constexpr (!has_upper_half) return low;
    const std::uint32_t high = to_bits(doubles, hn::Not(hn::Lt(sums.high, limit)));
    return low | high << hn::Lanes(doubles);
}

HWY_INLINE DoubleVec unsigned_to_double(hn::Vec<HalfInts> bits) {
    // There is no conversion from unsigned below AVX-512: shift the range, convert, shift back; all exact.
    const auto shifted = hn::Xor(bits, hn::Set(half_ints, INT32_MIN));
    return hn::Add(hn::PromoteTo(doubles, shifted), hn::Set(doubles, 2147483648.0));
}

// 1/σ of half a vector of windows; `valid` gets a bit for those with σ > 10 grey levels.
HWY_INLINE hn::Vec<HalfFloats> inverse_deviation(hn::Vec<HalfInts> sum, hn::Vec<HalfInts> squared,
                                                 double area, std::uint32_t& valid) {
    const DoubleVec s = hn::PromoteTo(doubles, sum);
    const DoubleVec areas = hn::Set(doubles, area);
    const DoubleVec variance = hn::Sub(hn::Mul(areas, unsigned_to_double(squared)), hn::Mul(s, s));
    const auto positive = hn::Gt(variance, hn::Zero(doubles));
    const DoubleVec root = hn::Sqrt(hn::IfThenElse(positive, variance, hn::Set(doubles, 1.0)));
    const hn::Vec<HalfFloats> inverse = hn::DemoteTo(half_floats, hn::Div(hn::Set(doubles, 1.0), root));
    const auto contrast = hn::Lt(hn::Mul(areas, hn::PromoteTo(doubles, inverse)), hn::Set(doubles, 0.1));
    valid = to_bits(doubles, hn::And(positive, contrast));
    return inverse;
}

HWY_INLINE IntVec corner_sum(const std::int32_t* base, const std::array<std::int32_t, 4>& corners) {
    const DenseCorners at{base};
    return hn::Add(hn::Sub(hn::Sub(at.load(corners[0]), at.load(corners[1])), at.load(corners[2])),
                   at.load(corners[3]));
}

// Collects the survivors of the first stage of one row of windows.
template <class Test>
void scan_first_stage(const PackedCascade& cascade, const ScanBand& band, int row, int padded,
                      ScanScratch& scratch) {
    const int lanes = static_cast<int>(hn::Lanes(floats));
    const std::int32_t* base = band.sum + row * band.row_stride;
    const int blocks = padded / lanes;
    const CascadeStage& stage = cascade.stages.front();
    float* deviations = scratch.inverse_deviation.data() + static_cast<std::size_t>(row) * padded;
    // Vectors of fewer than 8 lanes share a byte of the masks.
    const auto put_bits = [lanes](std::vector<std::uint8_t>& mask, int block, std::uint32_t bits) {
        const int at = block * lanes;
        if (lanes >= 8) {
            for (int i = 0; i < lanes / 8; ++i) mask[at / 8 + i] = static_cast<std::uint8_t>(bits >> 8 * i);
        } else {
            mask[at / 8] = static_cast<std::uint8_t>(mask[at / 8] | bits << at % 8);
        }
    };
    std::fill(scratch.valid.begin(), scratch.valid.end(), std::uint8_t{0});
    std::fill(scratch.passed.begin(), scratch.passed.end(), std::uint8_t{0});

    for (int block = 0; block < blocks; ++block) {
        const int at = block * lanes;
        const int inside = band.windows_per_row - at;
        const std::uint32_t in_row = inside >= lanes ? static_cast<std::uint32_t>((1ULL << lanes) - 1)
                                                     : (1U << std::max(inside, 0)) - 1;
        std::uint32_t valid = in_row;
        std::uint32_t passed = 0;
        if constexpr (Test::has_deviation) {
            const IntVec sum = corner_sum(base + at, cascade.normalisation_corners);
            const IntVec squared =
                corner_sum(reinterpret_cast<const std::int32_t*>(band.squared) + row * band.row_stride + at,
                           cascade.normalisation_corners);
            const double area = cascade.normalisation_area;
            std::uint32_t low = 0;
            std::uint32_t high = 0;
            const auto lower = inverse_deviation(hn::LowerHalf(half_ints, sum),
                                                 hn::LowerHalf(half_ints, squared), area, low);
            const auto upper = has_upper_half
                                   ? inverse_deviation(upper_half(half_ints, ints, sum),
                                                       upper_half(half_ints, ints, squared), area, high)
                                   : lower;
            const FloatVec inverse = join_halves(floats, upper, lower);
            hn::StoreU(inverse, floats, deviations + at);
            valid &= low | high << hn::Lanes(doubles);
            if (valid != 0) {
                passed =
                    valid & passing_lanes(stage_sums(cascade, stage, DenseCorners{base + at}, Test{inverse}),
                                          stage.threshold);
            }
        } else {
            passed = valid & passing_lanes(stage_sums(cascade, stage, DenseCorners{base + at}, Test{}),
                                           stage.threshold);
        }
        put_bits(scratch.valid, block, valid);
        put_bits(scratch.passed, block, passed);
    }

    int state = 0;
    const std::int32_t row_offset = static_cast<std::int32_t>(row * band.row_stride);
    for (int byte = 0; byte * 8 < band.windows_per_row; ++byte) {
        const auto rejected = static_cast<std::uint8_t>(scratch.valid[byte] & ~scratch.passed[byte]);
        unsigned survivors = visited_windows(rejected, state) & scratch.passed[byte];
        while (survivors != 0) {
            const int column = byte * 8 + __builtin_ctz(survivors);
            survivors &= survivors - 1;
            scratch.offsets.push_back(row_offset + column);
            scratch.slots.push_back(row * padded + column);
        }
    }
}

template <class Test>
Test load_test(const ScanScratch& scratch, std::int32_t slot) {
    if constexpr (Test::has_deviation) {
        return {hn::LoadU(floats, scratch.inverse_deviation.data() + slot)};
    } else {
        return {};
    }
}

template <class Test>
Test gather_test(const ScanScratch& scratch, IntVec slots) {
    if constexpr (Test::has_deviation) {
        return {hn::GatherIndex(floats, scratch.inverse_deviation.data(), slots)};
    } else {
        return {};
    }
}

// Evaluates one stage for all living windows and keeps those that pass.
template <class Test>
void scan_stage(const PackedCascade& cascade, const ScanBand& band, const CascadeStage& stage,
                ScanScratch& scratch) {
    const int lanes = static_cast<int>(hn::Lanes(floats));
    // A contiguous vector costs about a fifth of a gathered one, so it wins from a fifth of the lanes on.
    const int dense_from = std::max(2, lanes / 5);
    const int count = static_cast<int>(scratch.offsets.size());
    scratch.alive.assign(count, 0);
    scratch.sums.resize(count);
    HWY_ALIGN double lane_sums[HWY_MAX_BYTES / sizeof(float)];
    const auto store_sums = [&](const StageSums& sums) {
        hn::Store(sums.low, doubles, lane_sums);
        if constexpr (has_upper_half) hn::Store(sums.high, doubles, lane_sums + hn::Lanes(doubles));
    };

    HWY_ALIGN std::int32_t pending_offsets[HWY_MAX_BYTES / sizeof(std::int32_t)];
    HWY_ALIGN std::int32_t pending_slots[HWY_MAX_BYTES / sizeof(std::int32_t)];
    int pending[HWY_MAX_BYTES / sizeof(std::int32_t)];
    int waiting = 0;
    const auto flush = [&] {
        if (waiting == 0) return;
        for (int i = waiting; i < lanes; ++i) {
            pending_offsets[i] = pending_offsets[0];
            pending_slots[i] = pending_slots[0];
        }
        const SparseCorners at{band.sum, hn::Load(ints, pending_offsets)};
        const StageSums sums =
            stage_sums(cascade, stage, at, gather_test<Test>(scratch, hn::Load(ints, pending_slots)));
        const std::uint32_t bits = passing_lanes(sums, stage.threshold);
        store_sums(sums);
        for (int i = 0; i < waiting; ++i) {
            scratch.alive[pending[i]] = bits >> i & 1;
            scratch.sums[pending[i]] = lane_sums[i];
        }
        waiting = 0;
    };

    for (int first = 0; first < count;) {
        const std::int32_t base = scratch.offsets[first];
        int last = first + 1;
        // Offsets rise, and rows lie further apart than a vector is long: these are windows of one row.
        while (last < count && scratch.offsets[last] - base < lanes) ++last;
        if (last - first >= dense_from) {
            const StageSums sums = stage_sums(cascade, stage, DenseCorners{band.sum + base},
                                              load_test<Test>(scratch, scratch.slots[first]));
            const std::uint32_t bits = passing_lanes(sums, stage.threshold);
            store_sums(sums);
            for (int i = first; i < last; ++i) {
                const int lane = scratch.offsets[i] - base;
                scratch.alive[i] = bits >> lane & 1;
                scratch.sums[i] = lane_sums[lane];
            }
        } else {
            for (int i = first; i < last; ++i) {
                pending_offsets[waiting] = scratch.offsets[i];
                pending_slots[waiting] = scratch.slots[i];
                pending[waiting] = i;
                if (++waiting == lanes) flush();
            }
        }
        first = last;
    }
    flush();

    int kept = 0;
    for (int i = 0; i < count; ++i) {
        scratch.offsets[kept] = scratch.offsets[i];
        scratch.slots[kept] = scratch.slots[i];
        scratch.sums[kept] = scratch.sums[i];
        kept += scratch.alive[i];
    }
    scratch.offsets.resize(kept);
    scratch.slots.resize(kept);
}

template <class Test>
void scan_band_with(const PackedCascade& cascade, const ScanBand& band, ScanScratch& scratch,
                    std::vector<CascadeWindow>& found) {
    const int lanes = static_cast<int>(hn::Lanes(floats));
    const int padded = (band.windows_per_row + lanes - 1) / lanes * lanes;
    scratch.inverse_deviation.resize(static_cast<std::size_t>(band.window_rows) * padded + lanes);
    scratch.valid.resize(padded / 8 + 1);
    scratch.passed.resize(padded / 8 + 1);
    scratch.offsets.clear();
    scratch.slots.clear();
    for (int row = 0; row < band.window_rows; ++row)
        scan_first_stage<Test>(cascade, band, row, padded, scratch);
    // A cascade of one stage evaluates it twice: the first pass keeps no sums.
    for (std::size_t i = cascade.stages.size() > 1 ? 1 : 0; i < cascade.stages.size(); ++i) {
        if (scratch.offsets.empty()) return;
        scan_stage<Test>(cascade, band, cascade.stages[i], scratch);
    }
    for (std::size_t i = 0; i < scratch.offsets.size(); ++i) {
        const int row = scratch.slots[i] / padded;
        const int column = scratch.slots[i] % padded;
        found.push_back({band.level, column * band.step, band.first_y + row * band.step, scratch.sums[i]});
    }
}

void scan_band_target(const PackedCascade& cascade, const ScanBand& band, ScanScratch& scratch,
                      std::vector<CascadeWindow>& found) {
    if (!cascade.merged_nodes.empty()) {
        scan_band_with<MergedTest>(cascade, band, scratch, found);
    } else if (cascade.cascade->feature == Cascade::Feature::haar) {
        scan_band_with<HaarTest>(cascade, band, scratch, found);
    } else {
        scan_band_with<LbpTest>(cascade, band, scratch, found);
    }
}

int slack_target() {
    return static_cast<int>(hn::Lanes(floats));
}

const char* name_target() {
    return hwy::TargetName(HWY_TARGET);
}

}  // namespace HWY_NAMESPACE
}  // namespace fovea
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <stdexcept>

namespace fovea {

HWY_EXPORT(scan_band_target);
HWY_EXPORT(slack_target);
HWY_EXPORT(name_target);

void scan_band(const PackedCascade& cascade, const ScanBand& band, ScanScratch& scratch,
               std::vector<CascadeWindow>& found) {
    HWY_DYNAMIC_DISPATCH(scan_band_target)(cascade, band, scratch, found);
}

int scan_slack() {
    return HWY_DYNAMIC_DISPATCH(slack_target)();
}

std::string simd_target() {
    return HWY_DYNAMIC_DISPATCH(name_target)();
}

}  // namespace fovea
#endif
