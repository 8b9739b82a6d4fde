#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "lib/evaluate/statistics/resample.hpp"

namespace fovea {

/// The number of elements of each unit in the segments of a list, for weighted sums over many elements of few
/// units: a sum looks at each unit once, not at each element.
class SegmentCounts {
  public:
    /// \param unit_of unit_of(element), below `units`. \param ends [segment] the elements up to a segment's
    /// end, rising; the first segment begins at 0. \return nothing if a segment has more than 32,767 elements
    /// of a unit.
    template <class UnitOf>
    static std::optional<SegmentCounts> make(const UnitOf& unit_of, std::span<const std::size_t> ends,
                                             std::size_t units) {
        SegmentCounts made(ends.size(), units);
        std::size_t element = 0;
        for (std::size_t segment = 0; segment < ends.size(); ++segment) {
            for (; element < ends[segment]; ++element) {
                if (!made.add(segment, unit_of(element), 1)) return std::nullopt;
            }
        }
        return made;
    }

    /// Makes segments without elements.
    SegmentCounts(std::size_t segments, std::size_t units) : units_(units), counts_(segments * units) {}

    /// Adds elements of a unit to a segment. \return false, and adds none, if it would have more than 32,767.
    bool add(std::size_t segment, std::size_t unit, std::size_t elements) {
        constexpr std::size_t most = std::numeric_limits<std::int16_t>::max();
        std::int16_t& count = counts_[segment * units_ + unit];
        if (elements > most - static_cast<std::size_t>(count)) return false;
        count = static_cast<std::int16_t>(static_cast<std::size_t>(count) + elements);
        elements_ += elements;
        return true;
    }

    /// The sum, over the elements of each segment, of their units' weights: [segment].
    /// \return false, and no sums, if weights are so large that a sum may reach 2^31.
    bool add_up(Weights weights, std::span<std::int64_t> sums) const;

  private:
    std::size_t units_;
    std::size_t elements_ = 0;
    std::vector<std::int16_t> counts_;  // [segment][unit]
};

}  // namespace fovea
