#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fovea {

// The look-ups of an MCT cascade over many places (windows, or cells of them) at once.
//
// The look-ups are divided into segments. Places that a threshold has rejected are dropped between segments,
// not within them. Places are evaluated densely, as they lie in a row, as long as enough places of a block
// are left. The others are collected from all rows and evaluated sparsely: their codes are gathered. Either
// way a place makes its look-ups in the order of the cascade.

/// One look-up, ready for places of one part of a level.
struct PlacedLookup {
    const std::uint16_t* codes = nullptr;  ///< at the place whose offset is 0
    /// 512 weights, aligned to 64 bytes; table_slack bytes before them may be read.
    const std::int8_t* table = nullptr;
    std::int32_t reject_above = 0;
    std::int16_t reject_above_16 = 0;  ///< reject_above clamped, for sums of 16 bits
    bool starts_stage = false;
};
constexpr int table_slack = 64;

/// Look-ups [first, end) between which no place is dropped.
struct LookupSegment {
    int first = 0;
    int end = 0;
    bool fits_16_bits = false;  ///< no sum within the segment leaves -32767...32767
};

/// A row of places. Place x has the offset `offset + x`.
struct PlaceRow {
    std::uint32_t offset = 0;
    const std::uint64_t* alive = nullptr;  ///< one bit a place, the lowest first; 0 beyond the last
    /// The sums so far, readable for a multiple of 64 places; null: all are 0.
    const std::int16_t* sums = nullptr;
};

/// Places and their sums so far.
struct PlaceQueue {
    std::vector<std::uint32_t> offsets;
    std::vector<std::int32_t> sums;
    std::size_t size = 0;

    /// Makes room for `count` more places; `size` stays.
    void reserve_more(std::size_t count) {
        if (size + count <= offsets.size()) return;
        offsets.resize(2 * (size + count));
        sums.resize(2 * (size + count));
    }
};

/// Memory of one thread. queues[s] holds the places that wait for segment s; the last queue holds the places
/// that passed all segments.
struct PlaceQueues {
    std::vector<PlaceQueue> queues;
};

/// Evaluates all look-ups of the segments at the living places of the rows, by vector instructions chosen at
/// run time (Highway). Codes are read for a multiple of 64 places a row. \param columns places of a row.
/// \return the places that passed, in no particular order; valid until the next call.
PlaceQueue& evaluate_places(std::span<const PlacedLookup> lookups, std::span<const LookupSegment> segments,
                            std::span<const PlaceRow> rows, int columns, PlaceQueues& memory);

}  // namespace fovea
