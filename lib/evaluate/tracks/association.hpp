#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "lib/evaluate/tracks/track_numbers.hpp"
#include "lib/evaluate/tracks/track_video.hpp"

namespace fovea {

/// In how many frames a pair of tracks was paired, by threshold.
using LevelCounts = std::array<std::uint32_t, hota_levels>;

/// AssA, AssRe and AssPr: the mean, over the boxes found, of the association of their tracks. Reads the boxes
/// found from numbers.tp. \param counts parallel to pairs. \param truth_boxes, result_boxes of each track.
void associate(std::span<const TrackPair> pairs, std::span<const LevelCounts> counts,
               std::span<const std::uint32_t> truth_boxes, std::span<const std::uint32_t> result_boxes,
               HotaNumbers& numbers);

}  // namespace fovea
