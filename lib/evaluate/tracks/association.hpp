#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "lib/evaluate/tracks/track_numbers.hpp"
#include "lib/evaluate/tracks/track_video.hpp"

namespace fovea {

/// The number of frames in which a pair of tracks was paired, by threshold.
using LevelCounts = std::array<std::uint32_t, hota_levels>;

/// Computes AssA, AssRe and AssPr: the mean, over the boxes found (numbers.tp), of the association of
/// their tracks.
/// \param counts parallel to pairs. \param truth_boxes, result_boxes number of boxes of each track.
void associate(std::span<const TrackPair> pairs, std::span<const LevelCounts> counts,
               std::span<const std::uint32_t> truth_boxes, std::span<const std::uint32_t> result_boxes,
               HotaNumbers& numbers);

}  // namespace fovea
