// Look-ups in vectors, compiled once for every instruction set and chosen at run time (Highway).

#include "kernels/mct/evaluate.hpp"

#include <algorithm>
#include <bit>

#define HWY_WANT_AVX3_DL 1
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/mct/evaluate.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/mct/lookup_blocks-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace fovea {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Appends the places of a block whose bits are set.
HWY_INLINE void append(std::uint32_t offset, std::uint64_t alive, const std::int32_t* sums, int places,
                       PlaceQueue& queue) {
    const int lanes = static_cast<int>(hn::Lanes(ints));
    queue.reserve_more(places + lanes);
    for (int at = 0; at < places; at += lanes) {
        const std::uint64_t bits = lane_bits(alive >> at);
        append_lanes(hn::Iota(ints, static_cast<std::int32_t>(offset) + at), hn::Load(ints, sums + at), bits,
                     queue);
    }
}

void evaluate_row(const PlacedLookup* lookups, std::span<const LookupSegment> segments, const PlaceRow& row,
                  int columns, PlaceQueues& memory) {
    HWY_ALIGN std::int32_t sums[64];
    for (int x = 0; x < columns; x += DenseBlock::places) {
        std::uint64_t alive = DenseBlock::bits(row.alive[x / 64] >> x % 64);
        if (alive == 0) continue;
        DenseBlock block(row.sums == nullptr ? nullptr : row.sums + x);
        std::size_t s = 0;
        for (; s < segments.size(); ++s) {
            const LookupSegment& segment = segments[s];
            if (std::popcount(alive) < DenseBlock::fewest ||
                (DenseBlock::has_16_bits && !segment.fits_16_bits)) {
                break;
            }
            alive &= block.evaluate(lookups + segment.first, lookups + segment.end, row.offset + x);
            if (alive == 0) break;
        }
        if (alive == 0) continue;
        block.store(sums);
        append(row.offset + x, alive, sums, DenseBlock::places, memory.queues[s]);
    }
}

// Evaluates one segment for all places that wait for it.
void evaluate_queue(const PlacedLookup* lookups, const LookupSegment& segment, PlaceQueue& from,
                    PlaceQueue& to) {
    const int lanes = static_cast<int>(hn::Lanes(ints));
    to.reserve_more(from.size + lanes);
    from.reserve_more(lanes);
    // Lanes beyond the last place look where the first one lies.
    for (int i = 0; i < lanes; ++i) from.offsets[from.size + i] = from.offsets[0];
    std::size_t at = 0;
#if HWY_TARGET == HWY_AVX3_DL
    if (segment.fits_16_bits) {
        for (; at + SparseBlock::places <= from.size; at += SparseBlock::places) {
            SparseBlock block(from.offsets.data() + at, from.sums.data() + at);
            block.evaluate(lookups + segment.first, lookups + segment.end);
            block.append(to);
        }
    }
#endif
    for (; at < from.size; at += lanes) {
        const IntVec offsets =
            hn::LoadU(ints, reinterpret_cast<const std::int32_t*>(from.offsets.data() + at));
        IntVec sum = hn::LoadU(ints, from.sums.data() + at);
        auto alive = hn::FirstN(ints, std::min<std::size_t>(lanes, from.size - at));
        for (const PlacedLookup* lookup = lookups + segment.first; lookup != lookups + segment.end;
             ++lookup) {
            if (lookup->starts_stage) sum = hn::Zero(ints);
            sum = hn::Add(sum, gather_weights(lookup->table, gather_codes(lookup->codes, offsets)));
            alive = hn::And(alive, hn::Not(hn::Gt(sum, hn::Set(ints, lookup->reject_above))));
        }
        append_lanes(offsets, sum, bits_of(alive), to);
    }
    from.size = 0;
}

void evaluate_rows(const PlacedLookup* lookups, std::span<const LookupSegment> segments,
                   std::span<const PlaceRow> rows, int columns, PlaceQueues& memory) {
    for (const PlaceRow& row : rows) evaluate_row(lookups, segments, row, columns, memory);
    for (std::size_t s = 0; s < segments.size(); ++s) {
        if (memory.queues[s].size > 0) {
            evaluate_queue(lookups, segments[s], memory.queues[s], memory.queues[s + 1]);
        }
    }
}

}  // namespace HWY_NAMESPACE
}  // namespace fovea
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea {

HWY_EXPORT(evaluate_rows);

PlaceQueue& evaluate_places(std::span<const PlacedLookup> lookups, std::span<const LookupSegment> segments,
                            std::span<const PlaceRow> rows, int columns, PlaceQueues& memory) {
    if (memory.queues.size() < segments.size() + 1) memory.queues.resize(segments.size() + 1);
    for (PlaceQueue& queue : memory.queues) queue.size = 0;
    HWY_DYNAMIC_DISPATCH(evaluate_rows)(lookups.data(), segments, rows, columns, memory);
    return memory.queues[segments.size()];
}

}  // namespace fovea
#endif
